//! One question and its outcome, as an author writes it.
//!
//! [`Ask`] is generic only where the answer becomes the author's type; the way to an answer is in
//! [`seek`](super::seek).

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::outcome::{Optional, Outcome};
use super::question::{Question, short};
use super::run::{Fatal, Run};
use super::seek::{Given, Seek};
use crate::declare::filled::Filled;
use crate::declare::invalid::Invalid;
use crate::declare::lists::Lists;
use crate::declare::{Declaration, Elicit, Fillable, SelectMode, written};
use crate::error::NoAnswer;

/// A question to the user. Await it for the answer.
///
/// Made by [`Cx::ask`](super::cx::Cx::ask).
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Ask<'cx, T> {
    pub(super) seek: Seek<'cx>,
    decode: Decode<T>,
}

/// Makes the author's type of an answer's text.
pub(super) type Decode<T> = fn(&str, &Question) -> Result<T, Invalid>;

impl<'cx, T> Ask<'cx, T> {
    /// Asks what is left of a form.
    pub(super) fn filling(
        run: &'cx Arc<Run>,
        key: &'static str,
        declaration: &'static Declaration,
        filled: Filled,
        decode: Decode<T>,
    ) -> Self {
        let mut it = Self::decoding(run, declaration, decode);
        it.seek.question.key = Cow::Borrowed(key);
        it.seek.question.filled = Some(Box::new(filled));
        it
    }

    fn decoding(run: &'cx Arc<Run>, declaration: &'static Declaration, decode: Decode<T>) -> Self {
        let question = Question {
            declaration,
            key: Cow::Borrowed(declaration.key()),
            message: None,
            lists: None,
            filled: None,
            shown: false,
            rejects: None,
            reason: None,
            name: String::new(),
            about: None,
            attempts: None,
            lifetime: None,
            digest: [0; 16],
        };
        Self {
            seek: Seek::new(run, question),
            decode,
        }
    }
}

impl<'cx, T: Elicit> Ask<'cx, T> {
    pub(crate) fn new(run: &'cx Arc<Run>) -> Self {
        Self::decoding(run, T::declaration(), |json, _| T::decode(json))
    }

    /// A question that takes back what was answered to the same one in this pass.
    pub(super) fn rejecting(run: &'cx Arc<Run>, why: String) -> Self {
        let mut it = Self::new(run);
        it.seek.question.rejects = Some(why);
        it
    }

    pub(crate) fn with(run: &'cx Arc<Run>, options: T::Options) -> Self
    where
        T: SelectMode,
    {
        let mut it = Self::decoding(run, T::declaration(), |json, question| {
            match &question.lists {
                Some(lists) => lists.with(question.declaration.table(), |table| {
                    T::decode_with(json, table)
                }),
                None => T::decode(json),
            }
        });
        match Lists::new::<T>(options) {
            Ok(lists) => it.seek.question.lists = Some(lists),
            Err(fault) => run.fail(Fatal::Internal(format!(
                "the question `{}`: {fault}",
                it.seek.question.key
            ))),
        }
        it
    }
}

impl<T> Ask<'_, T> {
    /// Asks with another message than the declared one. Build it from arguments and earlier
    /// answers only: a text that differs each time the handler runs is a new question each time.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.seek.question.message = Some(message.into());
        self
    }

    /// Asks under another key than the type's, so that one type can be asked for twice.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.seek.question.key = Cow::Owned(key.into());
        self
    }

    /// The `index`-th question of its kind in a loop: its key is `invoice.0`, `invoice.1` and so on.
    pub fn at(mut self, index: usize) -> Self {
        self.seek.question.key = Cow::Owned(format!("{}.{index}", self.seek.question.key));
        self
    }

    /// Which of several credentials of one kind: each name has a page and a vault row of its own.
    /// Has no meaning for forms but to tell their questions apart. At most 128 bytes.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.seek.question.name = name.into();
        self.seek.question.key = Cow::Owned(format!(
            "{}.{}",
            self.seek.question.key, self.seek.question.name
        ));
        self
    }

    /// What the question is about, when the message alone does not say it all: an answer counts
    /// only while a digest of `data` is the same, such as the set of issues that will be closed.
    /// Data that cannot be serialised ends the run with an error.
    pub fn about<D: serde::Serialize + ?Sized>(mut self, data: &D) -> Self {
        match serde_json::to_vec(data) {
            Ok(bytes) => self.seek.question.about = Some(short(&[&bytes])),
            Err(e) => self.seek.run.fail(Fatal::Internal(format!(
                "`.about` of `{}`: {e}",
                self.seek.question.key
            ))),
        }
        self
    }

    /// Shows the form filled in with `value`. The user changes what is not right and leaves the rest:
    /// what an answer leaves out is as it was shown, so nothing that is filled in is required.
    ///
    /// It is no part of the question: that another value is shown in a later round does not make it a new
    /// one, and an answer is read with what was shown to whoever gave it. What does not fit the form is
    /// not filled in. The values travel through the client; no secret belongs there.
    ///
    /// ```
    /// use mcp_elicit::prelude::*;
    ///
    /// /// Where shall it be sent?
    /// #[derive(Elicit)]
    /// struct Address {
    ///     street: String,
    ///     city: String,
    /// }
    ///
    /// # async fn last_address() -> std::io::Result<(String, String)> { Ok(Default::default()) }
    /// /// Send it.
    /// #[tool(asks(Address))]
    /// async fn send(cx: &Cx) -> Result<String, CallError> {
    ///     let (street, city) = cx.step("last", async |_| Ok(last_address().await?)).await?;
    ///     let address = cx.ask::<Address>().prefill(&Address { street, city }).await?;
    ///     Ok(format!("Sent to {}", address.city))
    /// }
    /// # let _ = toolset![send];
    /// ```
    ///
    /// A page, a guarded form and one with `#[select]` fields are not filled in: what they ask is the
    /// user's alone to give.
    pub fn prefill(mut self, value: &T) -> Self
    where
        T: Fillable,
    {
        let declaration = self.seek.question.declaration;
        let json = written::json(value);
        let mut filled = Filled::shown(declaration, &json);
        if let Err(invalid) = declaration.validate(&json) {
            filled.ask_also(&invalid);
        }
        self.seek.question.filled = Some(Box::new(filled));
        self.seek.question.shown = true;
        self
    }

    /// How often an answer that does not fit is asked again, the first time included.
    pub fn attempts(mut self, most: u8) -> Self {
        self.seek.question.attempts = Some(most.max(1));
        self
    }

    /// How long the user has for this question, in place of [`Limits::lifetime`](crate::Limits::lifetime),
    /// which it cannot exceed. Of several that are open at once, the shortest counts for all.
    ///
    /// An answer that comes later is refused with its state, and the call begins anew. The time of a
    /// page is counted from when its link was first given, also over several rounds; if it ends while
    /// a retry waits for the page, the question ends in [`NoAnswer::TimedOut`].
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        let most = self.seek.run.services.limits.lifetime;
        self.seek.question.lifetime = Some(lifetime.min(most));
        self
    }

    /// Takes a "no" for an answer: declined is `None`.
    pub fn optional(self) -> Optional<Self> {
        Optional(self)
    }

    /// Tells accepted, declined and cancelled apart.
    pub fn outcome(self) -> Outcome<Self> {
        Outcome(self)
    }

    /// Resolves with an answer that fits its declaration, and what it was read from.
    pub(super) fn poll_fitting(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(T, Given), NoAnswer>> {
        loop {
            let given = match ready!(self.seek.poll_given(cx)) {
                Ok(given) => given,
                Err(no) => return Poll::Ready(Err(no)),
            };
            match (self.decode)(given.json(), &self.seek.question) {
                Ok(answer) => return Poll::Ready(Ok((answer, given))),
                Err(invalid) => {
                    if let Some(no) = self.seek.refuse(&invalid, &given) {
                        return Poll::Ready(Err(no));
                    }
                }
            }
        }
    }
}

impl<T> Future for Ask<'_, T> {
    type Output = Result<T, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        this.poll_fitting(cx).map_ok(|(answer, given)| {
            this.seek.accept(given);
            answer
        })
    }
}

impl<T> fmt::Debug for Ask<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("key", &self.seek.question.key)
            .finish_non_exhaustive()
    }
}
