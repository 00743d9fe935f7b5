//! A retry that comes before its page is finished is held for a while.
//!
//! Clients loop: an answer at once would burn their rounds in a second. A held retry costs a timer
//! and an entry in the store's list of who waits.

use super::run::Run;
use crate::time::UnixTime;

/// Waits until one of the pages that the run waits for has ended, or for as long as the limit says:
/// the user may have given the same credential on the page of another run. False where there is
/// nothing to look for anew: nothing was waited for, or the server shuts down.
pub(crate) async fn hold(run: &Run) -> bool {
    let services = &run.services;
    let now = run.now();
    let (tickets, ends): (Vec<_>, _) = {
        let state = run.state();
        let pages = state
            .waiting()
            .map(|o| o.page.filter(|p| p.accepted).map(|p| p.ticket));
        let Some(tickets) = pages.collect::<Option<Vec<_>>>() else {
            return false;
        };
        // The time of the run or of a page may end before the wait would.
        let own = state.waiting().filter_map(|open| open.ends(now));
        (tickets, own.fold(state.deadline, UnixTime::min))
    };
    if tickets.is_empty() || services.limits.hold.is_zero() {
        return false;
    }
    let Ok(_place) = services.holds.try_acquire() else {
        tracing::warn!("more retries wait for pages than the limit `held` allows");
        return false;
    };
    let mut closing = services.closing.subscribe();
    tokio::select! {
        ended = services.store.ticket_ended(&tickets) => {
            if let Err(e) = &ended {
                tracing::error!("{e}");
            }
            ended.is_ok()
        }
        () = tokio::time::sleep(services.limits.hold.min(ends.since(now))) => true,
        _ = closing.wait_for(|closing| *closing) => false,
    }
}
