//! What is wrong with an answer, for the person who gave it.
//!
//! It holds names of fields and reasons, never the answer itself, so that it may be shown, sent and
//! logged.

use std::borrow::Cow;
use std::fmt;

type Text = Cow<'static, str>;

/// Why an answer does not fit: one reason for each field that is wrong.
///
/// A check of your own returns it: see `#[elicit(check = ..)]` at [`Elicit`](derive@crate::Elicit).
/// Say what the answer must be, not what it was: the text may end up in a log.
///
/// ```
/// use mcp_elicit::Invalid;
///
/// let both = Invalid::field("back", "must be after departure")
///     .and(Invalid::new("this trip is full"));
/// assert_eq!(both.to_string(), "back: must be after departure; this trip is full");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Invalid {
    problems: Vec<(Option<Text>, Text)>,
}

impl Invalid {
    /// A reason that concerns the answer as a whole.
    #[must_use]
    pub fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            problems: vec![(None, reason.into())],
        }
    }

    /// A reason that concerns one field, by its name on the wire.
    #[must_use]
    pub fn field(name: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            problems: vec![(Some(name.into()), reason.into())],
        }
    }

    /// These reasons and those of `other`.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.problems.extend(other.problems);
        self
    }

    /// The reasons, each with the name of its field; without one, it concerns the whole.
    ///
    /// ```
    /// # use mcp_elicit::Invalid;
    /// let it = Invalid::field("age", "must be at least 18");
    /// assert_eq!(it.reasons().next(), Some((Some("age"), "must be at least 18")));
    /// ```
    pub fn reasons(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        self.problems
            .iter()
            .map(|(name, reason)| (name.as_deref(), &**reason))
    }

    pub(crate) const fn none() -> Self {
        Self {
            problems: Vec::new(),
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        self.problems.is_empty()
    }

    pub(crate) fn add(&mut self, name: &str, reason: impl Into<Text>) {
        self.problems
            .push((Some(Cow::Owned(name.to_owned())), reason.into()));
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, reason)) in self.reasons().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            if let Some(name) = name {
                write!(f, "{name}: ")?;
            }
            f.write_str(reason)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invalid({self})")
    }
}

impl std::error::Error for Invalid {}
