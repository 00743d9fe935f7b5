//! A retry that comes before its page is finished is held for a while.
//!
//! Clients loop: an answer at once would burn their rounds in a second. A held retry costs a timer
//! and an entry in the store's list of who waits.

use std::time::Duration;

use super::places::Full;
use super::run::Run;
use super::state::Waited;
use crate::observe::{Held, Holding, Limit, Value as _};
use crate::store::StoreError;
use crate::time::UnixTime;

/// How often a client that wants to hear of progress is told that its retry still waits.
const REPORT: Duration = Duration::from_secs(5);

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
    let _place = match services
        .holds
        .enter(Some((run.owner(), services.limits.held_by_one)))
    {
        Ok(place) => place,
        Err(full) => {
            let limit = match full {
                Full::All => Limit::Held,
                Full::OfOne => Limit::HeldByOne,
            };
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
    let notices = run.notices.as_deref().filter(|it| it.token.is_some());
    let most = match notices {
        Some(_) => services.limits.hold.max(services.limits.hold_with_progress),
        None => services.limits.hold,
    };
    let reports = async {
        let Some(notices) = notices else {
            return std::future::pending().await;
        };
        loop {
            tokio::time::sleep(REPORT).await;
            notices.still_waiting();
        }
    };
    // Of what there is none, there is no end either.
    let (how, again) = tokio::select! {
        ended = services.store.ticket_ended(&tickets), if !tickets.is_empty() => found(ended),
        ended = services.store.completed(&completions, now), if !completions.is_empty() => found(ended),
        () = tokio::time::sleep(most.min(ends.since(now))) => (Held::Timeout, true),
        never = reports => never,
        _ = closing.wait_for(|closing| *closing) => (Held::Shutdown, false),
    };
    holding.ended(how);
    again
}
