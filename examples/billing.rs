//! A secret by page, a form, a confirmation, and an effect that happens once.
//!
//! Run it with `cargo run --example billing`, then follow the walk in the README. `PORT` changes
//! the port, `MCP_ELICIT_DATA` where it keeps its data.

mod common;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use mcp_elicit::ExposeSecret;
use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;

/// Your payment provider account.
#[derive(Elicit)]
#[elicit(
    url = "/ui/set_api_key",
    message = "Please provide your API key to continue."
)]
struct BillingKey {
    /// Secret key from the provider's dashboard
    #[secret]
    api_key: SecretString,
    /// A name for this account
    #[elicit(max_length = 40)]
    label: Option<String>,
}

/// How should we invoice you?
#[derive(Elicit)]
struct Invoice {
    /// Where invoices are sent
    #[elicit(format = "email")]
    email: String,
    plan: Plan,
    #[elicit(min_items = 1)]
    extras: Vec<Extra>,
    /// How many people will use it
    #[elicit(min = 1, max = 500, default = 1)]
    seats: u16,
    /// First day; today if left out
    starts: Option<jiff::civil::Date>,
}

#[derive(Choice, Debug)]
enum Plan {
    #[choice(title = "Free, one project")]
    Free,
    #[choice(title = "Pro, everything")]
    Pro,
}

#[derive(Choice, Debug)]
enum Extra {
    Backups,
    Support,
    Audit,
}

/// Connects your payment provider account.
#[tool(asks(BillingKey))]
async fn connect_billing(cx: &Cx) -> Result<String, CallError> {
    let key = cx.ask::<BillingKey>().await?;
    Ok(match key.label {
        Some(label) => format!("The account \"{label}\" is connected."),
        None => "Your account is connected.".to_owned(),
    })
}

struct Billing {
    provider: Provider,
}

#[tools]
impl Billing {
    /// Subscribe the user to a plan.
    #[tool(asks(BillingKey, Invoice), destructive)]
    async fn subscribe(
        &self,
        cx: &Cx,
        /** How the order is called */
        reference: String,
    ) -> Result<String, CallError> {
        let key = cx.ask::<BillingKey>().await?;
        let bill = cx.ask::<Invoice>().await?;
        cx.confirm(format!(
            "Start {} seats of {:?} now?",
            bill.seats, bill.plan
        ))
        .await?;
        let id = cx
            .once("subscribe", async |s| {
                Ok(self
                    .provider
                    .subscribe(&key.api_key, &reference, &bill, s.key())
                    .await?)
            })
            .await?;
        Ok(format!("Subscribed as {id}."))
    }
}

/// Stands for a payment provider: it gives each idempotency key one order.
#[derive(Default)]
struct Provider {
    orders: Mutex<BTreeMap<String, String>>,
}

impl Provider {
    async fn subscribe(
        &self,
        api_key: &SecretString,
        reference: &str,
        bill: &Invoice,
        idempotency_key: &str,
    ) -> Result<String, std::io::Error> {
        if api_key.expose_secret().is_empty() {
            return Err(std::io::Error::other("the provider does not know this key"));
        }
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let next = orders.len() + 1001;
        let order = orders.entry(idempotency_key.to_owned()).or_insert_with(|| {
            eprintln!(
                "provider: order {next} \"{reference}\": {} seats of {:?} with {:?} from {} for {}",
                bill.seats,
                bill.plan,
                bill.extras,
                bill.starts
                    .map_or_else(|| "today".to_owned(), |day| day.to_string()),
                bill.email,
            );
            format!("order-{next}")
        });
        Ok(order.clone())
    }
}

fn server() -> Server {
    Server::new("billing", env!("CARGO_PKG_VERSION"))
        .title("Billing")
        .tools(toolset![connect_billing])
        .tools(Billing {
            provider: Provider::default(),
        })
        .auth(DevUsers)
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    let server = server().limits(common::limits());
    if common::is_stdio() {
        return server.serve_stdio().await;
    }
    let app = server.build().await?;
    eprintln!("billing: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    eprintln!(
        "Users are made up: the bearer token is the name. What is kept for you: http://{address}/ui"
    );
    eprintln!(
        "Next: call the tool `connect_billing` as the README shows, and open the link it gives."
    );
    app.serve(&address).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_elicit::serde_json::json;
    use mcp_elicit::testing::{TestApp, TestCall};

    use super::*;

    fn key() -> BillingKey {
        BillingKey {
            api_key: "sk_test_4f9c2e7ab1d05c83".into(),
            label: Some("work".into()),
        }
    }

    fn invoice() -> Invoice {
        Invoice {
            email: "ada@example.com".into(),
            plan: Plan::Pro,
            extras: vec![Extra::Backups],
            seats: 3,
            starts: None,
        }
    }

    fn subscribe(app: &TestApp, user: &str) -> TestCall {
        let call = app.user(user).tool("subscribe");
        call.args(json!({ "reference": "A-17" }))
    }

    #[tokio::test]
    async fn a_page_a_form_a_yes_and_one_order() {
        let app = TestApp::new(server()).await;
        let script = subscribe(&app, "ada").accept(invoice()).confirm(true);
        let run = script.clone().fill(key()).await;
        assert_eq!(run.text(), "Subscribed as order-1001.");
        // The key is in the vault from now on, and each call is an order of its own.
        assert_eq!(script.live().await.text(), "Subscribed as order-1002.");
        let run = app.user("ada").tool("connect_billing").await;
        assert_eq!(run.text(), "The account \"work\" is connected.");
    }

    #[tokio::test]
    async fn a_lost_response_is_no_second_order() {
        let app = TestApp::new(server()).await;
        let call = subscribe(&app, "ada").fill(key()).accept(invoice());
        let parked = call.until_confirm().await;
        app.drop_next_response();
        let run = parked.resend().confirm(true).await;
        assert_eq!(run.text(), "Subscribed as order-1001.");
        let next = subscribe(&app, "ada").accept(invoice()).confirm(true).await;
        assert_eq!(next.text(), "Subscribed as order-1002.");
    }

    #[tokio::test]
    async fn a_key_is_its_users_alone() {
        let app = TestApp::new(server()).await;
        let parked = subscribe(&app, "ada").until::<BillingKey>().await;
        assert!(!app.browser("eve").open(parked.link()).await.is_form());
        let page = app.browser("ada").open(parked.link()).await;
        assert!(
            page.text()
                .contains("Please provide your API key to continue.")
        );
        assert_eq!(page.fill(key()).await.status(), 200);
        let run = parked.resend().consent::<BillingKey>().accept(invoice());
        assert_eq!(run.confirm(true).await.text(), "Subscribed as order-1001.");
        // Eve is asked for a key of her own, and says no.
        assert!(
            subscribe(&app, "eve")
                .decline::<BillingKey>()
                .await
                .is_error()
        );
    }

    #[tokio::test]
    async fn refusals() {
        let app = TestApp::new(server()).await;
        let forms = json!({ "elicitation": {} });
        let run = subscribe(&app, "ada").capabilities(forms).await;
        assert_eq!(run.refused().map(|it| it.code()), Some(-32021));
        let wrong = json!({ "email": "ada", "plan": "gold", "extras": [], "seats": 900 });
        let run = subscribe(&app, "ada")
            .fill(key())
            .accept::<Invoice>(wrong)
            .accept(invoice())
            .confirm(false)
            .await;
        assert!(
            run.is_error() && run.text().contains("declined"),
            "{}",
            run.text()
        );
        assert!(
            run.asked()[2]
                .message()
                .contains("plan: must be one of: free, pro")
        );
        let parked = subscribe(&app, "ada")
            .accept(invoice())
            .until_confirm()
            .await;
        app.clock().advance(Duration::from_secs(3600));
        assert!(parked.resend().confirm(true).await.refused().is_some());
    }
}
