//! One question on its way to an answer: looked for in the journal, in this round, in the vault,
//! else left open.
//!
//! It works on the declaration and the JSON text. What type the answer becomes is not known here.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::begin::Begun;
use super::journal::Recorded;
use super::page::{self, Found, Look};
use super::question::{Action, Question, no_answer, page_request};
use super::run::{Fatal, Kind, Open, OpenPage, OpenedRow, Run};
use super::state::Waited;
use super::tell;
use crate::declare::Mode;
use crate::declare::filled::Filled;
use crate::error::NoAnswer;
use crate::observe::{self, Outcome};
use crate::store::TicketId;
use crate::time::UnixTime;

/// A question and how far it has come.
pub(super) struct Seek<'cx> {
    pub(super) run: &'cx Arc<Run>,
    pub(super) question: Question,
    stage: Stage,
    pub(super) seen: Seen,
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
pub(super) struct Seen {
    ticket: Option<TicketId>,
    /// When the time for its page ends, if it was given one.
    until: Option<UnixTime>,
    /// How often an answer did not fit.
    pub(super) attempts: u8,
    /// Whether the client says that the user has opened the page.
    pub(super) accepted: bool,
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
        if self.run.is_off_task(&self.question.key) {
            // An end, or the task that awaits it would wait for ever.
            self.stage = Stage::Over;
            return Poll::Ready(Err(NoAnswer::Cancelled));
        }
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
                    self.seen.ticket = page.ticket();
                    self.look(Look::Usual);
                }
                Stage::Over => {
                    self.run.awaited_again(&self.question.key);
                    return Poll::Pending;
                }
            }
        }
    }

    /// The first poll. Returns an answer, or moves on to the next stage.
    fn begin(&mut self) -> Option<Result<Given, NoAnswer>> {
        self.stage = Stage::Over;
        if let Some(why) = self.question.rejects.take() {
            return self.begin_again(why);
        }
        if !self.run.name(Kind::Ask, self.question.key.clone()) {
            return None;
        }
        self.question.digest = self.question.digest();
        let (key, digest) = (&*self.question.key, &self.question.digest);
        let is_page = matches!(self.question.declaration.mode(), Mode::Page { .. });
        let is_guarded = self.question.declaration.is_guarded();
        let (asked, answer) = match self.run.begin(key, digest, self.mode(), is_guarded)? {
            Begun::Recorded(Recorded::Accepted(json)) => {
                return Some(Ok(Given::Form {
                    json,
                    attempts: 0,
                    recorded: true,
                }));
            }
            Begun::Recorded(other) => {
                self.run.answered(key, *digest, None);
                return Some(Err(no_answer(&other)));
            }
            Begun::Asked(asked, answer) => (asked, answer),
        };
        let attempts = asked.as_ref().map_or(0, |a| a.attempts);
        let action = match answer.as_deref().map(Action::read) {
            None => Action::None,
            Some(Ok(action)) => action,
            Some(Err(fault)) => {
                self.run.malformed(key, fault);
                return None;
            }
        };
        match action {
            Action::Decline => {
                self.tell(Outcome::Declined);
                if is_page {
                    let ticket = asked.and_then(|a| a.ticket).map(TicketId);
                    let question = &self.question;
                    tell::declined(self.run, question.declaration, &question.name, ticket);
                }
                Some(Err(self.conclude(Recorded::Declined)))
            }
            Action::Cancel => {
                self.tell(Outcome::Cancelled);
                Some(Err(self.conclude(Recorded::Cancelled)))
            }
            Action::Accept(json) if !is_page => Some(Ok(Given::Form {
                json: match asked.and_then(|a| a.shown) {
                    Some(shown) => self.with_shown(&shown, json).into(),
                    None => json.into(),
                },
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
                // Still without an answer after one that did not fit: what the user wrote stays.
                if let Some(shown) = asked.and_then(|a| a.shown).filter(|_| attempts > 0)
                    && self.question.shown
                {
                    let shown = Filled::shown(self.question.declaration, &shown);
                    self.question.filled = Some(Box::new(shown));
                }
                self.open_form(attempts);
                None
            }
        }
    }

    /// An answer to a form that was shown filled in: what it leaves out is as it was shown.
    fn with_shown(&self, shown: &str, content: &str) -> String {
        Filled::shown(self.question.declaration, shown).whole(content)
    }

    /// Starts to look for a credential.
    pub(super) fn look(&mut self, look: Look) {
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
                let question = &self.question;
                tell::used(self.run, question.declaration, &question.name);
                Some(Ok(Given::Page { json, version }))
            }
            Found::TooOften => Some(Err(self.give_up())),
            Found::Declined => {
                self.tell(Outcome::Declined);
                Some(Err(self.conclude(Recorded::Declined)))
            }
            Found::TimedOut => {
                self.tell(Outcome::TimedOut);
                Some(Err(self.conclude(Recorded::TimedOut)))
            }
            Found::Open {
                ticket,
                link,
                message,
                expires,
                attempts,
            } => {
                // Asked again after a page that was of no use, it has the same end.
                let own = self.question.lifetime.map(|_| expires);
                self.seen.until = self.seen.until.or(own);
                let request = page_request(&message, &link);
                let page = OpenPage {
                    waited: Waited::Ticket(ticket),
                    until: self.seen.until,
                    accepted: self.seen.accepted,
                    again: false,
                };
                self.open(request.into(), attempts, Some(page));
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

    pub(super) fn open_form(&mut self, attempts: u8) {
        if !self.run.capabilities.form {
            self.run.state().missing.form = true;
            return self.open(Cow::Borrowed(""), attempts, None);
        }
        let request = self.question.form_request();
        self.open(request, attempts, None);
    }

    /// Registers the question as open; the driver parks when nothing else is to do.
    fn open(&mut self, request: Cow<'static, str>, attempts: u8, page: Option<OpenPage>) {
        if self.question.has_link() {
            tracing::warn!(
                key = %self.question.key,
                "the message or a label of this question holds a link, which a client may make clickable; \
                 name the site in words, or lead there from a page"
            );
        }
        let filled = self.question.filled.as_ref();
        let shown = filled.filter(|_| self.question.shown);
        let shown = shown.map(|it| it.given().into());
        self.run.ask(Open {
            key: self.question.key.clone(),
            digest: self.question.digest,
            attempts,
            request,
            mode: self.mode(),
            page,
            shown,
            lifetime: self.question.lifetime,
            waker: None,
            abandoned: false,
        });
        self.stage = Stage::Open;
    }

    /// Ends the run with a text for the client.
    pub(super) fn end(&self, text: &str) {
        self.run.fail(Fatal::Tool(text.to_owned()));
    }

    /// The answer is the handler's now.
    pub(super) fn accept(&mut self, given: Given) {
        let is_new = !matches!(given, Given::Form { recorded: true, .. });
        if is_new {
            self.tell(Outcome::Accepted);
        }
        let key = &*self.question.key;
        match given {
            Given::Form { json, .. } => {
                let new = is_new.then_some(Recorded::Accepted(json));
                self.run.answered(key, self.question.digest, new);
            }
            Given::Page { version, .. } => {
                let mut state = self.run.state();
                state.opened.push(OpenedRow {
                    declaration: self.question.declaration,
                    name: self.question.name.clone(),
                    version,
                    key: self.question.key.clone(),
                    digest: self.question.digest,
                    message: self.question.message.clone(),
                    attempts: self.seen.attempts,
                });
                state.close(key);
            }
        }
    }

    /// Records that there is no answer.
    pub(super) fn conclude(&mut self, outcome: Recorded) -> NoAnswer {
        let (key, digest) = (&*self.question.key, self.question.digest);
        self.run.unanswered(key, digest, outcome)
    }

    fn mode(&self) -> observe::Mode {
        match self.question.declaration.mode() {
            Mode::Page { .. } => observe::Mode::Url,
            _ => observe::Mode::Form,
        }
    }

    /// Tells the operator what became of the question.
    pub(super) fn tell(&self, outcome: Outcome) {
        let question = &self.question;
        let which = (&*question.key, &question.digest);
        let key = question.declaration.key();
        tell::answered(self.run, self.mode(), key, which, outcome);
    }
}

impl Drop for Seek<'_> {
    fn drop(&mut self) {
        if matches!(self.stage, Stage::Over) {
            return;
        }
        let key = &*self.question.key;
        if !matches!(self.stage, Stage::New) {
            return self.run.let_go(key);
        }
        // A form that was not asked does no harm. An effect after a confirmation that was not
        // would; beside a question that was declined it is not asked for a good reason.
        let mut state = self.run.state();
        if self.question.declaration.is_guarded() && !state.closed {
            state.unasked.get_or_insert_with(|| key.into());
        }
    }
}
