//! What changes while a handler is polled: answers so far, open questions, names in use.
//!
//! It is behind the mutex of a [`Run`](super::run::Run), and has no I/O and no time of its own.

use std::borrow::Cow;
use std::task::Waker;
use std::time::Duration;

use super::journal::{Entry, Pending, QuestionDigest, Recorded, RunId};
use crate::declare::Declaration;
use crate::mistake::{Hex, Mistake};
use crate::observe::Mode;
use crate::store::{CompletionId, TicketId};
use crate::time::UnixTime;
use crate::wire::error::RpcError;
use crate::wire::message::Capabilities;

/// What changes while the handler is polled.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) id: Option<RunId>,
    /// Whether this round was resumed from a state.
    pub(crate) resumed: bool,
    /// Whether this pass has come to something that no earlier round has seen.
    pub(crate) new_ground: bool,
    /// Names the state it was resumed from, where that may be used once only.
    pub(crate) token: Option<[u8; 32]>,
    pub(crate) round: u8,
    /// How long the client has had the questions that it answers now.
    pub(crate) waited: Option<Duration>,
    pub(crate) began: UnixTime,
    pub(crate) deadline: UnixTime,
    pub(crate) journal: Vec<Entry>,
    pub(crate) pending: Vec<Pending>,
    /// Whether the code is the very one that ran in the round before.
    pub(crate) same_code: bool,
    /// Keys of the questions that were asked anew because the same code asked something else.
    pub(crate) changed: Vec<Box<str>>,
    pub(crate) answers: Vec<Answer>,
    pub(crate) open: Vec<Open>,
    /// Names that this pass over the handler has used.
    pub(crate) used: Vec<(Kind, Cow<'static, str>)>,
    /// Keys of the questions whose answers this pass has used: what an effect depends on. The
    /// answers themselves are in the journal; that a page was filled is no answer.
    pub(crate) consumed: Vec<Box<str>>,
    /// A confirmation that was made and never awaited.
    pub(crate) unasked: Option<Box<str>>,
    /// The first question that the handler let go while it was open or looked for its answer.
    pub(crate) abandoned: Option<Box<str>>,
    pub(crate) missing: Capabilities,
    /// Large results of the client that were read in this pass: no text in the log may quote them.
    pub(crate) read: Vec<zeroize::Zeroizing<String>>,
    pub(crate) fatal: Option<Fatal>,
    /// Effects that are done.
    pub(crate) done: Vec<Box<str>>,
    /// Credentials that this pass was given, the newest last: what it may take back.
    pub(crate) opened: Vec<OpenedRow>,
    /// Secrets that were opened, for the leak guard.
    pub(crate) secrets: Vec<zeroize::Zeroizing<String>>,
    /// Once the driver gives the future up, asks that are dropped were not abandoned.
    pub(crate) closed: bool,
    /// Something was used inside of a step or effect.
    pub(crate) nested: bool,
    /// The client has gone or the run has failed: what is under way is finished, and nothing more is begun.
    pub(crate) left: bool,
}

/// One answer of this round, not yet looked at.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) key: Box<str>,
    pub(crate) json: Box<str>,
}

/// A question without an answer.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) key: Cow<'static, str>,
    pub(crate) digest: QuestionDigest,
    pub(crate) attempts: u8,
    /// The JSON text of the request.
    pub(crate) request: Cow<'static, str>,
    pub(crate) mode: Mode,
    pub(crate) page: Option<OpenPage>,
    /// The values that the form is shown with, as JSON text.
    pub(crate) shown: Option<Box<str>>,
    /// How long the user has for it, if that was said.
    pub(crate) lifetime: Option<Duration>,
    pub(crate) waker: Option<Waker>,
    /// Dropped by the handler before it was answered.
    pub(crate) abandoned: bool,
}

impl Open {
    /// What the sealed state remembers of it.
    pub(crate) fn pending(&self) -> Pending {
        Pending {
            key: self.key.clone(),
            digest: self.digest,
            attempts: self.attempts,
            ticket: self.page.and_then(|p| p.ticket()).map(|id| id.0),
            shown: self.shown.clone(),
            until: self.page.and_then(|p| p.until).map(UnixTime::as_millis),
        }
    }

    /// When the time for it ends that was said to be its own.
    pub(crate) fn ends(&self, now: UnixTime) -> Option<UnixTime> {
        match self.page {
            Some(page) => page.until,
            None => self.lifetime.map(|it| now.after(it)),
        }
    }
}

/// The page of an open question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenPage {
    /// What ends it.
    pub(crate) waited: Waited,
    /// When its time ends, if it was given one. Another link does not prolong it.
    pub(crate) until: Option<UnixTime>,
    /// Whether the client said in this round that the user has opened it.
    pub(crate) accepted: bool,
    /// Whether the question should look again whether the page is finished.
    pub(crate) again: bool,
}

/// What a page that is open waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Waited {
    /// A page of our own.
    Ticket(TicketId),
    /// One of somebody else.
    Completion(CompletionId),
}

impl OpenPage {
    /// The ticket of a page of our own.
    pub(crate) fn ticket(self) -> Option<TicketId> {
        match self.waited {
            Waited::Ticket(id) => Some(id),
            Waited::Completion(_) => None,
        }
    }
}

/// A credential that the handler was given, and the question that brought it.
#[derive(Debug, Clone)]
pub(crate) struct OpenedRow {
    pub(crate) declaration: &'static Declaration,
    pub(crate) name: String,
    /// Which version of the vault row it was.
    pub(crate) version: [u8; 16],
    pub(crate) key: Cow<'static, str>,
    pub(crate) digest: QuestionDigest,
    pub(crate) message: Option<String>,
    /// How many were rejected before it.
    pub(crate) attempts: u8,
}

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Ask,
    Step,
    Once,
}

/// Why a run ends, whatever its handler would do next.
#[derive(Debug, Clone)]
pub(crate) enum Fatal {
    /// The client's fault, as the protocol words it.
    Rpc(RpcError),
    /// A result with `isError` and this text.
    Tool(String),
    /// A mistake of the author, of which the client is told this much.
    Ended { told: String, log: String },
    /// A mistake of the author, or a failure of the store: the text is for the log.
    Internal(String),
}

impl From<Mistake<'_>> for Fatal {
    /// What is wrong goes into the log; the client is told that something is.
    fn from(mistake: Mistake<'_>) -> Self {
        Self::Internal(mistake.to_string())
    }
}

impl State {
    /// Whether what the handler does now is done for the first time in its run, as far as anybody
    /// can tell: what it did before the first thing that earlier rounds do not know is a repetition.
    pub(crate) fn is_live(&self) -> bool {
        !self.resumed || self.new_ground
    }

    /// The handler has come to something of which earlier rounds know if such an entry is there.
    pub(crate) fn meet(&mut self, is_it: impl Fn(&Entry) -> bool) {
        self.new_ground |= !self.journal.iter().any(is_it);
    }

    /// A name for the log, unless a secret was opened that it might hold.
    pub(crate) fn for_log<'n>(&self, name: &'n str) -> &'n str {
        if self.secrets.is_empty() {
            name
        } else {
            "(withheld)"
        }
    }

    /// Removes and returns this round's answer to `key`.
    pub(crate) fn take_answer(&mut self, key: &str) -> Option<Box<str>> {
        let at = self.answers.iter().position(|a| *a.key == *key)?;
        Some(self.answers.swap_remove(at).json)
    }

    /// What earlier rounds recorded for this very question.
    pub(crate) fn recorded(&self, key: &str, digest: &QuestionDigest) -> Option<&Recorded> {
        self.journal.iter().find_map(|entry| match entry {
            Entry::Ask {
                key: k,
                digest: d,
                outcome,
            } if **k == *key && d == digest => Some(outcome),
            _ => None,
        })
    }

    /// Whether earlier rounds gave the client this very question.
    pub(crate) fn asked(&self, key: &str, digest: &QuestionDigest) -> Option<&Pending> {
        self.pending
            .iter()
            .find(|p| *p.key == *key && p.digest == *digest)
    }

    /// A question is to be asked that no earlier round has asked like this. If one has asked something
    /// else by this key, other code may have: a deploy has come in between. The same code may once,
    /// where what it is about has changed; a question that is another one each time can never be
    /// answered.
    pub(crate) fn ask_anew(
        &mut self,
        tool: &str,
        key: &str,
        now: &QuestionDigest,
    ) -> Result<(), Fatal> {
        let Some(before) = self.other(key).filter(|_| self.same_code) else {
            return Ok(());
        };
        if !self.changed.iter().any(|k| **k == *key) {
            let shown = self.for_log(key);
            tracing::warn!(
                tool,
                key = shown,
                "a question has changed between two rounds and is asked anew"
            );
            self.changed.push(key.into());
            return Ok(());
        }
        let (before, now) = (Hex(&before), Hex(now));
        let log = Mistake::VolatileQuestion {
            tool,
            key,
            before,
            now,
        };
        Err(Fatal::Ended {
            log: log.to_string(),
            told: format!(
                "The question `{key}` is another one each time it is asked, so no answer to it can count. \
                 This was ended; it is for the author of the tool to mend."
            ),
        })
    }

    /// The digest of what an earlier round asked, or had answered, by this key.
    fn other(&self, key: &str) -> Option<QuestionDigest> {
        let asked = self.pending.iter().find(|p| *p.key == *key);
        asked.map(|p| p.digest).or_else(|| {
            self.journal.iter().find_map(|entry| match entry {
                Entry::Ask { key: k, digest, .. } if **k == *key => Some(*digest),
                _ => None,
            })
        })
    }

    /// Records what became of a question, in place of what an older wording of it was answered.
    pub(crate) fn record(&mut self, key: &str, digest: QuestionDigest, outcome: Recorded) {
        self.forget(key);
        self.journal.push(Entry::Ask {
            key: key.into(),
            digest,
            outcome,
        });
    }

    /// Forgets what became of a question. Tells whether something was recorded.
    pub(crate) fn forget(&mut self, key: &str) -> bool {
        let before = self.journal.len();
        self.journal
            .retain(|e| !matches!(e, Entry::Ask { key: k, .. } if **k == *key));
        self.journal.len() < before
    }

    /// Removes and returns the newest credential of a kind and name that the handler was given.
    pub(crate) fn take_opened(
        &mut self,
        declaration: &'static Declaration,
        name: &str,
    ) -> Option<OpenedRow> {
        let is_it = |o: &OpenedRow| std::ptr::eq(o.declaration, declaration) && o.name == name;
        let at = self.opened.iter().rposition(is_it)?;
        Some(self.opened.remove(at))
    }

    /// The version of the credential `key` that the author's own check has accepted.
    pub(crate) fn checked(&self, key: &str) -> Option<&[u8; 16]> {
        self.journal.iter().find_map(|entry| match entry {
            Entry::Checked { key: k, version } if **k == *key => Some(version),
            _ => None,
        })
    }

    /// Notes which version of the credential `key` was accepted, in place of an older one.
    pub(crate) fn note_checked(&mut self, key: &str, version: [u8; 16]) {
        if self.checked(key) == Some(&version) {
            return;
        }
        self.journal
            .retain(|e| !matches!(e, Entry::Checked { key: k, .. } if **k == *key));
        self.journal.push(Entry::Checked {
            key: key.into(),
            version,
        });
    }

    /// Takes a question out of those that are open.
    pub(crate) fn close(&mut self, key: &str) {
        self.open.retain(|o| *o.key != *key);
    }

    pub(crate) fn open(&mut self, key: &str) -> Option<&mut Open> {
        self.open.iter_mut().find(|o| *o.key == *key)
    }

    /// The questions that the handler still waits for.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().filter(|o| !o.abandoned)
    }
}
