//! A store in the memory of this process: gone when it ends, and not seen by another one.

mod kept;

use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use self::kept::{Claimed, Kept, Name};
use super::waiters::Waiters;
use super::{
    Claim, ClaimRequest, CompletionId, Finished, Opened, Owner, Row, RowKey, SWEEP, SealedKind,
    Store, StoreError, StoreFuture, TOUCH_EVERY, Ticket, TicketId, TicketStatus, sealed,
};
use crate::time::UnixTime;

/// Keeps everything in memory.
///
/// It suits tests and tools that ask nothing of value: with it, a restart forgets all credentials,
/// and a run of which one round was answered by another process cannot go on here.
///
/// A clone is the same store: with it, a test can start a server anew, or put a second one beside it.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Shared>);

/// What all clones share.
#[derive(Default)]
struct Shared {
    // One lock for all: every method holds it for well under a microsecond, and never across an
    // await, so shards would only make it harder to be atomic.
    kept: Mutex<Kept>,
    waiters: Waiters,
}

impl MemoryStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `work` under the lock, when the future is polled and not before.
    fn with<'a, T: Send + 'a>(
        &'a self,
        work: impl FnOnce(&mut Kept) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut kept)
        })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

fn lives(expires: Option<UnixTime>, now: UnixTime) -> bool {
    expires.is_none_or(|at| at > now)
}

impl sealed::Sealed for MemoryStore {}

impl Store for MemoryStore {
    fn row<'a>(&'a self, key: &'a RowKey, now: UnixTime) -> StoreFuture<'a, Option<Row>> {
        self.with(move |kept| {
            let row = kept.rows.get(key).filter(|row| lives(row.expires, now));
            Ok(row.cloned())
        })
    }

    fn put_row<'a>(&'a self, key: &'a RowKey, row: Row) -> StoreFuture<'a, ()> {
        self.with(move |kept| {
            kept.sweep(row.stored);
            kept.put_row(key, row);
            Ok(())
        })
    }

    fn touch_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: [u8; 16],
        now: UnixTime,
    ) -> StoreFuture<'a, ()> {
        self.with(move |kept| {
            if let Some(row) = kept.rows.get_mut(key)
                && row.version == version
                && row.used.is_none_or(|used| now >= used.after(TOUCH_EVERY))
            {
                row.used = Some(now);
            }
            Ok(())
        })
    }

    fn reseal_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: [u8; 16],
        sealed: Vec<u8>,
    ) -> StoreFuture<'a, bool> {
        self.with(move |kept| {
            let row = kept.rows.get_mut(key).filter(|row| row.version == version);
            Ok(row.map(|row| row.sealed = sealed).is_some())
        })
    }

    fn rows_after<'a>(
        &'a self,
        after: Option<&'a RowKey>,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Vec<(RowKey, Row)>> {
        self.with(move |kept| {
            let from = after.map_or(Bound::Unbounded, Bound::Excluded);
            let rows = kept.rows.range((from, Bound::Unbounded));
            Ok(rows
                .filter(|(_, row)| lives(row.expires, now))
                .take(most)
                .map(|(key, row)| (key.clone(), row.clone()))
                .collect())
        })
    }

    fn remove_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: Option<[u8; 16]>,
    ) -> StoreFuture<'a, bool> {
        self.with(move |kept| {
            let there = kept.rows.get(key);
            if there.is_none_or(|row| version.is_some_and(|version| row.version != version)) {
                return Ok(false);
            }
            kept.remove_row(key);
            Ok(true)
        })
    }

    fn rows<'a>(&'a self, owner: &'a Owner, now: UnixTime) -> StoreFuture<'a, Vec<(RowKey, Row)>> {
        self.with(move |kept| {
            let first = RowKey {
                owner: owner.clone(),
                credential: String::new(),
                name: String::new(),
            };
            Ok(kept
                .rows
                .range(first..)
                .take_while(|(key, _)| key.owner == *owner)
                .filter(|(_, row)| lives(row.expires, now))
                .map(|(key, row)| (key.clone(), row.clone()))
                .collect())
        })
    }

    fn open_ticket<'a>(
        &'a self,
        ticket: Ticket,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Opened> {
        self.with(move |kept| {
            kept.sweep(now);
            if kept.tickets.contains_key(&ticket.id) {
                return Err(StoreError::new("there is a ticket of that id already"));
            }
            let open = kept.open.get(&ticket.owner).map_or(0, |ids| {
                let tickets = ids.iter().filter_map(|id| kept.tickets.get(id));
                tickets.filter(|ticket| ticket.expires > now).count()
            });
            if open >= most {
                return Ok(Opened::TooMany);
            }
            let ids = kept.open.entry(ticket.owner.clone()).or_default();
            ids.push(ticket.id);
            kept.ends.insert((ticket.expires, Name::Ticket(ticket.id)));
            kept.tickets.insert(ticket.id, ticket);
            Ok(Opened::Yes)
        })
    }

    fn ticket<'a>(&'a self, id: TicketId, now: UnixTime) -> StoreFuture<'a, Option<Ticket>> {
        self.with(move |kept| {
            let ticket = kept.tickets.get(&id).filter(|ticket| ticket.expires > now);
            Ok(ticket.cloned())
        })
    }

    fn finish_ticket<'a>(
        &'a self,
        id: TicketId,
        row: Option<(&'a RowKey, Row)>,
        now: UnixTime,
    ) -> StoreFuture<'a, Finished> {
        self.with(move |kept| {
            kept.sweep(now);
            let ticket = kept.tickets.get(&id);
            let Some(ticket) = ticket.filter(|t| t.status == TicketStatus::Open && t.expires > now)
            else {
                return Ok(Finished::No);
            };
            let owner = ticket.owner.clone();
            match row {
                Some((key, row)) => {
                    for same in std::iter::once(id).chain(kept.open_of(key)) {
                        kept.end(&owner, same, TicketStatus::Done);
                        self.0.waiters.wake(same);
                    }
                    kept.put_row(key, row);
                }
                None => {
                    kept.end(&owner, id, TicketStatus::Declined);
                    self.0.waiters.wake(id);
                }
            }
            Ok(Finished::Yes)
        })
    }

    fn take_expired(&self, now: UnixTime) -> StoreFuture<'_, Vec<Ticket>> {
        self.with(move |kept| {
            kept.sweep(now);
            let few = kept.expired.len().min(SWEEP as usize);
            Ok(kept.expired.drain(..few).collect())
        })
    }

    fn take_expired_rows(&self, now: UnixTime) -> StoreFuture<'_, Vec<(RowKey, UnixTime)>> {
        self.with(move |kept| {
            kept.sweep(now);
            let few = kept.expired_rows.len().min(SWEEP as usize);
            Ok(kept.expired_rows.drain(..few).collect())
        })
    }

    fn ticket_ended<'a>(&'a self, ids: &'a [TicketId]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let waiter = self.0.waiters.join(ids);
            let ended = self.with(move |kept| {
                Ok(ids.iter().any(|id| {
                    let ticket = kept.tickets.get(id);
                    ticket.is_none_or(|ticket| ticket.status != TicketStatus::Open)
                }))
            });
            if !ended.await? {
                waiter.woken().await;
            }
            Ok(())
        })
    }

    fn claim<'a>(&'a self, request: &'a ClaimRequest, now: UnixTime) -> StoreFuture<'a, Claim> {
        self.with(move |kept| {
            kept.sweep(now);
            if let Some(claimed) = kept.claims.get_mut(&request.key)
                && !claimed.is_over(now)
            {
                if claimed.digest != request.digest {
                    return Ok(Claim::Other);
                }
                if let Some(result) = &claimed.result {
                    return Ok(Claim::Done(result.clone()));
                }
                if claimed.until > now {
                    let until = claimed.until;
                    return Ok(Claim::Running { until });
                }
                if !request.take_lost {
                    return Ok(Claim::Lost);
                }
                claimed.holder = request.holder;
                claimed.until = now.after(request.lease);
                return Ok(Claim::Won);
            }
            kept.remove_claim(request.key);
            if kept.count_claims(request.owner) >= request.most {
                // Those that are over do not count; there may be more of them than one write
                // removes by the way.
                while kept.sweep(now) {}
                if kept.count_claims(request.owner) >= request.most {
                    return Ok(Claim::TooMany);
                }
            }
            *kept.claims_of.entry(request.owner).or_default() += 1;
            let claimed = Claimed {
                owner: request.owner,
                digest: request.digest,
                holder: request.holder,
                until: now.after(request.lease),
                result: None,
                expires: request.expires,
            };
            kept.claims.insert(request.key, claimed);
            kept.ends
                .insert((request.expires, Name::Claim(request.key)));
            Ok(Claim::Won)
        })
    }

    fn renew<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        lease: Duration,
        now: UnixTime,
    ) -> StoreFuture<'a, bool> {
        self.with(move |kept| {
            let claimed = kept.held(&key, &holder);
            Ok(claimed
                .map(|claimed| claimed.until = now.after(lease))
                .is_some())
        })
    }

    fn settle<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        result: Vec<u8>,
    ) -> StoreFuture<'a, bool> {
        self.with(move |kept| {
            let claimed = kept.held(&key, &holder);
            Ok(claimed
                .map(|claimed| claimed.result = Some(result))
                .is_some())
        })
    }

    fn release<'a>(&'a self, key: [u8; 32], holder: [u8; 16]) -> StoreFuture<'a, ()> {
        self.with(move |kept| {
            if kept.held(&key, &holder).is_some() {
                kept.remove_claim(key);
            }
            Ok(())
        })
    }

    fn put_blob<'a>(
        &'a self,
        id: [u8; 16],
        bytes: Vec<u8>,
        expires: UnixTime,
    ) -> StoreFuture<'a, ()> {
        self.with(move |kept| {
            if let Some((_, old)) = kept.blobs.insert(id, (bytes, expires)) {
                kept.ends.remove(&(old, Name::Blob(id)));
            }
            kept.ends.insert((expires, Name::Blob(id)));
            Ok(())
        })
    }

    fn blob<'a>(&'a self, id: [u8; 16], now: UnixTime) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.with(move |kept| {
            let blob = kept.blobs.get(&id).filter(|(_, expires)| *expires > now);
            Ok(blob.map(|(bytes, _)| bytes.clone()))
        })
    }

    fn complete<'a>(
        &'a self,
        id: CompletionId,
        sealed: Vec<u8>,
        expires: UnixTime,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.with(move |kept| {
            kept.sweep(now);
            let there = kept.completion(id, now);
            if there.is_some() {
                return Ok(there.cloned());
            }
            if let Some((_, old)) = kept.completions.insert(id, (sealed, expires)) {
                kept.ends.remove(&(old, Name::Completion(id)));
            }
            kept.ends.insert((expires, Name::Completion(id)));
            self.0.waiters.wake(id.into());
            Ok(None)
        })
    }

    fn completion<'a>(
        &'a self,
        id: CompletionId,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.with(move |kept| Ok(kept.completion(id, now).cloned()))
    }

    fn completed<'a>(&'a self, ids: &'a [CompletionId], now: UnixTime) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let waited: Vec<_> = ids.iter().map(|id| TicketId::from(*id)).collect();
            let waiter = self.0.waiters.join(&waited);
            let completed = self.with(move |kept| {
                let mut ids = ids.iter();
                Ok(ids.any(|id| kept.completion(*id, now).is_some()))
            });
            if !completed.await? {
                waiter.woken().await;
            }
            Ok(())
        })
    }

    fn sealed_after<'a>(
        &'a self,
        kind: SealedKind,
        after: &'a [u8],
        most: usize,
    ) -> StoreFuture<'a, Vec<(Vec<u8>, Vec<u8>)>> {
        self.with(move |kept| {
            let mut all: Vec<_> = kept.sealed(kind).filter(|(id, _)| *id > after).collect();
            all.sort_unstable();
            all.truncate(most);
            let own = |(id, sealed): (&[u8], &Vec<u8>)| (id.to_vec(), sealed.clone());
            Ok(all.into_iter().map(own).collect())
        })
    }

    fn reseal<'a>(
        &'a self,
        kind: SealedKind,
        id: &'a [u8],
        old: Vec<u8>,
        new: Vec<u8>,
    ) -> StoreFuture<'a, bool> {
        self.with(move |kept| {
            let there = kept.sealed_mut(kind, id).filter(|there| **there == old);
            Ok(there.map(|there| *there = new).is_some())
        })
    }

    fn is_process_local(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;
    use crate::store::suite;

    async fn stores() -> (MemoryStore, suite::Nothing) {
        (MemoryStore::new(), suite::Nothing)
    }

    suite::for_store!(stores);

    #[tokio::test]
    async fn nothing_stays_of_what_is_over() {
        let store = MemoryStore::new();
        suite::fill_and_sweep(&store).await;
        let kept = store.0.kept.lock().unwrap();
        assert_eq!(kept.rows.len(), 1, "the row of the last write");
        assert!(kept.tickets.is_empty() && kept.open.is_empty() && kept.blobs.is_empty());
        assert!(kept.completions.is_empty());
        assert!(kept.claims.is_empty() && kept.claims_of.is_empty());
        assert!(kept.ends.is_empty());
        assert!(store.0.waiters.is_empty());
    }

    #[tokio::test]
    async fn a_dropped_waiter_leaves_nothing() {
        let store = MemoryStore::new();
        suite::drop_waiters(&store).await;
        assert!(store.0.waiters.is_empty());
    }
}
