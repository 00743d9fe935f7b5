//! A parked run kept in a file, and what a later version of the server does with it.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::app::TestApp;
use super::call::TestCall;
use super::client::{self, Method, Round};
use super::run::{Asked, Run};
use crate::runtime::journal;
use crate::runtime::probe::Probe;

/// A parked run to be kept in a file beside its test. From [`Parked::fixture`](super::Parked::fixture).
///
/// Its text is JSON, written by `Display` and read by `FromStr`. It holds the answers so far, and no
/// secrets: those are never part of a run.
///
/// ```
/// # use mcp_elicit::prelude::*;
/// # use mcp_elicit::testing::*;
/// # /// Says yes.
/// # #[tool]
/// # async fn agree(cx: &Cx) -> Result<String, CallError> {
/// #     cx.confirm("Agree?").await?;
/// #     Ok("agreed".to_owned())
/// # }
/// # fn server() -> Server {
/// #     Server::new("terms", "1").tools(toolset![agree])
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let app = TestApp::new(server()).await;
/// let text = app.user("ada").tool("agree").until_confirm().await.fixture().to_string();
/// // In the test of a later version:
/// let saved: Fixture = text.parse().expect("a saved run");
/// assert_eq!(app.replay(&saved).await, Replay::Same);
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    user: String,
    method: Method,
    tool: String,
    arguments: Value,
    capabilities: Value,
    /// What is asked, for people who read the file.
    asked: Map<String, Value>,
    run: journal::Parked,
}

impl Fixture {
    pub(super) fn new(call: &TestCall, open: &[Asked], run: &journal::Parked) -> Self {
        let asked = |it: &Asked| (it.key().to_owned(), it.question().into());
        Self {
            user: call.user.clone(),
            method: call.method,
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            capabilities: call.capabilities.clone(),
            asked: open.iter().map(asked).collect(),
            run: run.clone(),
        }
    }
}

impl fmt::Display for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run.encode().ok_or(fmt::Error)?;
        let all = json!({
            "method": self.method.as_str(),
            "name": self.tool,
            "arguments": self.arguments,
            "user": self.user,
            "capabilities": self.capabilities,
            "asked": self.asked,
            "run": STANDARD.encode(run),
        });
        write!(f, "{all:#}")
    }
}

impl FromStr for Fixture {
    type Err = BadFixture;

    fn from_str(text: &str) -> Result<Self, BadFixture> {
        let value: Value = serde_json::from_str(text).map_err(|_| BadFixture)?;
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let part = |name: &str| value.get(name).cloned();
        let read = || {
            let run = STANDARD.decode(text("run")?).ok()?;
            Some(Self {
                user: text("user")?,
                method: Method::of(&text("method")?)?,
                tool: text("name")?,
                arguments: part("arguments")?,
                capabilities: part("capabilities")?,
                asked: part("asked")?.as_object()?.clone(),
                run: journal::Parked::decode(&run)?,
            })
        };
        read().ok_or(BadFixture)
    }
}

/// A text that is no [`Fixture`], or one of a version of this library whose runs the present one
/// cannot go on with: runs that are under way when it is deployed end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadFixture;

impl fmt::Display for BadFixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this is no saved run, or one that this version of mcp-elicit cannot go on with; \
             save it anew if runs under way may end with the deploy",
        )
    }
}

impl std::error::Error for BadFixture {}

/// What happens to a saved run in the present server. From [`TestApp::replay`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replay {
    /// It goes on: the very questions that it waited for are asked, and no other. The user notices
    /// nothing.
    Same,
    /// These questions are asked anew, since they have changed or were not there before.
    AsksAgain(Vec<String>),
    /// It ends, with this text.
    Ends(String),
}

pub(super) async fn replay(app: &TestApp, fixture: &Fixture) -> Replay {
    let probe = Arc::new(Probe::restoring(fixture.run.clone()));
    let round = Round {
        user: fixture.user.clone(),
        method: fixture.method,
        tool: fixture.tool.clone(),
        arguments: fixture.arguments.clone(),
        capabilities: fixture.capabilities.clone(),
        state: None,
        answers: None,
    };
    let reply = client::call(app, &round, &probe).await;
    if reply.pointer("/result/resultType") != Some(&"input_required".into()) {
        let cause = probe.found().cause.clone();
        let run = Run::new(&reply, Vec::new(), 1, cause, Vec::new());
        return Replay::Ends(run.said());
    }
    let found = probe.found();
    let open = found.rounds.iter().flatten().flat_map(|pass| &pass.open);
    let is_new = |key: &str, digest: &[u8; 16]| {
        let mut pending = fixture.run.pending.iter();
        !pending.any(|it| it.key == key && it.digest == *digest)
    };
    let anew: Vec<_> = open
        .filter(|it| is_new(&it.key, &it.digest))
        .map(|it| it.key.clone())
        .collect();
    if anew.is_empty() {
        Replay::Same
    } else {
        Replay::AsksAgain(anew)
    }
}
