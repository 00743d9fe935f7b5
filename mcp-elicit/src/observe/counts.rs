//! What is counted outside of a run: held retries, pages, limits.

use super::meter;
use super::names::{self, Held, Limit, Page, PageEnd, Value as _};
use crate::store::Ticket;
use crate::time::UnixTime;

/// A limit was reached.
pub(crate) fn limited(limit: Limit) {
    meter::count(&names::LIMITS, [limit.text().into()]);
}

/// Something came of a request to a page. `page` is the name of a page of this server, if it is
/// known which one is meant.
pub(crate) fn page(page: Option<&str>, outcome: Page) {
    let page = page.unwrap_or("-").to_owned().into();
    meter::count(&names::PAGES, [page, outcome.text().into()]);
}

/// The page of a ticket has ended.
pub(crate) fn page_ended(ticket: &Ticket, end: PageEnd, now: UnixTime) {
    let labels = [ticket.page.clone().into(), end.text().into()];
    meter::observe(&names::PAGE_TIME, labels, now.since(ticket.created));
}

/// A retry that is held. Unless it is told how that ended, its client has gone.
#[derive(Debug)]
pub(crate) struct Holding(Held);

impl Holding {
    pub(crate) fn begin() -> Self {
        meter::shift(&names::HELD, true);
        Self(Held::Gone)
    }

    pub(crate) fn ended(&mut self, how: Held) {
        self.0 = how;
    }

    /// One that was not held, since as many are as the limit allows.
    pub(crate) fn none_free(limit: Limit) {
        limited(limit);
        hold_ended(Held::Full);
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        meter::shift(&names::HELD, false);
        hold_ended(self.0);
    }
}

fn hold_ended(how: Held) {
    meter::count(&names::HOLDS, [how.text().into()]);
}
