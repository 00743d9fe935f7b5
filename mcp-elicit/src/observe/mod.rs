//! What an operator sees of a server: spans and events, metrics, and a record of who did what.
//!
//! Whoever has something to tell calls one function here. What it tells is a word of a list, the
//! name of a tool, page or credential as its author declared it, a number or a time; never an
//! answer, a secret, a user's name (but in audit events, which are for that), a link or a text that
//! a peer has sent. Texts of the author's code, which may quote such things, go through
//! [`redact`](redact::redact) first. It decides nothing and fails nothing.

pub(crate) mod audit;
mod meter;
mod names;
mod redact;
mod run;
mod site;

pub(crate) use meter::describe;
pub(crate) use names::{Ended, Held, Limit, Outcome, Page, PageEnd, Place, Reason};
pub(crate) use run::{
    ToolMeter, answered, asked_all, began, credential_used, declined, ended, leaked, span,
    text_for_log,
};
pub(crate) use site::{Holding, limited, page, page_ended, page_opened, state_refused};
