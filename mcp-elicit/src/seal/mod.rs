//! Turns bytes into tokens that only this server can make and read, and back.
//!
//! It uses the cryptographic crates and [`UnixTime`](crate::UnixTime), and nothing else of the
//! crate. It does no I/O: the time and every nonce are given by the caller. What a token holds is
//! the caller's business; to what it is bound is a required argument.

mod base64url;
mod binding;
mod canonical;
mod completion;
mod cursor;
mod digest;
mod envelope;
mod keyring;
mod token;

pub(crate) use binding::{Binding, Rejected};
pub(crate) use digest::{PrincipalTag, RequestDigest, digest_of};
pub(crate) use envelope::Turned;
pub(crate) use keyring::Keys;
pub use keyring::{KeyError, Keyring};

/// Length of the random nonce that every sealing takes.
pub(crate) const NONCE_LEN: usize = 12;
/// Length of the authentication tag behind every ciphertext.
const TAG_LEN: usize = 16;

#[cfg(test)]
mod tests;
