//! What every store must do. Each function tests one thing and is run for each store, see
//! [`for_store`].

use std::sync::Arc;
use std::time::Duration;

use super::{
    Claim, ClaimRequest, Finished, Opened, Owner, Row, RowKey, Store, Ticket, TicketId,
    TicketStatus,
};
use crate::time::UnixTime;

/// For stores that need nothing else to live.
#[derive(Debug)]
pub(super) struct Nothing;

/// A new folder that is removed with the value.
#[derive(Debug)]
pub(super) struct Folder(pub(super) std::path::PathBuf);

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
            an_expired_ticket_cannot_be_finished,
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

pub(super) async fn rows_are_written_read_and_replaced(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), None);
    store.put_row(&ada, row(1)).await.unwrap();
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(row(1)));
    let other = Row {
        used: Some(at(7)),
        expires: Some(at(60)),
        sealed: vec![],
        ..row(2)
    };
    store.put_row(&ada, other.clone()).await.unwrap();
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(other));
    store.put_row(&ada, row(3)).await.unwrap();
    assert_eq!(store.row(&ada, at(100)).await.unwrap(), Some(row(3)));
}

pub(super) async fn rows_expire(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let mut short = row(1);
    short.expires = Some(at(60));
    store.put_row(&ada, short.clone()).await.unwrap();
    assert_eq!(store.row(&ada, at(59)).await.unwrap(), Some(short));
    assert_eq!(store.row(&ada, at(60)).await.unwrap(), None);
    assert!(store.rows(&ada.owner, at(60)).await.unwrap().is_empty());
    assert_eq!(store.rows(&ada.owner, at(59)).await.unwrap().len(), 1);
    let mut endless = row(1);
    endless.expires = Some(UnixTime::from_millis(u64::MAX));
    store.put_row(&ada, endless).await.unwrap();
    assert!(store.row(&ada, at(1 << 30)).await.unwrap().is_some());
}

pub(super) async fn rows_are_removed_by_version(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    assert!(!store.remove_row(&ada, None).await.unwrap());
    store.put_row(&ada, row(1)).await.unwrap();
    assert!(!store.remove_row(&ada, Some([2; 16])).await.unwrap());
    assert!(store.row(&ada, at(0)).await.unwrap().is_some());
    assert!(store.remove_row(&ada, Some([1; 16])).await.unwrap());
    assert!(store.row(&ada, at(0)).await.unwrap().is_none());
    store.put_row(&ada, row(3)).await.unwrap();
    assert!(store.remove_row(&ada, None).await.unwrap());
    assert!(!store.remove_row(&ada, None).await.unwrap());
}

pub(super) async fn rows_are_touched_to_the_minute(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let used = async || store.row(&ada, at(0)).await.unwrap().unwrap().used;
    store.touch_row(&ada, [1; 16], at(1)).await.unwrap();
    store.put_row(&ada, row(1)).await.unwrap();
    store.touch_row(&ada, [2; 16], at(1)).await.unwrap();
    assert_eq!(used().await, None);
    store.touch_row(&ada, [1; 16], at(1)).await.unwrap();
    assert_eq!(used().await, Some(at(1)));
    store.touch_row(&ada, [1; 16], at(60)).await.unwrap();
    assert_eq!(used().await, Some(at(1)));
    store.touch_row(&ada, [1; 16], at(61)).await.unwrap();
    assert_eq!(used().await, Some(at(61)));
}

pub(super) async fn rows_are_resealed_by_version(store: Arc<impl Store>) {
    let ada = key("ada", "billing_key", "");
    let reseal = async |version| {
        let done = store.reseal_row(&ada, [version; 16], vec![9]).await;
        done.unwrap()
    };
    assert!(!reseal(1).await);
    let mut first = row(1);
    (first.used, first.expires) = (Some(at(1)), Some(at(60)));
    store.put_row(&ada, first.clone()).await.unwrap();
    assert!(reseal(1).await);
    first.sealed = vec![9];
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(first));
    store.put_row(&ada, row(2)).await.unwrap();
    assert!(!reseal(1).await);
    assert_eq!(store.row(&ada, at(0)).await.unwrap(), Some(row(2)));
}

pub(super) async fn rows_belong_to_their_owner_alone(store: Arc<impl Store>) {
    let keys = [
        key("ada", "billing_key", ""),
        key("ada", "billing_key", "prod"),
        key("ada", "other", ""),
        key("adam", "billing_key", ""),
    ];
    for (version, key) in (0..).zip(&keys) {
        store.put_row(key, row(version)).await.unwrap();
    }
    let mut tenant = key("ada", "billing_key", "");
    tenant.owner.tenant = "acme".to_owned();
    let mut issuer = key("ada", "billing_key", "");
    issuer.owner.issuer = "https://login.example.org".to_owned();
    for elsewhere in [&tenant, &issuer, &key("a", "billing_key", "")] {
        assert_eq!(store.row(elsewhere, at(0)).await.unwrap(), None);
        assert!(
            store
                .rows(&elsewhere.owner, at(0))
                .await
                .unwrap()
                .is_empty()
        );
        assert!(!store.remove_row(elsewhere, None).await.unwrap());
    }
    store.put_row(&tenant, row(9)).await.unwrap();
    let rows = store.rows(&owner("ada"), at(0)).await.unwrap();
    let listed: Vec<_> = rows
        .iter()
        .map(|(key, row)| (key, row.version[0]))
        .collect();
    assert_eq!(listed, [(&keys[0], 0), (&keys[1], 1), (&keys[2], 2)]);
}

pub(super) async fn rows_hold_any_bytes(store: Arc<impl Store>) {
    let odd = RowKey {
        owner: Owner {
            tenant: "a\0b".to_owned(),
            issuer: "'; drop table vault_row; --".to_owned(),
            subject: "😀%_\\".to_owned(),
        },
        credential: "\n".to_owned(),
        name: "é".to_owned(),
    };
    let mut large = row(1);
    large.sealed = (0..=255).cycle().take(100_000).collect();
    store.put_row(&odd, large.clone()).await.unwrap();
    assert_eq!(
        store.rows(&odd.owner, at(0)).await.unwrap(),
        [(odd.clone(), large)]
    );
    let mut near = odd.clone();
    near.owner.tenant = "a".to_owned();
    assert_eq!(store.row(&near, at(0)).await.unwrap(), None);
}

pub(super) async fn tickets_are_opened_and_expire(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    assert_eq!(store.ticket(one.id, at(0)).await.unwrap(), None);
    let opened = store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    assert_eq!(opened, Opened::Yes);
    assert_eq!(
        store.ticket(one.id, at(3599)).await.unwrap(),
        Some(one.clone())
    );
    assert_eq!(store.ticket(one.id, at(3600)).await.unwrap(), None);
    assert!(
        store.open_ticket(one, 9, at(0)).await.is_err(),
        "the id is taken"
    );
}

pub(super) async fn open_tickets_are_limited_per_owner(store: Arc<impl Store>) {
    let open = async |id, subject, now| {
        let mut ticket = ticket(id, subject);
        ticket.expires = now_after(now, 100);
        store.open_ticket(ticket, 3, now).await.unwrap()
    };
    for id in 1..=3 {
        assert_eq!(open(id, "ada", at(0)).await, Opened::Yes);
    }
    assert_eq!(open(4, "ada", at(0)).await, Opened::TooMany);
    assert_eq!(store.ticket(TicketId([4; 16]), at(0)).await.unwrap(), None);
    assert_eq!(open(5, "bob", at(0)).await, Opened::Yes);
    // What is finished or has expired does not count.
    store
        .finish_ticket(TicketId([1; 16]), None, at(0))
        .await
        .unwrap();
    assert_eq!(open(6, "ada", at(0)).await, Opened::Yes);
    assert_eq!(open(7, "ada", at(0)).await, Opened::TooMany);
    assert_eq!(open(8, "ada", at(100)).await, Opened::Yes);
    assert_eq!(open(9, "ada", at(100)).await, Opened::Yes);
    assert_eq!(open(10, "ada", at(100)).await, Opened::Yes);
    assert_eq!(open(11, "ada", at(100)).await, Opened::TooMany);
}

fn now_after(now: UnixTime, seconds: u64) -> UnixTime {
    now.after(Duration::from_secs(seconds))
}

pub(super) async fn a_ticket_is_finished_once(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    let ada = key("ada", "billing_key", "prod");
    store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    let finish = async |version| {
        let row = Some((&ada, row(version)));
        store.finish_ticket(one.id, row, at(1)).await.unwrap()
    };
    assert_eq!(finish(1).await, Finished::Yes);
    let done = store.ticket(one.id, at(1)).await.unwrap().unwrap();
    assert_eq!(done.status, TicketStatus::Done);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), Some(row(1)));
    assert_eq!(finish(2).await, Finished::No);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), Some(row(1)));
    let declined = store.finish_ticket(one.id, None, at(1)).await.unwrap();
    assert_eq!(declined, Finished::No);
    let unknown = store
        .finish_ticket(TicketId([9; 16]), None, at(1))
        .await
        .unwrap();
    assert_eq!(unknown, Finished::No);
}

pub(super) async fn a_ticket_is_declined(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    let declined = store.finish_ticket(one.id, None, at(1)).await.unwrap();
    assert_eq!(declined, Finished::Yes);
    let there = store.ticket(one.id, at(1)).await.unwrap().unwrap();
    assert_eq!(there.status, TicketStatus::Declined);
    let ada = key("ada", "billing_key", "prod");
    let late = store
        .finish_ticket(one.id, Some((&ada, row(1))), at(1))
        .await
        .unwrap();
    assert_eq!(late, Finished::No);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), None);
}

pub(super) async fn an_expired_ticket_cannot_be_finished(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    let ada = key("ada", "billing_key", "prod");
    store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    let row = Some((&ada, row(1)));
    let late = store.finish_ticket(one.id, row, one.expires).await.unwrap();
    assert_eq!(late, Finished::No);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), None);
}

pub(super) async fn one_of_many_finishes_a_ticket(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move {
            let ada = key("ada", "billing_key", "prod");
            let row = (n % 4 != 0).then(|| (&ada, row(n)));
            (n, store.finish_ticket(one.id, row, at(1)).await.unwrap())
        }
    })
    .await;
    let winners: Vec<_> = outcomes
        .iter()
        .filter(|(_, f)| *f == Finished::Yes)
        .collect();
    let [(winner, _)] = winners[..] else {
        panic!("{} finished it", winners.len());
    };
    let there = store.ticket(one.id, at(1)).await.unwrap().unwrap();
    let stored = store
        .row(&key("ada", "billing_key", "prod"), at(1))
        .await
        .unwrap();
    if winner % 4 == 0 {
        assert_eq!((there.status, stored), (TicketStatus::Declined, None));
    } else {
        assert_eq!(
            (there.status, stored),
            (TicketStatus::Done, Some(row(*winner)))
        );
    }
}

pub(super) async fn one_of_many_gets_the_last_free_ticket(store: Arc<impl Store>) {
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move { store.open_ticket(ticket(n, "ada"), 3, at(0)).await.unwrap() }
    })
    .await;
    let opened = outcomes.iter().filter(|o| **o == Opened::Yes).count();
    assert_eq!(opened, 3);
}

pub(super) async fn the_end_of_a_ticket_wakes_its_waiters(store: Arc<impl Store>) {
    for id in 1..=3 {
        store
            .open_ticket(ticket(id, "ada"), 9, at(0))
            .await
            .unwrap();
    }
    let waiters: Vec<_> = [vec![1], vec![1], vec![2, 1], vec![1, 3], vec![2]]
        .into_iter()
        .map(|ids| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let ids: Vec<_> = ids.into_iter().map(|id| TicketId([id; 16])).collect();
                store.ticket_ended(&ids).await.unwrap();
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(waiters.iter().all(|waiter| !waiter.is_finished()));
    store
        .finish_ticket(TicketId([1; 16]), None, at(1))
        .await
        .unwrap();
    let mut waiters = waiters.into_iter();
    for waiter in waiters.by_ref().take(4) {
        let woken = tokio::time::timeout(Duration::from_secs(5), waiter).await;
        woken.unwrap().unwrap();
    }
    let last = waiters.next().unwrap();
    assert!(!last.is_finished());
    store
        .finish_ticket(TicketId([2; 16]), None, at(1))
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(5), last)
        .await
        .unwrap()
        .unwrap();
}

pub(super) async fn the_end_of_a_ticket_wakes_nobody_else(store: Arc<impl Store>) {
    for id in 1..=2 {
        store
            .open_ticket(ticket(id, "ada"), 9, at(0))
            .await
            .unwrap();
    }
    let ids = [TicketId([2; 16])];
    let wait =
        |millis| tokio::time::timeout(Duration::from_millis(millis), store.ticket_ended(&ids));
    let (ended, _) = tokio::join!(wait(400), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        store
            .finish_ticket(TicketId([1; 16]), None, at(1))
            .await
            .unwrap();
        store.put_row(&key("ada", "x", ""), row(1)).await.unwrap();
    });
    assert!(ended.is_err());
    let nothing = tokio::time::timeout(Duration::from_millis(50), store.ticket_ended(&[])).await;
    assert!(nothing.is_err());
}

pub(super) async fn waiting_for_an_ended_ticket_does_not_wait(store: Arc<impl Store>) {
    for id in 1..=2 {
        store
            .open_ticket(ticket(id, "ada"), 9, at(0))
            .await
            .unwrap();
    }
    store
        .finish_ticket(TicketId([2; 16]), None, at(1))
        .await
        .unwrap();
    let soon = Duration::from_secs(5);
    for ids in [[1, 2], [1, 77]] {
        let ids = ids.map(|id| TicketId([id; 16]));
        tokio::time::timeout(soon, store.ticket_ended(&ids))
            .await
            .unwrap()
            .unwrap();
    }
}

pub(super) async fn many_wait_cheaply(store: Arc<impl Store>) {
    const MANY: u16 = 10_000;
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    let (done, mut all) = tokio::sync::mpsc::channel(usize::from(MANY));
    for _ in 0..MANY {
        let (store, done) = (Arc::clone(&store), done.clone());
        tokio::spawn(async move {
            store.ticket_ended(&[TicketId([1; 16])]).await.unwrap();
            done.send(()).await.unwrap();
        });
    }
    drop(done);
    tokio::time::sleep(Duration::from_millis(300)).await;
    store
        .finish_ticket(TicketId([1; 16]), None, at(1))
        .await
        .unwrap();
    let mut woken = 0;
    while tokio::time::timeout(Duration::from_secs(20), all.recv())
        .await
        .unwrap()
        .is_some()
    {
        woken += 1;
    }
    assert_eq!(woken, MANY);
}

/// Waits and gives up, before the first poll, while the ticket is looked up, and after that.
pub(super) async fn drop_waiters(store: &impl Store) {
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    let ids = [TicketId([1; 16]), TicketId([1; 16])];
    drop(store.ticket_ended(&ids));
    for millis in [0, 1, 50] {
        let waiting = store.ticket_ended(&ids);
        let ended = tokio::time::timeout(Duration::from_millis(millis), waiting).await;
        assert!(ended.is_err());
    }
}

pub(super) async fn one_of_many_wins_a_claim(store: Arc<impl Store>) {
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move { store.claim(&claim(1, n), at(0)).await.unwrap() }
    })
    .await;
    let won = outcomes.iter().filter(|c| **c == Claim::Won).count();
    let until = at(30);
    let running = outcomes
        .iter()
        .filter(|c| **c == Claim::Running { until })
        .count();
    assert_eq!((won, running), (1, 63));
}

pub(super) async fn a_claim_gives_its_result_to_the_same_alone(store: Arc<impl Store>) {
    let mut other = claim(1, 2);
    other.digest = [6; 16];
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    assert_eq!(store.claim(&other, at(0)).await.unwrap(), Claim::Other);
    assert!(
        store
            .settle([1; 32], [1; 16], b"paid".to_vec())
            .await
            .unwrap()
    );
    let done = Claim::Done(b"paid".to_vec());
    assert_eq!(store.claim(&claim(1, 3), at(1)).await.unwrap(), done);
    assert_eq!(store.claim(&claim(1, 3), at(35_000)).await.unwrap(), done);
    assert_eq!(store.claim(&other, at(1)).await.unwrap(), Claim::Other);
    assert_eq!(store.claim(&claim(2, 3), at(1)).await.unwrap(), Claim::Won);
    assert!(store.settle([2; 32], [3; 16], Vec::new()).await.unwrap());
    let empty = Claim::Done(Vec::new());
    assert_eq!(store.claim(&claim(2, 3), at(1)).await.unwrap(), empty);
}

pub(super) async fn a_released_claim_can_be_won_again(store: Arc<impl Store>) {
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    store.release([1; 32], [2; 16]).await.unwrap();
    let until = at(30);
    assert_eq!(
        store.claim(&claim(1, 2), at(0)).await.unwrap(),
        Claim::Running { until }
    );
    store.release([1; 32], [1; 16]).await.unwrap();
    // Nothing happened, so other answers are welcome too.
    let mut other = claim(1, 3);
    other.digest = [6; 16];
    assert_eq!(store.claim(&other, at(0)).await.unwrap(), Claim::Won);
    assert!(store.settle([1; 32], [3; 16], vec![1]).await.unwrap());
    store.release([1; 32], [3; 16]).await.unwrap();
    assert_eq!(
        store.claim(&other, at(0)).await.unwrap(),
        Claim::Done(vec![1])
    );
}

pub(super) async fn a_silent_holder_loses_its_claim(store: Arc<impl Store>) {
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    let until = at(30);
    let again = store.claim(&claim(1, 2), at(29)).await.unwrap();
    assert_eq!(again, Claim::Running { until });
    assert_eq!(
        store.claim(&claim(1, 2), at(30)).await.unwrap(),
        Claim::Lost
    );
    assert_eq!(
        store.claim(&claim(1, 2), at(3000)).await.unwrap(),
        Claim::Lost
    );
    let mut other = claim(1, 2);
    (other.digest, other.take_lost) = ([6; 16], true);
    assert_eq!(store.claim(&other, at(30)).await.unwrap(), Claim::Other);
    let mut taker = claim(1, 2);
    taker.take_lost = true;
    let alive = store.claim(&taker, at(29)).await.unwrap();
    assert_eq!(alive, Claim::Running { until });
    assert_eq!(store.claim(&taker, at(30)).await.unwrap(), Claim::Won);
    // The one who was silent has no say any more.
    assert!(!store.settle([1; 32], [1; 16], vec![1]).await.unwrap());
    let lease = Duration::from_secs(30);
    assert!(!store.renew([1; 32], [1; 16], lease, at(31)).await.unwrap());
    store.release([1; 32], [1; 16]).await.unwrap();
    assert!(store.settle([1; 32], [2; 16], vec![2]).await.unwrap());
}

pub(super) async fn one_of_many_takes_a_lost_claim(store: Arc<impl Store>) {
    assert_eq!(store.claim(&claim(1, 99), at(0)).await.unwrap(), Claim::Won);
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move {
            let mut taker = claim(1, n);
            taker.take_lost = true;
            store.claim(&taker, at(30)).await.unwrap()
        }
    })
    .await;
    assert_eq!(outcomes.iter().filter(|c| **c == Claim::Won).count(), 1);
}

pub(super) async fn a_claim_is_renewed_by_its_holder_alone(store: Arc<impl Store>) {
    let lease = Duration::from_secs(30);
    assert!(!store.renew([1; 32], [1; 16], lease, at(0)).await.unwrap());
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    assert!(!store.renew([1; 32], [2; 16], lease, at(20)).await.unwrap());
    assert!(store.renew([1; 32], [1; 16], lease, at(20)).await.unwrap());
    let until = at(50);
    let again = store.claim(&claim(1, 2), at(49)).await.unwrap();
    assert_eq!(again, Claim::Running { until });
    // Late, but nobody has taken it.
    assert!(store.renew([1; 32], [1; 16], lease, at(55)).await.unwrap());
    assert!(store.settle([1; 32], [1; 16], vec![1]).await.unwrap());
    assert!(!store.renew([1; 32], [1; 16], lease, at(56)).await.unwrap());
}

pub(super) async fn a_claim_is_settled_by_its_holder_alone(store: Arc<impl Store>) {
    assert!(!store.settle([1; 32], [1; 16], vec![1]).await.unwrap());
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    assert!(!store.settle([1; 32], [2; 16], vec![2]).await.unwrap());
    assert!(store.settle([1; 32], [1; 16], vec![1]).await.unwrap());
    assert!(
        !store.settle([1; 32], [1; 16], vec![3]).await.unwrap(),
        "once is enough"
    );
    let again = store.claim(&claim(1, 4), at(0)).await.unwrap();
    assert_eq!(again, Claim::Done(vec![1]));
}

pub(super) async fn claims_are_forgotten(store: Arc<impl Store>) {
    let mut short = claim(1, 1);
    short.expires = at(10);
    assert_eq!(store.claim(&short, at(0)).await.unwrap(), Claim::Won);
    // As long as its holder is alive, an effect is not done twice.
    let until = at(30);
    for now in [10, 11, 29] {
        // Other writes come by and clean up.
        store
            .open_ticket(ticket(now as u8, "ada"), 9, at(now))
            .await
            .unwrap();
        let again = store.claim(&short, at(now)).await.unwrap();
        assert_eq!(again, Claim::Running { until });
    }
    short.expires = at(100);
    assert_eq!(store.claim(&short, at(30)).await.unwrap(), Claim::Won);
    assert!(store.settle([1; 32], [1; 16], vec![1]).await.unwrap());
    let done = store.claim(&short, at(99)).await.unwrap();
    assert_eq!(done, Claim::Done(vec![1]));
    let mut other = claim(1, 1);
    other.digest = [6; 16];
    assert_eq!(store.claim(&other, at(100)).await.unwrap(), Claim::Won);
}

pub(super) async fn claims_are_limited_per_owner(store: Arc<impl Store>) {
    let try_claim = async |effect, owner, now| {
        let mut claim = claim(effect, 1);
        (claim.owner, claim.most, claim.expires) = ([owner; 16], 20, at(100));
        store.claim(&claim, now).await.unwrap()
    };
    for effect in 0..20 {
        assert_eq!(try_claim(effect, 1, at(0)).await, Claim::Won);
    }
    assert_eq!(try_claim(100, 1, at(0)).await, Claim::TooMany);
    assert_eq!(try_claim(100, 2, at(0)).await, Claim::Won);
    // What is there is found, also when it is one too many.
    let until = at(30);
    assert_eq!(try_claim(5, 1, at(1)).await, Claim::Running { until });
    store.settle([5; 32], [1; 16], vec![1]).await.unwrap();
    assert_eq!(try_claim(101, 1, at(1)).await, Claim::TooMany);
    store.release([6; 32], [1; 16]).await.unwrap();
    assert_eq!(try_claim(101, 1, at(1)).await, Claim::Won);
    assert_eq!(try_claim(102, 1, at(1)).await, Claim::TooMany);
    // All are over.
    assert_eq!(try_claim(102, 1, at(100)).await, Claim::Won);
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
    }
    for _ in 0..200 {
        let mut row = row(1);
        row.stored = at(100);
        store
            .put_row(&key("ada", "billing_key", ""), row)
            .await
            .unwrap();
    }
}
