//! What the log says of pages: what happened, on which page, and the first characters of the
//! ticket. Never a value, a subject or a whole ticket. The same is counted, and what concerns a
//! credential goes to the author's records too, which name people. It uses `observe`.

use crate::observe::audit::{Audit, AuditEvent, AuditIdentity, AuditKind};
use crate::observe::{self, Page, PageEnd};
use crate::store::{RowKey, Store, Ticket};
use crate::time::UnixTime;

use super::identity::Visitor;
use super::visit::Visit;
use super::{form, link};

const TARGET: &str = "mcp_elicit::audit";

/// Something that happened to a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// Its owner was shown the page.
    Opened,
    /// Somebody else came with the link.
    IdentityMismatch,
    /// Its owner gave what was asked.
    Stored,
    /// Its owner declined.
    Declined,
    /// The author's check could not be made, for this reason; nothing was stored.
    Unverified(&'static str),
    /// A post was not accepted, for this reason.
    Refused(&'static str),
}

impl Event {
    fn outcome(self) -> Page {
        match self {
            Self::Opened => Page::Shown,
            Self::IdentityMismatch => Page::IdentityMismatch,
            Self::Stored => Page::Stored,
            Self::Declined => Page::Declined,
            Self::Unverified(_) => Page::Unverified,
            Self::Refused("invalid") => Page::Invalid,
            Self::Refused(_) => Page::Refused,
        }
    }

    fn kind(self) -> Option<AuditKind> {
        match self {
            Self::Opened => Some(AuditKind::Opened),
            Self::IdentityMismatch => Some(AuditKind::IdentityMismatch),
            Self::Stored => Some(AuditKind::Stored),
            Self::Declined => Some(AuditKind::Declined),
            Self::Unverified(_) | Self::Refused(_) => None,
        }
    }
}

/// Something that `visitor` did with a ticket.
pub(super) fn by(visit: &Visit<'_>, visitor: &Visitor, event: Event, it: &Ticket) {
    ticket(event, it);
    let end = match event {
        Event::Stored => Some(PageEnd::Stored),
        Event::Declined => Some(PageEnd::Declined),
        _ => None,
    };
    if let Some(end) = end {
        observe::page_ended(it, end, visit.now);
    }
    if let Some(kind) = event.kind() {
        let who = || (&visitor.principal).into();
        visit.web.audit.tell(|| record(visit.now, kind, who(), it));
    }
}

/// A page was opened for its owner. It is also the time to tell of those that nobody finished, and of the
/// credentials whose time is over.
pub(crate) async fn asked(store: &dyn Store, audit: &Audit, ticket: &Ticket, now: UnixTime) {
    let tell = |time, kind, ticket: &Ticket| {
        audit.tell(|| record(time, kind, (&ticket.owner).into(), ticket));
    };
    tell(now, AuditKind::Asked, ticket);
    match store.take_expired(now).await {
        Ok(expired) => expired.iter().for_each(|ticket| {
            observe::page(Some(&ticket.page), Page::Expired);
            tell(ticket.expires, AuditKind::Expired, ticket);
        }),
        Err(error) => failed("expiry", &error),
    }
    match store.take_expired_rows(now).await {
        Ok(expired) => expired.iter().for_each(|(key, at)| over(audit, key, *at)),
        Err(error) => failed("expiry", &error),
    }
}

/// The time for which a credential was kept has ended.
fn over(audit: &Audit, key: &RowKey, at: UnixTime) {
    tracing::info!(target: TARGET, credential = key.credential, "credential expired");
    audit.tell(|| AuditEvent {
        credential: key.credential.clone(),
        name: key.name.clone(),
        reason: "kept",
        ..AuditEvent::new(at, AuditKind::Expired, (&key.owner).into())
    });
}

/// What `who` did with the page of a ticket.
fn record(time: UnixTime, kind: AuditKind, who: AuditIdentity, ticket: &Ticket) -> AuditEvent {
    AuditEvent {
        owner: (&ticket.owner).into(),
        credential: ticket.credential.clone(),
        name: ticket.name.clone(),
        tool: form::asker(&ticket.form).unwrap_or_default(),
        page: ticket.page.clone(),
        ticket: link::short(&ticket.id),
        ..AuditEvent::new(time, kind, who)
    }
}

pub(super) fn ticket(event: Event, ticket: &Ticket) {
    observe::page(Some(&ticket.page), event.outcome());
    let (page, id) = (ticket.page.as_str(), link::short(&ticket.id));
    match event {
        Event::Opened => tracing::info!(target: TARGET, page, ticket = id, "page opened"),
        Event::IdentityMismatch => {
            tracing::warn!(target: TARGET, page, ticket = id, "identity mismatch");
        }
        Event::Stored => tracing::info!(target: TARGET, page, ticket = id, "credential stored"),
        Event::Declined => tracing::info!(target: TARGET, page, ticket = id, "page declined"),
        Event::Unverified(reason) => {
            tracing::error!(target: TARGET, page, ticket = id, reason, "credential could not be checked");
        }
        Event::Refused(reason) => {
            tracing::warn!(target: TARGET, page, ticket = id, reason, "post refused");
        }
    }
}

/// A request that was refused before it could be told which ticket it is about, if any.
pub(super) fn refused(reason: &'static str) {
    let is_unknown = reason == "no such ticket";
    observe::page(
        None,
        if is_unknown {
            Page::NotFound
        } else {
            Page::Refused
        },
    );
    tracing::warn!(target: TARGET, reason, "page request refused");
}

/// A stored credential was removed by its owner.
pub(super) fn removed(visit: &Visit<'_>, visitor: &Visitor, key: &RowKey) {
    tracing::info!(target: TARGET, credential = key.credential, "credential removed");
    visit.web.audit.tell(|| AuditEvent {
        credential: key.credential.clone(),
        name: key.name.clone(),
        ..AuditEvent::new(visit.now, AuditKind::Removed, (&visitor.principal).into())
    });
}

/// A handler found a credential of no use, and it was removed.
pub(crate) fn rejected(credential: &str) {
    tracing::info!(target: TARGET, credential, "credential rejected");
}

/// A handler removed a credential.
pub(crate) fn forgotten(credential: &str) {
    tracing::info!(target: TARGET, credential, "credential forgotten");
}

/// Somebody signed in or out on our own page.
pub(super) fn session(what: &'static str) {
    tracing::info!(target: TARGET, "{what}");
}

/// Something of ours failed; the browser is told to come again.
pub(super) fn failed(what: &'static str, error: &dyn std::fmt::Display) {
    tracing::error!(target: "mcp_elicit", what, error = %error, "a page could not be served");
}
