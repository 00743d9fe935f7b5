//! What a run remembers between its rounds, and how it is written into the sealed state.
//!
//! The journal names its entries; positions mean nothing. No secret is ever in it: an answer that
//! was given on a page stays in the vault.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::seal::RequestDigest;

/// Random, names a run over all its rounds.
pub(crate) type RunId = [u8; 16];

/// Digest of a question: mode, message, schema or page, and what it is about.
pub(crate) type QuestionDigest = [u8; 16];

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Recorded {
    /// The content as the client sent it, checked.
    Accepted(Box<str>),
    Declined,
    Cancelled,
    /// It did not fit as often as the limit allows; the text says what was wrong.
    Invalid(Box<str>),
    /// The time for its page ended.
    TimedOut,
    /// What the client itself gave, as it sent it: of its model, or its roots.
    Result(Box<str>),
    /// The same in the store, which knows it by this digest of it.
    LargeResult {
        content: [u8; 16],
    },
}

/// One thing that need not be done again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Entry {
    Ask {
        key: Box<str>,
        digest: QuestionDigest,
        outcome: Recorded,
    },
    /// The JSON text of a step's result.
    Step { name: Box<str>, json: Box<str> },
    /// A step whose result is in the store.
    LargeStep { name: Box<str>, blob: [u8; 16] },
    /// An effect that was done when the questions `after` had been answered. Its result is in the
    /// store.
    Effect {
        name: Box<str>,
        after: Vec<Box<str>>,
    },
    /// The version of a vault row that the author's own check has accepted.
    Checked { key: Box<str>, version: [u8; 16] },
}

/// A question that the client was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) key: Cow<'static, str>,
    pub(crate) digest: QuestionDigest,
    /// How often an answer to it did not fit.
    pub(crate) attempts: u8,
    /// Its page, if it has one.
    pub(crate) ticket: Option<[u8; 16]>,
    /// When the time for its page ends, in milliseconds since the epoch, if it was given one.
    pub(crate) until: Option<u64>,
    /// The values that the form was shown with, as JSON text: what an answer leaves out.
    pub(crate) shown: Option<Box<str>>,
}

/// All that a parked run is. The layout may change until 1.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parked {
    pub(crate) run: RunId,
    pub(crate) round: u8,
    /// When the run began and when it must have ended, in milliseconds since the epoch.
    pub(crate) began: u64,
    pub(crate) deadline: u64,
    pub(crate) fingerprint: u64,
    pub(crate) rev: u32,
    pub(crate) pending: Vec<Pending>,
    /// Keys of the questions that the same code has asked in two ways.
    pub(crate) changed: Vec<Box<str>>,
    pub(crate) journal: Vec<Entry>,
}

impl Recorded {
    /// The accepted content, or the name of another outcome: no JSON text is such a word.
    fn what(&self) -> &str {
        match self {
            Self::Accepted(json) | Self::Result(json) => json,
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Invalid(_) => "invalid",
            Self::TimedOut => "timed out",
            Self::LargeResult { .. } => "",
        }
    }

    /// A digest of it, the same however the client writes the answer and wherever it is kept.
    pub(crate) fn digest(&self, key: &str) -> [u8; 16] {
        match self {
            Self::LargeResult { content } => *content,
            other => content_digest(key, Some(other.what())),
        }
    }
}

/// A digest of what became of the question `key`.
pub(crate) fn content_digest(key: &str, what: Option<&str>) -> [u8; 16] {
    *RequestDigest::of("answer", key, what).as_bytes()
}

impl Parked {
    /// The bytes that go into the seal. `None` cannot happen for these types, and is no panic.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let room =
            96 + self.journal.iter().map(Entry::room).sum::<usize>() + 64 * self.pending.len();
        postcard::to_extend(self, Vec::with_capacity(room)).ok()
    }

    /// Reads what [`encode`](Self::encode) wrote; nothing may follow it.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (it, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(it)
    }

    /// The largest entry, for the error about a state that has grown too large.
    pub(crate) fn largest(&self) -> &str {
        self.journal
            .iter()
            .max_by_key(|e| e.room())
            .map_or("", Entry::name)
    }
}

impl Entry {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Ask { key: name, .. }
            | Self::Step { name, .. }
            | Self::LargeStep { name, .. }
            | Self::Effect { name, .. }
            | Self::Checked { key: name, .. } => name,
        }
    }

    /// Whether it stands for something that was done, not only asked.
    pub(crate) const fn is_work(&self) -> bool {
        matches!(
            self,
            Self::Step { .. } | Self::LargeStep { .. } | Self::Effect { .. }
        )
    }

    /// What it records, as far as it is text.
    pub(crate) fn content(&self) -> &str {
        match self {
            Self::Ask {
                outcome: Recorded::Accepted(text) | Recorded::Invalid(text) | Recorded::Result(text),
                ..
            } => text,
            Self::Step { json, .. } => json,
            Self::Ask { .. }
            | Self::LargeStep { .. }
            | Self::Effect { .. }
            | Self::Checked { .. } => "",
        }
    }

    fn room(&self) -> usize {
        let content = match self {
            Self::Ask {
                outcome: Recorded::Accepted(t) | Recorded::Invalid(t) | Recorded::Result(t),
                ..
            } => t.len(),
            Self::Step { json, .. } => json.len(),
            Self::Ask { .. } | Self::LargeStep { .. } | Self::Checked { .. } => 16,
            Self::Effect { after, .. } => after.iter().map(|key| key.len() + 1).sum(),
        };
        self.name().len() + content + 24
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was() {
        let parked = Parked {
            run: [7; 16],
            round: 3,
            began: 1,
            deadline: u64::MAX,
            fingerprint: 9,
            rev: 2,
            pending: vec![Pending {
                key: "a".into(),
                digest: [1; 16],
                attempts: 2,
                ticket: Some([3; 16]),
                until: Some(4),
                shown: Some("{}".into()),
            }],
            changed: vec!["h".into()],
            journal: vec![
                Entry::Ask {
                    key: "b".into(),
                    digest: [4; 16],
                    outcome: Recorded::Accepted("{}".into()),
                },
                Entry::Ask {
                    key: "c".into(),
                    digest: [5; 16],
                    outcome: Recorded::Declined,
                },
                Entry::Ask {
                    key: "i".into(),
                    digest: [8; 16],
                    outcome: Recorded::Result("{}".into()),
                },
                Entry::Ask {
                    key: "j".into(),
                    digest: [9; 16],
                    outcome: Recorded::LargeResult { content: [10; 16] },
                },
                Entry::Step {
                    name: "d".into(),
                    json: "[1]".into(),
                },
                Entry::LargeStep {
                    name: "e".into(),
                    blob: [6; 16],
                },
                Entry::Effect {
                    name: "f".into(),
                    after: vec!["b".into()],
                },
                Entry::Checked {
                    key: "g".into(),
                    version: [7; 16],
                },
            ],
        };
        let bytes = parked.encode().unwrap();
        assert_eq!(Parked::decode(&bytes), Some(parked));
        assert_eq!(Parked::decode(&[&bytes[..], b"x"].concat()), None);
        for end in 0..bytes.len() {
            assert_eq!(Parked::decode(&bytes[..end]), None);
        }
    }
}
