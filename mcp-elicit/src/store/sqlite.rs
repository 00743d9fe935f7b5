//! A store in one SQLite file, shared by all processes that use one data directory.
//!
//! There is one connection that writes and a few that read. All work on them happens on the
//! runtime's threads for blocking work. A write goes on when its future is dropped, and is one
//! transaction, so it happens wholly or not at all.

mod schema;
mod statements;
mod watch;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::Semaphore;

use super::waiters::Waiters;
use super::{
    Claim, ClaimRequest, CompletionId, Finished, Opened, Owner, Row, RowKey, SealedKind, Store,
    StoreError, StoreFuture, Ticket, TicketId, sealed,
};
use crate::time::UnixTime;

/// How many reads run at once.
const READERS: usize = 4;

/// Keeps everything in a file, so that it outlives the process, and several processes on one
/// machine share it.
///
/// The file must be on a local disk: SQLite's write-ahead log does not work over a network.
pub struct SqliteStore {
    db: Arc<Db>,
}

struct Db {
    path: PathBuf,
    writer: Mutex<Connection>,
    /// Lets one write at a time onto a thread, in the order in which they came.
    writing: Arc<Semaphore>,
    /// Connections at rest.
    readers: Mutex<Vec<Connection>>,
    reading: Arc<Semaphore>,
    waiters: Waiters,
    watch: Mutex<watch::Watch>,
    /// Whether the task runs that looks for what other processes do.
    is_watching: Mutex<bool>,
}

impl SqliteStore {
    /// Opens the file at `path`, makes it if there is none, and brings an older one up to date.
    ///
    /// # Errors
    /// If the file cannot be opened, is another program's, or was written by a newer build.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        on_thread(move || {
            let writer = schema::open(&path)?;
            let (_, seen) = statements::ended_after(&writer, 0)?;
            let db = Arc::new(Db {
                path,
                writer: Mutex::new(writer),
                writing: Arc::new(Semaphore::new(1)),
                readers: Mutex::default(),
                reading: Arc::new(Semaphore::new(READERS)),
                waiters: Waiters::default(),
                watch: Mutex::new(watch::Watch::after(seen)),
                is_watching: Mutex::new(false),
            });
            Ok(Self { db })
        })
        .await
    }

    fn read<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let permit = Arc::clone(&self.db.reading).acquire_owned().await;
            let permit = permit.map_err(StoreError::new)?;
            let db = Arc::clone(&self.db);
            on_thread(move || {
                let _permit = permit;
                let resting = lock(&db.readers).pop();
                let connection = match resting {
                    Some(connection) => connection,
                    None => schema::connect(&db.path)?,
                };
                let read = work(&connection);
                lock(&db.readers).push(connection);
                Ok(read?)
            })
            .await
        })
    }

    /// Runs `work` as one transaction, and `after` once it is committed.
    fn write_then<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        after: impl FnOnce(&Db, &T) + Send + 'static,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            let permit = Arc::clone(&self.db.writing).acquire_owned().await;
            let permit = permit.map_err(StoreError::new)?;
            let db = Arc::clone(&self.db);
            on_thread(move || {
                let _permit = permit;
                let mut writer = lock(&db.writer);
                // Takes the file's lock for writing at once: to upgrade from a read later could
                // fail without a wait.
                let change = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let done = work(&change)?;
                change.commit()?;
                drop(writer);
                after(&db, &done);
                Ok(done)
            })
            .await
        })
    }

    fn write<'a, T: Send + 'static>(
        &'a self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'a, T> {
        self.write_then(work, |_, _| ())
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("path", &self.db.path)
            .finish_non_exhaustive()
    }
}

/// What comes before every key, since no credential is without a name.
fn before_all() -> RowKey {
    let owner = Owner {
        tenant: String::new(),
        issuer: String::new(),
        subject: String::new(),
    };
    RowKey {
        owner,
        credential: String::new(),
        name: String::new(),
    }
}

/// Runs `work` on a thread for blocking work. It goes on there when the future is dropped.
async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(StoreError::new)?
}

/// A panic under these locks leaves nothing half done: a transaction that is dropped is undone.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(error)
    }
}

impl sealed::Sealed for SqliteStore {}

impl Store for SqliteStore {
    fn row<'a>(&'a self, key: &'a RowKey, now: UnixTime) -> StoreFuture<'a, Option<Row>> {
        let key = key.clone();
        self.read(move |db| statements::row(db, &key, now))
    }

    fn put_row<'a>(&'a self, key: &'a RowKey, row: Row) -> StoreFuture<'a, ()> {
        let key = key.clone();
        self.write(move |db| {
            statements::put_row(db, &key, &row)?;
            statements::sweep(db, row.stored)
        })
    }

    fn touch_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: [u8; 16],
        now: UnixTime,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let wanted = key.clone();
            let due = self.read(move |db| statements::is_touch_due(db, &wanted, version, now));
            if due.await? {
                let key = key.clone();
                self.write(move |db| statements::touch_row(db, &key, version, now))
                    .await?;
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
        let key = key.clone();
        self.write(move |db| statements::reseal_row(db, &key, version, &sealed))
    }

    fn rows_after<'a>(
        &'a self,
        after: Option<&'a RowKey>,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Vec<(RowKey, Row)>> {
        let after = after.cloned().unwrap_or_else(before_all);
        self.read(move |db| statements::rows_after(db, &after, most, now))
    }

    fn remove_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: Option<[u8; 16]>,
    ) -> StoreFuture<'a, bool> {
        let key = key.clone();
        self.write(move |db| statements::remove_row(db, &key, version))
    }

    fn rows<'a>(&'a self, owner: &'a Owner, now: UnixTime) -> StoreFuture<'a, Vec<(RowKey, Row)>> {
        let owner = owner.clone();
        self.read(move |db| statements::rows(db, &owner, now))
    }

    fn open_ticket<'a>(
        &'a self,
        ticket: Ticket,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Opened> {
        self.write(move |db| {
            statements::sweep(db, now)?;
            statements::open_ticket(db, &ticket, most, now)
        })
    }

    fn ticket<'a>(&'a self, id: TicketId, now: UnixTime) -> StoreFuture<'a, Option<Ticket>> {
        self.read(move |db| statements::ticket(db, id, now))
    }

    fn finish_ticket<'a>(
        &'a self,
        id: TicketId,
        row: Option<(&'a RowKey, Row)>,
        now: UnixTime,
    ) -> StoreFuture<'a, Finished> {
        let row = row.map(|(key, row)| (key.clone(), row));
        let ended = self.write_then(
            move |db| {
                let ended = statements::finish_ticket(db, id, row.as_ref(), now)?;
                statements::sweep(db, now)?;
                Ok(ended)
            },
            move |db, ended| ended.iter().for_each(|id| db.waiters.wake(*id)),
        );
        Box::pin(async move {
            Ok(match ended.await?.is_empty() {
                true => Finished::No,
                false => Finished::Yes,
            })
        })
    }

    fn take_expired(&self, now: UnixTime) -> StoreFuture<'_, Vec<Ticket>> {
        self.write(move |db| statements::take_expired(db, now))
    }

    fn take_expired_rows(&self, now: UnixTime) -> StoreFuture<'_, Vec<(RowKey, UnixTime)>> {
        self.write(move |db| statements::take_expired_rows(db, now))
    }

    fn ticket_ended<'a>(&'a self, ids: &'a [TicketId]) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            // In this order: an end after the look finds the waiter.
            let waiter = self.db.waiters.join(ids);
            watch::start(&self.db);
            let wanted = ids.to_vec();
            let ended = self.read(move |db| statements::is_one_ended(db, &wanted));
            if !ended.await? {
                waiter.woken().await;
            }
            Ok(())
        })
    }

    fn claim<'a>(&'a self, request: &'a ClaimRequest, now: UnixTime) -> StoreFuture<'a, Claim> {
        let request = request.clone();
        self.write(move |db| {
            statements::sweep(db, now)?;
            statements::claim(db, &request, now)
        })
    }

    fn renew<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        lease: Duration,
        now: UnixTime,
    ) -> StoreFuture<'a, bool> {
        self.write(move |db| statements::renew(db, key, holder, now.after(lease)))
    }

    fn settle<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        result: Vec<u8>,
    ) -> StoreFuture<'a, bool> {
        self.write(move |db| statements::settle(db, key, holder, &result))
    }

    fn release<'a>(&'a self, key: [u8; 32], holder: [u8; 16]) -> StoreFuture<'a, ()> {
        self.write(move |db| statements::release(db, key, holder))
    }

    fn put_blob<'a>(
        &'a self,
        id: [u8; 16],
        bytes: Vec<u8>,
        expires: UnixTime,
    ) -> StoreFuture<'a, ()> {
        self.write(move |db| statements::put_blob(db, id, &bytes, expires))
    }

    fn blob<'a>(&'a self, id: [u8; 16], now: UnixTime) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.read(move |db| statements::blob(db, id, now))
    }

    fn complete<'a>(
        &'a self,
        id: CompletionId,
        sealed: Vec<u8>,
        expires: UnixTime,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.write_then(
            move |db| {
                statements::sweep(db, now)?;
                statements::complete(db, id, &sealed, expires, now)
            },
            move |db, there| {
                if there.is_none() {
                    db.waiters.wake(id.into());
                }
            },
        )
    }

    fn completion<'a>(
        &'a self,
        id: CompletionId,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>> {
        self.read(move |db| statements::completion(db, id, now))
    }

    fn completed<'a>(&'a self, ids: &'a [CompletionId], now: UnixTime) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let waited: Vec<_> = ids.iter().map(|id| TicketId::from(*id)).collect();
            // In this order: a completion after the look finds the waiter.
            let waiter = self.db.waiters.join(&waited);
            watch::start(&self.db);
            let wanted = ids.to_vec();
            let completed = self.read(move |db| statements::is_one_completed(db, &wanted, now));
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
        let after = after.to_vec();
        self.read(move |db| statements::sealed_after(db, kind, &after, most))
    }

    fn reseal<'a>(
        &'a self,
        kind: SealedKind,
        id: &'a [u8],
        old: Vec<u8>,
        new: Vec<u8>,
    ) -> StoreFuture<'a, bool> {
        let id = id.to_vec();
        self.write(move |db| statements::reseal(db, kind, &id, &old, &new))
    }

    fn is_process_local(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests;
