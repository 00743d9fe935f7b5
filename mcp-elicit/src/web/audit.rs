//! What the log says of pages: what happened, on which page, and the first characters of the
//! ticket. Never a value, a subject or a whole ticket. It uses nothing else of the crate.

use crate::store::Ticket;

use super::link;

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

pub(super) fn ticket(event: Event, ticket: &Ticket) {
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
    tracing::warn!(target: TARGET, reason, "page request refused");
}

/// A stored credential was removed by its owner.
pub(super) fn removed(credential: &str) {
    tracing::info!(target: TARGET, credential, "credential removed");
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
