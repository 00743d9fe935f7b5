//! Prompts and resources that ask, as tools do: plan the first weeks of a new colleague, read a checklist
//! that depends on where the colleague works, and a tool whose form the model fills in as far as it can.
//!
//! Run it with `cargo run --example onboarding`, its tests with `cargo test --example onboarding`.

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::{Completing, NotFound};

/// What is the role about?
#[derive(Elicit)]
struct Role {
    /// The focus of the first weeks
    #[elicit(max_length = 200)]
    focus: String,
    remote: bool,
}

#[derive(Choice, Clone, Copy)]
enum Office {
    Berlin,
    Oslo,
}

/// Where does the colleague work?
#[derive(Elicit)]
struct Place {
    office: Office,
}

/// When does the colleague begin?
#[derive(Elicit)]
struct Start {
    /// The first day
    day: jiff::civil::Date,
    /// How many hours a week
    #[elicit(min = 4, max = 40, default = 40)]
    hours: u8,
}

/// The colleagues, by name, and when they begin.
#[derive(Clone, Default)]
struct Onboarding {
    colleagues: Arc<Mutex<BTreeMap<String, Option<String>>>>,
}

impl Onboarding {
    fn new(names: &[&str]) -> Self {
        let colleagues = names
            .iter()
            .map(|name| ((*name).to_owned(), None))
            .collect();
        Self {
            colleagues: Arc::new(Mutex::new(colleagues)),
        }
    }

    fn colleagues(&self) -> MutexGuard<'_, BTreeMap<String, Option<String>>> {
        self.colleagues
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names to choose from while somebody types.
async fn names(typing: Completing) -> Vec<String> {
    let all = ["ada", "grace"].into_iter();
    let fitting = all.filter(|name| name.starts_with(typing.typed()));
    fitting.map(ToOwned::to_owned).collect()
}

#[tools]
impl Onboarding {
    /// Plan the first weeks of a new colleague.
    #[prompt(asks(Role))]
    async fn first_weeks(
        &self,
        cx: &Cx,
        /** Who is new */
        #[arg(complete = names)]
        employee: String,
        /** How many weeks */
        #[arg(default = 2)]
        weeks: u8,
    ) -> Result<Messages, CallError> {
        let role = cx.ask::<Role>().await?;
        let place = if role.remote {
            "from home"
        } else {
            "in the office"
        };
        let plan = format!("Plan the first {weeks} weeks of {employee}, who works {place}.");
        Ok(Messages::new()
            .user(plan)
            .user(format!("The focus is {}.", role.focus)))
    }

    /// What a new colleague needs in the first week.
    #[resource("hr://checklist/{employee}", mime = "text/markdown")]
    async fn checklist(&self, cx: &Cx, employee: String) -> Result<String, CallError> {
        if !self.colleagues().contains_key(&employee) {
            return Err(NotFound.into());
        }
        let place = cx.ask::<Place>().about(&employee).await?;
        let keys = match place.office {
            Office::Berlin => "a key from the front desk",
            Office::Oslo => "a card, sent by mail",
        };
        Ok(format!("# {employee}\n\n- [ ] {keys}\n- [ ] a laptop\n"))
    }

    /// Register when a new colleague begins.
    #[tool]
    async fn register(
        &self,
        cx: &Cx,
        /** Who is new */
        employee: String,
        Fill(start): Fill<Start>,
    ) -> Result<String, CallError> {
        if !self.colleagues().contains_key(&employee) {
            return Err(format!("There is nobody called {employee}.").into());
        }
        let (day, hours) = (start.day, start.hours);
        cx.confirm(format!(
            "Register {employee} from {day} with {hours} hours a week?"
        ))
        .await?;
        let register = async |_: &_| {
            self.colleagues()
                .insert(employee.clone(), Some(day.to_string()));
            Ok(())
        };
        cx.once("register", register).await?;
        cx.changes()
            .resource_updated(&format!("hr://checklist/{employee}"));
        Ok(format!("{employee} begins on {day}."))
    }
}

fn server(onboarding: Onboarding) -> Server {
    Server::new("onboarding", env!("CARGO_PKG_VERSION"))
        .title("Onboarding")
        .tools(onboarding)
        .auth(DevUsers)
        .limits(common::limits())
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    let app = server(Onboarding::new(&["ada", "grace"])).build().await?;
    eprintln!("onboarding: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    app.serve(&address).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcp_elicit::testing::TestApp;
    use serde_json::json;

    async fn app() -> (Onboarding, TestApp) {
        let onboarding = Onboarding::new(&["ada", "grace"]);
        let app = TestApp::new(server(onboarding.clone())).await;
        (onboarding, app)
    }

    #[tokio::test]
    async fn a_prompt_asks_before_it_answers() {
        let (_, app) = app().await;
        let call = app
            .user("hr")
            .prompt("first_weeks")
            .args(json!({ "employee": "ada" }));
        let role = Role {
            focus: "the compiler".into(),
            remote: true,
        };
        let run = call.accept(role).await;
        let text = run.text();
        assert!(
            text.contains("the first 2 weeks of ada, who works from home"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_resource_asks_where_and_a_no_is_an_error() {
        let (_, app) = app().await;
        let read = || app.user("hr").read("hr://checklist/ada");
        let run = read()
            .accept(Place {
                office: Office::Oslo,
            })
            .await;
        assert!(run.text().contains("a card, sent by mail"));
        let refused = read().decline::<Place>().await;
        assert_eq!(refused.refused().map(|it| it.code()), Some(4001));
        let unknown = app.user("hr").read("hr://checklist/bob").await;
        assert_eq!(unknown.refused().map(|it| it.code()), Some(-32602));
    }

    #[tokio::test]
    async fn the_user_is_asked_for_what_the_model_left_out() {
        let (onboarding, app) = app().await;
        let arguments = json!({ "employee": "grace", "start": { "hours": 20 } });
        let call = app.user("hr").tool("register").args(arguments);
        let start = Start {
            day: jiff::civil::date(2027, 1, 4),
            hours: 20,
        };
        let run = call.accept(start).key("fill.start").confirm(true).await;
        let question = run.asked().last().map(|it| it.message());
        assert_eq!(
            question,
            Some("Register grace from 2027-01-04 with 20 hours a week?")
        );
        assert_eq!(run.text(), "grace begins on 2027-01-04.");
        let day = onboarding.colleagues().get("grace").cloned().flatten();
        assert_eq!(day.as_deref(), Some("2027-01-04"));
    }
}
