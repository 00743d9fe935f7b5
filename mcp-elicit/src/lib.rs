//! Ask a user for something from an MCP server.
#![forbid(unsafe_code)]

#[cfg(feature = "http")]
pub mod auth;
mod error;
#[cfg(feature = "http")]
mod seal;
#[cfg(feature = "http")]
pub mod store;
mod time;
#[cfg(feature = "http")]
pub mod web;

pub use error::{CallError, NoAnswer};
#[cfg(feature = "http")]
pub use seal::{KeyError, Keyring};
pub use time::UnixTime;
