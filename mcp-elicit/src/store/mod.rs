//! Where a server keeps what must outlive a request: credentials, open pages, effects that were
//! done, and large results of steps.
//!
//! Most servers need nothing of this: they keep it in a file of their data directory, see
//! [`Server::data_dir`](crate::Server::data_dir). To choose otherwise, give
//! [`Server::store`](crate::Server::store) a [`MemoryStore`], for tests, or (feature `sqlite`) a
//! `SqliteStore` of a file that you name. [`Store`] cannot be implemented outside of this crate; the
//! other types here are what its methods speak of.
//!
//! A store is given credentials and results encrypted, and knows no key.

// The module uses `UnixTime` and nothing else of the crate, and knows nothing of forms, of the wire
// or of runs.

#[cfg(feature = "sqlite")]
mod dir;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(test)]
mod suite;
mod waiters;

#[cfg(feature = "sqlite")]
pub(crate) use dir::DataDir;
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use crate::time::UnixTime;

/// The future of every method of a [`Store`].
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Why a store could not do what it was asked. The text is for the log, never for a client.
#[derive(Debug)]
pub struct StoreError(pub(crate) Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    pub(crate) fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store failed: {}", self.0)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.0)
    }
}

/// Whose data it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Owner {
    pub(crate) tenant: String,
    pub(crate) issuer: String,
    pub(crate) subject: String,
}

/// Names one vault row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    pub(crate) owner: Owner,
    /// The credential's key, such as `billing_key`.
    pub(crate) credential: String,
    /// Which one of several of its kind; empty for the only one.
    pub(crate) name: String,
}

/// One encrypted credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Random, new with every write: it tells one version of a credential from the next.
    pub(crate) version: [u8; 16],
    /// The wrapped data key and the ciphertext.
    pub(crate) sealed: Vec<u8>,
    pub(crate) stored: UnixTime,
    /// When it was last used, to the minute.
    pub(crate) used: Option<UnixTime>,
    pub(crate) expires: Option<UnixTime>,
}

/// The random name of one open page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TicketId(pub(crate) [u8; 16]);

/// One page that a user was asked to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    pub(crate) id: TicketId,
    pub(crate) owner: Owner,
    /// Last part of the page's path, such as `set_api_key`.
    pub(crate) page: String,
    /// What the page shows, encoded by its owner (`web`); the store does not look into it.
    pub(crate) form: Vec<u8>,
    /// The vault row that the page fills.
    pub(crate) credential: String,
    pub(crate) name: String,
    pub(crate) created: UnixTime,
    pub(crate) expires: UnixTime,
    pub(crate) status: TicketStatus,
}

/// Names something outside of this server that is waited for, such as a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CompletionId(pub(crate) [u8; 16]);

/// Whoever waits, waits for 16 bytes.
impl From<CompletionId> for TicketId {
    fn from(id: CompletionId) -> Self {
        Self(id.0)
    }
}

/// Which of the sealed bytes that have no versions, see [`Store::sealed_after`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SealedKind {
    /// The result of an effect, by the 32 bytes of its claim's key.
    Effect,
    /// What something was completed with, by the 16 bytes of its id.
    Completed,
}

/// How far a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TicketStatus {
    /// Waiting for the user.
    Open,
    /// The user has given what was asked.
    Done,
    /// The user has declined on the page.
    Declined,
}

/// What became of a try to open a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opened {
    /// It is stored.
    Yes,
    /// Its owner has as many open ones as the limit allows.
    TooMany,
}

/// What became of a try to finish a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finished {
    /// This call finished it, and the row is stored.
    Yes,
    /// It was not open any more, or has expired, or never was; nothing was stored.
    No,
}

/// What a claim found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claim {
    /// The caller owns the effect and must `settle`, `renew` or `release` it.
    Won,
    /// It is done; this was its result.
    Done(Vec<u8>),
    /// It is claimed or done, with another digest: the same effect with other answers.
    Other,
    /// Somebody holds it and was alive at the time given.
    Running {
        /// Until when the holder has promised to be alive.
        until: UnixTime,
    },
    /// Somebody held it and went silent before it recorded a result.
    Lost,
    /// Its owner has as many claims as the limit allows, and this would be one more.
    TooMany,
}

/// Who tries to claim what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Names the effect; unique per run and step, or per principal and author's key.
    pub(crate) key: [u8; 32],
    /// Names the principal in whose name the effect is, for the limit alone.
    pub(crate) owner: [u8; 16],
    /// How many claims an owner may have that are not forgotten yet.
    pub(crate) most: usize,
    /// Digest of what the effect depends on.
    pub(crate) digest: [u8; 16],
    /// Random; names the holder.
    pub(crate) holder: [u8; 16],
    /// How long the holder promises to be alive; it renews before that.
    pub(crate) lease: Duration,
    /// When the claim may be forgotten; while its holder is alive it never is.
    pub(crate) expires: UnixTime,
    /// Whether a lost claim is taken over.
    pub(crate) take_lost: bool,
}

/// Uses of a row that are closer together than this may count as one.
const TOUCH_EVERY: Duration = Duration::from_secs(60);

/// How many entries that are over a write removes at most. Of open tickets and of rows somebody is to be told,
/// see [`Store::take_expired`] and [`Store::take_expired_rows`].
const SWEEP: u32 = 8;

mod sealed {
    pub trait Sealed {}
}

/// Where a server keeps what must outlive a request. Implemented by this crate alone.
///
/// Every method is atomic, also against other processes on the same data, and a future that is
/// dropped has done all of its work or none. `now` is always given by the caller. Expired entries
/// are never returned; each store removes them by and by.
pub trait Store: sealed::Sealed + fmt::Debug + Send + Sync + 'static {
    /// The row at `key`, if there is one that has not expired.
    fn row<'a>(&'a self, key: &'a RowKey, now: UnixTime) -> StoreFuture<'a, Option<Row>>;

    /// Writes a row, in place of one that may be there.
    fn put_row<'a>(&'a self, key: &'a RowKey, row: Row) -> StoreFuture<'a, ()>;

    /// Notes that version `version` of a row was used. A use within a minute of the one noted
    /// before may be left out, so that to use a credential often costs no write each time.
    fn touch_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: [u8; 16],
        now: UnixTime,
    ) -> StoreFuture<'a, ()>;

    /// Replaces the sealed bytes of version `version` of a row, which stays that version: its key
    /// was changed, not what it holds. Tells whether that version was there.
    fn reseal_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: [u8; 16],
        sealed: Vec<u8>,
    ) -> StoreFuture<'a, bool>;

    /// Up to `most` rows of all owners, in the order of their keys, that come after `after`, and
    /// have not expired. It is how all of them are walked through.
    fn rows_after<'a>(
        &'a self,
        after: Option<&'a RowKey>,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Vec<(RowKey, Row)>>;

    /// Removes the row; if `version` is given, only that version. Tells whether one was removed.
    fn remove_row<'a>(
        &'a self,
        key: &'a RowKey,
        version: Option<[u8; 16]>,
    ) -> StoreFuture<'a, bool>;

    /// All rows of an owner, ordered by key.
    fn rows<'a>(&'a self, owner: &'a Owner, now: UnixTime) -> StoreFuture<'a, Vec<(RowKey, Row)>>;

    /// Stores an open ticket, unless its owner has `most` open ones that have not expired.
    fn open_ticket<'a>(
        &'a self,
        ticket: Ticket,
        most: usize,
        now: UnixTime,
    ) -> StoreFuture<'a, Opened>;

    /// The ticket, if there is one that has not expired.
    fn ticket<'a>(&'a self, id: TicketId, now: UnixTime) -> StoreFuture<'a, Option<Ticket>>;

    /// Ends an open ticket, in one transaction with the row that its page fills: with a row it
    /// becomes `Done`, without one `Declined`. With a row, so do all other open tickets of that
    /// row, since what they ask for has been given. Wakes those who wait in `ticket_ended`.
    fn finish_ticket<'a>(
        &'a self,
        id: TicketId,
        row: Option<(&'a RowKey, Row)>,
        now: UnixTime,
    ) -> StoreFuture<'a, Finished>;

    /// Removes a few open tickets that have expired, and returns them: each is returned once, to one
    /// process. Whoever opens a ticket asks for these, so that none stays for ever.
    fn take_expired(&self, now: UnixTime) -> StoreFuture<'_, Vec<Ticket>>;

    /// Removes a few rows that have expired, and returns their keys with the time at which each did: as with
    /// [`take_expired`](Self::take_expired), each is returned once. One that was replaced is not.
    fn take_expired_rows(&self, now: UnixTime) -> StoreFuture<'_, Vec<(RowKey, UnixTime)>>;

    /// Resolves as soon as one of the tickets is not open any more, whichever process ended it, or
    /// at once if one is unknown. It has no time limit of its own, does not look at the tickets'
    /// expiry, and may be dropped at any time. For no tickets it never resolves.
    fn ticket_ended<'a>(&'a self, ids: &'a [TicketId]) -> StoreFuture<'a, ()>;

    /// Claims an effect.
    fn claim<'a>(&'a self, request: &'a ClaimRequest, now: UnixTime) -> StoreFuture<'a, Claim>;

    /// Promises to be alive for `lease` more; false if the claim is not `holder`'s any more.
    fn renew<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        lease: Duration,
        now: UnixTime,
    ) -> StoreFuture<'a, bool>;

    /// Records the result of a claimed effect; false if the claim is not `holder`'s any more.
    fn settle<'a>(
        &'a self,
        key: [u8; 32],
        holder: [u8; 16],
        result: Vec<u8>,
    ) -> StoreFuture<'a, bool>;

    /// Gives a claim up without a result: the effect did not happen.
    fn release<'a>(&'a self, key: [u8; 32], holder: [u8; 16]) -> StoreFuture<'a, ()>;

    /// Stores the result of a large step (encrypted by the caller), in place of one of that id.
    fn put_blob<'a>(
        &'a self,
        id: [u8; 16],
        bytes: Vec<u8>,
        expires: UnixTime,
    ) -> StoreFuture<'a, ()>;

    /// A blob that was stored and has not expired.
    fn blob<'a>(&'a self, id: [u8; 16], now: UnixTime) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Records what something outside was completed with (encrypted by the caller). If that is
    /// recorded already, nothing is changed and what is there is returned. Wakes those who wait in
    /// `completed`.
    fn complete<'a>(
        &'a self,
        id: CompletionId,
        sealed: Vec<u8>,
        expires: UnixTime,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// What it was completed with, if it is, and that has not expired.
    fn completion<'a>(
        &'a self,
        id: CompletionId,
        now: UnixTime,
    ) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Resolves as soon as one of them is completed, whichever process did it, or at once if one is.
    /// As `ticket_ended` it has no time limit and may be dropped; for none it never resolves.
    fn completed<'a>(&'a self, ids: &'a [CompletionId], now: UnixTime) -> StoreFuture<'a, ()>;

    /// Up to `most` sealed bytes of a kind with their ids, in the order of these, after `after`
    /// (empty for the first).
    fn sealed_after<'a>(
        &'a self,
        kind: SealedKind,
        after: &'a [u8],
        most: usize,
    ) -> StoreFuture<'a, Vec<(Vec<u8>, Vec<u8>)>>;

    /// Replaces sealed bytes, if they are still `old`. Tells whether they were.
    fn reseal<'a>(
        &'a self,
        kind: SealedKind,
        id: &'a [u8],
        old: Vec<u8>,
        new: Vec<u8>,
    ) -> StoreFuture<'a, bool>;

    /// Whether the data is gone when this process ends.
    fn is_process_local(&self) -> bool;
}
