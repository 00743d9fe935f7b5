//! What was wrong with a posted form, in words for the page. It uses `declare`'s own report.

use crate::Invalid;
use crate::declare::{FormTable, Kind};

use super::body::Pairs;
use super::limits;

/// Shortest secret that is looked for in a text: shorter ones are part of many words.
const SECRET_BYTES: usize = 4;

/// One text per field, and those about the form as a whole.
#[derive(Default)]
pub(super) struct Problems {
    fields: Vec<(String, String)>,
    whole: Vec<String>,
}

impl Problems {
    /// What the rules of the form say. A complaint about a field that the page does not have is
    /// shown above all fields, so that none is lost.
    pub(super) fn new(table: &FormTable<'_>, invalid: &Invalid) -> Self {
        let mut all = Self::default();
        for (field, text) in invalid.reasons() {
            match field {
                Some(name) if table.fields.iter().any(|f| f.name == name) => {
                    all.fields.push((name.to_owned(), text.to_owned()));
                }
                Some(name) => all.whole.push(format!("{name}: {text}")),
                None => all.whole.push(text.to_owned()),
            }
        }
        all
    }

    /// There is no room for one more credential.
    pub(super) fn full(most: usize) -> Self {
        let text = format!(
            "No more than {most} credentials are kept for you. Remove one on your page of stored credentials, then \
             send this again."
        );
        Self {
            fields: Vec::new(),
            whole: vec![text],
        }
    }

    /// Nothing is known to be wrong, but nothing could be found out either.
    pub(super) fn unchecked() -> Self {
        Self {
            fields: Vec::new(),
            whole: vec!["Your answers could not be checked just now. Please try again.".to_owned()],
        }
    }

    /// An author's text may quote what was typed; a secret is never shown again.
    pub(super) fn without_secrets(mut self, table: &FormTable<'_>, pairs: &Pairs) -> Self {
        let fields = table.fields.iter();
        let secrets: Vec<_> = fields
            .filter(|field| matches!(field.kind, Kind::Secret { .. }))
            .flat_map(|field| pairs.of(field.name))
            .map(str::trim)
            .filter(|secret| secret.len() >= SECRET_BYTES)
            .collect();
        let texts = self.fields.iter_mut().map(|(_, text)| text);
        for text in texts.chain(&mut self.whole) {
            if secrets.iter().any(|secret| text.contains(secret)) {
                "was not accepted".clone_into(text);
            }
        }
        self
    }

    /// Values that are longer than any answer may be.
    pub(super) fn too_long(pairs: &Pairs) -> Option<Self> {
        let fields: Vec<_> = pairs
            .all()
            .iter()
            .filter(|(_, value)| value.len() > limits::FIELD_BYTES)
            .map(|(name, _)| (name.clone(), "is too long".to_owned()))
            .collect();
        (!fields.is_empty()).then_some(Self {
            fields,
            whole: Vec::new(),
        })
    }

    pub(super) fn of(&self, field: &str) -> Option<&str> {
        self.fields
            .iter()
            .find_map(|(name, text)| (name == field).then_some(text.as_str()))
    }

    pub(super) fn whole(&self) -> &[String] {
        &self.whole
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.whole.is_empty()
    }

    /// Whether there is none that a field could be focused for.
    pub(super) fn is_whole_only(&self) -> bool {
        self.fields.is_empty() && !self.whole.is_empty()
    }
}
