//! The time of a server under test: it stands still until the test moves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::time::UnixTime;

/// The clock of a [`TestApp`](super::TestApp). It begins at the system's time and stands still.
///
/// Expiry of states, pages and credentials, and [`Cx::now`](crate::Cx::now), go by it. Timers of your own, such as
/// `tokio::time::sleep`, do not.
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
/// app.clock().advance(std::time::Duration::from_secs(3600));
/// assert!(parked.resend().confirm(true).await.refused().is_some());
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TestClock(Arc<AtomicU64>);

impl TestClock {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(UnixTime::now().as_millis())))
    }

    /// The time it shows.
    #[must_use]
    pub fn now(&self) -> UnixTime {
        UnixTime::from_millis(self.0.load(Ordering::Relaxed))
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.set(self.now().after(by));
    }

    /// Sets it.
    pub fn set(&self, time: UnixTime) {
        self.0.store(time.as_millis(), Ordering::Relaxed);
    }
}
