//! What a ticket stores of its page, so that any process can show it, also after a restart. It
//! uses the table's stored form in `declare`.
//!
//! Layout (postcard): format version, message, tool, client, lifetime in milliseconds if there is
//! one, encoded table.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::declare::stored::{self, StoredTable};
use crate::declare::table::FormTable;

const FORMAT: u8 = 1;

/// How long the answer to a page is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// For so long after it was given.
    For(Duration),
    /// Until its owner removes it.
    UntilRemoved,
}

/// What a page shows. Made by whoever opens the ticket.
pub(crate) struct PageForm<'a> {
    /// Why the user is asked.
    pub(crate) message: &'a str,
    /// The title of the tool, prompt or resource that asks, as a user would know it.
    pub(crate) tool: &'a str,
    /// The client's name as it calls itself, which nobody has verified; may be empty.
    pub(crate) client: &'a str,
    pub(crate) keep: Keep,
    pub(crate) table: &'a FormTable<'a>,
}

#[derive(Serialize, Deserialize)]
struct Encoded<'a> {
    format: u8,
    message: &'a str,
    tool: &'a str,
    client: &'a str,
    keep_millis: Option<u64>,
    table: &'a [u8],
}

impl PageForm<'_> {
    /// The bytes for [`Ticket::form`](crate::store::Ticket).
    pub(crate) fn encode(&self) -> Vec<u8> {
        let keep_millis = match self.keep {
            Keep::For(time) => Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            Keep::UntilRemoved => None,
        };
        let encoded = Encoded {
            format: FORMAT,
            message: self.message,
            tool: self.tool,
            client: self.client,
            keep_millis,
            table: &stored::encode(self.table),
        };
        // Strings and numbers always encode; an empty text decodes to nothing.
        postcard::to_allocvec(&encoded).unwrap_or_default()
    }
}

/// A form read back.
pub(super) struct StoredForm {
    pub(super) message: String,
    pub(super) tool: String,
    pub(super) client: String,
    pub(super) keep: Keep,
    pub(super) table: StoredTable,
}

impl StoredForm {
    /// None where another build wrote what this one does not know.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (encoded, rest) = postcard::take_from_bytes::<Encoded<'_>>(bytes).ok()?;
        if encoded.format != FORMAT || !rest.is_empty() {
            return None;
        }
        Some(Self {
            message: encoded.message.to_owned(),
            tool: encoded.tool.to_owned(),
            client: encoded.client.to_owned(),
            keep: encoded
                .keep_millis
                .map_or(Keep::UntilRemoved, |ms| Keep::For(Duration::from_millis(ms))),
            table: StoredTable::decode(encoded.table)?,
        })
    }
}
