//! What was completed outside, and the walk over all that is sealed.

use std::sync::Arc;
use std::time::Duration;

use super::{at, claim, key, race, row, ticket};
use crate::store::{CompletionId, SealedKind, Store, TicketId};

const ONE: CompletionId = CompletionId([1; 16]);

pub(in super::super) async fn a_completion_is_recorded_once(store: Arc<impl Store>) {
    assert_eq!(store.completion(ONE, at(0)).await.unwrap(), None);
    let first = store.complete(ONE, vec![1], at(60), at(0)).await.unwrap();
    assert_eq!(first, None);
    let second = store.complete(ONE, vec![2], at(90), at(1)).await.unwrap();
    assert_eq!(second, Some(vec![1]), "what is there stays");
    assert_eq!(store.completion(ONE, at(59)).await.unwrap(), Some(vec![1]));
    assert_eq!(store.completion(ONE, at(60)).await.unwrap(), None);
    let other = CompletionId([2; 16]);
    assert_eq!(store.completion(other, at(0)).await.unwrap(), None);
    // What has expired is as good as absent.
    let third = store.complete(ONE, vec![3], at(90), at(60)).await.unwrap();
    assert_eq!(third, None);
    assert_eq!(store.completion(ONE, at(89)).await.unwrap(), Some(vec![3]));
}

pub(in super::super) async fn one_of_many_completes(store: Arc<impl Store>) {
    let outcomes = race(|n| {
        let store = Arc::clone(&store);
        async move {
            (
                n,
                store.complete(ONE, vec![n], at(60), at(0)).await.unwrap(),
            )
        }
    })
    .await;
    let firsts: Vec<_> = outcomes
        .iter()
        .filter(|(_, there)| there.is_none())
        .collect();
    let [(first, _)] = firsts[..] else {
        panic!("{} were the first", firsts.len());
    };
    let others = outcomes.iter().filter_map(|(_, there)| there.as_ref());
    assert!(others.into_iter().all(|there| *there == [*first]));
}

pub(in super::super) async fn a_completion_wakes_its_waiters(store: Arc<impl Store>) {
    // A ticket of another name, so that those who wait for it are left alone.
    store.open_ticket(ticket(7, "ada"), 9, at(0)).await.unwrap();
    let wait = |ids: Vec<u8>| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let ids: Vec<_> = ids.into_iter().map(|id| CompletionId([id; 16])).collect();
            store.completed(&ids, at(0)).await.unwrap();
        })
    };
    let woken = [wait(vec![1]), wait(vec![2, 1])];
    let others = [wait(vec![2]), wait(vec![])];
    let of_ticket = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.ticket_ended(&[TicketId([7; 16])]).await.unwrap() })
    };
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(woken.iter().all(|it| !it.is_finished()));
    store.complete(ONE, vec![1], at(60), at(0)).await.unwrap();
    let soon = Duration::from_secs(5);
    for it in woken {
        tokio::time::timeout(soon, it).await.unwrap().unwrap();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(others.iter().all(|it| !it.is_finished()) && !of_ticket.is_finished());
    // Who comes late does not wait.
    let ids = [CompletionId([9; 16]), ONE];
    let late = tokio::time::timeout(soon, store.completed(&ids, at(0)));
    late.await.unwrap().unwrap();
    let expired = tokio::time::timeout(Duration::from_millis(50), store.completed(&ids, at(60)));
    assert!(expired.await.is_err());
}

pub(in super::super) async fn all_rows_are_walked_through(store: Arc<impl Store>) {
    let mut keys = Vec::new();
    for subject in ["ada", "bob", "adam"] {
        for name in ["", "prod"] {
            keys.push(key(subject, "billing_key", name));
        }
    }
    keys.push(key("ada", "other", ""));
    let mut tenant = key("ada", "billing_key", "");
    tenant.owner.tenant = "acme".to_owned();
    keys.push(tenant);
    for key in &keys {
        store.put_row(key, row(1)).await.unwrap();
    }
    let mut expired = row(1);
    expired.expires = Some(at(5));
    let gone = key("zoe", "billing_key", "");
    store.put_row(&gone, expired).await.unwrap();
    keys.sort();
    for most in [1, 3, 100] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let rows = store.rows_after(after.as_ref(), most, at(5)).await.unwrap();
            assert!(rows.len() <= most);
            let Some((last, _)) = rows.last() else { break };
            after = Some(last.clone());
            seen.extend(rows.into_iter().map(|(key, _)| key));
        }
        assert_eq!(seen, keys);
    }
}

pub(in super::super) async fn all_sealed_bytes_are_walked_through_and_replaced(
    store: Arc<impl Store>,
) {
    for n in 1..=5 {
        store.claim(&claim(n, n), at(0)).await.unwrap();
        let id = CompletionId([n; 16]);
        store.complete(id, vec![n], at(60), at(0)).await.unwrap();
    }
    // One is still under way and has no result.
    for n in 1..=4 {
        store.settle([n; 32], [n; 16], vec![n]).await.unwrap();
    }
    for (kind, length, count) in [(SealedKind::Effect, 32, 4), (SealedKind::Completed, 16, 5)] {
        let (mut seen, mut after) = (0, Vec::new());
        loop {
            let some = store.sealed_after(kind, &after, 2).await.unwrap();
            let Some((last, _)) = some.last() else { break };
            after.clone_from(last);
            for (id, sealed) in some {
                seen += 1;
                assert_eq!((id, sealed), (vec![seen; length], vec![seen]));
            }
        }
        assert_eq!(seen, count);
        let id = vec![1; length];
        let replace = async |old| store.reseal(kind, &id, vec![old], vec![8]).await.unwrap();
        assert!(!replace(9).await);
        assert!(replace(1).await);
        assert!(!replace(1).await);
        assert!(!store.reseal(kind, &[7; 3], vec![1], vec![8]).await.unwrap());
        let first = store.sealed_after(kind, &[], 1).await.unwrap();
        assert_eq!(first, [(id.clone(), vec![8])]);
    }
    assert_eq!(store.completion(ONE, at(0)).await.unwrap(), Some(vec![8]));
}
