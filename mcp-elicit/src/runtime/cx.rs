//! What a handler can do.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use zeroize::Zeroizing;

use super::ask::Ask;
use super::client::ClientAsk;
use super::completion::Completion;
use super::confirm::Confirm;
use super::external::External;
use super::notice::{self, Amount, LogLevel, Progress, Reporter};
use super::once;
use super::reject::Forget;
use super::run::{Run, half};
use super::step::{self, Doing, Record, Settings, Work};
use super::topics::Changes;
use crate::auth::Principal;
use crate::declare::{Elicit, Mode, NothingToGive, SelectMode};
use crate::error::CallError;
use crate::seal::digest_of;
use crate::time::UnixTime;
use crate::wire::sampled::{Root, Sampled};
use crate::wire::sampling::Sample;

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

    /// Takes back the credential that [`ask`](Self::ask) brought in this pass, because it is of no
    /// use: the provider has revoked it, for instance. It is removed, unless another one was given
    /// meanwhile, and the user is asked again on the page, with `why` to read. Key and message are
    /// those of the `ask`; several of a kind are told apart by [`.named(..)`](Ask::named).
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// /// Your account at the payment provider.
    /// #[derive(Elicit)]
    /// #[elicit(url = "/ui/set_api_key")]
    /// struct BillingKey {
    ///     #[secret]
    ///     api_key: SecretString,
    /// }
    ///
    /// # async fn balance(_key: &SecretString) -> Result<Option<u32>, std::io::Error> { Ok(None) }
    /// async fn tell(cx: &Cx) -> Result<String, CallError> {
    ///     let mut key = cx.ask::<BillingKey>().await?;
    ///     loop {
    ///         match balance(&key.api_key).await? {
    ///             Some(cents) => return Ok(format!("{cents} cents")),
    ///             None => key = cx.reject::<BillingKey>("The provider does not take it.").await?,
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`ask`](Self::ask); [`NoAnswer::Invalid`](crate::NoAnswer::Invalid) once one after the
    /// other was rejected as often as the limit [`attempts`](crate::Limits::attempts) allows, or
    /// [`Ask::attempts`] says. To reject what was not asked for ends the run with an error in the log.
    pub fn reject<T>(&self, why: impl Into<String>) -> Ask<'_, T>
    where
        T: Elicit,
        T::Options: NothingToGive<T>,
    {
        Ask::rejecting(&self.run, why.into())
    }

    /// Removes what is kept of the user's `T`, and tells whether there was one. It is done once in a
    /// run, so that a later round does not remove what was given since. What asks for a `T` after it
    /// asks the user, also in later rounds: forget last.
    ///
    /// ```no_run
    /// # use mcp_elicit::prelude::*;
    /// # /// Your account.
    /// # #[derive(Elicit)]
    /// # #[elicit(url = "/ui/set_api_key")]
    /// # struct BillingKey { #[secret] api_key: SecretString }
    /// /// Disconnect the account.
    /// #[tool(destructive)]
    /// async fn disconnect(cx: &Cx) -> Result<String, CallError> {
    ///     cx.confirm("Remove your API key from this server?").await?;
    ///     match cx.forget::<BillingKey>().await? {
    ///         true => Ok("It is removed.".into()),
    ///         false => Ok("There was none.".into()),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the store.
    pub fn forget<T: Elicit>(&self) -> Forget<'_> {
        Forget::new(self, T::declaration())
    }

    /// Something that is brought to its end outside of this server, such as the payment of an order,
    /// for [`ask_external`](Self::ask_external). It is known by the user and `order`, and not by the run: a later
    /// call for the same order finds what was completed meanwhile. Where one order has several, say
    /// which: `"deposit 7"`.
    pub fn completion<T: Record>(&self, order: impl fmt::Display) -> Completion<'_, T> {
        Completion::new(&self.run, &order.to_string())
    }

    /// Sends the user to a page of somebody else (URL mode), and returns what it was completed with by
    /// [`Completions::complete`](crate::Completions::complete), usually in a webhook of yours. If that is
    /// done already, nobody is asked.
    ///
    /// `url` is https, or http on this machine, of 2048 bytes at most. It goes through the client, so it
    /// must neither tell about the user nor open what only the user may see.
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Paid { receipt: String }
    ///
    /// # /// Stands for the provider: the address of the page where the order is paid.
    /// # async fn checkout(_order: &str, _token: &str, _key: &str) -> std::io::Result<String> { Ok(String::new()) }
    /// /// Order something.
    /// #[tool]
    /// async fn order(cx: &Cx, order: String) -> Result<String, CallError> {
    ///     let slot = cx.completion::<Paid>(&order);
    ///     let url = cx.step("checkout", async |s| Ok(checkout(&order, slot.token(), s.key()).await?)).await?;
    ///     let paid = cx.ask_external(slot, url).message(format!("Please pay order {order}.")).await?;
    ///     Ok(format!("Paid, receipt {}", paid.receipt))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`NoAnswer`](crate::NoAnswer) when the user declines or cancels. An unfit `url` ends the run with an
    /// error in the log; a client that opens no pages ends the request with -32021.
    pub fn ask_external<'cx, T: Record>(
        &'cx self,
        slot: Completion<'cx, T>,
        url: impl Into<String>,
    ) -> External<'cx, T> {
        External::new(slot, url.into())
    }

    /// Asks the client's model for a generation, under the key `sample`. The client shows it to its user
    /// before and after, as it sees fit.
    ///
    /// What comes back is recorded, so a model is asked once in a run. It is the client's word: on a
    /// first call one that was not asked for is taken too, as with a form that is not guarded. Two in
    /// one run are told apart by [`.key(..)`](ClientAsk::key) or [`.at(..)`](ClientAsk::at).
    ///
    /// ```no_run
    /// use mcp_elicit::client::{Sample, Sampling};
    /// use mcp_elicit::prelude::*;
    ///
    /// /// Sum a text up.
    /// #[tool(asks(Sampling))]
    /// #[expect(deprecated, reason = "our clients bring the model")]
    /// async fn sum_up(cx: &Cx, text: String) -> Result<String, CallError> {
    ///     let sample = Sample::new(200).system("Sum up in one sentence.").user(text);
    ///     Ok(cx.sample(sample).await?.text())
    /// }
    /// # let _ = toolset![sum_up];
    /// ```
    ///
    /// # Errors
    /// None that a handler sees, but in a task of its own, where nothing can be asked: a client whose
    /// user says no does not send the call again. One that has not declared `sampling`, or
    /// `sampling.tools` where tools are offered, ends the request with -32021; an answer that is no
    /// result of `sampling/createMessage`, or larger than [`Limits::sampled`](crate::Limits::sampled), with
    /// -32602. A request that must not be sent, such as one without a message, ends the run with an
    /// error in the log.
    #[deprecated(
        note = "sampling is deprecated in MCP 2026-07-28; call the API of a model's provider, in a `step`"
    )]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is made to be handed over"
    )]
    pub fn sample(&self, sample: Sample) -> ClientAsk<'_, Sampled> {
        ClientAsk::sample(&self.run, &sample)
    }

    /// Asks the client for its roots, under the key `roots`: the directories and files that its user works
    /// with. It is recorded, so it is asked once in a run; an answer counts as for [`sample`](Self::sample).
    ///
    /// A root is a hint. It permits nothing, and this server alone keeps itself inside of it.
    ///
    /// ```no_run
    /// use mcp_elicit::client::Roots;
    /// use mcp_elicit::prelude::*;
    ///
    /// /// List the projects.
    /// #[tool(asks(Roots))]
    /// #[expect(deprecated, reason = "our clients have no other way to say it")]
    /// async fn projects(cx: &Cx) -> Result<String, CallError> {
    ///     let roots = cx.roots().await?;
    ///     let names: Vec<_> = roots.iter().map(|it| it.name.as_deref().unwrap_or(&it.uri)).collect();
    ///     Ok(names.join("\n"))
    /// }
    /// # let _ = toolset![projects];
    /// ```
    ///
    /// # Errors
    /// As for [`sample`](Self::sample), with the capability `roots` and the result of `roots/list`.
    #[deprecated(
        note = "roots are deprecated in MCP 2026-07-28; take directories as arguments, resource URIs or settings of the server"
    )]
    pub fn roots(&self) -> ClientAsk<'_, Vec<Root>> {
        ClientAsk::roots(&self.run)
    }

    /// Asks the user for a yes. Only an accepted answer that says yes, to a round in which this was
    /// asked, passes; nothing that a model or client makes up does.
    ///
    /// # Errors
    /// [`NoAnswer::Declined`](crate::NoAnswer::Declined) for a no; otherwise as [`ask`](Self::ask).
    pub fn confirm(&self, message: impl Into<String>) -> Confirm<'_> {
        Confirm(Ask::new(&self.run).message(message))
    }

    /// Tells the leak guard of a secret that did not come from a page, such as a token that was got in
    /// exchange for one. From then on this round sends no reply that holds it, and nothing that was
    /// recorded may. The guard does not know it in later rounds: say it again where it is got again.
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// # async fn log_in(_: &str) -> std::io::Result<SecretString> { Ok("".into()) }
    /// async fn token(cx: &Cx, key: &str) -> Result<SecretString, CallError> {
    ///     let token = log_in(key).await?;
    ///     cx.keep_secret(&token);
    ///     Ok(token)
    /// }
    /// ```
    pub fn keep_secret(&self, secret: &SecretString) {
        let secret = secret.expose_secret();
        let mut state = self.run.state();
        if !secret.is_empty() && !state.secrets.iter().any(|known| **known == *secret) {
            state.secrets.push(Zeroizing::new(secret.to_owned()));
        }
    }

    /// Whether the client can be asked for a `T`, for tools that would rather adapt than end.
    #[must_use]
    pub fn can_ask<T: Elicit>(&self) -> bool {
        match T::declaration().mode() {
            Mode::Page { .. } => self.run.capabilities.url && !self.run.principal.is_anonymous(),
            _ => self.run.capabilities.form,
        }
    }

    /// Whether the client's model can be asked, by [`sample`](Self::sample) without tools.
    #[must_use]
    pub fn can_sample(&self) -> bool {
        self.run.capabilities.sampling
    }

    /// Whether the client's model can be asked and may use tools.
    #[must_use]
    pub fn can_sample_with_tools(&self) -> bool {
        self.run.capabilities.sampling_tools
    }

    /// Whether the client can be asked for its [`roots`](Self::roots).
    #[must_use]
    pub fn can_list_roots(&self) -> bool {
        self.run.capabilities.roots
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
        F: Work<T>,
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
        F: Work<T>,
    {
        Doing::new(self, async move {
            let settings = self.taken_over();
            once::once(&self.run, name, settings, work).await
        })
    }

    /// Tells the client how far the work is, if it wants to hear: it shows a bar, or waits longer.
    /// What is `done` counts only if it is more than before in this request, and what earlier rounds
    /// have told is not told again. More about it than two numbers says [`report`](Self::report).
    ///
    /// ```no_run
    /// use mcp_elicit::prelude::*;
    ///
    /// # async fn close(_: u32, _key: &str) -> std::io::Result<()> { Ok(()) }
    /// async fn close_all(cx: &Cx, issues: &[u32]) -> Result<(), CallError> {
    ///     for (i, issue) in issues.iter().enumerate() {
    ///         cx.once("close", async |s| Ok(close(*issue, s.key()).await?)).at(i).await?;
    ///         cx.progress(i + 1, issues.len());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// It does not wait. A client that takes its messages slowly gets the newest (limit
    /// [`notices`](crate::Limits::notices)); basic/patterns/progress.
    pub fn progress(&self, done: impl Amount, total: impl Amount) {
        self.report(Progress::new(done).total(total));
    }

    /// As [`progress`](Self::progress), with a message, or without a total.
    pub fn report(&self, progress: Progress) {
        notice::report(&self.run, &progress);
    }

    /// Reports progress from other tasks, for as long as this round lasts.
    #[must_use]
    pub fn reporter(&self) -> Reporter {
        Reporter(Arc::downgrade(&self.run))
    }

    /// Sends a log message to the client, if it wants such and `level` is severe enough for it. `data` is any
    /// JSON. As [`progress`](Self::progress), it does not wait and does not repeat itself; where the
    /// client takes its messages too slowly, it is left out. No secret that was opened in this run can be in it:
    /// that ends the run.
    #[deprecated = "the protocol is to lose log messages (revision 2026-07-28, \"Deprecated features\"); \
                    use the crate `tracing` for operators and `progress` for users"]
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        notice::log(&self.run, level, &data);
    }

    /// Tells clients that listen what has changed.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::new(Arc::clone(&self.run.services))
    }

    /// Who makes the request.
    #[must_use]
    pub fn principal(&self) -> &Principal {
        &self.run.principal
    }

    /// The URI that is read, in the handler of a resource; empty elsewhere.
    #[must_use]
    pub fn uri(&self) -> &str {
        self.run.uri.as_deref().unwrap_or_default()
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

    /// A UUID of the run and `name`: the same in all its rounds, another one in every other run and for
    /// every other name, and not to be guessed. For what needs a name before it is made, such as an
    /// order that a confirmation speaks of.
    ///
    /// It has the layout of version 8 (RFC 9562), in lower case with hyphens.
    ///
    /// ```no_run
    /// # use mcp_elicit::{Cx, CallError};
    /// # async fn create(_id: &str) -> Result<(), std::io::Error> { Ok(()) }
    /// async fn order(cx: &Cx) -> Result<String, CallError> {
    ///     let id = cx.uuid("order");
    ///     cx.confirm(format!("Place order {id}?")).await?;
    ///     cx.once("create", async |_| Ok(create(&id).await?)).await?;
    ///     Ok(id)
    /// }
    /// ```
    #[must_use]
    pub fn uuid(&self, name: &str) -> String {
        uuid(digest_of("uuid", &[&self.run.id(), name.as_bytes()]))
    }

    pub(super) fn run(&self) -> &Arc<Run> {
        &self.run
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

/// The first half of a digest in the layout of a UUID of version 8.
fn uuid(digest: [u8; 32]) -> String {
    let number = u128::from_be_bytes(half(digest));
    let versioned = number & !(0xf << 76) | 8 << 76;
    let it = versioned & !(0b11 << 62) | 0b10 << 62;
    let digits = format!("{it:032x}");
    let mut out = String::with_capacity(36);
    for (i, digit) in digits.chars().enumerate() {
        if matches!(i, 8 | 12 | 16 | 20) {
            out.push('-');
        }
        out.push(digit);
    }
    out
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("target", &self.run.target.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::uuid;

    #[test]
    fn a_uuid_has_its_version_and_its_variant() {
        assert_eq!(uuid([0; 32]), "00000000-0000-8000-8000-000000000000");
        assert_eq!(uuid([0xff; 32]), "ffffffff-ffff-8fff-bfff-ffffffffffff");
        let mut digest = [0; 32];
        for (i, byte) in (0..).zip(&mut digest) {
            *byte = i;
        }
        assert_eq!(uuid(digest), "00010203-0405-8607-8809-0a0b0c0d0e0f");
    }
}
