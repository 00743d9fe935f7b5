//! Who is at the browser: what you give to
//! [`Server::browser_identity`](crate::Server::browser_identity).
//!
//! You need it if a tool asks on a page of this server, by `#[elicit(url = "..")]`. Such a page is
//! shown only to the very principal whose tool call asked for it; what that person types is kept
//! encrypted, and the client never sees it.
//!
//! With [`DevUsers`](crate::auth::DevUsers) people sign in by [`DevSignIn`], and there is nothing to
//! do. Elsewhere write a [`BrowserIdentity`]: it reads the session of your own sign-in and returns
//! the same principal as your [`Authenticator`](crate::auth::Authenticator) does for that person.

// A link names a page and a random ticket. What is typed goes to the vault and ends the ticket in
// one transaction. The module uses `declare` for forms, `seal` for cookies, form tokens and rows,
// `store` for tickets and rows, and `auth` for who is who. It knows nothing of the wire and of runs.

pub(crate) mod audit;
mod back;
mod body;
mod connections;
mod csrf;
mod data;
mod dev_sign_in;
mod fields;
mod form;
mod headers;
mod host;
mod identity;
mod limits;
mod link;
pub mod looks;
mod notice;
mod own;
mod page;
mod pages;
mod problems;
mod rates;
mod routes;
mod session;
mod sign_in;
mod start;
mod ticket;
mod vault;
mod verify;
mod visit;
mod words;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::observe::audit::Audit;
use crate::seal::Keys;
use crate::store::Store;
use crate::time::UnixTime;

pub(crate) use audit::asked;
pub use dev_sign_in::DevSignIn;
pub(crate) use form::{PageForm, message_of};
pub(crate) use host::Hosts;
pub(crate) use identity::Identity;
pub use identity::{BrowserIdentity, IdentityError};
pub(crate) use limits::NAME_BYTES;
pub(crate) use link::{link, short};
pub(crate) use own::OwnPages;
pub(crate) use pages::{Pages, Taken};
pub(crate) use rates::Rates;
pub(crate) use routes::routes;
pub(crate) use vault::row_context;
pub(crate) use verify::{Verifier, Verifiers};

/// The time, as the server tells it.
pub(crate) type Clock = Arc<dyn Fn() -> UnixTime + Send + Sync>;

/// Fills its argument with random bytes.
pub(crate) type Random = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// All that the pages of one server need.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) keys: Arc<Keys>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    /// Random, new with every start; see [`row_context`].
    pub(crate) process: [u8; 16],
    pub(crate) identity: Identity,
    /// What the server is called on its pages.
    pub(crate) server: String,
    /// The path of all pages as browsers see it, such as `/ui` or `/billing/ui`: it begins with a slash
    /// and does not end with one.
    pub(crate) prefix: String,
    /// The same without what a proxy may have taken away.
    pub(crate) mount: String,
    /// Whether browsers reach the pages by https.
    pub(crate) secure: bool,
    pub(crate) hosts: Hosts,
    pub(crate) looks: Arc<looks::Looks>,
    pub(crate) rates: Arc<Rates>,
    /// The page types of this build. A page of another build is shown and checked by its stored table
    /// alone.
    pub(crate) pages: Arc<Pages>,
    pub(crate) audit: Audit,
    /// Most credentials that are kept for one principal.
    pub(crate) credentials: usize,
    /// The author's own checks of what is typed.
    pub(crate) verifiers: Arc<Verifiers>,
}

impl fmt::Debug for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Web")
            .field("server", &self.server)
            .field("prefix", &self.prefix)
            .field("secure", &self.secure)
            .field("hosts", &self.hosts)
            .finish_non_exhaustive()
    }
}
