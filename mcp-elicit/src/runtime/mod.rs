//! Runs: a handler that reads as if it waited.

mod cx;

use std::pin::Pin;

pub use cx::Cx;

use crate::error::CallError;
use crate::server::reply::Reply;

/// A call on its way.
pub type HandlerFuture = Pin<Box<dyn Future<Output = Result<Reply, CallError>> + Send>>;
