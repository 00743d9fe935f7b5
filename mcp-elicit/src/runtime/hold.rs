//! A retry that comes before its page is finished is held for a while.
//!
//! Clients loop: an answer at once would burn their rounds in a second. A held retry costs a timer
//! and an entry in the store's list of who waits.

use super::run::Run;
use super::state::Waited;
use crate::store::StoreError;
use crate::time::UnixTime;

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
    let Ok(_place) = services.holds.try_acquire() else {
        tracing::warn!("more retries wait for pages than the limit `held` allows");
        return false;
    };
    let mut closing = services.closing.subscribe();
    let found = |ended: Result<(), StoreError>| {
        if let Err(e) = &ended {
            tracing::error!("{e}");
        }
        ended.is_ok()
    };
    // Of what there is none, there is no end either.
    tokio::select! {
        ended = services.store.ticket_ended(&tickets), if !tickets.is_empty() => found(ended),
        ended = services.store.completed(&completions, now), if !completions.is_empty() => found(ended),
        () = tokio::time::sleep(services.limits.hold.min(ends.since(now))) => true,
        _ = closing.wait_for(|closing| *closing) => false,
    }
}
