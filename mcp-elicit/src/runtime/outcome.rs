//! What a handler may want to hear instead of an answer or an error: a "no" as a value.

use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::NoAnswer;

/// What the user did with a question, for handlers that tell the three apart.
///
/// From [`Ask::outcome`](super::ask::Ask::outcome); see client/elicitation, "Response Actions".
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification has these three and a match should be total"
)]
pub enum Answer<T> {
    /// The answer, checked.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user closed the question.
    Cancelled,
}

/// From [`Ask::optional`](super::ask::Ask::optional): declined is `None`.
#[derive(Debug)]
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Optional<A>(pub(super) A);

impl<T, A: Future<Output = Result<T, NoAnswer>> + Unpin> Future for Optional<A> {
    type Output = Result<Option<T>, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.get_mut().0)
            .poll(cx)
            .map(|result| match result {
                Ok(answer) => Ok(Some(answer)),
                Err(NoAnswer::Declined) => Ok(None),
                Err(no) => Err(no),
            })
    }
}

/// From [`Ask::outcome`](super::ask::Ask::outcome): accepted, declined and cancelled apart.
#[derive(Debug)]
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Outcome<A>(pub(super) A);

impl<T, A: Future<Output = Result<T, NoAnswer>> + Unpin> Future for Outcome<A> {
    type Output = Result<Answer<T>, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.get_mut().0)
            .poll(cx)
            .map(|result| match result {
                Ok(answer) => Ok(Answer::Accepted(answer)),
                Err(NoAnswer::Declined) => Ok(Answer::Declined),
                Err(NoAnswer::Cancelled) => Ok(Answer::Cancelled),
                Err(no) => Err(no),
            })
    }
}
