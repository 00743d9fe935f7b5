//! What a handler can do.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::ask::Ask;
use super::confirm::Confirm;
use super::once;
use super::run::Run;
use super::step::{self, Doing, Record, Settings, Step};
use crate::auth::Principal;
use crate::declare::{Elicit, Mode, NothingToGive, SelectMode};
use crate::error::CallError;
use crate::time::UnixTime;

/// What a handler can ask and do. A handler takes it as `cx: &Cx`.
///
/// The one rule to know: the handler runs again in each round, from its beginning. Questions that
/// were answered return their answers at once; reads that should not be repeated go into
/// [`step`](Self::step), effects that must not be repeated into [`once`](Self::once).
///
/// `#[tool]` lends it as `&Cx`, so it cannot be sent to a task of its own. A hand-made
/// [`Handler`](crate::Handler) owns it, and should not send it to one either: ask in the handler, and
/// give a task that it spawns the values it needs.
pub struct Cx {
    pub(super) run: Arc<Run>,
    /// Settings on their way from a builder to its work, see [`Doing`].
    settings: Mutex<Option<Settings>>,
}

impl Cx {
    pub(crate) fn new(run: Arc<Run>) -> Self {
        Self {
            run,
            settings: Mutex::new(None),
        }
    }

    /// Asks the user for a `T`.
    ///
    /// A form is shown by the client; the answer comes back checked. A `T` with a page (URL mode)
    /// is taken from the vault if the user has given it before, else the client is given a link to
    /// this server's own page.
    ///
    /// # Errors
    /// [`NoAnswer`](crate::NoAnswer) when the user declines or cancels, or when the answers do not
    /// fit as often as the limit allows. A client that cannot be asked ends the request with the
    /// protocol's own error -32021; the handler does not see that.
    pub fn ask<T>(&self) -> Ask<'_, T>
    where
        T: Elicit,
        T::Options: NothingToGive<T>,
    {
        Ask::new(&self.run)
    }

    /// Asks the user for a `T` with `#[select]` fields, whose choices are known only now.
    ///
    /// A list has 1 to 250 choices, none twice; any other ends the run with an error in the log. An
    /// answer counts only if it is among the choices that are given in the round in which it comes,
    /// else it is asked again. The choices are no part of the question: that they differ in a later
    /// round does not make it a new one.
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// /// Where shall it go?
    /// #[derive(Elicit)]
    /// struct Route {
    ///     #[select]
    ///     repo: Select<u64>,
    /// }
    ///
    /// # async fn repos() -> Result<Vec<(u64, String)>, std::io::Error> { Ok(vec![]) }
    /// async fn route(cx: &Cx) -> Result<String, CallError> {
    ///     let repo = cx.step("repos", async |_| Ok(repos().await?)).await?;
    ///     let route = cx.ask_with::<Route>(RouteOptions { repo: repo.into() }).await?;
    ///     Ok(format!("To number {}", route.repo.key()))
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`ask`](Self::ask).
    pub fn ask_with<T: SelectMode>(&self, options: T::Options) -> Ask<'_, T> {
        Ask::with(&self.run, options)
    }

    /// Asks the user for a yes. Only an accepted answer that says yes, to a round in which this was
    /// asked, passes; nothing that a model or client makes up does.
    ///
    /// # Errors
    /// [`NoAnswer::Declined`](crate::NoAnswer::Declined) for a no; otherwise as [`ask`](Self::ask).
    pub fn confirm(&self, message: impl Into<String>) -> Confirm<'_> {
        Confirm(Ask::new(&self.run).message(message))
    }

    /// Whether the client can be asked for a `T`, for tools that would rather adapt than end.
    #[must_use]
    pub fn can_ask<T: Elicit>(&self) -> bool {
        match T::declaration().mode() {
            Mode::Page { .. } => self.run.capabilities.url && !self.run.principal.is_anonymous(),
            _ => self.run.capabilities.form,
        }
    }

    /// Does a read once per run. Its result is recorded and later rounds return it without doing
    /// it again. What is recorded travels, encrypted, through the client: no secrets. To
    /// ask, or to begin another step or effect, inside of `work` is an error that ends the run.
    ///
    /// ```no_run
    /// # use mcp_elicit::{Cx, CallError};
    /// # async fn search(_: &str) -> Result<Vec<u32>, std::io::Error> { Ok(vec![]) }
    /// async fn flights(cx: &Cx) -> Result<String, CallError> {
    ///     let offers = cx.step("search", async |_| Ok(search("BER").await?)).await?;
    ///     Ok(format!("{} offers", offers.len()))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of `work`, which are not recorded, and those of the store for a large result.
    pub fn step<'cx, T, F>(
        &'cx self,
        name: &'cx str,
        work: F,
    ) -> Doing<'cx, impl Future<Output = Result<T, CallError>> + use<'cx, T, F>>
    where
        T: Record,
        F: AsyncFnOnce(&Step) -> Result<T, CallError>,
    {
        Doing::new(self, async move {
            let settings = self.taken_over();
            step::step(&self.run, name, settings, work).await
        })
    }

    /// Does an effect at most once in a run, however often and wherever the run is sent again.
    /// Ask or confirm before it, or give it a key of its own with [`.by(..)`](Doing::by). As in a
    /// [`step`](Self::step), nothing is asked or begun inside of `work`.
    ///
    /// ```no_run
    /// # use mcp_elicit::{Cx, CallError};
    /// # async fn pay(_key: &str) -> Result<String, std::io::Error> { Ok(String::new()) }
    /// async fn buy(cx: &Cx) -> Result<String, CallError> {
    ///     cx.confirm("Buy now?").await?;
    ///     let receipt = cx.once("pay", async |s| Ok(pay(s.key()).await?)).await?;
    ///     Ok(format!("Paid: {receipt}"))
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of `work`: they are not recorded, and the next try has the same idempotency key. The
    /// errors "already done with other answers" and "outcome unknown", and those of the store.
    pub fn once<'cx, T, F>(
        &'cx self,
        name: &'cx str,
        work: F,
    ) -> Doing<'cx, impl Future<Output = Result<T, CallError>> + use<'cx, T, F>>
    where
        T: Record,
        F: AsyncFnOnce(&Step) -> Result<T, CallError>,
    {
        Doing::new(self, async move {
            let settings = self.taken_over();
            once::once(&self.run, name, settings, work).await
        })
    }

    /// Who makes the request.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.run.principal
    }

    /// The name the client gives itself. For display alone: nobody has verified it.
    #[must_use]
    pub fn client(&self) -> Option<String> {
        self.run.client()
    }

    /// When the run began. The same in all its rounds, so that questions built from it stay the
    /// same questions.
    #[must_use]
    pub fn now(&self) -> UnixTime {
        self.run.state().began
    }

    pub(crate) fn hand_over(&self, settings: Settings) {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = Some(settings);
    }

    fn taken_over(&self) -> Settings {
        self.settings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or_default()
    }
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("target", &self.run.target.name)
            .finish_non_exhaustive()
    }
}
