//! Effects that must not happen twice in a run: the claim and the result are in the store.
//!
//! The state of a run can be sent again, in parallel and to many machines. Whoever claims an
//! effect first does it; everybody else waits for its result. A claim also holds a digest of what
//! the effect depends on, so that the same effect with other answers is refused.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::journal::{Entry, content_digest};
use super::run::{Feature, Kind, Run, half};
use super::step::{Doing, Record, Settings, Step, over};
use super::tell;
use crate::error::CallError;
use crate::mistake::Mistake;
use crate::observe::{self, Limit};
use crate::seal::digest_of;
use crate::store::{Claim, ClaimRequest};

/// How long the holder of a claim promises to be alive; it renews three times in that time.
const LEASE: Duration = Duration::from_secs(15);
/// How often a claim that runs elsewhere is looked at.
const LOOK: Duration = Duration::from_millis(50);

impl<F> Doing<'_, F> {
    /// Once per principal and `key` over all runs, instead of once in this run: for an effect that
    /// a new call must not repeat either, such as the payment of one invoice.
    pub fn by(self, key: impl std::fmt::Display) -> Self {
        self.set(|s| s.by = Some(key.to_string()))
    }

    /// Does the effect again when the process died between its start and its record. Only for
    /// effects that do no harm when they happen twice, such as one that hands on
    /// [`Step::key`] as an idempotency key.
    pub fn retry_after_crash(self) -> Self {
        self.set(|s| s.retry_after_crash = true)
    }
}

/// Names one effect and what it depends on.
struct Effect {
    name: String,
    key: [u8; 32],
    digest: [u8; 16],
    /// Keys of the questions it depends on, in order.
    after: Vec<Box<str>>,
    idempotency: String,
    expires: crate::time::UnixTime,
}

impl Effect {
    fn of(run: &Run, name: String, settings: &Settings) -> Self {
        let (key, expires) = match &settings.by {
            Some(by) => {
                let tag = super::run::tag(&run.principal);
                // What names of tools were used for stays theirs.
                let purpose: &[u8] = match run.target.feature {
                    Feature::Tool => b"by",
                    Feature::Prompt => b"by prompts/get",
                    Feature::Resource => b"by resources/read",
                };
                let parts: [&[u8]; 5] = [
                    purpose,
                    tag.as_bytes(),
                    run.target.name.as_bytes(),
                    name.as_bytes(),
                    by.as_bytes(),
                ];
                (
                    run.services.keys.claim_key(&parts),
                    run.now().after(run.services.limits.remember),
                )
            }
            // It is remembered for an hour more than any state that can reach it.
            None => (
                run.services
                    .keys
                    .claim_key(&[b"run", &run.id(), name.as_bytes()]),
                run.state().deadline.after(Duration::from_secs(3600)),
            ),
        };
        let idempotency = run.services.keys.idempotency(&[b"once", &key]);
        let after = Self::after(run, &name);
        Self {
            digest: Self::digest(run, &after),
            after,
            name,
            key,
            idempotency,
            expires,
        }
    }

    /// Whether this entry says that it was done.
    fn is_in(&self, entry: &Entry) -> bool {
        matches!(entry, Entry::Effect { .. }) && entry.name() == self.name
    }

    /// What it depends on: the questions that this pass has used the answers of so far. Where an
    /// earlier round did it, those of that round: what is answered beside it may be answered later.
    fn after(run: &Run, name: &str) -> Vec<Box<str>> {
        let state = run.state();
        let done = state.journal.iter().find_map(|entry| match entry {
            Entry::Effect { name: n, after } if **n == *name => Some(after),
            _ => None,
        });
        done.cloned().unwrap_or_else(|| {
            let mut keys = state.consumed.clone();
            keys.sort_unstable();
            keys
        })
    }

    /// The arguments and the answers to the questions `after`, as they are now.
    fn digest(run: &Run, after: &[Box<str>]) -> [u8; 16] {
        let state = run.state();
        let mut answers = Vec::with_capacity(after.len());
        for key in after {
            let what = state.journal.iter().find_map(|entry| match entry {
                Entry::Ask {
                    key: k, outcome, ..
                } if k == key => Some(outcome.digest(key)),
                _ => None,
            });
            answers.push(what.unwrap_or_else(|| content_digest(key, None)));
        }
        let mut parts: Vec<&[u8]> = vec![run.request().as_bytes()];
        parts.extend(answers.iter().map(|a| &a[..]));
        half(digest_of("depends on", &parts))
    }
}

/// Does an effect, or takes its recorded result.
pub(crate) async fn once<T, F>(
    run: &Arc<Run>,
    name: &str,
    settings: Settings,
    work: F,
) -> Result<T, CallError>
where
    T: Record,
    F: AsyncFnOnce(&Step) -> Result<T, CallError>,
{
    let name = settings.name(name);
    if !run.name(Kind::Once, name.clone()) {
        return over(run).await;
    }
    let unasked = run.state().unasked.clone();
    if let Some(key) = unasked {
        let (tool, key, effect) = (&*run.target.name, &*key, &*name);
        run.fail(Mistake::UnaskedConfirmation { tool, key, effect }.into());
        return over(run).await;
    }
    let effect = Effect::of(run, name, &settings);
    run.state().meet(|entry| effect.is_in(entry));
    let request = ClaimRequest {
        key: effect.key,
        owner: *super::run::tag(&run.principal).as_bytes(),
        most: run.services.limits.claims,
        digest: effect.digest,
        holder: run.services.ambient.random(),
        lease: LEASE,
        expires: effect.expires,
        take_lost: settings.retry_after_crash,
    };
    let guard = run.effect();
    let json = match claim(run, &effect, &request).await? {
        Some(json) => {
            drop(guard);
            done(run, &effect);
            return serde_json::from_slice(&json).map_err(|_| unreadable());
        }
        // The claim came too late: the client has gone, and nobody would hear of the effect.
        None if run.state().left => {
            let released = run.services.store.release(request.key, request.holder);
            released.await?;
            drop(guard);
            return over(run).await;
        }
        None => perform(run, &effect, &request, work).await?,
    };
    drop(guard);
    done(run, &effect);
    serde_json::from_slice(&json).map_err(|e| {
        CallError::from(format!(
            "the result of `{}` does not read back: {e}",
            effect.name
        ))
        .quiet()
    })
}

/// Notes an effect that is done, for the rounds to come and for the errors of this one.
fn done(run: &Run, effect: &Effect) {
    let mut state = run.state();
    state.done.push(effect.name.as_str().into());
    if !state.journal.iter().any(|entry| effect.is_in(entry)) {
        state.journal.push(Entry::Effect {
            name: effect.name.as_str().into(),
            after: effect.after.clone(),
        });
    }
}

/// Waits until the effect is the caller's to do (`None`) or its result is known.
async fn claim(
    run: &Run,
    effect: &Effect,
    request: &ClaimRequest,
) -> Result<Option<Vec<u8>>, CallError> {
    let patience = run.now().after(run.services.limits.effect);
    loop {
        let now = run.now();
        match run.services.store.claim(request, now).await? {
            Claim::Won => return Ok(None),
            Claim::Done(sealed) => {
                let opened = run.services.keys.open_blob(&context(effect), &sealed);
                return opened
                    .map(|bytes| Some(bytes.to_vec()))
                    .ok_or_else(unreadable);
            }
            Claim::Other => {
                return Err(CallError::from("This was already done with other answers."));
            }
            Claim::Lost => {
                return Err(CallError::from(
                    "This was started, but its outcome is unknown. Check before repeating it.",
                ));
            }
            Claim::TooMany => {
                observe::limited(Limit::Claims);
                return Err(CallError::from(
                    "Too many things were done for you lately. Try again later.",
                ));
            }
            Claim::Running { .. } if now >= patience => {
                return Err(CallError::from(
                    "This is still running. Try again in a minute.",
                ));
            }
            Claim::Running { .. } => tokio::time::sleep(LOOK).await,
        }
    }
}

/// A recorded result whose key has left the ring, or whose type is another one by now.
fn unreadable() -> CallError {
    CallError::from("This was done already, but its result cannot be read any more.")
}

/// Does the effect that the caller has claimed, and records its result.
async fn perform<T, F>(
    run: &Run,
    effect: &Effect,
    request: &ClaimRequest,
    work: F,
) -> Result<Vec<u8>, CallError>
where
    T: Serialize,
    F: AsyncFnOnce(&Step) -> Result<T, CallError>,
{
    let store = &run.services.store;
    let mut begun = Begun {
        run,
        name: &effect.name,
        ended: false,
    };
    let step = Step::with_key(effect.idempotency.clone());
    let result = tokio::select! {
        result = run.inside(work(&step)) => result,
        () = lost(run, request) => {
            begun.ended = true;
            return Err(CallError::from(format!("the claim of `{}` was taken over", effect.name)).quiet());
        }
    };
    begun.ended = true;
    let value = match result {
        Ok(value) => value,
        Err(error) => {
            store.release(request.key, request.holder).await?;
            return Err(error);
        }
    };
    // From here on the effect has happened: whatever goes wrong, the claim stays.
    let most = run.services.limits.result;
    let json = serde_json::to_vec(&value)
        .map_err(|e| e.to_string())
        .and_then(|json| {
            if json.len() <= most {
                Ok(json)
            } else {
                Err(format!("it is over {most} bytes"))
            }
        });
    let json = json.map_err(|why| {
        CallError::from(format!(
            "the result of `{}` cannot be recorded: {why}",
            effect.name
        ))
        .quiet()
    })?;
    let sealed =
        run.services
            .keys
            .seal_blob(&context(effect), &json, run.services.ambient.random());
    if !store.settle(request.key, request.holder, sealed).await? {
        let effect = tell::text_for_log(run, &effect.name);
        tracing::error!(
            %effect,
            "an effect was done, but its claim had been lost before it was recorded"
        );
    }
    Ok(json)
}

/// An effect that has begun. Whoever drops it before its end, by a time limit around it or with a
/// panic, does not know whether it has happened.
struct Begun<'a> {
    run: &'a Run,
    name: &'a str,
    ended: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let effect = tell::text_for_log(self.run, self.name);
            tracing::error!(%effect, tool = %self.run.target.name, "an effect was dropped before its end; its outcome is unknown");
        }
    }
}

/// Renews the claim for as long as it is polled; resolves when it is somebody else's.
async fn lost(run: &Run, request: &ClaimRequest) {
    loop {
        tokio::time::sleep(LEASE / 3).await;
        let store = &run.services.store;
        match store
            .renew(request.key, request.holder, LEASE, run.now())
            .await
        {
            Ok(true) => {}
            Ok(false) => return,
            Err(e) => tracing::warn!("a claim could not be renewed: {e}"),
        }
    }
}

/// What the recorded result is bound to.
fn context(effect: &Effect) -> Vec<u8> {
    effect_context(&effect.key)
}

/// The same by the key of its claim alone.
pub(crate) fn effect_context(key: &[u8]) -> Vec<u8> {
    [b"once", key].concat()
}
