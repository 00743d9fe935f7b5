//! The registry that is served now, and how another takes its place.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::registry::Registry;

/// What is offered now. Whoever has loaded it keeps what it began with.
///
/// A reader holds the lock for as long as it takes to count up, and a writer for as long as it takes to
/// put one pointer in place of another: the new registry is made before. So a request never waits for
/// one to be made.
#[derive(Debug)]
pub(crate) struct Live {
    now: RwLock<Arc<Registry>>,
    /// Held while a new one is made, so that two changes do not undo each other.
    changing: Mutex<()>,
}

impl Live {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            now: RwLock::new(Arc::new(registry)),
            changing: Mutex::new(()),
        }
    }

    /// What is offered now.
    pub(crate) fn load(&self) -> Arc<Registry> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts what `change` makes of it in its place, and returns what was offered before and what is now;
    /// an error leaves it as it is.
    ///
    /// Nothing of an author's is dropped in here: it may take its time, panic, or change what is offered
    /// itself. So what `change` does not use goes back with its error.
    pub(crate) fn change<E>(
        &self,
        change: impl FnOnce(&Registry) -> Result<Registry, E>,
    ) -> Result<(Arc<Registry>, Arc<Registry>), E> {
        let _one = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = Arc::new(change(&self.load())?);
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *now, Arc::clone(&next));
        Ok((old, next))
    }
}
