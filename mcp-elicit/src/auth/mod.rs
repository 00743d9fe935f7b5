//! Who is asking: the identity of a request. It uses nothing else of the crate.

pub(crate) mod local;
mod principal;

pub(crate) use local::DEV_ISSUER;
pub use principal::Principal;
