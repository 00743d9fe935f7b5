//! Places for requests that wait long: not more of them than a server can bear, and not more of one
//! principal than leaves room for others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::store::Owner;

/// A number of places.
#[derive(Debug)]
pub(crate) struct Places {
    most: usize,
    most_of_one: usize,
    taken: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    count: usize,
    of: HashMap<Owner, usize>,
}

/// Which number was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// That of all.
    All,
    /// That of one principal.
    OfOne,
}

impl Places {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            most,
            most_of_one,
            taken: Mutex::default(),
        }
    }

    /// A place for one more; what is full otherwise. Nobody's is counted among all alone.
    pub(crate) fn enter(&self, owner: Option<Owner>) -> Result<Place<'_>, Full> {
        let mut taken = self.lock();
        if taken.count >= self.most {
            return Err(Full::All);
        }
        if let Some(owner) = &owner {
            let of_owner = taken.of.get(owner).copied().unwrap_or(0);
            if of_owner >= self.most_of_one {
                return Err(Full::OfOne);
            }
            taken.of.insert(owner.clone(), of_owner + 1);
        }
        taken.count += 1;
        drop(taken);
        Ok(Place {
            places: self,
            owner,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'p> {
    places: &'p Places,
    owner: Option<Owner>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.count = taken.count.saturating_sub(1);
        let Some(owner) = &self.owner else {
            return;
        };
        if let Some(of_owner) = taken.of.get_mut(owner) {
            *of_owner = of_owner.saturating_sub(1);
            if *of_owner == 0 {
                taken.of.remove(owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(subject: &str) -> Option<Owner> {
        Some(Owner {
            tenant: String::new(),
            issuer: "dev".into(),
            subject: subject.into(),
        })
    }

    #[test]
    fn one_principal_cannot_take_all_places() {
        let places = Places::new(3, 2);
        let first = places.enter(owner("ada")).unwrap();
        let _second = places.enter(owner("ada")).unwrap();
        assert_eq!(places.enter(owner("ada")).unwrap_err(), Full::OfOne);
        let _third = places.enter(None).unwrap();
        assert_eq!(places.enter(None).unwrap_err(), Full::All);
        drop(first);
        assert!(places.enter(owner("ada")).is_ok());
    }

    #[test]
    fn who_is_gone_is_forgotten() {
        let places = Places::new(10, 10);
        drop([places.enter(owner("ada")), places.enter(owner("ada"))]);
        let taken = places.lock();
        assert_eq!((taken.count, taken.of.len()), (0, 0));
    }
}
