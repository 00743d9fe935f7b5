//! Who is asking: the identity of a request. It uses nothing else of the crate.

mod authenticator;
pub(crate) mod local;
mod principal;

pub(crate) use authenticator::Auth;
pub use authenticator::{Anonymous, AuthError, Authenticator, DevUsers};
pub(crate) use local::DEV_ISSUER;
pub use principal::Principal;
