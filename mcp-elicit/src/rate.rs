//! How often somebody may do something: a table of fixed size, whoever and however many come. It
//! uses `time` alone.
//!
//! Each entry holds one number, the time at which all that its owner has done would be paid off
//! (the "generic cell rate algorithm"): a whole minute's worth may come at once, or spread out. An
//! owner who is not in the table has done nothing. When a place is wanted and none is free, the
//! owner who has done least is forgotten.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::time::UnixTime;

/// Places in which one owner may stand.
const WAYS: usize = 4;

/// How many such groups there are: with 16 bytes a place, 64 KiB.
const SETS: u64 = 1024;

/// What may be spent at once, in microseconds.
const MINUTE: u64 = 60_000_000;

/// One limit, and how much of it each owner has used.
pub(crate) struct Rate {
    /// What one costs, in microseconds; zero where there is no limit.
    cost: u64,
    places: Mutex<Vec<[Place; WAYS]>>,
    /// Random, so that nobody can choose whose place they share.
    hasher: RandomState,
}

#[derive(Clone, Copy, Default)]
struct Place {
    owner: u64,
    /// When all is paid off, in microseconds since the epoch.
    paid: u64,
}

impl Rate {
    /// So many in a minute; zero is no limit.
    pub(crate) fn per_minute(most: u32) -> Self {
        let sets = if most == 0 { 0 } else { SETS };
        Self {
            cost: MINUTE.checked_div(u64::from(most)).unwrap_or(0),
            places: Mutex::new((0..sets).map(|_| Default::default()).collect()),
            hasher: RandomState::new(),
        }
    }

    /// Counts one more of `owner`, or says how long it is until there may be one.
    pub(crate) fn count(&self, owner: impl Hash, now: UnixTime) -> Result<(), Duration> {
        let hash = self.hasher.hash_one(owner);
        // Nothing that can panic runs under the lock.
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let set = usize::try_from(hash % SETS).unwrap_or(0);
        let Some(set) = places.get_mut(set) else {
            return Ok(());
        };
        let now = now.as_millis().saturating_mul(1000);
        let known = set.iter_mut().position(|place| place.owner == hash);
        let least = || set.iter().enumerate().min_by_key(|(_, place)| place.paid);
        let index = known.or_else(|| least().map(|(index, _)| index));
        let Some(place) = index.and_then(|index| set.get_mut(index)) else {
            return Ok(());
        };
        // A clock that was set back would make the debt of a moment one of hours.
        let limit = now.saturating_add(MINUTE);
        let before = if known.is_some() { place.paid } else { 0 };
        let before = before.clamp(now, limit);
        let paid = before.saturating_add(self.cost);
        if paid > limit {
            place.paid = before;
            return Err(Duration::from_micros(paid - limit));
        }
        *place = Place { owner: hash, paid };
        Ok(())
    }
}

/// The seconds to put into `Retry-After`: whole ones, and at least one.
pub(crate) fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0 || wait.is_zero())
}

impl std::fmt::Debug for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rate")
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: UnixTime = UnixTime::from_seconds(1_800_000_000);

    fn after(millis: u64) -> UnixTime {
        START.after(Duration::from_millis(millis))
    }

    #[test]
    fn a_minutes_worth_at_once_and_then_one_at_a_time() {
        let rate = Rate::per_minute(60);
        for n in 0..60 {
            assert_eq!(rate.count("ada", START), Ok(()), "{n}");
        }
        assert_eq!(rate.count("ada", START), Err(Duration::from_secs(1)));
        assert_eq!(
            rate.count("ada", after(400)),
            Err(Duration::from_millis(600))
        );
        assert_eq!(rate.count("ada", after(1000)), Ok(()));
        assert!(rate.count("ada", after(1000)).is_err());
        // Somebody else has nothing to do with it.
        assert_eq!(rate.count("bob", after(1000)), Ok(()));
        // After a minute of rest all is as at first, and no more than that.
        for _ in 0..60 {
            assert_eq!(rate.count("ada", after(600_000)), Ok(()));
        }
        assert!(rate.count("ada", after(600_000)).is_err());
    }

    #[test]
    fn no_limit() {
        let rate = Rate::per_minute(0);
        assert!((0..10_000).all(|_| rate.count("ada", START).is_ok()));
        assert_eq!(rate.places.lock().unwrap().len(), 0);
    }

    #[test]
    fn the_table_does_not_grow_and_remembers_who_did_most() {
        let rate = Rate::per_minute(10);
        for _ in 0..10 {
            assert_eq!(rate.count("ada", START), Ok(()));
        }
        for n in 0..100_000 {
            let _ = rate.count(n, after(1));
        }
        assert!(rate.count("ada", after(1)).is_err());
        let places = rate.places.lock().unwrap();
        assert_eq!(places.len() * WAYS, 4096);
        assert_eq!(size_of_val(places.as_slice()), 64 * 1024);
    }

    #[test]
    fn a_clock_that_is_set_back_costs_a_minute_at_most() {
        let rate = Rate::per_minute(1);
        assert_eq!(rate.count("ada", after(86_400_000)), Ok(()));
        let wait = rate.count("ada", START).unwrap_err();
        assert!(wait <= Duration::from_secs(60), "{wait:?}");
        assert_eq!(rate.count("ada", after(60_000)), Ok(()));
    }

    #[test]
    fn seconds_are_whole() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
        }
    }
}
