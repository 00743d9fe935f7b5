//! What happens outside of a run: refused states, held retries, pages, limits.

use super::audit::{Audit, AuditEvent, AuditIdentity, AuditKind};
use super::meter;
use super::names::{self, Held, Limit, Page, PageEnd, Reason, Value as _};
use crate::auth::Principal;
use crate::runtime::run::Target;
use crate::runtime::services::Services;
use crate::seal::Rejected;
use crate::store::Ticket;
use crate::time::UnixTime;

/// A `requestState` was not taken. The client hears nothing of the reason.
pub(crate) fn state_refused(
    services: &Services,
    principal: &Principal,
    target: &Target,
    reason: Reason,
) {
    let word = reason.text();
    tracing::info!(reason = word, tool = %target.name, "a requestState was refused");
    target.meter.state_refused(reason);
    services.audit.tell(|| AuditEvent {
        tool: target.name.to_string(),
        reason: word,
        ..AuditEvent::new(
            services.ambient.now(),
            AuditKind::StateRefused,
            principal.into(),
        )
    });
}

impl From<Rejected> for Reason {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::TooLarge => Self::TooLarge,
            Rejected::Malformed => Self::Malformed,
            Rejected::UnknownVersion => Self::UnknownVersion,
            Rejected::UnknownKey => Self::UnknownKey,
            Rejected::Tampered => Self::Tampered,
            Rejected::Expired => Self::Expired,
            Rejected::FromTheFuture => Self::FromTheFuture,
            Rejected::OtherPrincipal => Self::OtherPrincipal,
            Rejected::OtherRequest => Self::OtherRequest,
        }
    }
}

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

/// A page was opened for somebody.
pub(crate) fn page_opened(audit: &Audit, ticket: &Ticket, now: UnixTime) {
    audit.tell(|| {
        let who = AuditIdentity::from(&ticket.owner);
        AuditEvent::of_ticket(now, AuditKind::Asked, who, ticket)
    });
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
    pub(crate) fn none_free() {
        limited(Limit::Held);
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
