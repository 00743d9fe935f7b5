//! A retry that comes before its page is finished is held for a while.
//!
//! Clients loop: an answer at once would burn their rounds in a second. A held retry costs a timer
//! and an entry in the store's list of who waits.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::run::Run;
use super::state::Waited;
use crate::observe::{Held, Holding, Limit, Value as _};
use crate::store::{Owner, StoreError};
use crate::time::UnixTime;

/// The retries that are held: not more than a server can bear, and not more of one principal than
/// leaves room for others.
#[derive(Debug)]
pub(crate) struct Holds {
    most: usize,
    most_of_one: usize,
    held: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    count: usize,
    of: HashMap<Owner, usize>,
}

impl Holds {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            most,
            most_of_one,
            held: Mutex::default(),
        }
    }

    /// A place for one more; what is full otherwise.
    fn enter(&self, owner: Owner) -> Result<Place<'_>, Limit> {
        let mut held = self.lock();
        if held.count >= self.most {
            return Err(Limit::Held);
        }
        let of_owner = held.of.get(&owner).copied().unwrap_or(0);
        if of_owner >= self.most_of_one {
            return Err(Limit::HeldByOne);
        }
        held.count += 1;
        held.of.insert(owner.clone(), of_owner + 1);
        Ok(Place { holds: self, owner })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one retry, until it is dropped.
#[derive(Debug)]
struct Place<'h> {
    holds: &'h Holds,
    owner: Owner,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut held = self.holds.lock();
        held.count = held.count.saturating_sub(1);
        if let Some(of_owner) = held.of.get_mut(&self.owner) {
            *of_owner = of_owner.saturating_sub(1);
            if *of_owner == 0 {
                held.of.remove(&self.owner);
            }
        }
    }
}

/// Waits until one of the pages that the run waits for has ended, or for as long as the limit says:
/// the user may have given the same credential on the page of another run. False where there is
/// nothing to look for anew: nothing was waited for, or the server shuts down.
pub(crate) async fn hold(run: &Run) -> bool {
    let services = &run.services;
    let now = run.now();
    let (mut tickets, mut completions) = (Vec::new(), Vec::new());
    let ends = {
        let state = run.state();
        for open in state.waiting() {
            match open.page.filter(|page| page.accepted).map(|p| p.waited) {
                Some(Waited::Ticket(id)) => tickets.push(id),
                Some(Waited::Completion(id)) => completions.push(id),
                None => return false,
            }
        }
        // The time of the run or of a page may end before the wait would.
        let own = state.waiting().filter_map(|open| open.ends(now));
        own.fold(state.deadline, UnixTime::min)
    };
    let nothing = tickets.is_empty() && completions.is_empty();
    if nothing || services.limits.hold.is_zero() {
        return false;
    }
    let _place = match services.holds.enter(run.owner()) {
        Ok(place) => place,
        Err(limit) => {
            Holding::none_free(limit);
            tracing::warn!(
                "more retries wait for pages than the limit `{}` allows",
                limit.text()
            );
            return false;
        }
    };
    let mut holding = Holding::begin();
    let mut closing = services.closing.subscribe();
    let found = |ended: Result<(), StoreError>| match ended {
        Ok(()) => (Held::Finished, true),
        Err(e) => {
            tracing::error!("{e}");
            (Held::Failed, false)
        }
    };
    // Of what there is none, there is no end either.
    let (how, again) = tokio::select! {
        ended = services.store.ticket_ended(&tickets), if !tickets.is_empty() => found(ended),
        ended = services.store.completed(&completions, now), if !completions.is_empty() => found(ended),
        () = tokio::time::sleep(services.limits.hold.min(ends.since(now))) => (Held::Timeout, true),
        _ = closing.wait_for(|closing| *closing) => (Held::Shutdown, false),
    };
    holding.ended(how);
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(subject: &str) -> Owner {
        Owner {
            tenant: String::new(),
            issuer: "dev".into(),
            subject: subject.into(),
        }
    }

    #[test]
    fn one_principal_cannot_take_all_places() {
        let holds = Holds::new(3, 2);
        let first = holds.enter(owner("ada")).unwrap();
        let _second = holds.enter(owner("ada")).unwrap();
        assert_eq!(holds.enter(owner("ada")).unwrap_err(), Limit::HeldByOne);
        let _third = holds.enter(owner("bob")).unwrap();
        assert_eq!(holds.enter(owner("carl")).unwrap_err(), Limit::Held);
        drop(first);
        assert!(holds.enter(owner("ada")).is_ok());
    }

    #[test]
    fn who_is_gone_is_forgotten() {
        let holds = Holds::new(10, 10);
        drop([holds.enter(owner("ada")), holds.enter(owner("ada"))]);
        let held = holds.lock();
        assert_eq!((held.count, held.of.len()), (0, 0));
    }
}
