//! What changes while a handler is polled: answers so far, open questions, names in use.
//!
//! It is behind the mutex of a [`Run`](super::run::Run), and has no I/O and no time of its own.

use std::borrow::Cow;
use std::task::Waker;
use std::time::Duration;

use super::journal::{Entry, Pending, QuestionDigest, Recorded, RunId};
use crate::store::TicketId;
use crate::time::UnixTime;
use crate::wire::error::RpcError;
use crate::wire::message::Capabilities;

/// What changes while the handler is polled.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) id: Option<RunId>,
    /// Whether this round was resumed from a state.
    pub(crate) resumed: bool,
    /// Names the state it was resumed from, where that may be used once only.
    pub(crate) token: Option<[u8; 32]>,
    pub(crate) round: u8,
    pub(crate) began: UnixTime,
    pub(crate) deadline: UnixTime,
    pub(crate) journal: Vec<Entry>,
    pub(crate) pending: Vec<Pending>,
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
    pub(crate) fatal: Option<Fatal>,
    /// Effects that are done.
    pub(crate) done: Vec<Box<str>>,
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
    /// The JSON text of the `elicitation/create` request.
    pub(crate) request: Cow<'static, str>,
    pub(crate) page: Option<OpenPage>,
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
            ticket: self.page.map(|p| p.ticket.0),
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
    pub(crate) ticket: TicketId,
    /// When its time ends, if it was given one. Another link does not prolong it.
    pub(crate) until: Option<UnixTime>,
    /// Whether the client said in this round that the user has opened it.
    pub(crate) accepted: bool,
    /// Whether the question should look again whether the page is finished.
    pub(crate) again: bool,
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
    /// A mistake of the author, or a failure of the store: the text is for the log.
    Internal(String),
}

impl State {
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

    /// Records what became of a question, in place of what an older wording of it was answered.
    pub(crate) fn record(&mut self, key: &str, digest: QuestionDigest, outcome: Recorded) {
        self.forget(key);
        self.journal.push(Entry::Ask {
            key: key.into(),
            digest,
            outcome,
        });
    }

    /// Forgets what became of a question.
    pub(crate) fn forget(&mut self, key: &str) {
        self.journal
            .retain(|e| !matches!(e, Entry::Ask { key: k, .. } if **k == *key));
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

    pub(crate) fn open(&mut self, key: &str) -> Option<&mut Open> {
        self.open.iter_mut().find(|o| *o.key == *key)
    }

    /// The questions that the handler still waits for.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().filter(|o| !o.abandoned)
    }
}
