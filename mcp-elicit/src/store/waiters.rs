//! Who waits in this process for which tickets.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::TicketId;

/// The waiting calls by ticket. To wake one ticket's costs nothing to the others.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    by_ticket: HashMap<TicketId, Vec<(u64, Arc<Notify>)>>,
}

impl Waiters {
    /// Registers a call that waits for any of `ids`, until the value is dropped. To lose no
    /// wake-up, register first and look at the tickets afterwards.
    pub(super) fn join<'w>(&'w self, ids: &'w [TicketId]) -> Waiter<'w> {
        let notify = Arc::new(Notify::new());
        let mut waiting = self.lock();
        let number = waiting.next;
        waiting.next = number.wrapping_add(1);
        for id in ids {
            let of_ticket = waiting.by_ticket.entry(*id).or_default();
            of_ticket.push((number, Arc::clone(&notify)));
        }
        Waiter {
            waiters: self,
            ids,
            number,
            notify,
        }
    }

    /// Wakes all who wait for `id`.
    pub(super) fn wake(&self, id: TicketId) {
        // Taken out, so that a thousand waiters of one ticket need not look for themselves there.
        let of_ticket = self.lock().by_ticket.remove(&id);
        for (_, notify) in of_ticket.into_iter().flatten() {
            // A permit is kept for one who is not polled yet.
            notify.notify_one();
        }
    }

    /// Whether nobody waits for anything.
    #[cfg(any(test, feature = "sqlite"))]
    pub(super) fn is_empty(&self) -> bool {
        self.lock().by_ticket.is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing that can panic runs under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One waiting call.
#[derive(Debug)]
pub(super) struct Waiter<'w> {
    waiters: &'w Waiters,
    ids: &'w [TicketId],
    number: u64,
    notify: Arc<Notify>,
}

impl Waiter<'_> {
    /// Resolves once one of the tickets was woken after the call joined.
    pub(super) async fn woken(&self) {
        self.notify.notified().await;
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut waiting = self.waiters.lock();
        for id in self.ids {
            if let Some(of_ticket) = waiting.by_ticket.get_mut(id) {
                of_ticket.retain(|(number, _)| *number != self.number);
                if of_ticket.is_empty() {
                    waiting.by_ticket.remove(id);
                }
            }
        }
    }
}
