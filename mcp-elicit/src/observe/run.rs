//! What happens in runs: their span, their questions and answers, and how they end.

use std::borrow::Cow;
use std::sync::Arc;

use super::audit::{AuditEvent, AuditKind};
use super::meter::{self, Series};
use super::names::{self, Ended, Mode, Outcome, Place, Reason, Value as _, Why};
use super::redact::redact;
use crate::declare::{Declaration, Mode as Asked};
use crate::runtime::journal::{Entry, QuestionDigest, Recorded, RunId};
use crate::runtime::run::{Run, State, Target};
use crate::seal::digest_of;
use crate::store::TicketId;
use crate::web;
use crate::wire::message::ElicitResult;

/// What is measured of one tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolMeter {
    begun: Series<meter::None>,
    runs: Series<Ended>,
    rounds: Series<meter::None>,
    asks: Series<Mode, Why>,
    answers: Series<Mode, Outcome>,
    answer_time: Series<Mode, Outcome>,
    states: Series<Reason>,
    leaks: Series<Place>,
}

impl ToolMeter {
    pub(crate) fn new(tool: &Arc<str>) -> Self {
        Self {
            begun: Series::new(&names::BEGUN, tool),
            runs: Series::new(&names::RUNS, tool),
            rounds: Series::new(&names::ROUNDS, tool),
            asks: Series::new(&names::ASKS, tool),
            answers: Series::new(&names::ANSWERS, tool),
            answer_time: Series::new(&names::ANSWER_TIME, tool),
            states: Series::new(&names::STATES_REFUSED, tool),
            leaks: Series::new(&names::LEAKS, tool),
        }
    }

    pub(super) fn state_refused(&self, reason: Reason) {
        self.states.count(reason, meter::None);
    }
}

/// The span of one round. What the handler logs is inside of it.
pub(crate) fn span(target: &Target, state: &State) -> tracing::Span {
    tracing::info_span!(
        target: "mcp_elicit",
        "run",
        tool = &*target.name,
        round = u32::from(state.round) + 1,
        run = state.id.as_ref().map(|id| tracing::field::display(short(id))),
    )
}

/// Names a run in the log. Not its id: from that, idempotency keys are made.
fn short(id: &RunId) -> String {
    let digest = digest_of("run in the log", &[id]);
    digest.iter().take(4).map(|b| format!("{b:02x}")).collect()
}

/// A run begins.
pub(crate) fn began(run: &Run) {
    run.target.meter.begun.count(meter::None, meter::None);
}

/// A run has ended.
pub(crate) fn ended(run: &Run, how: Ended) {
    let rounds = u32::from(run.state().round) + 1;
    let meter = &run.target.meter;
    meter.runs.count(how, meter::None);
    meter.rounds.record(meter::None, meter::None, rounds);
    tracing::debug!(
        tool = &*run.target.name,
        result = how.text(),
        rounds,
        "a run ended"
    );
}

/// The questions that are open are sent to the client.
pub(crate) fn asked_all(run: &Run) {
    let state = run.state();
    if let Some(id) = &state.id {
        tracing::Span::current().record("run", tracing::field::display(short(id)));
    }
    for open in state.waiting() {
        let mode = if open.page.is_some() {
            Mode::Url
        } else {
            Mode::Form
        };
        let ticket = open.page.map(|p| p.ticket.0);
        let why = match state.asked(&open.key, &open.digest) {
            Some(before) if before.ticket != ticket => Why::New,
            Some(before) if before.attempts < open.attempts => Why::Invalid,
            Some(_) => Why::Open,
            // Its very first answer came without being asked for.
            None if open.attempts > 0 => Why::Invalid,
            None => Why::New,
        };
        run.target.meter.asks.count(mode, why);
        let (mode, why) = (mode.text(), why.text());
        tracing::debug!(tool = &*run.target.name, mode, why, "the user is asked");
    }
}

/// An answer came. A question that the journal answers is not answered anew.
pub(crate) fn answered(
    run: &Run,
    declaration: &'static Declaration,
    (key, digest): (&str, &QuestionDigest),
    outcome: Outcome,
) {
    let state = run.state();
    // What the vault had all along was not asked for.
    let waited = state.asked(key, digest).and(state.waited);
    let asked = waited.is_some();
    drop(state);
    let mode = match declaration.mode() {
        Asked::Page { .. } => Mode::Url,
        _ => Mode::Form,
    };
    if mode == Mode::Url && outcome == Outcome::Accepted && !asked {
        return;
    }
    let meter = &run.target.meter;
    meter.answers.count(mode, outcome);
    let page_done = mode == Mode::Url && outcome == Outcome::Accepted;
    if let Some(waited) = waited.filter(|_| !page_done) {
        meter.answer_time.record(mode, outcome, waited);
    }
    let tool = &*run.target.name;
    let (question, mode, word) = (declaration.key(), mode.text(), outcome.text());
    let after_ms = waited.map(|w| w.as_millis());
    if matches!(outcome, Outcome::Declined | Outcome::Cancelled) {
        tracing::info!(
            tool,
            question,
            mode,
            outcome = word,
            after_ms,
            "a question was answered"
        );
    } else {
        tracing::debug!(
            tool,
            question,
            mode,
            outcome = word,
            after_ms,
            "a question was answered"
        );
    }
}

/// Somebody declined in the client to give a credential on a page.
pub(crate) fn declined(
    run: &Run,
    declaration: &'static Declaration,
    name: &str,
    ticket: Option<TicketId>,
) {
    run.services.audit.tell(|| AuditEvent {
        ticket: ticket.as_ref().map(web::short).unwrap_or_default(),
        ..of_credential(run, AuditKind::Declined, declaration, name)
    });
}

/// A stored credential was given to the handler.
pub(crate) fn credential_used(run: &Run, declaration: &'static Declaration, name: &str) {
    let event = || of_credential(run, AuditKind::Used, declaration, name);
    run.services.audit.tell(event);
}

fn of_credential(
    run: &Run,
    kind: AuditKind,
    declaration: &'static Declaration,
    name: &str,
) -> AuditEvent {
    let page = match declaration.mode() {
        Asked::Page { name, .. } => name,
        _ => "",
    };
    AuditEvent {
        credential: declaration.key().to_owned(),
        name: name.to_owned(),
        tool: run.target.name.to_string(),
        page: page.to_owned(),
        ..AuditEvent::new(run.now(), kind, (&run.principal).into())
    }
}

/// The leak guard has stopped a secret.
pub(crate) fn leaked(run: &Run, place: Place) {
    run.target.meter.leaks.count(place, meter::None);
}

/// The content of an answer that was not looked at yet.
fn content(json: &str) -> Option<&str> {
    let result: ElicitResult<'_> = serde_json::from_str(json).ok()?;
    result.content?.some()
}

/// A text of the author's code as it may be logged: an error or a panic may quote what the user
/// has answered or the model has sent.
pub(crate) fn text_for_log<'t>(run: &Run, text: &'t str) -> Cow<'t, str> {
    let state = run.state();
    let mut quoted: Vec<&str> = run.arguments().into_iter().collect();
    quoted.extend(
        state
            .answers
            .iter()
            .filter_map(|answer| content(&answer.json)),
    );
    for entry in &state.journal {
        match entry {
            Entry::Ask {
                outcome: Recorded::Accepted(json),
                ..
            }
            | Entry::Step { json, .. } => quoted.push(json),
            _ => {}
        }
    }
    redact(text, &quoted)
}
