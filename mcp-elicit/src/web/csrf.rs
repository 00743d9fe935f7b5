//! Whether a form was sent from our own page, by the person to whom we showed it. It uses `seal`.

use http::HeaderMap;
use http::header::ORIGIN;
use http::uri::Authority;

use crate::seal::Keys;
use crate::store::TicketId;

use super::identity::Visitor;

/// What a token is good for.
#[derive(Clone, Copy)]
pub(super) enum Purpose<'a> {
    /// Filling or declining one page.
    Ticket(&'a TicketId),
    /// Removing a stored credential.
    Remove,
    /// Opening a page without a link.
    Start,
    /// Signing out.
    SignOut,
}

/// The token for a form that `visitor` is shown. It is a keyed hash, so nothing is stored, and
/// every tab of one session has the same.
pub(super) fn token(keys: &Keys, visitor: &Visitor, purpose: Purpose<'_>) -> String {
    keys.csrf(&parts(visitor, &purpose))
}

/// Whether `given` is that token; takes the same time whatever is given.
pub(super) fn matches(keys: &Keys, visitor: &Visitor, purpose: Purpose<'_>, given: &str) -> bool {
    keys.csrf_matches(&parts(visitor, &purpose), given)
}

fn parts<'a>(visitor: &'a Visitor, purpose: &'a Purpose<'_>) -> [&'a [u8]; 6] {
    let (label, of): (&[u8], &[u8]) = match purpose {
        Purpose::Ticket(id) => (b"ticket", &id.0),
        Purpose::Remove => (b"remove", b""),
        Purpose::Start => (b"start", b""),
        Purpose::SignOut => (b"sign-out", b""),
    };
    [
        label,
        of,
        visitor.session.as_bytes(),
        visitor.principal.tenant_name().as_bytes(),
        visitor.principal.issuer().as_bytes(),
        visitor.principal.subject().as_bytes(),
    ]
}

/// Whether the browser says that the request comes from a page of ours. Browsers that know
/// `Sec-Fetch-Site` always send it to https and loopback; without it, Origin must be ours. Since
/// our pages send no referrer, an Origin of theirs may read `null`, which is not enough.
pub(super) fn is_same_origin(headers: &HeaderMap, secure: bool, host: &Authority) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    match (sites.next(), sites.next()) {
        (Some(site), None) => site == "same-origin",
        (Some(_), Some(_)) => false,
        (None, _) => {
            let scheme = if secure { "https" } else { "http" };
            let ours = format!("{scheme}://{host}");
            let mut origins = headers.get_all(ORIGIN).iter();
            match (origins.next(), origins.next()) {
                (Some(origin), None) => origin.as_bytes().eq_ignore_ascii_case(ours.as_bytes()),
                _ => false,
            }
        }
    }
}
