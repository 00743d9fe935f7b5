//! What a server offers.

mod absent;
pub(crate) mod arguments;
mod explain;
pub(crate) mod refusal;
pub(crate) mod reply;
pub(crate) mod schema;
mod tidy;
pub(crate) mod tool;
