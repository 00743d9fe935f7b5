//! Ask a user for something from an MCP server.
#![forbid(unsafe_code)]

#[cfg(feature = "http")]
pub mod auth;
mod error;
#[cfg(feature = "http")]
pub mod store;
mod time;

pub use error::{CallError, NoAnswer};
pub use time::UnixTime;
