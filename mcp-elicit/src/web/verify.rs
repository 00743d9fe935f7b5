//! An author's own check of a credential, made when its page is sent: whether the provider knows the
//! key, for instance. It is bounded in time and number, and a failure of its own stores nothing.
//!
//! It runs on a thread for blocking work, which polls it alone: so it may be any async closure, a
//! panic of it is caught, and one that blocks its thread stops no request.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use zeroize::Zeroizing;

use crate::Invalid;
use crate::auth::Principal;
use crate::declare::{Declaration, Elicit};

/// How much longer than it may take a check is waited for that does not let itself be stopped.
const GRACE: Duration = Duration::from_millis(100);

/// As long as nobody waits. Much more than this the clock cannot add to a time of its own.
const NEVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// Given the JSON text, the principal and the latest end; called on a thread for blocking work.
type Check =
    dyn Fn(&str, &Principal, Instant) -> Result<Result<(), Invalid>, &'static str> + Send + Sync;

/// The check of one type. Made by [`Server::verify`](crate::Server::verify).
#[derive(Clone)]
pub(crate) struct Verifier {
    declaration: &'static Declaration,
    check: Arc<Check>,
}

impl Verifier {
    pub(crate) fn new<T: Elicit>(
        check: impl AsyncFn(&T, &Principal) -> Result<(), Invalid> + Send + Sync + 'static,
    ) -> Self {
        let check = move |json: &str, principal: &Principal, end: Instant| {
            let value = match T::decode(json) {
                Ok(value) => value,
                Err(invalid) => return Ok(Err(invalid)),
            };
            let work = timeout_at(end, async { check(&value, principal).await });
            let runtime = tokio::runtime::Handle::current();
            runtime.block_on(work).map_err(|_| "it took too long")
        };
        Self {
            declaration: T::declaration(),
            check: Arc::new(check),
        }
    }

    pub(crate) fn declaration(&self) -> &'static Declaration {
        self.declaration
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verifier")
            .field("key", &self.declaration.key())
            .finish_non_exhaustive()
    }
}

/// What a check found.
pub(super) enum Verified {
    Good,
    Bad(Invalid),
    /// It could not be made; this is why, for the log.
    Unknown(&'static str),
}

/// The checks of a server, by the key under which an answer is kept: whatever page it was typed on, also one
/// of another build, it is the handler's credential of that key.
pub(crate) struct Verifiers {
    by_key: HashMap<&'static str, Verifier>,
    /// How long one may take.
    time: Duration,
    /// A place for each that may be made at the same time.
    places: Arc<Semaphore>,
}

impl Verifiers {
    pub(crate) fn new(all: Vec<Verifier>, time: Duration, most: usize) -> Self {
        let by_key = all.into_iter().map(|it| (it.declaration.key(), it));
        Self {
            by_key: by_key.collect(),
            time,
            places: Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Checks what was typed for the credential `key`; good where there is no check.
    pub(super) async fn verify(
        &self,
        key: &str,
        json: &Arc<Zeroizing<String>>,
        principal: &Principal,
    ) -> Verified {
        let Some(verifier) = self.by_key.get(key) else {
            return Verified::Good;
        };
        let now = Instant::now();
        // No end that the clock knows is as good as none.
        let Some(end) = now.checked_add(self.time.min(NEVER)) else {
            return Verified::Unknown("the clock has no such time");
        };
        let place = timeout_at(end, Arc::clone(&self.places).acquire_owned());
        let Ok(Ok(place)) = place.await else {
            return Verified::Unknown("too many are made at once");
        };
        let (check, json, principal) = (
            Arc::clone(&verifier.check),
            Arc::clone(json),
            principal.clone(),
        );
        let checked = tokio::task::spawn_blocking(move || {
            let _place = place;
            check(&json, &principal, end)
        });
        match timeout_at(end + GRACE, checked).await {
            Ok(Ok(Ok(Ok(())))) => Verified::Good,
            Ok(Ok(Ok(Err(invalid)))) => Verified::Bad(invalid),
            Ok(Ok(Err(why))) => Verified::Unknown(why),
            // The text of a panic may quote the secret.
            Ok(Err(_)) => Verified::Unknown("it panicked"),
            Err(_) => Verified::Unknown("it took too long and cannot be stopped"),
        }
    }
}

impl Default for Verifiers {
    fn default() -> Self {
        Self::new(Vec::new(), Duration::ZERO, 1)
    }
}

impl fmt::Debug for Verifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.by_key.keys()).finish()
    }
}
