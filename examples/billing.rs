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

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    let app = Server::new("billing", env!("CARGO_PKG_VERSION"))
        .title("Billing")
        .tools(toolset![connect_billing])
        .tools(Billing {
            provider: Provider::default(),
        })
        .auth(DevUsers)
        .limits(common::limits())
        .build()
        .await?;
    eprintln!("billing: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    eprintln!(
        "Users are made up: the bearer token is the name. What is kept for you: http://{address}/ui"
    );
    eprintln!(
        "Next: call the tool `connect_billing` as the README shows, and open the link it gives."
    );
    app.serve(&address).await
}
