//! What every store must do. Each function tests one thing and is run for each store, see
//! [`for_store`].

mod claims;
mod completions;
mod rows;
mod tickets;

use std::sync::Arc;
use std::time::Duration;

pub(super) use self::claims::*;
pub(super) use self::completions::*;
pub(super) use self::rows::*;
pub(super) use self::tickets::*;
use super::{
    ClaimRequest, CompletionId, Owner, Row, RowKey, Store, Ticket, TicketId, TicketStatus,
};
use crate::time::UnixTime;

/// For stores that need nothing else to live.
#[derive(Debug)]
pub(super) struct Nothing;

/// A new folder that is removed with the value.
#[cfg(feature = "sqlite")]
#[derive(Debug)]
pub(super) struct Folder(pub(super) std::path::PathBuf);

#[cfg(feature = "sqlite")]
impl Folder {
    pub(super) fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-elicit-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

#[cfg(feature = "sqlite")]
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes a test of each function of the suite. `$stores` gives a store, and what must live as long.
macro_rules! for_store {
    ($stores:path) => {
        $crate::store::suite::for_store!($stores:
            rows_are_written_read_and_replaced,
            rows_expire,
            rows_are_removed_by_version,
            rows_are_touched_to_the_minute,
            rows_are_resealed_by_version,
            rows_belong_to_their_owner_alone,
            rows_hold_any_bytes,
            tickets_are_opened_and_expire,
            open_tickets_are_limited_per_owner,
            a_ticket_is_finished_once,
            a_ticket_is_declined,
            a_row_that_is_filled_ends_all_its_tickets,
            an_expired_ticket_cannot_be_finished,
            an_expired_ticket_is_taken_once,
            an_expired_row_is_taken_once,
            one_of_many_finishes_a_ticket,
            one_of_many_gets_the_last_free_ticket,
            the_end_of_a_ticket_wakes_its_waiters,
            the_end_of_a_ticket_wakes_nobody_else,
            waiting_for_an_ended_ticket_does_not_wait,
            many_wait_cheaply,
            one_of_many_wins_a_claim,
            a_claim_gives_its_result_to_the_same_alone,
            a_released_claim_can_be_won_again,
            a_silent_holder_loses_its_claim,
            one_of_many_takes_a_lost_claim,
            a_claim_is_renewed_by_its_holder_alone,
            a_claim_is_settled_by_its_holder_alone,
            claims_are_forgotten,
            claims_are_limited_per_owner,
            blobs_are_kept_and_expire,
            a_completion_is_recorded_once,
            one_of_many_completes,
            a_completion_wakes_its_waiters,
            all_rows_are_walked_through,
            all_sealed_bytes_are_walked_through_and_replaced,
        );
    };
    ($stores:path: $($name:ident),* $(,)?) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $name() {
            let (store, _living) = $stores().await;
            $crate::store::suite::$name(std::sync::Arc::new(store)).await;
        }
    )*};
}
pub(super) use for_store;

pub(super) fn at(seconds: u64) -> UnixTime {
    UnixTime::from_seconds(1_800_000_000 + seconds)
}

fn owner(subject: &str) -> Owner {
    Owner {
        tenant: String::new(),
        issuer: "https://login.example.com".to_owned(),
        subject: subject.to_owned(),
    }
}

pub(super) fn key(subject: &str, credential: &str, name: &str) -> RowKey {
    RowKey {
        owner: owner(subject),
        credential: credential.to_owned(),
        name: name.to_owned(),
    }
}

pub(super) fn row(version: u8) -> Row {
    Row {
        version: [version; 16],
        sealed: vec![version; 100],
        stored: at(0),
        used: None,
        expires: None,
    }
}

pub(super) fn ticket(id: u8, subject: &str) -> Ticket {
    Ticket {
        id: TicketId([id; 16]),
        owner: owner(subject),
        page: "set_api_key".to_owned(),
        form: b"{\"fields\":[]}".to_vec(),
        credential: "billing_key".to_owned(),
        name: "prod".to_owned(),
        created: at(0),
        expires: at(3600),
        status: TicketStatus::Open,
    }
}

pub(super) fn claim(effect: u8, holder: u8) -> ClaimRequest {
    ClaimRequest {
        key: [effect; 32],
        owner: [0; 16],
        most: 1000,
        digest: [5; 16],
        holder: [holder; 16],
        lease: Duration::from_secs(30),
        expires: at(36_000),
        take_lost: false,
    }
}

/// Runs `work` as many times in parallel as the design promises to survive.
async fn race<T, F>(work: impl Fn(u8) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let tasks: Vec<_> = (0..64).map(|n| tokio::spawn(work(n))).collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

pub(super) async fn blobs_are_kept_and_expire(store: Arc<impl Store>) {
    assert_eq!(store.blob([1; 16], at(0)).await.unwrap(), None);
    let large: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    store
        .put_blob([1; 16], large.clone(), at(60))
        .await
        .unwrap();
    store.put_blob([2; 16], Vec::new(), at(60)).await.unwrap();
    assert_eq!(store.blob([1; 16], at(59)).await.unwrap(), Some(large));
    assert_eq!(store.blob([2; 16], at(59)).await.unwrap(), Some(Vec::new()));
    assert_eq!(store.blob([1; 16], at(60)).await.unwrap(), None);
    store.put_blob([1; 16], vec![1], at(90)).await.unwrap();
    assert_eq!(store.blob([1; 16], at(89)).await.unwrap(), Some(vec![1]));
}

/// Fills a store with entries that end, and then writes often enough to sweep them all, leaving
/// one row.
pub(super) async fn fill_and_sweep(store: &impl Store) {
    for n in 0..100 {
        let mut row = row(n);
        row.expires = Some(at(10));
        let name = n.to_string();
        store
            .put_row(&key("ada", "billing_key", &name), row)
            .await
            .unwrap();
        let mut ticket = ticket(n, &name);
        ticket.expires = at(10);
        store.open_ticket(ticket, 9, at(0)).await.unwrap();
        if n % 2 == 0 {
            store
                .finish_ticket(TicketId([n; 16]), None, at(1))
                .await
                .unwrap();
        }
        let mut claim = claim(n, n);
        (claim.expires, claim.owner) = (at(10), [n; 16]);
        store.claim(&claim, at(0)).await.unwrap();
        if n % 2 == 0 {
            store.settle([n; 32], [n; 16], vec![n]).await.unwrap();
        }
        store.put_blob([n; 16], vec![n], at(10)).await.unwrap();
        let completed = store.complete(CompletionId([n; 16]), vec![n], at(10), at(0));
        completed.await.unwrap();
    }
    for _ in 0..200 {
        let mut row = row(1);
        row.stored = at(100);
        store
            .put_row(&key("ada", "billing_key", ""), row)
            .await
            .unwrap();
        store.take_expired(at(100)).await.unwrap();
        store.take_expired_rows(at(100)).await.unwrap();
    }
}
