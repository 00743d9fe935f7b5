//! From a retry to the state of a run: the sealed state is opened, its binding checked, and the
//! answers of this round are set beside the journal. Nothing of an answer is judged here; that is
//! for the question it belongs to.

use std::collections::HashSet;

use serde_json::value::RawValue;

use super::journal::{Entry, Parked};
use super::run::{Answer, Run, State, Target, tag};
use super::services::Services;
use super::tell;
use crate::auth::Principal;
use crate::mistake::Mistake;
use crate::observe::{self, Limit, Reason};
use crate::seal::{Binding, Rejected, RequestDigest};
use crate::store::{Claim, ClaimRequest};
use crate::time::UnixTime;
use crate::wire::error::RpcError;
use crate::wire::object::Text;

/// The one text for every state that is refused.
pub(crate) const REFUSED: &str = "requestState is invalid or expired";

/// Why a retry is not taken.
#[derive(Debug)]
pub(crate) enum Refusal {
    Rpc(RpcError),
    /// A result with `isError` and this text: the code has changed under a run.
    Tool(String),
}

/// What the client is told when a newer build made its state. Nothing of it is used up.
const UPDATING: &str = "This server is being updated; please try again in a moment.";

/// A run that begins.
pub(crate) fn begin(services: &Services) -> State {
    let now = services.ambient.now();
    State {
        began: now,
        deadline: now.after(services.limits.run),
        ..State::default()
    }
}

/// A run that goes on from `token`.
pub(crate) fn resume(
    services: &Services,
    principal: &Principal,
    target: &Target,
    request: &RequestDigest,
    token: &str,
) -> Result<State, Refusal> {
    let now = services.ambient.now();
    let refuse = |reason: Reason| {
        tell::state_refused(services, principal, target, reason);
        Refusal::Rpc(RpcError::invalid_params(REFUSED))
    };
    let (payload, issued) = services
        .keys
        .open_state(token, &tag(principal), request, now, services.limits.state)
        .map_err(|rejected| match rejected {
            // A newer build made it, and this one is about to be replaced.
            Rejected::NewerVersion => updating(services, principal, target, Reason::NewerVersion),
            rejected => refuse(rejected.into()),
        })?;
    let parked = Parked::decode(&payload).ok_or_else(|| refuse(Reason::Malformed))?;
    if now >= UnixTime::from_millis(parked.deadline) {
        return Err(refuse(Reason::RunDeadline));
    }
    let mut state = fits(services, principal, target, parked)?;
    state.waited = Some(now.since(issued));
    Ok(state)
}

/// A run that goes on from what a test has kept of it, however long ago.
#[cfg(feature = "testing")]
pub(crate) fn restored(
    services: &Services,
    principal: &Principal,
    target: &Target,
    parked: Parked,
) -> Result<State, Refusal> {
    let mut state = fits(services, principal, target, parked)?;
    state.deadline = services.ambient.now().after(services.limits.run);
    Ok(state)
}

/// What of a run the present code can use.
fn fits(
    services: &Services,
    principal: &Principal,
    target: &Target,
    parked: Parked,
) -> Result<State, Refusal> {
    if parked.rev > target.rev {
        let reason = Reason::NewerRevision;
        return Err(updating(services, principal, target, reason));
    }
    let mut state = State {
        id: Some(parked.run),
        resumed: true,
        same_code: parked.fingerprint == target.fingerprint && parked.rev == target.rev,
        round: parked.round,
        began: UnixTime::from_millis(parked.began),
        deadline: UnixTime::from_millis(parked.deadline),
        ..State::default()
    };
    if parked.rev == target.rev {
        state.journal = parked.journal;
        state.pending = parked.pending;
        state.changed = parked.changed;
    } else if parked.journal.iter().any(Entry::is_work) {
        tell::state_refused(services, principal, target, Reason::OlderRevision);
        return Err(Refusal::Tool(mismatch(
            target,
            &parked.journal,
            "its `rev` was raised",
        )));
    } else {
        // Nothing was done: it begins anew in this very round, with the same limits of rounds and time.
        tracing::info!(tool = %target.name, "a run begins anew, since the `rev` of its tool was raised");
    }
    Ok(state)
}

/// A newer build made the state.
fn updating(
    services: &Services,
    principal: &Principal,
    target: &Target,
    reason: Reason,
) -> Refusal {
    tell::state_refused(services, principal, target, reason);
    Refusal::Tool(UPDATING.into())
}

/// Logs that a run cannot go on by the present code; returns the text for the client.
pub(crate) fn mismatch(target: &Target, journal: &[Entry], why: &str) -> String {
    let names = |keep: fn(&Entry) -> bool| {
        let names: Vec<_> = journal
            .iter()
            .filter(|e| keep(e))
            .map(Entry::name)
            .collect();
        names.join(", ")
    };
    let recorded = names(Entry::is_work);
    let mistake = Mistake::JournalMismatch {
        tool: &target.name,
        why,
        recorded: &recorded,
    };
    tracing::error!("{mistake}");
    let text = "This changed while you were answering; please start again.";
    let done = names(|entry| matches!(entry, Entry::Effect { .. }));
    if done.is_empty() {
        return text.into();
    }
    format!("{text} Done so far: {done}.")
}

/// The entries of `inputResponses`.
pub(crate) fn answers(services: &Services, json: Option<&str>) -> Result<Vec<Answer>, RpcError> {
    let Some(json) = json else {
        return Ok(Vec::new());
    };
    let entries: Entries<'_> = serde_json::from_str(json).map_err(|_| {
        RpcError::invalid_params("`inputResponses` must be an object without repeated keys.")
    })?;
    let most = services.limits.answers;
    if entries.0.len() > most {
        observe::limited(Limit::Answers);
        return Err(RpcError::invalid_params(format!(
            "`inputResponses` may have at most {most} entries."
        )));
    }
    let own = |(key, json): (Text<'_>, &RawValue)| Answer {
        key: key.0.into(),
        json: json.get().into(),
    };
    Ok(entries.0.into_iter().map(own).collect())
}

/// Seals a run that waits. The error is for the log.
pub(crate) fn seal(run: &Run, out: &mut Vec<u8>) -> Result<(), String> {
    let (now, id) = (run.now(), run.id());
    let mut state = run.state();
    let latest = now.after(run.services.limits.lifetime).min(state.deadline);
    let own = state.waiting().filter_map(|open| open.ends(now));
    let expires = own.fold(latest, UnixTime::min);
    let parked = Parked {
        run: id,
        round: state.round,
        began: state.began.as_millis(),
        deadline: state.deadline.as_millis(),
        fingerprint: run.target.fingerprint,
        rev: run.target.rev,
        changed: std::mem::take(&mut state.changed),
        pending: state.waiting().map(super::run::Open::pending).collect(),
        journal: std::mem::take(&mut state.journal),
    };
    drop(state);
    let payload = parked.encode().ok_or("the journal cannot be encoded")?;
    let binding = Binding {
        principal: &tag(&run.principal),
        request: run.request(),
        issued: now,
        expires,
    };
    let (start, most) = (out.len(), run.services.limits.state);
    run.services
        .keys
        .seal_state(&binding, &payload, run.services.ambient.random(), out);
    let size = out.len() - start;
    if size > most {
        let (tool, largest) = (&*run.target.name, parked.largest());
        let mistake = Mistake::StateTooLarge {
            tool,
            size,
            most,
            largest,
        };
        return Err(mistake.to_string());
    }
    Ok(())
}

/// Names a state for [`use_up`]. Not the run and its round would do: rounds in which a page is
/// waited for do not count, and each has a state of its own.
pub(crate) fn name(token: &str) -> [u8; 32] {
    crate::seal::digest_of("single use", &[token.as_bytes()])
}

/// For a `single_use` tool: takes a state out of use. False if it was used before.
pub(crate) async fn use_up(run: &Run, token: [u8; 32]) -> Result<bool, crate::store::StoreError> {
    let request = ClaimRequest {
        key: token,
        owner: *tag(&run.principal).as_bytes(),
        most: run.services.limits.claims,
        digest: [0; 16],
        holder: run.services.ambient.random(),
        lease: run.services.limits.run,
        expires: run.state().deadline,
        take_lost: false,
    };
    Ok(run.services.store.claim(&request, run.now()).await? == Claim::Won)
}

/// A JSON object in the order it was written, without repeated keys.
struct Entries<'a>(Vec<(Text<'a>, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> serde::de::Visitor<'de> for Read {
            type Value = Entries<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<Self::Value, A::Error> {
                let mut entries: Vec<(Text<'de>, &'de RawValue)> = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                // One or two entries are the rule; a set is worth its cost only for many.
                let repeated = match entries.as_slice() {
                    [] | [_] => false,
                    all => {
                        let mut seen = HashSet::with_capacity(all.len());
                        !all.iter().all(|(key, _)| seen.insert(&**key))
                    }
                };
                if repeated {
                    return Err(serde::de::Error::custom("a key is given twice"));
                }
                Ok(Entries(entries))
            }
        }
        d.deserialize_map(Read)
    }
}
