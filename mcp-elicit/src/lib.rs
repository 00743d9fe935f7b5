//! Ask a user for something from an MCP server.
//!
//! A server author declares what to ask as a Rust type. [`derive@Elicit`] turns it, at compile time,
//! into the flat schema that the Model Context Protocol allows, and refuses what the protocol
//! forbids: nested types, and above all secrets in a form. A secret can only be asked on the
//! server's own page, so that it never passes the client, the model or a log. The handler is
//! straight-line code; the runtime carries it over the rounds of the protocol.
//!
#![cfg_attr(feature = "http", doc = "```")]
#![cfg_attr(not(feature = "http"), doc = "```text")]
//! use mcp_elicit::prelude::*;
//!
//! /// Where do you want to sit?
//! #[derive(Elicit)]
//! struct Seat {
//!     #[elicit(min = 1, max = 30)]
//!     row: u8,
//!     window: bool,
//! }
//!
//! /// Reserves a seat.
//! #[tool]
//! async fn reserve(cx: &Cx, /** Number of the train */ train: String) -> Result<String, CallError> {
//!     let seat = cx.ask::<Seat>().await?;
//!     Ok(format!("Row {} on {train}", seat.row))
//! }
//! # let _ = toolset![reserve];
//! ```
//!
//! # The one rule
//!
//! A handler runs again in each round, from its beginning. Questions that were answered return
//! their answers at once. Reads go into [`Cx::step`], effects into [`Cx::once`], and an effect comes
//! after what the user was asked.
//!
//! # Where to look
//!
//! - what can be asked: [`derive@Elicit`], [`derive@Choice`]; how to ask: [`Cx`], [`Ask`]
//! - tools: [`macro@tool`], [`macro@tools`], [`toolset!`]
//! - the server: [`Server`], [`App`], [`Limits`], [`Keyring`]
//! - who asks, and who is at the browser: [`auth`], [`web`]
//! - what an operator sees: [`Server::audit`], [`AuditEvent`], and `docs/guide/operating.md`
//! - guides, and what the compiler and the runtime refuse: `docs/` in the repository
//!
//! # Features
//!
//! `http` (default) is the server and its pages, `sqlite` (default) the store in a data directory,
//! `stdio` (default) the standard streams as a transport, `jiff`, `chrono` and `time` dates and times as fields, `url` addresses, `testing` what tests of your own server need. Without `http` there is the [declaration layer](declare) alone.
//!
//! # What it does not do yet
//!
//! It speaks revision 2026-07-28 of the protocol alone: no older clients. It verifies no access tokens by
//! itself, and OAuth connections to others are yours to make.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub mod __private;
#[cfg(feature = "http")]
pub mod auth;
#[cfg(feature = "http")]
mod connections;
pub mod declare;
mod error;
#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "http")]
mod leak;
#[cfg(feature = "http")]
mod limits;
#[cfg(feature = "http")]
mod mistake;
#[cfg(feature = "http")]
mod observe;
#[cfg(feature = "http")]
mod pipe;
#[cfg(feature = "http")]
mod rate;
#[cfg(feature = "http")]
mod runtime;
#[cfg(feature = "http")]
mod seal;
#[cfg(feature = "http")]
mod server;
#[cfg(feature = "http")]
mod start_error;
#[cfg(feature = "http")]
pub mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
#[cfg(feature = "http")]
pub mod web;
#[cfg(feature = "http")]
mod wire;

pub use declare::Elicit;
pub use declare::choice::Choice;
pub use declare::invalid::Invalid;
pub use declare::select::Select;
pub use error::{CallError, NoAnswer};
#[doc = include_str!("docs/choice.md")]
pub use mcp_elicit_macros::Choice;
#[doc = include_str!("docs/elicit.md")]
pub use mcp_elicit_macros::Elicit;
pub use secrecy::{ExposeSecret, SecretString};
pub use time::UnixTime;
pub use {serde, serde_json};

#[cfg(feature = "http")]
pub use self::{
    limits::Limits,
    observe::audit::{AuditEvent, AuditIdentity, AuditKind},
    runtime::{
        Amount, Answer, Ask, Changes, Checked, Completion, CompletionError, Completions, Confirm,
        Cx, Doing, External, Fill, Forget, HandlerFuture, InAsks, LogLevel, Need, Optional,
        Outcome, Progress, Record, Reporter, Step, Work,
    },
    seal::{KeyError, Keyring},
    server::{
        Server,
        app::App,
        arguments::{Args, Argument},
        completion::{Completer, Completing},
        prompt::{IntoMessages, Messages, Prompt, PromptArgument},
        raw::RawArguments,
        refusal::BadArguments,
        register::RegisterError,
        reply::{IntoReply, Json, Reply, Structured, ToolResult},
        resource::{IntoContents, NotFound, Resource},
        rewrap::Rewrapped,
        schema::Schema,
        serve::Routes,
        tool::{Handler, IntoTools, Tool, Toolset},
    },
    start_error::{Result, StartError},
    wire::content::{Content, Role},
    wire::icon::{Icon, Theme},
    wire::resource::{ResourceContents, ResourceLink},
};
#[cfg(feature = "http")]
#[doc = include_str!("docs/prompt.md")]
pub use mcp_elicit_macros::prompt;
#[cfg(feature = "http")]
#[doc = include_str!("docs/resource.md")]
pub use mcp_elicit_macros::resource;
#[cfg(feature = "http")]
#[doc = include_str!("docs/tool.md")]
pub use mcp_elicit_macros::tool;
#[cfg(feature = "http")]
#[doc = include_str!("docs/tools.md")]
pub use mcp_elicit_macros::tools;
#[cfg(feature = "http")]
pub use schemars;

/// What is asked of the client itself instead of its user: a generation of its model, and its roots.
///
/// Both are deprecated in revision 2026-07-28, and go when the protocol's go. See [`Cx::sample`] and
/// [`Cx::roots`].
#[cfg(feature = "http")]
pub mod client {
    pub use crate::runtime::{ClientAsk, Roots, Sampling, SamplingTools};
    pub use crate::wire::sampled::{Root, Sampled, StopReason};
    pub use crate::wire::sampling::{
        Block, Blocks, Media, Sample, ToolChoice, ToolUse, ToolUseResult,
    };
}

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
    pub use crate::{
        Answer, Args, Cx, Fill, Json, Messages, Server, ToolResult, prompt, resource, tool, tools,
        toolset,
    };
    pub use crate::{CallError, Choice, Elicit, Invalid, NoAnswer, SecretString, Select};
    #[cfg(feature = "http")]
    pub use tokio::try_join;
}

/// The README and the guide, so that their examples are compiled.
#[cfg(all(doctest, feature = "http"))]
mod guide {
    #[doc = include_str!("../../README.md")]
    pub struct Readme;
    #[doc = include_str!("../../docs/guide/asking.md")]
    pub struct Asking;
    #[doc = include_str!("../../docs/guide/client.md")]
    pub struct Client;
    #[doc = include_str!("../../docs/guide/secrets.md")]
    pub struct Secrets;
    #[doc = include_str!("../../docs/guide/external-pages.md")]
    pub struct ExternalPages;
    #[doc = include_str!("../../docs/guide/steps-and-effects.md")]
    pub struct StepsAndEffects;
    #[doc = include_str!("../../docs/guide/tools.md")]
    pub struct Tools;
    #[doc = include_str!("../../docs/guide/prompts-and-resources.md")]
    pub struct PromptsAndResources;
    #[doc = include_str!("../../docs/guide/progress-and-changes.md")]
    pub struct ProgressAndChanges;
    #[doc = include_str!("../../docs/guide/from-rmcp.md")]
    pub struct FromRmcp;
    #[doc = include_str!("../../docs/guide/deploying.md")]
    pub struct Deploying;
    #[cfg(feature = "stdio")]
    #[doc = include_str!("../../docs/guide/transports.md")]
    pub struct Transports;
    #[cfg(feature = "testing")]
    #[doc = include_str!("../../docs/guide/testing.md")]
    pub struct Testing;
    #[doc = include_str!("../../docs/guide/operating.md")]
    pub struct Operating;
}
