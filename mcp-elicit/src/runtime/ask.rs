//! One question and its outcome.
//!
//! [`Ask`] is generic only where the answer becomes the author's type; everything else works on
//! the declaration and the JSON text.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::journal::Recorded;
use super::page::{self, Found, Look};
use super::question::{Action, Question, no_answer, short};
use super::run::{Fatal, Kind, Open, OpenPage, Run, State};
use super::tell;
use crate::declare::filled::Filled;
use crate::declare::invalid::Invalid;
use crate::declare::joined::Part;
use crate::declare::lists::Lists;
use crate::declare::{Elicit, Mode, SelectMode};
use crate::error::NoAnswer;
use crate::observe;
use crate::store::TicketId;
use crate::wire::error::RpcError;
use crate::wire::write_string;

/// What the user did with a question, for handlers that tell the three apart.
///
/// From [`Ask::outcome`]; see client/elicitation, "Response Actions".
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

/// A question to the user. Await it for the answer.
///
/// Made by [`Cx::ask`](super::cx::Cx::ask).
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Ask<'cx, T> {
    run: &'cx Arc<Run>,
    question: Question,
    stage: Stage,
    seen: Seen,
    decode: fn(&str, &Question) -> Result<T, Invalid>,
}

enum Stage {
    New,
    /// Looking for the credential or its ticket.
    Looking(Pin<Box<dyn Future<Output = Found> + Send>>),
    Open,
    /// Answered, or the run is over.
    Over,
}

/// What earlier rounds and this one say of a page.
#[derive(Clone, Copy, Default)]
struct Seen {
    ticket: Option<TicketId>,
    /// How often an answer did not fit.
    attempts: u8,
    /// Whether the client says that the user has opened the page.
    accepted: bool,
}

/// An answer that still has to become the author's type.
enum Given {
    /// Content of a form, with how often an answer did not fit before.
    Form {
        json: Box<str>,
        attempts: u8,
        recorded: bool,
    },
    /// Content from the vault.
    Page { json: zeroize::Zeroizing<String> },
}

impl<'cx, T: Elicit> Ask<'cx, T> {
    pub(crate) fn new(run: &'cx Arc<Run>) -> Self {
        Self::decoding(run, |json, _| T::decode(json))
    }

    fn decoding(run: &'cx Arc<Run>, decode: fn(&str, &Question) -> Result<T, Invalid>) -> Self {
        let declaration = T::declaration();
        Self {
            run,
            question: Question {
                declaration,
                key: Cow::Borrowed(declaration.key()),
                message: None,
                lists: None,
                filled: None,
                reason: None,
                name: String::new(),
                about: None,
                attempts: None,
                digest: [0; 16],
            },
            stage: Stage::New,
            seen: Seen::default(),
            decode,
        }
    }

    /// Asks what is left of a form.
    pub(super) fn filling(run: &'cx Arc<Run>, key: &'static str, filled: Filled) -> Self {
        let mut it = Self::decoding(run, |json, question| match &question.filled {
            Some(filled) => T::decode(&filled.whole(json)),
            None => T::decode(json),
        });
        it.question.key = Cow::Borrowed(key);
        it.question.filled = Some(Box::new(filled));
        it
    }

    pub(crate) fn with(run: &'cx Arc<Run>, options: T::Options) -> Self
    where
        T: SelectMode,
    {
        let mut it = Self::decoding(run, |json, question| match &question.lists {
            Some(lists) => lists.with(question.declaration.table(), |table| {
                T::decode_with(json, table)
            }),
            None => T::decode(json),
        });
        match Lists::new::<T>(options) {
            Ok(lists) => it.question.lists = Some(lists),
            Err(fault) => run.fail(Fatal::Internal(format!(
                "the question `{}`: {fault}",
                it.question.key
            ))),
        }
        it
    }

    /// Asks with another message than the declared one. Build it from arguments and earlier
    /// answers only: a text that differs each time the handler runs is a new question each time.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.question.message = Some(message.into());
        self
    }

    /// Asks under another key than the type's, so that one type can be asked for twice.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.question.key = Cow::Owned(key.into());
        self
    }

    /// The `index`-th question of its kind in a loop: its key is `invoice.0`, `invoice.1` and so on.
    pub fn at(mut self, index: usize) -> Self {
        self.question.key = Cow::Owned(format!("{}.{index}", self.question.key));
        self
    }

    /// Which of several credentials of one kind: each name has a page and a vault row of its own.
    /// Has no meaning for forms but to tell their questions apart.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.question.name = name.into();
        self.question.key = Cow::Owned(format!("{}.{}", self.question.key, self.question.name));
        self
    }

    /// What the question is about, when the message alone does not say it all: an answer counts
    /// only while a digest of `data` is the same, such as the set of issues that will be closed.
    /// Data that cannot be serialised ends the run with an error.
    pub fn about<D: serde::Serialize + ?Sized>(mut self, data: &D) -> Self {
        match serde_json::to_vec(data) {
            Ok(bytes) => self.question.about = Some(short(&[&bytes])),
            Err(e) => self.run.fail(Fatal::Internal(format!(
                "`.about` of `{}`: {e}",
                self.question.key
            ))),
        }
        self
    }

    /// How often an answer that does not fit is asked again, the first time included.
    pub fn attempts(mut self, most: u8) -> Self {
        self.question.attempts = Some(most.max(1));
        self
    }

    /// Takes a "no" for an answer: declined is `None`.
    pub fn optional(self) -> Optional<'cx, T> {
        Optional(self)
    }

    /// Tells accepted, declined and cancelled apart.
    pub fn outcome(self) -> Outcome<'cx, T> {
        Outcome(self)
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, NoAnswer>> {
        loop {
            let given = match self.poll_given(cx) {
                Poll::Ready(Ok(given)) => given,
                Poll::Ready(Err(no)) => return Poll::Ready(Err(no)),
                Poll::Pending => return Poll::Pending,
            };
            let json = match &given {
                Given::Form { json, .. } => &**json,
                Given::Page { json } => json.as_str(),
            };
            match ((self.decode)(json, &self.question), given) {
                (Ok(answer), Given::Form { json, recorded, .. }) => {
                    self.accept_form(json, recorded);
                    return Poll::Ready(Ok(answer));
                }
                (Ok(answer), Given::Page { json }) => {
                    self.accept_page(json);
                    return Poll::Ready(Ok(answer));
                }
                (Err(invalid), Given::Form { attempts, .. }) => {
                    if let Some(no) = self.refuse(&invalid, attempts) {
                        return Poll::Ready(Err(no));
                    }
                }
                // What was stored under an older declaration, or by a process that did not know the
                // author's own check, is asked for anew.
                (Err(invalid), Given::Page { .. }) => {
                    self.question.reason = Some(invalid.to_string());
                    self.look(Look::Anew);
                }
            }
        }
    }
}

impl<T> Ask<'_, T> {
    /// Looks for an answer, in the order of the design: journal, this round, vault; else asks.
    fn poll_given(&mut self, cx: &mut Context<'_>) -> Poll<Result<Given, NoAnswer>> {
        loop {
            match &mut self.stage {
                Stage::New => {
                    if let Some(result) = self.begin() {
                        return Poll::Ready(result);
                    }
                }
                Stage::Looking(future) => {
                    let Poll::Ready(found) = future.as_mut().poll(cx) else {
                        return Poll::Pending;
                    };
                    if let Some(result) = self.found(found) {
                        return Poll::Ready(result);
                    }
                }
                Stage::Open if self.run.is_nested(&self.question.key) => return Poll::Pending,
                Stage::Open => {
                    let mut state = self.run.state();
                    let Some(open) = state.open(&self.question.key) else {
                        return Poll::Pending;
                    };
                    open.waker = Some(cx.waker().clone());
                    let Some(page) = open.page.filter(|p| p.again) else {
                        return Poll::Pending;
                    };
                    drop(state);
                    self.seen.ticket = Some(page.ticket);
                    self.look(Look::Usual);
                }
                Stage::Over => {
                    // Where the run has failed already, that reason stays.
                    self.run.fail(Fatal::Internal(format!(
                        "the question `{}` of `{}` was awaited again after its answer",
                        self.question.key, self.run.target.name
                    )));
                    return Poll::Pending;
                }
            }
        }
    }

    /// The first poll. Returns an answer, or moves on to the next stage.
    fn begin(&mut self) -> Option<Result<Given, NoAnswer>> {
        self.stage = Stage::Over;
        if !self.run.name(Kind::Ask, self.question.key.clone()) {
            return None;
        }
        self.question.digest = self.question.digest();
        let (key, digest) = (&*self.question.key, &self.question.digest);
        let is_page = matches!(self.question.declaration.mode(), Mode::Page { .. });
        let mut state = self.run.state();
        match state.recorded(key, digest) {
            Some(Recorded::Accepted(json)) => {
                return Some(Ok(Given::Form {
                    json: json.clone(),
                    attempts: 0,
                    recorded: true,
                }));
            }
            Some(other) => {
                let no = no_answer(other);
                state.consumed.push(key.into());
                return Some(Err(no));
            }
            None => {}
        }
        let asked = state.asked(key, digest).cloned();
        // Without a state, or for a question that the state does not show as asked, an answer is a
        // guess. For an unguarded question on a first call it is taken: it is only an answer.
        let takes = asked.is_some() || (!state.resumed && !self.question.declaration.is_guarded());
        let answer = if takes { state.take_answer(key) } else { None };
        drop(state);
        let (attempts, ticket) = asked.map_or((0, None), |a| (a.attempts, a.ticket.map(TicketId)));
        let action = match answer.as_deref().map(Action::read) {
            None => Action::None,
            Some(Ok(action)) => action,
            Some(Err(fault)) => {
                let text = format!("inputResponses[{}]: {fault}", serde_json::Value::from(key));
                self.run.fail(Fatal::Rpc(RpcError::invalid_params(text)));
                return None;
            }
        };
        match action {
            Action::Decline => {
                self.told(observe::Outcome::Declined);
                if is_page {
                    tell::declined(
                        self.run,
                        self.question.declaration,
                        &self.question.name,
                        ticket,
                    );
                }
                Some(Err(self.conclude(Recorded::Declined)))
            }
            Action::Cancel => {
                self.told(observe::Outcome::Cancelled);
                Some(Err(self.conclude(Recorded::Cancelled)))
            }
            Action::Accept(json) if !is_page => Some(Ok(Given::Form {
                json: json.into(),
                attempts,
                recorded: false,
            })),
            action if is_page => {
                self.seen = Seen {
                    ticket,
                    attempts,
                    accepted: matches!(action, Action::Accept(_)),
                };
                self.look(Look::Usual);
                None
            }
            _ => {
                self.open_form(attempts);
                None
            }
        }
    }

    /// Starts to look for a credential.
    fn look(&mut self, look: Look) {
        let request = page::Request {
            declaration: self.question.declaration,
            name: self.question.name.clone(),
            message: self.question.text_with_reason().into_owned(),
            ticket: self.seen.ticket,
            look,
            attempts: self.seen.attempts,
        };
        self.stage = Stage::Looking(Box::pin(page::find(Arc::clone(self.run), request)));
    }

    /// A look-up has ended. Returns an answer, or leaves the question open.
    fn found(&mut self, found: Found) -> Option<Result<Given, NoAnswer>> {
        self.stage = Stage::Over;
        match found {
            Found::Credential(json) => Some(Ok(Given::Page { json })),
            Found::Declined => {
                self.told(observe::Outcome::Declined);
                Some(Err(self.conclude(Recorded::Declined)))
            }
            Found::Open {
                ticket,
                link,
                attempts,
            } => {
                let mut request =
                    br#"{"method":"elicitation/create","params":{"mode":"url","message":"#.to_vec();
                write_string(&self.question.text_with_reason(), &mut request);
                request.extend_from_slice(b",\"url\":");
                write_string(&link, &mut request);
                request.extend_from_slice(b"}}");
                let request = String::from_utf8(request).unwrap_or_default();
                let page = OpenPage {
                    ticket,
                    accepted: self.seen.accepted,
                    again: false,
                };
                self.open(Cow::Owned(request), attempts, Some(page));
                None
            }
            Found::NoCapability => {
                self.run.state().missing.url = true;
                self.open(Cow::Borrowed(""), 0, None);
                None
            }
            Found::Failed(fatal) => {
                self.run.fail(fatal);
                None
            }
        }
    }

    fn open_form(&mut self, attempts: u8) {
        if !self.run.capabilities.form {
            self.run.state().missing.form = true;
            return self.open(Cow::Borrowed(""), attempts, None);
        }
        let declaration = self.question.declaration;
        let request = if let Some(lists) = &self.question.lists {
            let lists = lists.for_schema(declaration.table());
            let text = self.question.text_with_reason();
            let mut request = Vec::new();
            let part = |i: usize| {
                let list = lists.get(i).and_then(|list| list.as_deref());
                list.map_or(Part::Declared, Part::List)
            };
            declaration.append_form(&text, part, &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        } else if let Some(filled) = &self.question.filled {
            let text = self.question.text_with_reason();
            let mut request = Vec::new();
            declaration.append_form(&text, |i| filled.part(i), &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        } else if self.question.message.is_none() && self.question.reason.is_none() {
            Cow::Borrowed(declaration.request())
        } else {
            let text = self.question.text_with_reason();
            let mut request = Vec::with_capacity(declaration.request().len() + text.len());
            declaration.append_request(&text, &mut request);
            Cow::Owned(String::from_utf8(request).unwrap_or_default())
        };
        self.open(request, attempts, None);
    }

    /// Registers the question as open; the driver parks when nothing else is to do.
    fn open(&mut self, request: Cow<'static, str>, attempts: u8, page: Option<OpenPage>) {
        let mut state = self.run.state();
        // A question that looked again is open already; the waker it registers now is the newest.
        state.open.retain(|o| *o.key != *self.question.key);
        state.open.push(Open {
            key: self.question.key.clone(),
            digest: self.question.digest,
            attempts,
            request,
            page,
            waker: None,
            abandoned: false,
        });
        self.stage = Stage::Open;
    }

    fn accept_form(&mut self, json: Box<str>, recorded: bool) {
        if !recorded {
            self.told(observe::Outcome::Accepted);
        }
        let key = &*self.question.key;
        let mut state = self.run.state();
        state.consumed.push(key.into());
        if !recorded {
            state.record(key, self.question.digest, Recorded::Accepted(json));
        }
        self.close(&mut state);
    }

    fn accept_page(&mut self, json: zeroize::Zeroizing<String>) {
        self.told(observe::Outcome::Accepted);
        tell::credential_used(self.run, self.question.declaration, &self.question.name);
        let secrets = page::secrets(self.question.declaration, &json);
        let mut state = self.run.state();
        state.secrets.extend(secrets);
        self.close(&mut state);
    }

    /// An answer did not fit: asks again, or gives up.
    fn refuse(&mut self, invalid: &Invalid, attempts: u8) -> Option<NoAnswer> {
        let attempts = attempts.saturating_add(1);
        let most = self
            .question
            .attempts
            .unwrap_or(self.run.services.limits.attempts);
        self.told(observe::Outcome::Invalid);
        // A recorded one that fits no more would hide the next answer.
        self.run.state().forget(&self.question.key);
        if attempts < most {
            self.question.reason = Some(invalid.to_string());
            if let Some(filled) = &mut self.question.filled {
                filled.ask_also(invalid);
            }
            self.open_form(attempts);
            return None;
        }
        Some(self.conclude(Recorded::Invalid(invalid.to_string().into())))
    }

    /// Records that there is no answer.
    fn conclude(&mut self, outcome: Recorded) -> NoAnswer {
        let no = no_answer(&outcome);
        let key = &*self.question.key;
        let mut state = self.run.state();
        state.consumed.push(key.into());
        state.record(key, self.question.digest, outcome);
        self.close(&mut state);
        no
    }

    /// Tells the operator that an answer came.
    fn told(&self, outcome: observe::Outcome) {
        let question = &self.question;
        let which = (&*question.key, &question.digest);
        tell::answered(self.run, question.declaration, which, outcome);
    }

    fn close(&self, state: &mut State) {
        state.open.retain(|o| *o.key != *self.question.key);
    }
}

impl<T: Elicit> Future for Ask<'_, T> {
    type Output = Result<T, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().poll_answer(cx)
    }
}

impl<T> Drop for Ask<'_, T> {
    fn drop(&mut self) {
        if matches!(self.stage, Stage::Over) {
            return;
        }
        let mut state = self.run.state();
        if state.closed {
            return;
        }
        if matches!(self.stage, Stage::New) {
            // A form that was not asked does no harm. An effect after a confirmation that was not
            // would; beside a question that was declined it is not asked for a good reason.
            if self.question.declaration.is_guarded() {
                let key = &*self.question.key;
                state.unasked.get_or_insert_with(|| key.into());
            }
            return;
        }
        if let Some(open) = state.open(&self.question.key) {
            open.abandoned = true;
        }
        let key = &*self.question.key;
        state.abandoned.get_or_insert_with(|| key.into());
    }
}

impl<T> fmt::Debug for Ask<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("key", &self.question.key)
            .finish_non_exhaustive()
    }
}

/// From [`Ask::optional`]: declined is `None`.
#[derive(Debug)]
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Optional<'cx, T>(Ask<'cx, T>);

impl<T: Elicit> Future for Optional<'_, T> {
    type Output = Result<Option<T>, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll_answer(cx).map(|result| match result {
            Ok(answer) => Ok(Some(answer)),
            Err(NoAnswer::Declined) => Ok(None),
            Err(no) => Err(no),
        })
    }
}

/// From [`Ask::outcome`]: accepted, declined and cancelled apart.
#[derive(Debug)]
#[must_use = "a question is asked only when it is awaited, so `.await?` it; `let _ =` asks nothing"]
pub struct Outcome<'cx, T>(Ask<'cx, T>);

impl<T: Elicit> Future for Outcome<'_, T> {
    type Output = Result<Answer<T>, NoAnswer>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.get_mut().0.poll_answer(cx).map(|result| match result {
            Ok(answer) => Ok(Answer::Accepted(answer)),
            Err(NoAnswer::Declined) => Ok(Answer::Declined),
            Err(NoAnswer::Cancelled) => Ok(Answer::Cancelled),
            Err(no) => Err(no),
        })
    }
}
