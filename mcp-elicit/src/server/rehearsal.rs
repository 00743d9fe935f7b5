//! Passes over a handler that are there for a test: the same one again, and further ones with
//! answers that come over a live connection.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::call::{Pass, counted, guard, guard_journal, pass, questions};
use super::registry::Registered;
use super::reply::Reply;
use crate::runtime::probe::{self, End, Probe, Push, Seen};
use crate::runtime::resume;
use crate::runtime::run::{Fatal, Run, State};
use crate::time::UnixTime;
use crate::wire::error::RpcError;

/// The most passes over one round: two, and others to see whether an order settles.
const PASSES: usize = 4;

/// Goes on after the first pass as far as a test wants it. Without one, nothing happens.
pub(super) async fn go_on(
    run: Arc<Run>,
    ended: Pass,
    registered: &Registered,
    arguments: Option<&RawValue>,
) -> (Arc<Run>, Pass) {
    match probe::current() {
        None => (run, ended),
        Some(probe) => Box::pin(probed(probe, run, ended, registered, arguments)).await,
    }
}

async fn probed(
    probe: Arc<Probe>,
    mut run: Arc<Run>,
    mut ended: Pass,
    registered: &Registered,
    arguments: Option<&RawValue>,
) -> (Arc<Run>, Pass) {
    loop {
        let first = probe::seen(&run, end(&ended));
        let mut passes = vec![first];
        if probe.replay && is_repeated(&run, &ended) {
            replay(&run, registered, arguments, &mut passes).await;
        }
        let parked = probe::whole(&run, probe::parked(&run)).await;
        {
            let mut found = probe.found();
            found.rounds.push(passes);
            found.parked = Some(parked);
            found.cause = cause(&ended);
        }
        if probe.peer.is_none() || !matches!(ended, Pass::Parked) {
            return (run, ended);
        }
        match pushed(&probe, &run).await {
            Ok(Some(state)) => run = run.again(state, run.notices.clone()),
            Ok(None) => return (run, ended),
            Err(error) => return (run, Pass::Failed(Fatal::Rpc(error))),
        }
        ended = pass(&run, registered, arguments).await;
    }
}

/// Whether clients send this round again, or its handler runs again in the next one. A call that
/// ends in its first round is over, and one that has failed may do its effect anew.
fn is_repeated(run: &Run, ended: &Pass) -> bool {
    match ended {
        Pass::Parked => true,
        Pass::Done(Ok(_)) => run.state().resumed,
        Pass::Done(Err(_)) | Pass::Failed(_) | Pass::Unfit(_) => false,
    }
}

/// Does the pass again with what is known after it. Names may come in another order when what was
/// waited for in the first pass is there at once in the second; then it has to be the same in one
/// more.
async fn replay(
    run: &Arc<Run>,
    registered: &Registered,
    arguments: Option<&RawValue>,
    passes: &mut Vec<Seen>,
) {
    while passes.len() < PASSES {
        let state = next(run, Vec::new());
        // A question that is another one is for the test to judge.
        let state = State {
            same_code: false,
            ..state
        };
        let again = run.again(state, None);
        let ended = pass(&again, registered, arguments).await;
        passes.push(probe::seen(&again, end(&ended)));
        if let [.., a, b] = passes.as_slice()
            && a.used == b.used
        {
            return;
        }
    }
}

/// Gives the open questions to the peer; the state with its answers. `None` where the round
/// cannot be asked or the peer is gone.
async fn pushed(probe: &Probe, run: &Arc<Run>) -> Result<Option<State>, RpcError> {
    let Some(peer) = &probe.peer else {
        return Ok(None);
    };
    // What is said instead is for the caller to find out and to send.
    let round = run.state().round;
    if !counted(run, &mut Vec::new())? {
        return Ok(None);
    }
    let mut text = Vec::new();
    questions(run, &mut text);
    guard(run, &text, &Reply::text(""))?;
    guard_journal(run)?;
    let (answers, answered) = tokio::sync::oneshot::channel();
    let push = Push {
        questions: String::from_utf8(text).unwrap_or_default(),
        answers,
    };
    let sent = peer.send(push).await.is_ok();
    let Some(answers) = answered.await.ok().filter(|_| sent) else {
        run.state().round = round;
        return Ok(None);
    };
    let answers = resume::answers(&run.services, Some(&answers))?;
    Ok(Some(next(run, answers)))
}

/// The state of the next round, as it would come back from the client.
fn next(run: &Arc<Run>, answers: Vec<crate::runtime::run::Answer>) -> State {
    let parked = probe::parked(run);
    State {
        id: Some(parked.run),
        resumed: true,
        round: parked.round,
        began: UnixTime::from_millis(parked.began),
        deadline: UnixTime::from_millis(parked.deadline),
        journal: parked.journal,
        pending: parked.pending,
        same_code: true,
        changed: parked.changed,
        answers,
        ..State::default()
    }
}

fn end(ended: &Pass) -> End {
    match ended {
        Pass::Parked => End::Parked,
        Pass::Done(Ok(_)) => End::Ok,
        Pass::Done(Err(error)) => End::Failed(error.source().to_string()),
        Pass::Failed(fatal) => End::Failed(words(fatal)),
        Pass::Unfit(text) => End::Failed(text.clone()),
    }
}

/// What the client is not told.
fn cause(ended: &Pass) -> Option<String> {
    match ended {
        Pass::Done(Err(error)) if error.told() != Some(&*error.source().to_string()) => {
            Some(format!("{:?}", error.source()))
        }
        Pass::Failed(Fatal::Internal(text) | Fatal::Ended { log: text, .. }) => Some(text.clone()),
        _ => None,
    }
}

fn words(fatal: &Fatal) -> String {
    match fatal {
        Fatal::Rpc(error) => error.message.to_string(),
        Fatal::Tool(text) | Fatal::Internal(text) | Fatal::Ended { log: text, .. } => text.clone(),
    }
}
