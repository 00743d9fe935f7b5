//! Answers that are of no use: asked for again with the reasons, and given up in the end.
//!
//! How often an answer did not fit is counted in the seal, so that no client can begin anew.

use super::journal::Recorded;
use super::page::{self, Look};
use super::run::Fatal;
use super::seek::{Given, Seek};
use crate::declare::invalid::Invalid;
use crate::error::NoAnswer;
use crate::observe::Outcome;

impl Seek<'_> {
    /// An answer did not fit: asks again, or gives up.
    pub(super) fn refuse(&mut self, invalid: &Invalid, given: &Given) -> Option<NoAnswer> {
        let Given::Form { attempts, .. } = given else {
            // What was stored under an older declaration, or by a process that did not know the
            // author's own check, is asked for anew.
            self.question.reason = Some(invalid.to_string());
            self.look(Look::Anew);
            return None;
        };
        // Shown again as the user has left it, but for what did not fit.
        let question = &mut self.question;
        if let Some(filled) = question.filled.as_mut().filter(|_| question.shown) {
            filled.keep(given.json());
        }
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
        // Until it is asked again the run must not be parked without it.
        let busy = self.run.busy();
        let removed = page::remove(self.run, declaration, name, *version).await;
        drop(busy);
        if let Err(e) = removed {
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

    /// How many answers that are of no use are taken.
    pub(super) fn most_attempts(&self) -> u8 {
        self.question
            .attempts
            .unwrap_or(self.run.services.limits.attempts)
    }

    /// Counts an answer that was of no use. The number so far, if there may be another one.
    fn failed(&mut self, invalid: &Invalid, attempts: u8) -> Result<u8, NoAnswer> {
        let attempts = attempts.saturating_add(1);
        let most = self.most_attempts();
        self.tell(Outcome::Invalid);
        // A recorded one that fits no more would hide the next answer. What was asked after it may
        // become another question by right.
        let mut state = self.run.state();
        if state.forget(&self.question.key) {
            state.changed.clear();
        }
        drop(state);
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
}
