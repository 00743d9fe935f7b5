//! One question on its way to an answer: looked for in the journal, in this round, in the vault,
//! else left open.
//!
//! It works on the declaration and the JSON text. What type the answer becomes is not known here.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::journal::Recorded;
use super::page::{self, Found, Look};
use super::question::{Action, Question, no_answer};
use super::run::{Fatal, Kind, Open, OpenPage, Run, State};
use crate::declare::Mode;
use crate::declare::invalid::Invalid;
use crate::declare::joined::Part;
use crate::error::NoAnswer;
use crate::store::TicketId;
use crate::time::UnixTime;
use crate::wire::error::RpcError;
use crate::wire::write_string;

/// A question and how far it has come.
pub(super) struct Seek<'cx> {
    pub(super) run: &'cx Arc<Run>,
    pub(super) question: Question,
    stage: Stage,
    seen: Seen,
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
    /// When the time for its page ends, if it was given one.
    until: Option<UnixTime>,
    /// How often an answer did not fit.
    attempts: u8,
    /// Whether the client says that the user has opened the page.
    accepted: bool,
}

/// An answer that still has to become the author's type.
pub(super) enum Given {
    /// Content of a form, with how often an answer did not fit before.
    Form {
        json: Box<str>,
        attempts: u8,
        recorded: bool,
    },
    /// Content from the vault.
    Page {
        json: zeroize::Zeroizing<String>,
        version: [u8; 16],
    },
}

impl Given {
    pub(super) fn json(&self) -> &str {
        match self {
            Self::Form { json, .. } => json,
            Self::Page { json, .. } => json,
        }
    }
}

impl<'cx> Seek<'cx> {
    pub(super) fn new(run: &'cx Arc<Run>, question: Question) -> Self {
        Self {
            run,
            question,
            stage: Stage::New,
            seen: Seen::default(),
        }
    }

    /// Looks for an answer, in the order of the design: journal, this round, vault; else asks.
    pub(super) fn poll_given(&mut self, cx: &mut Context<'_>) -> Poll<Result<Given, NoAnswer>> {
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
                    self.fail("was awaited again after its answer");
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
        let attempts = asked.as_ref().map_or(0, |a| a.attempts);
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
            Action::Decline => Some(Err(self.conclude(Recorded::Declined))),
            Action::Cancel => Some(Err(self.conclude(Recorded::Cancelled))),
            Action::Accept(json) if !is_page => Some(Ok(Given::Form {
                json: json.into(),
                attempts,
                recorded: false,
            })),
            action if is_page => {
                self.seen = Seen {
                    ticket: asked.as_ref().and_then(|a| a.ticket).map(TicketId),
                    until: asked.and_then(|a| a.until).map(UnixTime::from_millis),
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
            until: self.seen.until,
            lifetime: self.question.lifetime,
            look,
            attempts: self.seen.attempts,
        };
        self.stage = Stage::Looking(Box::pin(page::find(Arc::clone(self.run), request)));
    }

    /// A look-up has ended. Returns an answer, or leaves the question open.
    fn found(&mut self, found: Found) -> Option<Result<Given, NoAnswer>> {
        self.stage = Stage::Over;
        match found {
            Found::Credential { json, version } => {
                // Known to the leak guard before anybody can do something with it.
                let secrets = page::secrets(self.question.declaration, &json);
                self.run.state().secrets.extend(secrets);
                Some(Ok(Given::Page { json, version }))
            }
            Found::Declined => Some(Err(self.conclude(Recorded::Declined))),
            Found::TimedOut => Some(Err(self.conclude(Recorded::TimedOut))),
            Found::Open {
                ticket,
                link,
                expires,
                attempts,
            } => {
                // Asked again after a page that was of no use, it has the same end.
                let own = self.question.lifetime.map(|_| expires);
                self.seen.until = self.seen.until.or(own);
                let mut request =
                    br#"{"method":"elicitation/create","params":{"mode":"url","message":"#.to_vec();
                write_string(&self.question.text_with_reason(), &mut request);
                request.extend_from_slice(b",\"url\":");
                write_string(&link, &mut request);
                request.extend_from_slice(b"}}");
                let request = String::from_utf8(request).unwrap_or_default();
                let page = OpenPage {
                    ticket,
                    until: self.seen.until,
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
            lifetime: self.question.lifetime,
            waker: None,
            abandoned: false,
        });
        self.stage = Stage::Open;
    }

    /// Ends the run: the question is not used as it should be.
    pub(super) fn fail(&self, what: &str) {
        self.run.fail(Fatal::Internal(format!(
            "the question `{}` of `{}` {what}",
            self.question.key, self.run.target.name
        )));
    }

    /// The answer is the handler's now.
    pub(super) fn accept(&mut self, given: Given) {
        let key = &*self.question.key;
        let mut state = self.run.state();
        if let Given::Form { json, recorded, .. } = given {
            state.consumed.push(key.into());
            if !recorded {
                state.record(key, self.question.digest, Recorded::Accepted(json));
            }
        }
        self.close(&mut state);
    }

    /// An answer did not fit: asks again, or gives up.
    pub(super) fn refuse(&mut self, invalid: &Invalid, given: &Given) -> Option<NoAnswer> {
        let Given::Form { attempts, .. } = given else {
            // What was stored under an older declaration, or by a process that did not know the
            // author's own check, is asked for anew.
            self.question.reason = Some(invalid.to_string());
            self.look(Look::Anew);
            return None;
        };
        match self.failed(invalid, *attempts) {
            Ok(attempts) => {
                self.open_form(attempts);
                None
            }
            Err(no) => Some(no),
        }
    }

    /// The author's own check refused an answer: asks again, or gives up.
    pub(super) async fn reject(&mut self, invalid: &Invalid, given: &Given) -> Option<NoAnswer> {
        let Given::Page { version, .. } = given else {
            return self.refuse(invalid, given);
        };
        let (declaration, name) = (self.question.declaration, &self.question.name);
        if let Err(e) = page::remove(self.run, declaration, name, *version).await {
            self.run.fail(Fatal::Internal(e.to_string()));
            return None;
        }
        match self.failed(invalid, self.seen.attempts) {
            Ok(attempts) => {
                // What the client says to have opened was the page before.
                self.seen.accepted = false;
                self.seen.attempts = attempts;
                self.look(Look::Usual);
                None
            }
            Err(no) => Some(no),
        }
    }

    /// Counts an answer that was of no use. The number so far, if there may be another one.
    fn failed(&mut self, invalid: &Invalid, attempts: u8) -> Result<u8, NoAnswer> {
        let attempts = attempts.saturating_add(1);
        let most = self
            .question
            .attempts
            .unwrap_or(self.run.services.limits.attempts);
        tracing::debug!(key = %self.question.key, attempts, "an answer did not fit");
        // A recorded one that fits no more would hide the next answer.
        self.run.state().forget(&self.question.key);
        if attempts < most {
            self.question.reason = Some(invalid.to_string());
            if let Some(filled) = &mut self.question.filled {
                filled.ask_also(invalid);
            }
            return Ok(attempts);
        }
        Err(self.conclude(Recorded::Invalid(invalid.to_string().into())))
    }

    /// Whether the author's own check has accepted this very answer before.
    pub(super) fn was_checked(&self, given: &Given) -> bool {
        match given {
            Given::Form { recorded, .. } => *recorded,
            Given::Page { version, .. } => {
                let state = self.run.state();
                state.checked(&self.question.key) == Some(version)
            }
        }
    }

    /// Notes that the author's own check has accepted this answer; a form's is recorded anyway.
    pub(super) fn note_checked(&self, given: &Given) {
        if let Given::Page { version, .. } = given {
            self.run.state().note_checked(&self.question.key, *version);
        }
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

    fn close(&self, state: &mut State) {
        state.open.retain(|o| *o.key != *self.question.key);
    }
}

impl Drop for Seek<'_> {
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
