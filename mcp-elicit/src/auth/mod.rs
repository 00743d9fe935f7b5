//! Who is asking: the identity of a request. It uses nothing else of the crate.

mod principal;

pub use principal::Principal;
