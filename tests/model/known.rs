//! What is known of a run and of a request: the words of the model.

use std::collections::{BTreeMap, BTreeSet};

use super::program::Outcome;

/// What a client says to one question.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    Word(String),
    /// A form that does not fit, in one of several ways.
    Bad(u8),
    Yes(bool),
    /// A page is opened.
    Opened,
    Decline,
    Cancel,
    /// No answer of the protocol.
    Odd(u8),
}

/// A question as its reader knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    pub text: String,
    pub about: Option<String>,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    pub question: Question,
    pub attempts: u8,
    pub link: Option<String>,
}

/// What a client's state stands for: all that was said on the way to it.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub answers: BTreeMap<u8, (Question, Outcome)>,
    pub pending: BTreeMap<String, Pending>,
    pub steps: BTreeMap<u8, String>,
    /// What effects gave, and what they depended on.
    pub effects: BTreeMap<u8, (String, Uses)>,
    /// Questions that have changed once already between two rounds.
    pub changed: BTreeSet<u8>,
    pub round: u8,
}

/// What is behind the pages, at one moment: secrets by question, and which links are open (true) or declined (false).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Behind {
    pub secrets: BTreeMap<u8, String>,
    pub links: BTreeMap<String, bool>,
}

/// What an effect depends on: at least the one, at most the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Uses {
    pub least: BTreeMap<u8, String>,
    pub most: BTreeMap<u8, String>,
    /// The arguments.
    pub call: u32,
}

impl Uses {
    /// Whether both are the same, if that can be told.
    pub fn same(&self, other: &Self) -> Option<bool> {
        let exact = |u: &Self| u.least == u.most;
        if self.call != other.call || self.without(other) || other.without(self) {
            return Some(false);
        }
        (exact(self) && exact(other)).then_some(true)
    }

    /// Whether it uses something that the other cannot have used.
    fn without(&self, other: &Self) -> bool {
        self.least.iter().any(|(k, v)| other.most.get(k) != Some(v))
    }
}

/// How a run may end.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// A result that is an error; its text begins so.
    Told(String),
    /// An error in the log.
    Internal,
    /// An answer that is none.
    Malformed,
}

/// A question that is open after the request.
#[derive(Debug, Clone)]
pub struct Open {
    pub key: String,
    pub pending: Pending,
    /// Whether the last answer did not fit.
    pub again: bool,
    /// The number of a question that was another one before.
    pub changed: Option<u8>,
    /// Whether the client has agreed to open the page.
    pub agreed: bool,
    pub page: bool,
    /// Whether the run must have come to it.
    pub sure: bool,
}

/// What the reading found.
#[derive(Debug, Default)]
pub struct Found {
    pub opens: Vec<Open>,
    pub ends: Vec<(End, bool)>,
    pub known: Known,
    pub uses: Vec<(u8, Uses)>,
    /// What did not happen although nothing else was in its way.
    pub lacks: Vec<String>,
    /// A question was let go.
    pub abandoned: bool,
    /// What the program says, if it comes to its end.
    pub said: Option<String>,
}
