//! Who makes a request: what you give to [`Server::auth`](crate::Server::auth).
//!
//! In development that is [`DevUsers`], where the bearer token is the user's name. For a server
//! that others reach, write an [`Authenticator`]: it looks at the headers, checks the token, and
//! returns a [`Principal`], the person in whose name the request is. [`Anonymous`] is for servers
//! that know nobody; they can show forms, but cannot ask for anything on a page. Over stdio it is
//! [`OsUser`], by itself.
//!
//! Who is at the browser that opens a page is found out in [`web`](crate::web), and must be the
//! same principal.

// The module uses nothing else of the crate.

mod authenticator;
pub(crate) mod local;
pub(crate) mod os;
pub(crate) mod peer;
mod principal;

pub(crate) use authenticator::Auth;
pub use authenticator::{Anonymous, AuthError, Authenticator, DevUsers};
pub(crate) use local::DEV_ISSUER;
pub(crate) use os::OS_ISSUER;
pub use os::OsUser;
pub use principal::Principal;
