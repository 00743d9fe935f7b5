//! How a test in the same process sees into a round, and takes part in it.
//!
//! A request that is answered within [`PROBE`] is looked at; no request from outside ever is. What
//! is found out is plain data: to judge it is for `testing`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{mpsc, oneshot};

use super::client;
use super::journal::{Entry, Parked, QuestionDigest, Recorded};
use super::outlet::Outlet;
use super::run::{Kind, Run};
use super::step;

tokio::task_local! {
    /// The probe of the request that this task answers.
    pub(crate) static PROBE: Arc<Probe>;
}

/// What a test wants of a request, and what it learns of it.
#[derive(Debug)]
pub(crate) struct Probe {
    /// Whether each pass is done again, with what is known after it.
    pub(crate) replay: bool,
    /// Somebody who answers questions while the request waits, as over a live connection.
    pub(crate) peer: Option<mpsc::Sender<Push>>,
    /// What the run goes on from, in place of a sealed state.
    saved: Mutex<Option<Parked>>,
    found: Mutex<Found>,
    /// What the client was told before the reply.
    pub(crate) notices: Arc<Outlet>,
}

/// Questions on their way to the peer, as the object that `inputRequests` is, and the way back of
/// what `inputResponses` is.
#[derive(Debug)]
pub(crate) struct Push {
    pub(crate) questions: String,
    pub(crate) answers: oneshot::Sender<String>,
}

/// What was found out.
#[derive(Debug, Default, Clone)]
pub(crate) struct Found {
    /// Each pass, and the same one done again.
    pub(crate) rounds: Vec<Vec<Seen>>,
    /// What a parked run is. Large results of steps are in it, not in the store.
    pub(crate) parked: Option<Parked>,
    /// What the log has of an error that the client sees nothing of.
    pub(crate) cause: Option<String>,
}

/// What one pass over a handler did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The questions, steps and effects, in the order they were begun.
    pub(crate) used: Vec<(Kind, String)>,
    pub(crate) open: Vec<Question>,
    pub(crate) end: End,
}

/// How a pass ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Parked,
    Ok,
    /// An error, in words.
    Failed(String),
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) digest: QuestionDigest,
    /// The request that asks it.
    pub(crate) request: String,
}

impl Probe {
    pub(crate) fn new(replay: bool, peer: Option<mpsc::Sender<Push>>) -> Self {
        Self {
            replay,
            peer,
            saved: Mutex::default(),
            found: Mutex::default(),
            notices: Arc::new(Outlet::new(usize::MAX)),
        }
    }

    /// One whose run goes on from `parked`.
    pub(crate) fn restoring(parked: Parked) -> Self {
        Self {
            saved: Mutex::new(Some(parked)),
            ..Self::new(false, None)
        }
    }

    pub(crate) fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The probe of the request that this task answers, if a test looks at it.
pub(crate) fn current() -> Option<Arc<Probe>> {
    PROBE.try_with(Arc::clone).ok()
}

/// What a test has saved, to go on from.
pub(crate) fn saved() -> Option<Parked> {
    let probe = current()?;
    let mut saved = probe.saved.lock().unwrap_or_else(PoisonError::into_inner);
    saved.take()
}

/// What a pass that is over has done.
pub(crate) fn seen(run: &Run, end: End) -> Seen {
    let state = run.state();
    let used = state.used.iter();
    let open = state.waiting().map(|open| Question {
        key: open.key.to_string(),
        digest: open.digest,
        request: open.request.to_string(),
    });
    Seen {
        used: used.map(|(kind, name)| (*kind, name.to_string())).collect(),
        open: open.collect(),
        end,
    }
}

/// What the sealed state of a run would hold now.
pub(crate) fn parked(run: &Run) -> Parked {
    let id = run.id();
    let state = run.state();
    Parked {
        run: id,
        round: state.round,
        began: state.began.as_millis(),
        deadline: state.deadline.as_millis(),
        fingerprint: run.target.fingerprint,
        rev: run.target.rev,
        changed: state.changed.clone(),
        pending: state.waiting().map(super::run::Open::pending).collect(),
        journal: state.journal.clone(),
    }
}

/// The same with large results taken out of the store.
pub(crate) async fn whole(run: &Arc<Run>, mut parked: Parked) -> Parked {
    for entry in &mut parked.journal {
        if let Entry::Ask { key, outcome, .. } = entry
            && let Recorded::LargeResult { content } = outcome
            && let Ok(Some(json)) = client::large(run, key, *content).await
        {
            *outcome = Recorded::Result(json.as_str().into());
        }
        if let Entry::LargeStep { name, .. } = entry
            && let Ok(Some(json)) = step::recorded(run, name).await
        {
            *entry = Entry::Step {
                name: name.clone(),
                json: json.as_str().into(),
            };
        }
    }
    parked
}
