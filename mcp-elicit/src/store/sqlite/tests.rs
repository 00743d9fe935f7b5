//! The suite on one file, and what several processes on one file must do. Two stores on one file
//! know as little of each other as two processes do: they share nothing but the file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::SqliteStore;
use crate::store::suite::{self, Folder, at, claim, key, row, ticket};
use crate::store::{Claim, CompletionId, Finished, Opened, Store as _, TicketId};

async fn stores() -> (SqliteStore, Folder) {
    let folder = Folder::new();
    (open(&folder).await, folder)
}

async fn open(folder: &Folder) -> SqliteStore {
    SqliteStore::open(folder.0.join("store.sqlite"))
        .await
        .unwrap()
}

suite::for_store!(stores);

/// Stores on one file, taken in turn.
async fn several(folder: &Folder) -> Vec<Arc<SqliteStore>> {
    let mut stores = Vec::new();
    for _ in 0..4 {
        stores.push(Arc::new(open(folder).await));
    }
    stores
}

async fn race<T, F>(stores: &[Arc<SqliteStore>], work: impl Fn(u8, Arc<SqliteStore>) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let tasks: Vec<_> = (0..64)
        .map(|n| tokio::spawn(work(n, Arc::clone(&stores[usize::from(n) % stores.len()]))))
        .collect();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    outcomes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_processes_wins_a_claim() {
    let folder = Folder::new();
    let stores = several(&folder).await;
    let outcomes = race(&stores, async |n, store: Arc<SqliteStore>| {
        store.claim(&claim(1, n), at(0)).await.unwrap()
    })
    .await;
    assert_eq!(outcomes.iter().filter(|c| **c == Claim::Won).count(), 1);
    let holder = outcomes.iter().position(|c| *c == Claim::Won).unwrap() as u8;
    let settled = stores[0].settle([1; 32], [holder; 16], vec![holder]).await;
    assert!(settled.unwrap());
    let outcomes = race(&stores, async |n, store: Arc<SqliteStore>| {
        store.claim(&claim(1, n), at(0)).await.unwrap()
    })
    .await;
    assert!(outcomes.iter().all(|c| *c == Claim::Done(vec![holder])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_of_many_processes_finishes_a_ticket() {
    let folder = Folder::new();
    let stores = several(&folder).await;
    let opened = stores[0].open_ticket(ticket(1, "ada"), 9, at(0)).await;
    assert_eq!(opened.unwrap(), Opened::Yes);
    let outcomes = race(&stores, async |n, store: Arc<SqliteStore>| {
        let ada = key("ada", "billing_key", "prod");
        let row = Some((&ada, row(n)));
        let id = TicketId([1; 16]);
        (n, store.finish_ticket(id, row, at(1)).await.unwrap())
    })
    .await;
    let mut winners = outcomes.iter().filter(|(_, f)| *f == Finished::Yes);
    let (winner, _) = winners.next().unwrap();
    assert_eq!(winners.next(), None);
    let stored = stores[1]
        .row(&key("ada", "billing_key", "prod"), at(1))
        .await;
    assert_eq!(stored.unwrap(), Some(row(*winner)));
}

/// Of an end in this process the task need not tell.
#[tokio::test]
async fn an_end_in_this_process_wakes_at_once() {
    let (store, _folder) = stores().await;
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    let ids = [TicketId([1; 16])];
    let waiter = store.db.waiters.join(&ids);
    store.finish_ticket(ids[0], None, at(1)).await.unwrap();
    waiter.woken().await;
    assert!(!*super::lock(&store.db.is_watching));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_end_of_a_ticket_wakes_other_processes() {
    let folder = Folder::new();
    let (here, there) = (open(&folder).await, open(&folder).await);
    for round in 1..=3 {
        here.open_ticket(ticket(round, "ada"), 9, at(0))
            .await
            .unwrap();
        let ids = [TicketId([round; 16])];
        let (waited, ended) = tokio::join!(
            async {
                tokio::time::timeout(Duration::from_secs(10), here.ticket_ended(&ids))
                    .await
                    .unwrap()
                    .unwrap();
                Instant::now()
            },
            async {
                tokio::time::sleep(Duration::from_millis(80 * u64::from(round))).await;
                there.finish_ticket(ids[0], None, at(1)).await.unwrap();
                Instant::now()
            }
        );
        let late = waited.saturating_duration_since(ended);
        assert!(late < Duration::from_millis(1000), "woken {late:?} late");
        // Between two rounds the task comes to rest.
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!*super::lock(&here.db.is_watching));
        assert!(here.db.waiters.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_completion_wakes_other_processes() {
    let folder = Folder::new();
    let (here, there) = (open(&folder).await, open(&folder).await);
    let ids = [CompletionId([1; 16])];
    let (waited, completed) = tokio::join!(
        async {
            tokio::time::timeout(Duration::from_secs(10), here.completed(&ids, at(0)))
                .await
                .unwrap()
                .unwrap();
            Instant::now()
        },
        async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let first = there.complete(ids[0], vec![1], at(60), at(0)).await;
            assert_eq!(first.unwrap(), None);
            Instant::now()
        }
    );
    let late = waited.saturating_duration_since(completed);
    assert!(late < Duration::from_millis(1000), "woken {late:?} late");
    assert_eq!(here.completion(ids[0], at(0)).await.unwrap(), Some(vec![1]));
}

/// While nobody waits, no end may be forgotten either.
#[tokio::test]
async fn an_end_between_two_waits_is_seen() {
    let folder = Folder::new();
    let (here, there) = (open(&folder).await, open(&folder).await);
    for id in 1..=2 {
        here.open_ticket(ticket(id, "ada"), 9, at(0)).await.unwrap();
    }
    there
        .finish_ticket(TicketId([1; 16]), None, at(1))
        .await
        .unwrap();
    here.ticket_ended(&[TicketId([1; 16])]).await.unwrap();
    let ids = [TicketId([2; 16])];
    let short = tokio::time::timeout(Duration::from_millis(20), here.ticket_ended(&ids)).await;
    assert!(short.is_err());
    there
        .finish_ticket(TicketId([2; 16]), None, at(1))
        .await
        .unwrap();
    here.ticket_ended(&ids).await.unwrap();
}

/// A waiter whose task was dropped by its runtime must not keep the next one from being woken.
#[test]
fn the_task_is_started_anew_after_its_runtime_is_gone() {
    let folder = Folder::new();
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let ids = [TicketId([1; 16])];
    let (here, there) = runtime().block_on(async { (open(&folder).await, open(&folder).await) });
    runtime().block_on(async {
        here.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
        let short = tokio::time::timeout(Duration::from_millis(20), here.ticket_ended(&ids)).await;
        assert!(short.is_err());
    });
    runtime().block_on(async {
        let (waited, finished) = tokio::join!(
            tokio::time::timeout(Duration::from_secs(10), here.ticket_ended(&ids)),
            async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                there.finish_ticket(ids[0], None, at(1)).await.unwrap()
            }
        );
        waited.unwrap().unwrap();
        assert_eq!(finished, Finished::Yes);
    });
}

#[tokio::test]
async fn all_is_there_after_a_restart() {
    let folder = Folder::new();
    let ada = key("ada", "billing_key", "");
    let store = open(&folder).await;
    store.put_row(&ada, row(1)).await.unwrap();
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    assert_eq!(store.claim(&claim(1, 1), at(0)).await.unwrap(), Claim::Won);
    store.put_blob([1; 16], vec![1], at(60)).await.unwrap();
    drop(store);
    let store = open(&folder).await;
    assert!(!store.is_process_local());
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), Some(row(1)));
    let found = store.ticket(TicketId([1; 16]), at(1)).await.unwrap();
    assert_eq!(found, Some(ticket(1, "ada")));
    assert_eq!(
        store.claim(&claim(1, 2), at(30)).await.unwrap(),
        Claim::Lost
    );
    assert_eq!(store.blob([1; 16], at(1)).await.unwrap(), Some(vec![1]));
}

/// A write either happens wholly or not at all, wherever its future is dropped.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dropped_write_is_whole_or_nothing() {
    let folder = Folder::new();
    let store = open(&folder).await;
    for n in 0..60 {
        store
            .open_ticket(ticket(n, "ada"), 99, at(0))
            .await
            .unwrap();
        let name = n.to_string();
        let ada = key("ada", "billing_key", &name);
        let finish = store.finish_ticket(TicketId([n; 16]), Some((&ada, row(n))), at(1));
        let _ = tokio::time::timeout(Duration::from_micros(u64::from(n) * 20), finish).await;
        // Whoever comes next waits for the writes before.
        let next = store
            .finish_ticket(TicketId([n; 16]), None, at(1))
            .await
            .unwrap();
        let stored = store.row(&ada, at(1)).await.unwrap();
        match next {
            Finished::Yes => assert_eq!(stored, None),
            Finished::No => assert_eq!(stored, Some(row(n))),
        }
    }
}

#[tokio::test]
async fn a_dropped_waiter_leaves_nothing() {
    let (store, _folder) = stores().await;
    suite::drop_waiters(&store).await;
    assert!(store.db.waiters.is_empty());
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert!(!*super::lock(&store.db.is_watching));
}

#[tokio::test]
async fn nothing_stays_of_what_is_over() {
    let (store, _folder) = stores().await;
    suite::fill_and_sweep(&store).await;
    let writer = super::lock(&store.db.writer);
    let count = |table: &str| -> i64 {
        let count = format!("SELECT count(*) FROM {table}");
        writer.query_row(&count, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count("vault_row"), 1);
    for table in ["ticket", "ended", "claim", "blob"] {
        assert_eq!(count(table), 0, "{table}");
    }
}

#[tokio::test]
async fn debug_shows_the_path_alone() {
    let (store, folder) = stores().await;
    store.put_row(&key("ada", "k", ""), row(1)).await.unwrap();
    let path = folder.0.join("store.sqlite");
    assert_eq!(
        format!("{store:?}"),
        format!("SqliteStore {{ path: {path:?}, .. }}")
    );
}

const FOLDER: &str = "MCP_ELICIT_TEST_FOLDER";

/// What the processes of the next test do; by itself it does nothing.
#[tokio::test]
async fn as_another_process() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let me = std::process::id().to_be_bytes()[3];
    let store = SqliteStore::open(folder.join("store.sqlite"))
        .await
        .unwrap();
    let mut won = Vec::new();
    for effect in 0..100 {
        if store.claim(&claim(effect, me), at(0)).await.unwrap() == Claim::Won {
            won.push(effect);
        }
    }
    std::fs::write(folder.join(format!("won-{}", std::process::id())), won).unwrap();
    let ada = key("ada", "billing_key", "prod");
    let row = Some((&ada, row(me)));
    store
        .finish_ticket(TicketId([1; 16]), row, at(1))
        .await
        .unwrap();
    // No farewell: nothing is closed, and the claims are left behind.
    std::process::abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_processes_share_a_file_and_may_crash() {
    let folder = Folder::new();
    let store = open(&folder).await;
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    let mut children: Vec<_> = (0..4)
        .map(|_| {
            std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "store::sqlite::tests::as_another_process"])
                .env(FOLDER, &folder.0)
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let ids = [TicketId([1; 16])];
    tokio::time::timeout(Duration::from_secs(60), store.ticket_ended(&ids))
        .await
        .unwrap()
        .unwrap();
    let ada = key("ada", "billing_key", "prod");
    assert!(store.row(&ada, at(1)).await.unwrap().is_some());
    for child in &mut children {
        child.wait().unwrap();
    }
    let mut won: Vec<u8> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("won-")
        })
        .flat_map(|path| std::fs::read(path).unwrap())
        .collect();
    won.sort_unstable();
    assert_eq!(won, (0..100).collect::<Vec<u8>>());
    let left = store.claim(&claim(7, 0), at(30)).await.unwrap();
    assert_eq!(left, Claim::Lost);
}
