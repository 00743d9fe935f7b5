//! Runs: a handler that reads as if it waited, over requests that share nothing.
//!
//! It joins the leaves: declarations, sealing, stores and wire types. It knows no transport.

pub(crate) mod ambient;
mod ask;
mod confirm;
mod cx;
mod drive;
pub(crate) mod hold;
pub(crate) mod journal;
mod once;
mod page;
#[cfg(feature = "testing")]
pub(crate) mod probe;
pub(crate) mod question;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod services;
mod state;
mod step;
pub(crate) mod under_way;

pub use ask::{Answer, Ask, Optional, Outcome};
pub use confirm::Confirm;
pub use cx::Cx;
pub use drive::HandlerFuture;
pub(crate) use drive::{Drive, Outcome as DriveOutcome, caught};
pub(crate) use page::{fallback, known};
pub use step::{Doing, Record, Step};
