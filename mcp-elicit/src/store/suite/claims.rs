//! Claims.

use std::sync::Arc;
use std::time::Duration;

use super::{at, claim, race, ticket};
use crate::store::{Claim, Store};

pub(in super::super) async fn one_of_many_wins_a_claim(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_claim_gives_its_result_to_the_same_alone(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_released_claim_can_be_won_again(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_silent_holder_loses_its_claim(store: Arc<impl Store>) {
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

pub(in super::super) async fn one_of_many_takes_a_lost_claim(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_claim_is_renewed_by_its_holder_alone(store: Arc<impl Store>) {
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

pub(in super::super) async fn a_claim_is_settled_by_its_holder_alone(store: Arc<impl Store>) {
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

pub(in super::super) async fn claims_are_forgotten(store: Arc<impl Store>) {
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

pub(in super::super) async fn claims_are_limited_per_owner(store: Arc<impl Store>) {
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
