//! Runs: a handler that reads as if it waited, over requests that share nothing.
//!
//! It joins the leaves: declarations, sealing, stores and wire types. It knows no transport.

pub(crate) mod ambient;
mod ask;
mod check;
mod confirm;
mod cx;
mod drive;
mod fill;
pub(crate) mod hold;
pub(crate) mod journal;
mod once;
mod outcome;
mod page;
#[cfg(feature = "testing")]
pub(crate) mod probe;
pub(crate) mod question;
pub(crate) mod resume;
pub(crate) mod run;
mod seek;
pub(crate) mod services;
mod state;
mod step;
pub(crate) mod under_way;

pub use ask::Ask;
pub use check::Checked;
pub use confirm::Confirm;
pub use cx::Cx;
pub use drive::HandlerFuture;
pub(crate) use drive::{Drive, Outcome as DriveOutcome, caught};
pub use fill::{Fill, Filling};
pub use outcome::{Answer, Optional, Outcome};
pub(crate) use page::{fallback, known};
pub use step::{Doing, Record, Step};
