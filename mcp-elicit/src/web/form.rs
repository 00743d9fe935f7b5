//! What a ticket stores of its page, so that any process can show it, also after a restart. It
//! uses the table's stored form in `declare`.
//!
//! Layout (postcard): format version, message, tool, asker, client, lifetime, encoded table.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::declare::{FormTable, Keep, StoredTable};

const FORMAT: u8 = 2;

/// What a page shows. Made by whoever opens the ticket.
pub(crate) struct PageForm<'a> {
    /// Why the user is asked.
    pub(crate) message: &'a str,
    /// The title of the tool, prompt or resource that asks, as a user would know it.
    pub(crate) tool: &'a str,
    /// Its name, for audit events; empty where nobody asks but the owner.
    pub(crate) asker: &'a str,
    /// The client's name as it calls itself, which nobody has verified; may be empty.
    pub(crate) client: &'a str,
    pub(crate) keep: Keep,
    pub(crate) table: &'a FormTable<'a>,
}

#[derive(Serialize, Deserialize)]
enum Lifetime {
    Process,
    Millis(u64),
    UntilRemoved,
}

#[derive(Serialize, Deserialize)]
struct Encoded<'a> {
    format: u8,
    message: &'a str,
    tool: &'a str,
    asker: &'a str,
    client: &'a str,
    lifetime: Lifetime,
    table: &'a [u8],
}

impl PageForm<'_> {
    /// The bytes for [`Ticket::form`](crate::store::Ticket).
    pub(crate) fn encode(&self) -> Vec<u8> {
        let lifetime = match self.keep {
            Keep::Process => Lifetime::Process,
            Keep::For(time) => {
                Lifetime::Millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
            }
            Keep::UntilRemoved => Lifetime::UntilRemoved,
        };
        let encoded = Encoded {
            format: FORMAT,
            message: self.message,
            tool: self.tool,
            asker: self.asker,
            client: self.client,
            lifetime,
            table: &StoredTable::encode(self.table),
        };
        // Strings and numbers always encode; an empty text decodes to nothing.
        postcard::to_allocvec(&encoded).unwrap_or_default()
    }
}

/// The name of the tool that opened a page; none where another build wrote what this one does not
/// know.
pub(super) fn asker(form: &[u8]) -> Option<String> {
    let (encoded, _) = postcard::take_from_bytes::<Encoded<'_>>(form).ok()?;
    (encoded.format == FORMAT).then(|| encoded.asker.to_owned())
}

/// What the page of a ticket says; none where another build wrote what this one does not know.
pub(crate) fn message_of(form: &[u8]) -> Option<String> {
    StoredForm::decode(form).map(|form| form.message)
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
            keep: match encoded.lifetime {
                Lifetime::Process => Keep::Process,
                Lifetime::Millis(millis) => Keep::For(Duration::from_millis(millis)),
                Lifetime::UntilRemoved => Keep::UntilRemoved,
            },
            table: StoredTable::decode(encoded.table)?,
        })
    }
}
