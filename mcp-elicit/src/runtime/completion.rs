//! Something that is brought to its end outside of this server, such as a payment: who waits for it,
//! and who reports it.
//!
//! It belongs to a principal and an order, and to no run: so it may be reported before it is asked
//! for, after the run has ended, and by another process. What is stored is the value alone,
//! encrypted; the token needs no row.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;

use super::run::{Fatal, Run, half, tag};
use super::services::Services;
use super::step::Record;
use crate::error::CallError;
use crate::mistake::Mistake;
use crate::seal::Keys;
use crate::store::{CompletionId, SealedKind, StoreError};

/// Something outside of this server that is waited for. Made by [`Cx::completion`](crate::Cx::completion).
///
/// `T` is what it is completed with: [`Completions::complete`] is given it, and
/// [`Cx::ask_external`](crate::Cx::ask_external) returns it.
pub struct Completion<'cx, T> {
    pub(super) run: &'cx Arc<Run>,
    pub(super) id: CompletionId,
    token: String,
    value: PhantomData<fn() -> T>,
}

impl<'cx, T> Completion<'cx, T> {
    pub(super) fn new(run: &'cx Arc<Run>, order: &str) -> Self {
        let id = if run.principal.is_anonymous() {
            run.fail(Fatal::Tool(
                "This needs to know who you are: the server has to be used with an account.".into(),
            ));
            // Nobody's, should the handler go on until it is stopped.
            run.services.ambient.random()
        } else {
            let owner = tag(&run.principal);
            let parts: [&[u8]; 3] = [b"completion", owner.as_bytes(), order.as_bytes()];
            half(run.services.keys.claim_key(&parts))
        };
        Self {
            run,
            id: CompletionId(id),
            token: run.services.keys.completion_token(&id),
            value: PhantomData,
        }
    }

    /// What to hand to the other side, for it to give back when it is done: 67 letters, digits, `.`,
    /// `-` and `_`. It names this principal and order, and nobody can make one up or read it. It is the
    /// same in every round and run until the keys are changed; older ones stay good for as long as
    /// their key is in the ring.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl<T: Record> Completion<'_, T> {
    /// What it was completed with, if it is; nobody is asked.
    ///
    /// # Errors
    /// Those of the store. A value that does not read as a `T` is an internal error.
    pub async fn get(&self) -> Result<Option<T>, CallError> {
        let _busy = self.run.busy();
        let found = find(&self.run.services, self.id).await?;
        found.map(|json| read(&json)).transpose()
    }
}

impl<T> fmt::Debug for Completion<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion").finish_non_exhaustive()
    }
}

/// Reports what was brought to its end outside, such as in the webhook of a payment provider. From
/// [`App::completions`](crate::App::completions); cheap to clone.
#[derive(Clone)]
pub struct Completions(Arc<Services>);

impl Completions {
    pub(crate) fn new(services: Arc<Services>) -> Self {
        Self(services)
    }

    /// Completes what `token` names with `value`. Whoever waits for it goes on, at whatever process
    /// of the same keys and store. True the first time; a repeat with the same value does no harm
    /// and is false. The value is kept encrypted, for as long as the limit
    /// [`remember`](crate::Limits::remember) says.
    ///
    /// Make sure before that it is the other side who reports it, by its signature: the token says
    /// which order it is about, not that it is paid, and the user may know it.
    ///
    /// # Errors
    /// [`CompletionError`].
    pub async fn complete<T: Serialize>(
        &self,
        token: &str,
        value: T,
    ) -> Result<bool, CompletionError> {
        let services = &*self.0;
        let id = services
            .keys
            .open_completion_token(token)
            .map(CompletionId)
            .ok_or(CompletionError::Token)?;
        let json =
            serde_json::to_string(&value).map_err(|e| CompletionError::Value(e.to_string()))?;
        let most = services.limits.result;
        if json.len() > most {
            let text = format!("it has {} bytes, over the limit of {most}", json.len());
            return Err(CompletionError::Value(text));
        }
        let (store, now) = (&services.store, services.ambient.now());
        let sealed = seal(&services.keys, id, &json, services.ambient.random());
        let expires = now.after(services.limits.remember);
        let there = store.complete(id, sealed.clone(), expires, now);
        let Some(there) = there.await.map_err(CompletionError::Store)? else {
            return Ok(true);
        };
        match open(&services.keys, id, &there) {
            Some(known) if same(&known, &json) => Ok(false),
            Some(_) => Err(CompletionError::Other),
            None => {
                unreadable();
                let replaced = store.reseal(SealedKind::Completed, &id.0, there, sealed);
                replaced.await.map_err(CompletionError::Store)
            }
        }
    }
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completions").finish_non_exhaustive()
    }
}

/// Why something could not be completed.
#[derive(Debug)]
#[non_exhaustive]
pub enum CompletionError {
    /// The token is none of this server's, or was made under a key that is gone.
    Token,
    /// It is completed already, with another value.
    Other,
    /// The value cannot be recorded; the text says why.
    Value(String),
    /// The store failed: report it again later.
    Store(StoreError),
}

impl fmt::Display for CompletionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token => f.write_str(
                "the token is none that this server has made, or its key is not in the keyring any more",
            ),
            Self::Other => f.write_str("this was completed already, with another value"),
            Self::Value(why) => write!(f, "the value cannot be recorded: {why}"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompletionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(error) => Some(error),
            _ => None,
        }
    }
}

/// The JSON text that something was completed with.
pub(super) async fn find(
    services: &Services,
    id: CompletionId,
) -> Result<Option<String>, StoreError> {
    let now = services.ambient.now();
    let Some(sealed) = services.store.completion(id, now).await? else {
        return Ok(None);
    };
    let opened = open(&services.keys, id, &sealed);
    if opened.is_none() {
        unreadable();
    }
    Ok(opened)
}

/// The value in a text that [`find`] has found. The error is for the log.
pub(super) fn read<T: Record>(json: &str) -> Result<T, CallError> {
    serde_json::from_str(json).map_err(|e| {
        // The words of serde may quote the value.
        let (line, column) = (e.line(), e.column());
        let mistake = Mistake::CompletionMismatch { line, column };
        CallError::from(mistake.to_string()).quiet()
    })
}

/// What a recorded value is bound to.
pub(crate) fn context(id: &[u8]) -> Vec<u8> {
    [b"completion", id].concat()
}

fn seal(keys: &Keys, id: CompletionId, json: &str, nonce: [u8; crate::seal::NONCE_LEN]) -> Vec<u8> {
    keys.seal_blob(&context(&id.0), json.as_bytes(), nonce)
}

fn open(keys: &Keys, id: CompletionId, sealed: &[u8]) -> Option<String> {
    let bytes = keys.open_blob(&context(&id.0), sealed)?;
    std::str::from_utf8(&bytes).ok().map(str::to_owned)
}

/// Whether two texts are one value, in whichever order their members stand.
fn same(one: &str, other: &str) -> bool {
    let value = |json| serde_json::from_str::<serde_json::Value>(json).ok();
    one == other || value(one).is_some_and(|one| Some(one) == value(other))
}

fn unreadable() {
    tracing::warn!(
        "a completion cannot be opened with the present keys: a secret was taken out of the keyring before what it \
         had sealed was over; it counts as not completed"
    );
}
