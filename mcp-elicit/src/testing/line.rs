//! One line of a script: what is to be done with which question.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use serde_json::Value;

use super::answer::Offers;

/// Chooses from what is offered; the answer as JSON.
pub(super) type Choose = Arc<dyn Fn(&Offers) -> Value + Send + Sync>;

/// A line of a script.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) act: Act,
    /// How it is written, such as `.accept::<Seat>(..)`.
    written: String,
    pub(super) key: String,
    /// Whether it is for this very key, or also for others of its type.
    pub(super) exact: bool,
    at: &'static Location<'static>,
}

/// What to do.
#[derive(Clone)]
pub(super) enum Act {
    /// Answer a form. What is chosen from offers is put in when they are known.
    Accept {
        content: Value,
        picks: Vec<(String, Choose)>,
    },
    /// Fill in a page.
    Fill(Value),
    /// Agree to open a page, and do not finish it.
    Consent,
    /// Give what was asked of the client itself.
    Give(Value),
    Decline,
    Cancel,
    /// Leave it unanswered in this round.
    Skip,
}

impl Line {
    pub(super) fn new(
        act: Act,
        written: String,
        key: &str,
        at: &'static Location<'static>,
    ) -> Self {
        Self {
            act,
            written,
            key: key.to_owned(),
            exact: false,
            at,
        }
    }

    /// Whether it answers the question with this key.
    pub(super) fn fits(&self, key: &str) -> bool {
        fits(&self.key, self.exact, key)
    }
}

/// Whether a question with `key` is one of those that are called `wanted`, or of its type:
/// `invoice.0` is an `invoice`.
pub(super) fn fits(wanted: &str, exact: bool, key: &str) -> bool {
    let rest = key.strip_prefix(wanted);
    rest.is_some_and(|rest| rest.is_empty() || (!exact && rest.starts_with('.')))
}

/// As it is written, and where.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)?;
        if self.exact {
            write!(f, " for `{}`", self.key)?;
        }
        write!(f, " ({}:{})", self.at.file(), self.at.line())
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
