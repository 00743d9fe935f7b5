//! Ask a user for something from an MCP server.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
#[cfg(feature = "http")]
pub mod auth;
pub mod declare;
mod error;
#[cfg(feature = "http")]
mod runtime;
#[cfg(feature = "http")]
mod server;
#[cfg(feature = "http")]
pub mod store;
mod time;
#[cfg(feature = "http")]
mod wire;

pub use declare::Elicit;
pub use declare::choice::Choice;
pub use declare::invalid::Invalid;
pub use error::{CallError, NoAnswer};
#[cfg(feature = "http")]
#[doc = include_str!("docs/tool.md")]
pub use mcp_elicit_macros::tool;
#[cfg(feature = "http")]
#[doc = include_str!("docs/tools.md")]
pub use mcp_elicit_macros::tools;
pub use mcp_elicit_macros::{Choice, Elicit};
#[cfg(feature = "http")]
pub use runtime::{Cx, HandlerFuture};
#[cfg(feature = "http")]
pub use schemars;
pub use secrecy::{ExposeSecret, SecretString};
#[cfg(feature = "http")]
pub use server::{
    arguments::{Args, Argument},
    refusal::BadArguments,
    reply::{IntoReply, Json, Reply, Structured, ToolResult},
    schema::Schema,
    tool::{Handler, IntoTools, Tool},
};
pub use time::UnixTime;
#[cfg(feature = "http")]
pub use wire::content::{Content, ResourceContents, ResourceLink, Role};
pub use {serde, serde_json};

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
    #[cfg(feature = "http")]
    pub use crate::{Args, Cx, Json, tool, tools, toolset};
    pub use crate::{CallError, Choice, Elicit, NoAnswer, SecretString};
}
