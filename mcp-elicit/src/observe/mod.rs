//! What an operator sees of a server, apart from its log: metrics, and a record of who did what.
//!
//! What is counted or recorded is a word of a list, the name of a tool, page or credential as its
//! author declared it, a number or a time; never an answer, a secret, a link or a text that a peer
//! has sent, and a user's name in audit events alone, which are for that. It decides nothing and
//! fails nothing.

pub(crate) mod audit;
mod counts;
pub(crate) mod meter;
pub(crate) mod names;
mod redact;

pub(crate) use counts::{Holding, limited, page, page_ended};
pub(crate) use names::{Ended, Held, Limit, Mode, Outcome, Page, PageEnd, Place, Reason, Value};
pub(crate) use redact::redact;
