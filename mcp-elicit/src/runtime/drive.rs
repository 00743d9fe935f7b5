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

use tokio::time::{Sleep, sleep};
use tracing::Instrument as _;

use super::polled;
use super::run::{Fatal, Run};
use crate::error::CallError;
use crate::mistake::Mistake;
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
    /// When the handler has run for too long. Most come to a stop in their first poll and need none.
    limit: Option<Pin<Box<Sleep>>>,
}

impl Drive {
    pub(crate) fn new(run: Arc<Run>, future: HandlerFuture) -> Self {
        Self {
            run,
            future: Some(future),
            limit: None,
        }
    }

    /// Whether the handler has run for as long as it may in one round: it may have let a look-up or an
    /// effect go without dropping it, which nobody polls any more.
    fn is_over_time(&mut self, outer: &mut Context<'_>) -> bool {
        let most = self.run.services.limits.handler;
        let limit = self.limit.get_or_insert_with(|| Box::pin(sleep(most)));
        limit.as_mut().poll(outer).is_ready()
    }

    fn stalled(&self) -> Fatal {
        let mistake = Mistake::StalledHandler {
            tool: &self.run.target.name,
            after: self.run.services.limits.handler,
            waits: if self.run.is_busy() {
                "a look-up, step, effect or check of it is under way"
            } else {
                "it waits for something of its own"
            },
        };
        let told = "This took too long and was ended.".into();
        let log = mistake.to_string();
        Fatal::Ended { told, log }
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
        if let Some(outcome) = this.poll_handler(outer) {
            return Poll::Ready(outcome);
        }
        // A handler that only lets others go first has woken nobody yet, and may ask more: what it
        // asks now is in the same round.
        if this.is_parked()
            && let Some(outcome) = this.poll_handler(outer)
        {
            return Poll::Ready(outcome);
        }
        if this.is_parked() {
            this.limit = None;
            return Poll::Ready(Outcome::Parked);
        }
        if this.is_over_time(outer) {
            let fatal = this.stalled();
            this.run.fail(fatal.clone());
            return Poll::Ready(this.failed(fatal));
        }
        Poll::Pending
    }
}

impl Drive {
    /// Polls the handler once; nothing while it waits.
    fn poll_handler(&mut self, outer: &Context<'_>) -> Option<Outcome> {
        let Some(future) = &mut self.future else {
            return Some(Outcome::Failed(Fatal::Internal(
                "polled after its end".into(),
            )));
        };
        self.run.before_poll(outer.waker());
        let waker = Waker::from(Arc::clone(&self.run));
        let poll = || {
            let _entered = polled::enter(&self.run);
            future.as_mut().poll(&mut Context::from_waker(&waker))
        };
        let polled = caught(&self.run, poll).unwrap_or_else(|fatal| {
            self.run.fail(fatal);
            Poll::Pending
        });
        let mut state = self.run.state();
        if let Some(fatal) = state.fatal.clone() {
            drop(state);
            return Some(self.failed(fatal));
        }
        let Poll::Ready(result) = polled else {
            return None;
        };
        // Whether it was dropped or leaked: what is open at the end was not answered.
        let left = || state.open.first().map(|o| Box::from(o.key.as_ref()));
        let abandoned = state.abandoned.clone().or_else(left);
        let abandoned = abandoned.filter(|_| result.is_ok());
        state.closed = true;
        drop(state);
        self.future = None;
        Some(abandoned.map_or(Outcome::Done(result), |key| {
            let (tool, key) = (&*self.run.target.name, &*key);
            Outcome::Failed(Mistake::AbandonedAsk { tool, key }.into())
        }))
    }

    /// Whether the handler waits for answers and for nothing else. A wake during the poll means that it
    /// has more to do by itself.
    fn is_parked(&self) -> bool {
        !self.run.is_busy() && !self.run.was_woken() && self.run.state().waiting().next().is_some()
    }

    /// The run cannot go on. An effect that is under way is finished by whoever drops this.
    fn failed(&mut self, fatal: Fatal) -> Outcome {
        if !self.run.is_to_finish() {
            self.close();
        }
        Outcome::Failed(fatal)
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
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let _entered = polled::enter(&this.run);
            future.as_mut().poll(outer)
        }));
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
