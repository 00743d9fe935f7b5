//! A server under test, and its users.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::request::Parts;

use super::browser::Browser;
use super::call::TestCall;
use super::client::Method;
use super::clock::TestClock;
use super::fail::fail;
use super::fixture::{self, Fixture, Replay};
use crate::seal::Keyring;
use crate::server::Server;
use crate::server::app::App;
use crate::store::Store;

/// Puts into a request what says who makes it.
pub(super) type Identify = Arc<dyn Fn(&str, &mut Parts) + Send + Sync>;

/// A server in the process of its test.
///
/// It is cheap to clone; all clones are one server.
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
/// let (ada, bob) = (app.user("ada"), app.user("bob"));
/// assert_eq!(ada.tool("agree").confirm(true).await.text(), "agreed");
/// assert!(bob.tool("agree").confirm(false).await.is_error());
/// # }
/// ```
#[derive(Clone)]
pub struct TestApp {
    pub(super) app: App,
    clock: TestClock,
    lose: Arc<AtomicBool>,
    pub(super) identify: Option<Identify>,
}

impl TestApp {
    /// Builds a server for a test. What it was not given is made up: a store in memory, keys, and
    /// [`DevUsers`](crate::auth::DevUsers), whose users are whoever the test names. Its clock is the [`TestClock`], and no retry is
    /// held: one whose page is not finished gets the same question back at once.
    ///
    /// The test fails if the server does not start.
    pub async fn new(server: Server) -> Self {
        Self::start(server, TestClock::new(), None).await
    }

    /// Another machine with the same store, keys and clock: whatever was begun on one can be gone on
    /// with on the other. Give it the same server; it may be of another version.
    pub async fn another(&self, server: Server) -> Self {
        let store = Arc::clone(&self.app.0.services.store);
        let mut it = Self::start(server, self.clock.clone(), Some(store)).await;
        it.identify = self.identify.clone();
        it
    }

    async fn start(server: Server, clock: TestClock, store: Option<Arc<dyn Store>>) -> Self {
        let time = clock.clone();
        let keys = Keyring::new(*b"keys of a test, that are no keys");
        let app = match keys {
            Ok(keys) => {
                let server = server.for_test(store, keys, Arc::new(move || time.now()));
                server.build().await.map_err(|e| e.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        match app {
            Ok(app) => Self {
                app,
                clock,
                lose: Arc::default(),
                identify: None,
            },
            Err(problems) => fail(&format!("the server does not start: {problems}")),
        }
    }

    /// How your own [`Authenticator`](crate::auth::Authenticator) and
    /// [`BrowserIdentity`](crate::web::BrowserIdentity) know a user: `identify` is given the name of
    /// the user and each request, of client and browser alike, and puts in what they look at.
    /// Without it the name is the bearer token, and the browser signs in by it.
    #[must_use]
    pub fn identify(self, identify: impl Fn(&str, &mut Parts) + Send + Sync + 'static) -> Self {
        Self {
            identify: Some(Arc::new(identify)),
            ..self
        }
    }

    /// A user with a client that can show forms and open links.
    #[must_use]
    pub fn user(&self, name: &str) -> TestUser {
        TestUser {
            app: self.clone(),
            name: name.to_owned(),
        }
    }

    /// A browser with cookies of its own, in which this user signs in when asked to.
    #[must_use]
    pub fn browser(&self, user: &str) -> Browser {
        Browser::new(self.clone(), user)
    }

    /// The server's clock.
    #[must_use]
    pub const fn clock(&self) -> &TestClock {
        &self.clock
    }

    /// Loses the response to the next round, so that its client sends the same request again. What is
    /// done by `once` must still be done once.
    pub fn drop_next_response(&self) {
        self.lose.store(true, Ordering::Relaxed);
    }

    pub(super) fn takes_loss(&self) -> bool {
        self.lose.swap(false, Ordering::Relaxed)
    }

    /// What happens to a run that was saved from an earlier version of the server when it is gone on
    /// with in this one: the check before a deploy. Effects that the saved run had done are done
    /// again, on what this server is given for the test.
    pub async fn replay(&self, fixture: &Fixture) -> Replay {
        fixture::replay(self, fixture).await
    }

    /// The server itself.
    #[must_use]
    pub const fn app(&self) -> &App {
        &self.app
    }
}

impl fmt::Debug for TestApp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestApp")
            .field("app", &self.app)
            .finish_non_exhaustive()
    }
}

/// A user with a client. From [`TestApp::user`].
#[derive(Debug, Clone)]
pub struct TestUser {
    app: TestApp,
    name: String,
}

impl TestUser {
    /// A call of this tool, to be given arguments and answers.
    #[track_caller]
    pub fn tool(&self, name: &str) -> TestCall {
        TestCall::new(self.app.clone(), &self.name, Method::Tool, name)
    }

    /// A request of this prompt. Its answers are scripted as those of a tool.
    #[track_caller]
    pub fn prompt(&self, name: &str) -> TestCall {
        TestCall::new(self.app.clone(), &self.name, Method::Prompt, name)
    }

    /// A request to read this resource. Its answers are scripted as those of a tool.
    #[track_caller]
    pub fn read(&self, uri: &str) -> TestCall {
        TestCall::new(self.app.clone(), &self.name, Method::Resource, uri)
    }
}
