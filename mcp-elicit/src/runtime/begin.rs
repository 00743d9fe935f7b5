//! What every question does alike, whoever answers it: it looks for an answer in the journal and in this
//! round, is registered as open, is concluded, or is let go of.

use super::journal::{Pending, QuestionDigest, Recorded};
use super::question::no_answer;
use super::run::{Fatal, Open, Run};
use crate::error::NoAnswer;
use crate::mistake::Mistake;
use crate::observe::Mode;
use crate::wire::error::RpcError;

/// What is known of a question when it begins.
pub(super) enum Begun {
    /// What an earlier round has recorded for it.
    Recorded(Recorded),
    /// How an earlier round has asked it, and this round's answer, if that counts.
    Asked(Option<Pending>, Option<Box<str>>),
}

impl Run {
    /// Begins the question `key`, whose name is claimed. `None` if it must not go on.
    ///
    /// Without a state, or for a question that the state does not show as asked, an answer is a
    /// guess. On a first call it is taken, unless the question is guarded: it is only an answer.
    pub(super) fn begin(
        &self,
        key: &str,
        digest: &QuestionDigest,
        mode: Mode,
        is_guarded: bool,
    ) -> Option<Begun> {
        let mut state = self.state();
        if let Some(recorded) = state.recorded(key, digest) {
            return Some(Begun::Recorded(recorded.clone()));
        }
        let asked = state.asked(key, digest).cloned();
        // What was done on a page in an earlier round is found elsewhere, and not asked again.
        state.new_ground |= asked.is_some() || mode != Mode::Url;
        if asked.is_none()
            && let Err(fatal) = state.ask_anew(&self.target.name, key, digest)
        {
            state.fatal.get_or_insert(fatal);
            return None;
        }
        let takes = asked.is_some() || (!state.resumed && !is_guarded);
        let answer = if takes { state.take_answer(key) } else { None };
        Some(Begun::Asked(asked, answer))
    }

    /// Ends the run: its client has sent an answer to `key` that is none.
    pub(super) fn malformed(&self, key: &str, fault: &str) {
        let text = format!("inputResponses[{}]: {fault}", serde_json::Value::from(key));
        self.fail(Fatal::Rpc(RpcError::invalid_params(text)));
    }

    /// Registers a question as open; the driver parks when nothing else is to do.
    pub(super) fn ask(&self, open: Open) {
        let mut state = self.state();
        // A question that looked again is open already; the waker it registers now is the newest.
        state.close(&open.key);
        state.open.push(open);
    }

    /// Notes that the handler was given the answer to `key`, and that it is what became of the
    /// question where earlier rounds have not recorded it.
    pub(super) fn answered(&self, key: &str, digest: QuestionDigest, new: Option<Recorded>) {
        let mut state = self.state();
        state.consumed.push(key.into());
        if let Some(outcome) = new {
            state.record(key, digest, outcome);
        }
        state.close(key);
    }

    /// Records that there is no answer to `key`.
    pub(super) fn unanswered(
        &self,
        key: &str,
        digest: QuestionDigest,
        outcome: Recorded,
    ) -> NoAnswer {
        let no = no_answer(&outcome);
        self.answered(key, digest, Some(outcome));
        no
    }

    /// The handler has dropped a question that was asked, or was looking for its answer.
    pub(super) fn let_go(&self, key: &str) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        if let Some(open) = state.open(key) {
            open.abandoned = true;
        }
        state.abandoned.get_or_insert_with(|| key.into());
    }

    /// Ends the run: a question was awaited after its answer. Where the run has failed already, that
    /// reason stays.
    pub(super) fn awaited_again(&self, key: &str) {
        let tool = &*self.target.name;
        self.fail(Mistake::AnsweredAsk { tool, key }.into());
    }
}
