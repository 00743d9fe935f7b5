//! A yes or no that only the user can give.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::ask::Ask;
use crate::Elicit;
use crate::error::NoAnswer;

/// One required boolean. Its question is guarded: only an answer to a round in which it was asked
/// counts, so that neither a first call nor a tool argument can forge it.
#[derive(Elicit)]
#[elicit(crate = crate, key = "confirm", message = "Please confirm.", guarded)]
pub(crate) struct Confirmation {
    /// Whether to go on
    #[elicit(title = "Confirm")]
    confirm: bool,
}

/// From [`Cx::confirm`](super::cx::Cx::confirm).
#[derive(Debug)]
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Confirm<'cx>(pub(crate) Ask<'cx, Confirmation>);

impl Confirm<'_> {
    /// Asks under another key, so that one run can confirm two things.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self(self.0.key(key))
    }

    /// The `index`-th confirmation in a loop.
    pub fn at(self, index: usize) -> Self {
        Self(self.0.at(index))
    }

    /// How long the user has for it, see [`Ask::lifetime`].
    pub fn lifetime(self, lifetime: std::time::Duration) -> Self {
        Self(self.0.lifetime(lifetime))
    }

    /// What is agreed to, when the message does not say it all, see [`Ask::about`].
    pub fn about<D: serde::Serialize + ?Sized>(self, data: &D) -> Self {
        Self(self.0.about(data))
    }
}

impl Future for Confirm<'_> {
    type Output = Result<(), NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.get_mut().0)
            .poll(cx)
            .map(|result| match result {
                Ok(Confirmation { confirm: true }) => Ok(()),
                Ok(Confirmation { confirm: false }) => Err(NoAnswer::Declined),
                Err(no) => Err(no),
            })
    }
}
