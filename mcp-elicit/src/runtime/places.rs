//! Places for requests that wait long: not more of them than a server can bear, and not more of one
//! principal or address than leaves room for others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A number of places. `K` is whose they are.
#[derive(Debug)]
pub(crate) struct Places<K> {
    most: usize,
    taken: Mutex<Counts<K>>,
}

#[derive(Debug)]
struct Counts<K> {
    count: usize,
    of: HashMap<K, usize>,
}

/// Which number was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// That of all.
    All,
    /// That of one principal or address.
    OfOne,
}

impl<K: Eq + Hash + Clone> Places<K> {
    pub(crate) fn new(most: usize) -> Self {
        let none = Counts {
            count: 0,
            of: HashMap::new(),
        };
        Self {
            most,
            taken: Mutex::new(none),
        }
    }

    /// A place for one more, of which `whose` may have so many; what is full otherwise. Nobody's is
    /// counted among all alone.
    pub(crate) fn enter(&self, whose: Option<(K, usize)>) -> Result<Place<'_, K>, Full> {
        let mut taken = self.lock();
        if taken.count >= self.most {
            return Err(Full::All);
        }
        if let Some((key, most)) = &whose {
            let of_key = taken.of.get(key).copied().unwrap_or(0);
            if of_key >= *most {
                return Err(Full::OfOne);
            }
            taken.of.insert(key.clone(), of_key + 1);
        }
        taken.count += 1;
        drop(taken);
        Ok(Place {
            places: self,
            key: whose.map(|(key, _)| key),
        })
    }
}

impl<K> Places<K> {
    fn lock(&self) -> MutexGuard<'_, Counts<K>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'p, K: Eq + Hash> {
    places: &'p Places<K>,
    key: Option<K>,
}

impl<K: Eq + Hash> Drop for Place<'_, K> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.count = taken.count.saturating_sub(1);
        let Some(key) = &self.key else {
            return;
        };
        if let Some(of_key) = taken.of.get_mut(key) {
            *of_key = of_key.saturating_sub(1);
            if *of_key == 0 {
                taken.of.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_principal_cannot_take_all_places() {
        let places = Places::new(3);
        let first = places.enter(Some(("ada", 2))).unwrap();
        let _second = places.enter(Some(("ada", 2))).unwrap();
        assert_eq!(places.enter(Some(("ada", 2))).unwrap_err(), Full::OfOne);
        let _third = places.enter(None).unwrap();
        assert_eq!(places.enter(None).unwrap_err(), Full::All);
        drop(first);
        assert!(places.enter(Some(("ada", 2))).is_ok());
        assert_eq!(places.enter(Some(("bob", 0))).unwrap_err(), Full::OfOne);
    }

    #[test]
    fn who_is_gone_is_forgotten() {
        let places = Places::new(10);
        drop([
            places.enter(Some(("ada", 9))),
            places.enter(Some(("ada", 9))),
        ]);
        let taken = places.lock();
        assert_eq!((taken.count, taken.of.len()), (0, 0));
    }
}
