//! Credentials that turned out to be of no use: rejected, and asked for again; or forgotten.
//!
//! A rejection is a question too, the very one that brought the credential: it has its key and its
//! digest. So the next round needs to know nothing of it. The handler asks as it always does, finds
//! the page still open, or the new credential in the vault.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;

use super::cx::Cx;
use super::journal::Recorded;
use super::page::{self, Look};
use super::run::Fatal;
use super::seek::{Given, Seek, Seen};
use super::step::{self, Settings};
use crate::declare::{Declaration, Mode};
use crate::error::{CallError, NoAnswer};
use crate::mistake::Mistake;
use crate::observe::Outcome;

impl Seek<'_> {
    /// The first poll of a question that takes back the answer to an earlier one.
    pub(super) fn begin_again(&mut self, why: String) -> Option<Result<Given, NoAnswer>> {
        let (run, declaration) = (self.run, self.question.declaration);
        if run.is_nested(declaration.key()) {
            return None;
        }
        let mut state = run.state();
        if state.left {
            return None;
        }
        let Some(opened) = state.take_opened(declaration, &self.question.name) else {
            drop(state);
            let (tool, key) = (&*run.target.name, declaration.key());
            run.fail(Mistake::NothingToReject { tool, key }.into());
            return None;
        };
        drop(state);
        self.question.key = opened.key;
        self.question.digest = opened.digest;
        self.question.message = opened.message;
        self.question.reason = Some(why);
        self.tell(Outcome::Invalid);
        self.seen = Seen::default();
        self.seen.attempts = opened.attempts.saturating_add(1);
        self.look(Look::Rejected {
            version: opened.version,
            is_last: self.seen.attempts >= self.most_attempts(),
        });
        None
    }

    /// The credential was rejected as often as the limit allows.
    pub(super) fn give_up(&mut self) -> NoAnswer {
        let why = self.question.reason.take().unwrap_or_default();
        self.conclude(Recorded::Invalid(why.into()))
    }
}

/// The removal of a credential. Made by [`Cx::forget`].
#[must_use = "nothing is removed until it is awaited, so `.await?` it; `let _ =` does nothing"]
pub struct Forget<'cx> {
    cx: &'cx Cx,
    declaration: &'static Declaration,
    name: String,
}

impl<'cx> Forget<'cx> {
    pub(super) fn new(cx: &'cx Cx, declaration: &'static Declaration) -> Self {
        Self {
            cx,
            declaration,
            name: String::new(),
        }
    }

    /// Which of several credentials of one kind, as in [`Ask::named`](crate::Ask::named).
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

impl fmt::Debug for Forget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forget")
            .field("key", &self.declaration.key())
            .finish_non_exhaustive()
    }
}

impl<'cx> IntoFuture for Forget<'cx> {
    type Output = Result<bool, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'cx>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (run, key) = (self.cx.run(), self.declaration.key());
            if !matches!(self.declaration.mode(), Mode::Page { .. }) {
                let text = format!("`{key}` has no page, so nothing is kept of it to forget");
                run.fail(Fatal::Internal(text));
                return step::over(run).await;
            }
            let name = match &*self.name {
                "" => format!("forget {key}"),
                name => format!("forget {key}.{name}"),
            };
            // Recorded, or each round would forget anew what was given in the round before.
            let forget =
                async |_: &step::Step| Ok(page::forget(run, self.declaration, &self.name).await?);
            step::step(run, &name, Settings::default(), forget).await
        })
    }
}
