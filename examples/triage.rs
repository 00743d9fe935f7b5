//! Choices that are known only at run time, and effects in a loop: pick a repository, then some of its
//! labels, then close the issues that have them.
//!
//! Run it with `cargo run --example triage`, its tests with `cargo test --example triage`.

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;

/// Which repository?
#[derive(Elicit)]
struct Repository {
    #[select]
    repository: Select<u64>,
}

/// Issues with which labels?
#[derive(Elicit)]
struct Labels {
    #[select]
    #[elicit(min_items = 1)]
    labels: Vec<Select>,
}

/// What there is to triage.
struct Triage {
    hub: Arc<Hub>,
}

#[tools]
impl Triage {
    /// Close all issues with some labels.
    #[tool(asks(Repository, Labels), destructive)]
    async fn close_issues(&self, cx: &Cx) -> Result<String, CallError> {
        let user = cx.principal().subject();
        let options = RepositoryOptions {
            repository: self.hub.repositories(user).into(),
        };
        let repository = *cx.ask_with::<Repository>(options).await?.repository.key();
        let options = LabelsOptions {
            labels: self
                .hub
                .labels(repository)
                .into_iter()
                .map(|it| (it.clone(), it))
                .collect(),
        };
        let labels = cx.ask_with::<Labels>(options).await?.labels;
        let labels: Vec<_> = labels.into_iter().map(Select::into_key).collect();
        // Recorded: these very issues are agreed to and closed, whatever is opened or closed meanwhile.
        let issues = cx
            .step("issues", async |_| Ok(self.hub.open(repository, &labels)))
            .await?;
        if issues.is_empty() {
            return Ok("There is no such issue.".to_owned());
        }
        // The text says how many, and what is agreed to is which.
        cx.confirm(format!("Close {} issues?", issues.len()))
            .about(&issues)
            .await?;
        let mut closed = Vec::new();
        for (i, issue) in issues.iter().enumerate() {
            let close = cx.once("close", async |_| {
                self.hub.close(*issue);
                Ok(())
            });
            close.at(i).await?;
            closed.push(format!("#{issue}"));
            cx.progress(closed.len(), issues.len());
        }
        Ok(format!("Closed {}.", closed.join(", ")))
    }
}

/// Stands for a service with issues: repository, label, number.
#[derive(Default)]
struct Hub {
    issues: Mutex<BTreeSet<(u64, &'static str, u32)>>,
    closed: Mutex<Vec<u32>>,
}

impl Hub {
    fn repositories(&self, user: &str) -> Vec<(u64, String)> {
        let own = (17, format!("{user}/notes"));
        [own]
            .into_iter()
            .chain([(23, "team/web".to_owned())])
            .collect()
    }

    fn issues(&self) -> MutexGuard<'_, BTreeSet<(u64, &'static str, u32)>> {
        self.issues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn labels(&self, repository: u64) -> BTreeSet<String> {
        let all = self.issues();
        let its = all.iter().filter(|(of, ..)| *of == repository);
        its.map(|(_, label, _)| (*label).to_owned()).collect()
    }

    fn open(&self, repository: u64, labels: &[String]) -> Vec<u32> {
        let closed = self
            .closed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let all = self.issues();
        let its = all
            .iter()
            .filter(|(of, label, _)| *of == repository && labels.iter().any(|it| it == label));
        its.map(|(.., number)| *number)
            .filter(|it| !closed.contains(it))
            .collect()
    }

    fn close(&self, issue: u32) {
        self.closed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(issue);
    }
}

fn server(hub: &Arc<Hub>) -> Server {
    let hub = Arc::clone(hub);
    Server::new("triage", env!("CARGO_PKG_VERSION"))
        .tools(Triage { hub })
        .auth(DevUsers)
}

/// Some issues to begin with.
fn hub() -> Arc<Hub> {
    let hub = Hub::default();
    hub.issues().extend([
        (17, "stale", 1),
        (17, "wish", 2),
        (23, "bug", 3),
        (23, "stale", 4),
        (23, "stale", 5),
        (23, "wish", 6),
    ]);
    Arc::new(hub)
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    eprintln!("triage: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    server(&hub())
        .limits(common::limits())
        .serve(&address)
        .await
}

#[cfg(test)]
mod tests {
    use mcp_elicit::testing::{TestApp, TestCall};

    use super::*;
    use mcp_elicit::Progress;

    fn stale(app: &TestApp, user: &str) -> TestCall {
        app.user(user)
            .tool("close_issues")
            .pick::<Repository>("repository", |offers| offers.titled("team/web"))
            .pick::<Labels>("labels", |offers| offers.all_titled(["bug", "stale"]))
    }

    #[tokio::test]
    async fn what_was_picked_is_closed() {
        let hub = hub();
        let app = TestApp::new(server(&hub)).await;
        let run = stale(&app, "ada").confirm(true).await;
        assert_eq!(run.text(), "Closed #3, #4, #5.");
        assert_eq!(
            run.asked().last().map(|it| it.message()),
            Some("Close 3 issues?")
        );
        let told = [1, 2, 3].map(|done| Progress::new(done).total(3));
        assert_eq!(run.progress(), told);
        assert_eq!(
            *hub.closed.lock().unwrap(),
            [3, 4, 5],
            "each round is done twice, each effect once"
        );
        let run = stale(&app, "ada").await;
        assert_eq!(run.text(), "There is no such issue.");
    }

    #[tokio::test]
    async fn a_no_closes_nothing() {
        let hub = hub();
        let app = TestApp::new(server(&hub)).await;
        assert!(stale(&app, "ada").confirm(false).await.is_error());
        assert!(hub.closed.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_choice_that_nobody_offered_is_asked_again() {
        let app = TestApp::new(server(&hub())).await;
        let run = app
            .user("ada")
            .tool("close_issues")
            .pick::<Repository>("repository", |_| "99".into())
            .pick::<Repository>("repository", |offers| offers.titled("ada/notes"))
            .pick::<Labels>("labels", |offers| offers.first())
            .confirm(true)
            .live()
            .await;
        assert_eq!(run.text(), "Closed #1.");
        assert!(
            run.asked()[1]
                .message()
                .contains("repository: must be one of: 17, 23")
        );
    }

    #[tokio::test]
    async fn a_response_that_is_lost_closes_nothing_twice_nor_anything_else() {
        let hub = hub();
        let app = TestApp::new(server(&hub)).await;
        let parked = stale(&app, "ada").until_confirm().await;
        hub.issues().insert((23, "stale", 7));
        app.drop_next_response();
        let run = parked.resend().confirm(true).await;
        assert_eq!(run.text(), "Closed #3, #4, #5.");
        assert_eq!(*hub.closed.lock().unwrap(), [3, 4, 5]);
        assert!(
            parked
                .as_user("bob")
                .confirm(true)
                .await
                .refused()
                .is_some()
        );
    }
}
