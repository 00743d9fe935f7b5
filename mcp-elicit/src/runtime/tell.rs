//! What an operator is told of runs: their span, their questions and answers, refused states, and how
//! they end. Never what was asked or answered, nor who answered it.

use std::borrow::Cow;

use super::journal::{Entry, QuestionDigest, RunId};
use super::resume;
use super::run::{Answer, Feature, OpenPage, Run, Target};
use super::services::Services;
use crate::auth::Principal;
use crate::declare::{Declaration, Mode as Asked};
use crate::observe::audit::{AuditEvent, AuditKind};
use crate::observe::meter::{Labels, Only, Series};
use crate::observe::names::{self, Ended, Mode, Outcome, Place, Reason, Value as _, Why};
use crate::observe::redact;
use crate::seal::{Rejected, digest_of};
use crate::store::TicketId;
use crate::web;
use crate::wire::message::{ElicitResult, parse};

/// What is measured of one tool, prompt or resource.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    begun: Series<Only>,
    runs: Series<Ended>,
    rounds: Series<Only>,
    asks: Series<Mode, Why>,
    answers: Series<Mode, Outcome>,
    answer_time: Series<Mode, Outcome>,
    states: Series<Reason>,
    leaks: Series<Place>,
}

impl Meter {
    pub(crate) fn new(feature: Feature, name: &str) -> Self {
        let of = Labels {
            feature: feature.word(),
            name: name.into(),
        };
        Self {
            begun: Series::new(&names::BEGUN, &of),
            runs: Series::new(&names::RUNS, &of),
            rounds: Series::new(&names::ROUNDS, &of),
            asks: Series::new(&names::ASKS, &of),
            answers: Series::new(&names::ANSWERS, &of),
            answer_time: Series::new(&names::ANSWER_TIME, &of),
            states: Series::new(&names::STATES_REFUSED, &of),
            leaks: Series::new(&names::LEAKS, &of),
        }
    }
}

/// A round begins, and with the first one the run. Returns the round's span: what the handler logs
/// is inside of it.
pub(crate) fn began(run: &Run) -> tracing::Span {
    let target = &run.target;
    let (resumed, round, id) = {
        let state = run.state();
        (state.resumed, state.round, state.id)
    };
    if !resumed {
        target.meter.begun.count(Only, Only);
    }
    tracing::info_span!(
        target: "mcp_elicit",
        "run",
        feature = target.feature.word(),
        name = &*target.name,
        round = u32::from(round) + 1,
        run = id.as_ref().map(|id| tracing::field::display(short(id))),
    )
}

/// Names a run in the log. Not its id: from that, idempotency keys are made.
fn short(id: &RunId) -> String {
    let digest = digest_of("run in the log", &[id]);
    digest.iter().take(4).map(|b| format!("{b:02x}")).collect()
}

/// A run has ended.
pub(crate) fn ended(run: &Run, how: Ended) {
    let rounds = u32::from(run.state().round) + 1;
    let meter = &run.target.meter;
    meter.runs.count(how, Only);
    meter.rounds.record(Only, Only, rounds);
    tracing::debug!(
        tool = &*run.target.name,
        result = how.text(),
        rounds,
        "a run ended"
    );
}

/// A `requestState` was not taken. The client hears nothing of the reason.
pub(crate) fn state_refused(
    services: &Services,
    principal: &Principal,
    target: &Target,
    reason: Reason,
) {
    let word = reason.text();
    tracing::info!(reason = word, tool = %target.name, "a requestState was refused");
    target.meter.states.count(reason, Only);
    services.audit.tell(|| AuditEvent {
        tool: target.name.to_string(),
        reason: word,
        ..AuditEvent::new(
            services.ambient.now(),
            AuditKind::StateRefused,
            principal.into(),
        )
    });
}

impl From<Rejected> for Reason {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::TooLarge => Self::TooLarge,
            Rejected::Malformed => Self::Malformed,
            Rejected::UnknownVersion => Self::UnknownVersion,
            Rejected::NewerVersion => Self::NewerVersion,
            Rejected::UnknownKey => Self::UnknownKey,
            Rejected::Tampered => Self::Tampered,
            Rejected::Expired => Self::Expired,
            Rejected::FromTheFuture => Self::FromTheFuture,
            Rejected::OtherPrincipal => Self::OtherPrincipal,
            Rejected::OtherRequest => Self::OtherRequest,
        }
    }
}

/// The questions that are open are sent to the client.
pub(crate) fn asked_all(run: &Run) {
    let state = run.state();
    // The id is drawn when it is first needed, which is now at the latest.
    let span = tracing::Span::current();
    if let Some(id) = state.id.as_ref().filter(|_| !span.is_disabled()) {
        span.record("run", tracing::field::display(short(id)));
    }
    for open in state.waiting() {
        let mode = open.mode;
        let ticket = open.page.and_then(OpenPage::ticket).map(|t| t.0);
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

/// An answer came. A question that the journal answers is not answered anew. `question` is what its
/// author calls its type; the key in `which` may be made of anything, and is not told.
pub(crate) fn answered(
    run: &Run,
    mode: Mode,
    question: &'static str,
    (key, digest): (&str, &QuestionDigest),
    outcome: Outcome,
) {
    let state = run.state();
    // What the vault had all along was not asked for.
    let waited = state.asked(key, digest).and(state.waited);
    let asked = waited.is_some();
    drop(state);
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
    let (mode, word) = (mode.text(), outcome.text());
    let after_ms = waited.map(|w| w.as_millis());
    if matches!(
        outcome,
        Outcome::Declined | Outcome::Cancelled | Outcome::TimedOut
    ) {
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
pub(crate) fn used(run: &Run, declaration: &'static Declaration, name: &str) {
    let event = || of_credential(run, AuditKind::Used, declaration, name);
    run.services.audit.tell(event);
}

/// A stored credential was removed by the handler.
pub(crate) fn removed(
    run: &Run,
    declaration: &'static Declaration,
    name: &str,
    reason: &'static str,
) {
    run.services.audit.tell(|| AuditEvent {
        reason,
        ..of_credential(run, AuditKind::Removed, declaration, name)
    });
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
    run.target.meter.leaks.count(place, Only);
}

/// A text of the author's code as it may be logged: an error or a panic may quote what the user
/// has answered or the model has sent.
pub(crate) fn text_for_log<'t>(run: &Run, text: &'t str) -> Cow<'t, str> {
    let answers = said(run).unwrap_or_default();
    let mut quoted: Vec<&str> = run.arguments().into_iter().collect();
    quoted.extend(raw(run));
    quoted.extend(answers.iter().filter_map(|answer| content(&answer.json)));
    let state = run.state();
    quoted.extend(state.journal.iter().map(Entry::content));
    quoted.extend(state.read.iter().map(|json| json.as_str()));
    redact(text, &quoted)
}

/// The values in the URI that is read, as it has them: the arguments have them decoded.
fn raw(run: &Run) -> impl Iterator<Item = &str> {
    let uri = run.uri.as_deref().filter(|_| run.arguments().is_some());
    let parts = uri.into_iter().flat_map(|uri| uri.split(DELIMITERS));
    parts.filter(|part| part.contains('%'))
}

/// What may stand between the values in a URI.
const DELIMITERS: [char; 7] = ['/', '?', '&', '=', '#', ',', ';'];

/// All answers of this round, also those that were looked at and did not fit.
fn said(run: &Run) -> Option<Vec<Answer>> {
    let message = parse(run.body(), run.services.limits.depth).ok()?;
    let answers = message.params?.input_responses?.some()?;
    resume::answers(&run.services, Some(answers)).ok()
}

/// What an answer says: the content of a user's, and all that the client itself has given.
fn content(answer: &str) -> Option<&str> {
    let result: ElicitResult<'_> = serde_json::from_str(answer).ok()?;
    match result.action {
        Some(_) => result.content?.some(),
        None => Some(answer),
    }
}
