//! A check of the author's own that takes time, such as a look into another system.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::ask::Ask;
use super::outcome::{Optional, Outcome};
use crate::declare::Elicit;
use crate::declare::invalid::Invalid;
use crate::error::NoAnswer;

impl<'cx, T: Elicit> Ask<'cx, T> {
    /// Checks an answer that fits in every declared way, by work that takes time: whether an
    /// account of that name exists. What it refuses is asked again with its reasons, and counts
    /// as one of the [`attempts`](Self::attempts). It is the last of the builders but
    /// `optional` and `outcome`.
    ///
    /// An answer is checked when it comes, not again in later rounds. On a page, the credential that
    /// is refused is removed from the vault, and one that was found good is checked again only when it is
    /// replaced. As in a [`step`](super::cx::Cx::step), nothing is asked or begun inside.
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// /// Who shall review it?
    /// #[derive(Elicit)]
    /// struct Reviewer {
    ///     login: String,
    /// }
    ///
    /// # async fn exists(_: &str) -> bool { true }
    /// async fn reviewer(cx: &Cx) -> Result<String, CallError> {
    ///     let reviewer = cx
    ///         .ask::<Reviewer>()
    ///         .check(async |it: &Reviewer| match exists(&it.login).await {
    ///             true => Ok(()),
    ///             false => Err(Invalid::field("login", "must be the name of an account")),
    ///         })
    ///         .await?;
    ///     Ok(reviewer.login)
    /// }
    /// ```
    pub fn check<C>(
        self,
        check: C,
    ) -> Checked<impl Future<Output = Result<T, NoAnswer>> + use<'cx, T, C>>
    where
        C: AsyncFnOnce(&T) -> Result<(), Invalid>,
    {
        Checked(Box::pin(checked(self, check)))
    }
}

async fn checked<T, C>(mut ask: Ask<'_, T>, check: C) -> Result<T, NoAnswer>
where
    T: Elicit,
    C: AsyncFnOnce(&T) -> Result<(), Invalid>,
{
    let (answer, given) = poll_fn(|cx| ask.poll_fitting(cx)).await?;
    if ask.seek.was_checked(&given) {
        ask.seek.accept(given);
        return Ok(answer);
    }
    let run = ask.seek.run;
    let verdict = {
        let _busy = run.busy();
        run.inside(check(&answer)).await
    };
    match verdict {
        Ok(()) => {
            ask.seek.note_checked(&given);
            ask.seek.accept(given);
            Ok(answer)
        }
        Err(invalid) => match ask.seek.reject(&invalid, &given).await {
            Some(no) => Err(no),
            // It is asked again. The user cannot have heard of that in this round; what may come is a
            // credential that was stored meanwhile on another page, and the check is used up.
            None => {
                poll_fn(|cx| ask.poll_fitting(cx)).await?;
                ask.seek
                    .end("What was asked for was replaced while it was checked. Call this again.");
                std::future::pending().await
            }
        },
    }
}

/// From [`Ask::check`].
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Checked<F>(Pin<Box<F>>);

impl<F> Checked<F> {
    /// As [`Ask::optional`].
    pub fn optional(self) -> Optional<Self> {
        Optional(self)
    }

    /// As [`Ask::outcome`].
    pub fn outcome(self) -> Outcome<Self> {
        Outcome(self)
    }
}

impl<F: Future> Future for Checked<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.as_mut().poll(cx)
    }
}

impl<F> fmt::Debug for Checked<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checked")
    }
}
