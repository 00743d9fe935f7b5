//! A run that waits for answers, as its client holds it.

use super::app::TestApp;
use super::call::TestCall;
use super::fail::fail;
use super::fixture::Fixture;
use super::run::Asked;
use crate::runtime::journal;

/// Where a call goes on.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) state: String,
    pub(super) open: Vec<Asked>,
}

/// A run that waits for answers. From awaiting a [`TestCall::until`].
///
/// Each of [`resend`](Self::resend), [`as_user`](Self::as_user), [`on`](Self::on) and [`tampered`](Self::tampered) is a call that goes on from here, to be given the
/// rest of the script. The run can be gone on with as often as one likes: that is what a client can
/// do with it. A question that the script has no line for is left unanswered in the first request.
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
/// let parked = app.user("ada").tool("agree").until_confirm().await;
/// assert_eq!(parked.question().message(), "Agree?");
/// assert!(parked.as_user("eve").confirm(true).await.refused().is_some());
/// assert!(parked.tampered().confirm(true).await.refused().is_some());
/// let two = app.another(server()).await;
/// assert_eq!(parked.on(&two).confirm(true).await.text(), "agreed");
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Parked {
    pub(super) call: TestCall,
    pub(super) start: Start,
    /// The key of the question it stopped at.
    pub(super) key: String,
    pub(super) journal: Option<journal::Parked>,
}

impl Parked {
    /// The question it stopped at.
    #[must_use]
    pub fn question(&self) -> &Asked {
        match self.start.open.iter().find(|it| it.key() == self.key) {
            Some(asked) => asked,
            None => fail("nothing is asked"),
        }
    }

    /// All that is asked.
    #[must_use]
    pub fn open(&self) -> &[Asked] {
        &self.start.open
    }

    /// The link of the page it stopped at. The test fails if that is a form.
    #[must_use]
    #[track_caller]
    pub fn link(&self) -> &str {
        match self.question().link() {
            Some(link) => link,
            None => fail(&format!("this is no page:\n\n{}", self.question())),
        }
    }

    /// The `requestState` that the client holds.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.start.state
    }

    /// Goes on.
    pub fn resend(&self) -> TestCall {
        TestCall {
            start: Some(self.start.clone()),
            ..self.call.clone()
        }
    }

    /// Goes on as another user.
    pub fn as_user(&self, name: &str) -> TestCall {
        self.resend().as_user(name)
    }

    /// Goes on on another machine, see [`TestApp::another`].
    pub fn on(&self, app: &TestApp) -> TestCall {
        self.resend().on(app)
    }

    /// Goes on with a state in which one letter was changed.
    pub fn tampered(&self) -> TestCall {
        let state = &self.start.state;
        let middle = state.len() / 2;
        let changed = |(i, c): (usize, char)| match (i == middle, c) {
            (true, 'A') => 'B',
            (true, _) => 'A',
            (false, c) => c,
        };
        let mut call = self.resend();
        if let Some(start) = &mut call.start {
            start.state = state.chars().enumerate().map(changed).collect();
        }
        call
    }

    /// The run as it is now, to be kept in a file and tried on later versions of the server.
    #[must_use]
    pub fn fixture(&self) -> Fixture {
        match &self.journal {
            Some(journal) => Fixture::new(&self.call, &self.start.open, journal),
            None => fail("there is no run to keep"),
        }
    }
}
