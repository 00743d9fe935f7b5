//! Tickets and those who wait for them.

use std::sync::Arc;
use std::time::Duration;

use super::{at, key, race, row, ticket};
use crate::store::{Finished, Opened, Row, Store, TicketId, TicketStatus};
use crate::time::UnixTime;

pub(in super::super) async fn tickets_are_opened_and_expire(store: Arc<impl Store>) {
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

pub(in super::super) async fn open_tickets_are_limited_per_owner(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_ticket_is_finished_once(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_ticket_is_declined(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_row_that_is_filled_ends_all_its_tickets(store: Arc<impl Store>) {
    let open = async |id, change: fn(&mut crate::store::Ticket)| {
        let mut it = ticket(id, "ada");
        change(&mut it);
        store.open_ticket(it, 9, at(0)).await.unwrap();
    };
    open(1, |_| ()).await;
    open(2, |_| ()).await;
    open(3, |it| it.name.clear()).await;
    open(4, |it| it.credential = "other".to_owned()).await;
    open(5, |it| it.owner.subject = "bob".to_owned()).await;
    open(6, |_| ()).await;
    // A decline is of one page alone.
    let last = TicketId([6; 16]);
    store.finish_ticket(last, None, at(1)).await.unwrap();
    let ids = [TicketId([2; 16])];
    let ada = key("ada", "billing_key", "prod");
    let soon = Duration::from_secs(5);
    let (woken, _) = tokio::join!(
        tokio::time::timeout(soon, store.ticket_ended(&ids)),
        async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let row = Some((&ada, row(1)));
            let id = TicketId([1; 16]);
            store.finish_ticket(id, row, at(1)).await.unwrap();
        }
    );
    woken.unwrap().unwrap();
    for (id, status) in [
        (1, TicketStatus::Done),
        (2, TicketStatus::Done),
        (3, TicketStatus::Open),
        (4, TicketStatus::Open),
        (5, TicketStatus::Open),
        (6, TicketStatus::Declined),
    ] {
        let there = store.ticket(TicketId([id; 16]), at(1)).await.unwrap();
        assert_eq!(there.unwrap().status, status, "{id}");
    }
    let late = store.finish_ticket(ids[0], Some((&ada, row(2))), at(1));
    assert_eq!(late.await.unwrap(), Finished::No);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), Some(row(1)));
}

pub(in super::super) async fn an_expired_ticket_cannot_be_finished(store: Arc<impl Store>) {
    let one = ticket(1, "ada");
    let ada = key("ada", "billing_key", "prod");
    store.open_ticket(one.clone(), 9, at(0)).await.unwrap();
    let row = Some((&ada, row(1)));
    let late = store.finish_ticket(one.id, row, one.expires).await.unwrap();
    assert_eq!(late, Finished::No);
    assert_eq!(store.row(&ada, at(1)).await.unwrap(), None);
}

pub(in super::super) async fn an_expired_ticket_is_taken_once(store: Arc<impl Store>) {
    let (one, two, three) = (ticket(1, "ada"), ticket(2, "bob"), ticket(3, "bob"));
    for ticket in [&one, &two, &three] {
        store.open_ticket(ticket.clone(), 9, at(0)).await.unwrap();
    }
    // What somebody has answered in time has not expired.
    store.finish_ticket(two.id, None, at(1)).await.unwrap();
    assert_eq!(store.take_expired(at(3599)).await.unwrap(), []);
    // Another write of that time may come first.
    let row = row(1);
    let ada = key("ada", "billing_key", "");
    store
        .finish_ticket(two.id, Some((&ada, row)), at(3600))
        .await
        .unwrap();
    let taken = race(|_| {
        let store = Arc::clone(&store);
        async move { store.take_expired(at(3600)).await.unwrap() }
    })
    .await;
    let mut taken = taken.concat();
    taken.sort_by_key(|ticket| ticket.id);
    assert_eq!(taken, [one, three]);
}

pub(in super::super) async fn an_expired_row_is_taken_once(store: Arc<impl Store>) {
    let (ada, bob) = (key("ada", "billing_key", ""), key("bob", "billing_key", ""));
    for (key, expires) in [(&ada, Some(at(10))), (&bob, None)] {
        let row = Row { expires, ..row(1) };
        store.put_row(key, row).await.unwrap();
    }
    assert_eq!(store.take_expired_rows(at(9)).await.unwrap(), []);
    // Another write of that time may come first.
    store.put_row(&bob, row(2)).await.unwrap();
    let taken = race(|_| {
        let store = Arc::clone(&store);
        async move { store.take_expired_rows(at(10)).await.unwrap() }
    })
    .await;
    assert_eq!(taken.concat(), [(ada, at(10))]);
}

pub(in super::super) async fn one_of_many_finishes_a_ticket(store: Arc<impl Store>) {
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

pub(in super::super) async fn one_of_many_gets_the_last_free_ticket(store: Arc<impl Store>) {
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move { store.open_ticket(ticket(n, "ada"), 3, at(0)).await.unwrap() }
    })
    .await;
    let opened = outcomes.iter().filter(|o| **o == Opened::Yes).count();
    assert_eq!(opened, 3);
}

pub(in super::super) async fn the_end_of_a_ticket_wakes_its_waiters(store: Arc<impl Store>) {
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

pub(in super::super) async fn the_end_of_a_ticket_wakes_nobody_else(store: Arc<impl Store>) {
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

pub(in super::super) async fn waiting_for_an_ended_ticket_does_not_wait(store: Arc<impl Store>) {
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

pub(in super::super) async fn many_wait_cheaply(store: Arc<impl Store>) {
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
pub(in super::super) async fn drop_waiters(store: &impl Store) {
    store.open_ticket(ticket(1, "ada"), 9, at(0)).await.unwrap();
    let ids = [TicketId([1; 16]), TicketId([1; 16])];
    drop(store.ticket_ended(&ids));
    for millis in [0, 1, 50] {
        let waiting = store.ticket_ended(&ids);
        let ended = tokio::time::timeout(Duration::from_millis(millis), waiting).await;
        assert!(ended.is_err());
    }
}
