//! How much work is under way: what a server that shuts down waits for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts messages that are being answered and effects that outlive their client.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnderWay(Arc<Counter>);

#[derive(Debug, Default)]
struct Counter {
    count: AtomicUsize,
    none: Notify,
}

impl UnderWay {
    /// Counts one more for as long as the guard lives.
    pub(crate) fn begin(&self) -> Begun {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        Begun(Arc::clone(&self.0))
    }

    /// Resolves when nothing is under way.
    pub(crate) async fn none(&self) {
        loop {
            let mut none = std::pin::pin!(self.0.none.notified());
            // Listens before it looks, or the last end could be missed.
            none.as_mut().enable();
            if self.0.count.load(Ordering::Acquire) == 0 {
                return;
            }
            none.await;
        }
    }
}

/// One thing that is under way.
#[derive(Debug)]
pub(crate) struct Begun(Arc<Counter>);

impl Drop for Begun {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.none.notify_waiters();
        }
    }
}
