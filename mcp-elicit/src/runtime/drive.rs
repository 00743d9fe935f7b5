//! Polls a handler until it is done or waits for nothing but answers.
//!
//! A handler that waits for an answer is a future that stays pending; to suspend it is to drop it.
//! Author code never sees a suspension, so it cannot catch one. The caller decides what happens
//! next: this revision seals the journal into the reply; a live connection could push the open
//! questions and poll a fresh handler with the answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tracing::Instrument as _;

use super::run::{Fatal, Run};
use crate::error::CallError;
use crate::server::reply::Reply;

/// A running handler. It owns all that it needs, so that it can move to a task of its own.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Result<Reply, CallError>> + Send>>;

/// Why a handler is not polled any more.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It has ended.
    Done(Result<Reply, CallError>),
    /// It waits for answers and for nothing else. It may be polled again.
    Parked,
    /// The run cannot go on.
    Failed(Fatal),
}

/// Drives one handler; resolves each time that it ends or parks.
pub(crate) struct Drive {
    run: Arc<Run>,
    future: Option<HandlerFuture>,
}

impl Drive {
    pub(crate) fn new(run: Arc<Run>, future: HandlerFuture) -> Self {
        Self {
            run,
            future: Some(future),
        }
    }

    /// Gives the handler up: what it asked and got no answer to is parked, not abandoned.
    pub(crate) fn close(&mut self) {
        self.run.end();
        self.future = None;
    }
}

impl Future for Drive {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, outer: &mut Context<'_>) -> Poll<Outcome> {
        let this = self.get_mut();
        let Some(future) = &mut this.future else {
            return Poll::Ready(Outcome::Failed(Fatal::Internal(
                "polled after its end".into(),
            )));
        };
        this.run.before_poll(outer.waker());
        let waker = Waker::from(Arc::clone(&this.run));
        let poll = || future.as_mut().poll(&mut Context::from_waker(&waker));
        let polled = caught(&this.run, poll).unwrap_or_else(|fatal| {
            this.run.fail(fatal);
            Poll::Pending
        });
        let mut state = this.run.state();
        if let Some(fatal) = state.fatal.clone() {
            drop(state);
            // An effect that is under way is finished by whoever drops this.
            if !this.run.is_to_finish() {
                this.close();
            }
            return Poll::Ready(Outcome::Failed(fatal));
        }
        match polled {
            Poll::Ready(result) => {
                // Whether it was dropped or leaked: what is open at the end was not answered.
                let left = || state.open.first().map(|o| o.key.as_ref().into());
                let abandoned = state.abandoned.clone().or_else(left);
                let abandoned = abandoned.filter(|_| result.is_ok());
                state.closed = true;
                drop(state);
                this.future = None;
                Poll::Ready(abandoned.map_or(Outcome::Done(result), |key| {
                    Outcome::Failed(Fatal::Internal(format!(
                        "AbandonedAsk: `{}` returned Ok, but dropped the open question `{key}`; \
                         await it, or return an error",
                        this.run.target.name
                    )))
                }))
            }
            Poll::Pending => {
                let parked = state.waiting().next().is_some();
                drop(state);
                // A wake during the poll means that the handler has more to do by itself.
                if parked && !this.run.is_busy() && !this.run.was_woken() {
                    return Poll::Ready(Outcome::Parked);
                }
                Poll::Pending
            }
        }
    }
}

/// Runs an author's code; a panic of it is to end the run and nothing else.
pub(crate) fn caught<T>(run: &Run, work: impl FnOnce() -> T) -> Result<T, Fatal> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic_text(&*panic);
        Fatal::Internal(format!(
            "the handler of `{}` panicked: {text}",
            run.target.name
        ))
    })
}

/// The text of a panic, for the log.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}

impl Drop for Drive {
    /// The client has gone, or the run has failed. A step or effect that is under way is finished
    /// in a task of its own, or it would be unknown whether it happened; everything else ends here.
    fn drop(&mut self) {
        let Some(future) = self.future.take() else {
            self.run.end();
            return;
        };
        if !self.run.is_to_finish() {
            // Before the future is dropped, and its questions with it.
            self.run.end();
            return;
        }
        self.run.state().left = true;
        let (run, limit) = (Arc::clone(&self.run), self.run.services.limits.effect);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let under_way = run.services.under_way.begin();
            let finish = Finish {
                run,
                future: Some(future),
            };
            let finish = finish.in_current_span();
            runtime.spawn(async move {
                let _under_way = under_way;
                if tokio::time::timeout(limit, finish).await.is_err() {
                    tracing::error!(
                        "an effect took too long after its client had gone; its outcome is unknown"
                    );
                }
            });
        }
    }
}

/// Polls an abandoned handler until no effect of it is under way any more.
struct Finish {
    run: Arc<Run>,
    future: Option<HandlerFuture>,
}

impl Future for Finish {
    type Output = ();

    fn poll(self: Pin<&mut Self>, outer: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let Some(future) = &mut this.future else {
            return Poll::Ready(());
        };
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(outer)));
        if matches!(polled, Ok(Poll::Pending)) && this.run.is_to_finish() {
            return Poll::Pending;
        }
        this.run.end();
        this.future = None;
        Poll::Ready(())
    }
}

impl Drop for Finish {
    fn drop(&mut self) {
        self.run.end();
    }
}
