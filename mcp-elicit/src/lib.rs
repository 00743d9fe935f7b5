//! Ask a user for something from an MCP server.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
#[cfg(feature = "http")]
pub mod auth;
pub mod declare;
mod error;
#[cfg(feature = "http")]
pub mod store;
mod time;

pub use declare::Elicit;
pub use declare::choice::Choice;
pub use declare::invalid::Invalid;
pub use error::{CallError, NoAnswer};
pub use mcp_elicit_macros::{Choice, Elicit};
pub use secrecy::{ExposeSecret, SecretString};
pub use time::UnixTime;

/// What a server's code names all the time.
///
/// ```
/// use mcp_elicit::prelude::*;
///
/// /// Who is it for?
/// #[derive(Elicit)]
/// struct Guest {
///     name: String,
/// }
/// ```
pub mod prelude {
    pub use crate::{CallError, Choice, Elicit, NoAnswer, SecretString};
}
