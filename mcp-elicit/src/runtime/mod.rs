//! Runs: a handler that reads as if it waited, over requests that share nothing.
//!
//! It joins the leaves: declarations, sealing, stores and wire types. It knows no transport.

pub(crate) mod ambient;
mod ask;
mod begin;
mod check;
mod client;
pub(crate) mod completion;
mod confirm;
mod cx;
mod drive;
mod external;
mod fill;
pub(crate) mod hold;
pub(crate) mod journal;
pub(crate) mod need;
mod notice;
mod once;
mod outcome;
pub(crate) mod outlet;
mod page;
pub(crate) mod places;
mod polled;
#[cfg(feature = "testing")]
pub(crate) mod probe;
pub(crate) mod question;
mod refuse;
mod reject;
pub(crate) mod resume;
pub(crate) mod run;
mod seek;
pub(crate) mod services;
mod state;
mod step;
pub(crate) mod tell;
pub(crate) mod topics;
pub(crate) mod under_way;

pub use ask::Ask;
pub use check::Checked;
pub use client::ClientAsk;
pub(crate) use client::put_by;
pub use completion::{Completion, CompletionError, Completions};
pub use confirm::Confirm;
pub use cx::Cx;
pub use drive::HandlerFuture;
pub(crate) use drive::{Drive, Outcome as DriveOutcome, caught};
pub use external::External;
pub use fill::{Fill, Filling};
pub use need::{InAsks, Need, Roots, Sampling, SamplingTools};
pub(crate) use notice::Notices;
pub use notice::{Amount, LogLevel, Progress, Reporter};
pub(crate) use once::effect_context;
pub use outcome::{Answer, Optional, Outcome};
pub(crate) use page::{fallback, known};
pub(crate) use question::base as question_digest;
pub use reject::Forget;
pub use step::{Doing, Record, Step, Work};
pub use topics::Changes;
