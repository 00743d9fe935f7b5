//! The options of a choice: `#[choice(..)]` on the enum and its variants.
//!
//! Where serde's derive stands beside ours, its `rename` and `rename_all` count too, as they do for
//! forms, so that one type has one wire form.

use syn::{Attribute, LitStr, Path};

use crate::attr::form::case;
use crate::attr::given::{self, Given};
use crate::case::Case;
use crate::errors::Errors;
use crate::words::{self, Rule};

/// What was said about the enum.
#[derive(Default)]
pub(crate) struct ChoiceOptions {
    pub(crate) rename_all: Option<Given<Case>>,
    pub(crate) serde_rename_all: Option<Case>,
    pub(crate) krate: Option<Given<Path>>,
}

impl ChoiceOptions {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut it = Self {
            serde_rename_all: given::serde(attrs, words::RENAME_ALL)
                .and_then(|name| Case::of(&name.value())),
            ..Self::default()
        };
        for entry in given::read(attrs, words::CHOICE, errors) {
            match entry.name().as_str() {
                words::RENAME_ALL => given::put(&mut it.rename_all, entry, case, errors),
                words::CRATE => given::put(&mut it.krate, entry, given::path, errors),
                _ => given::unknown(&entry, words::CHOICE_OPTIONS, errors),
            }
        }
        of_a_form(attrs, words::CHOICE_OPTIONS, errors);
        it
    }
}

/// What was said about a variant.
#[derive(Default)]
pub(crate) struct VariantOptions {
    pub(crate) title: Option<Given<LitStr>>,
    pub(crate) rename: Option<Given<LitStr>>,
    pub(crate) serde_rename: Option<LitStr>,
}

impl VariantOptions {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut it = Self {
            serde_rename: given::serde(attrs, words::RENAME),
            ..Self::default()
        };
        for entry in given::read(attrs, words::CHOICE, errors) {
            match entry.name().as_str() {
                words::TITLE => given::put(&mut it.title, entry, given::text, errors),
                words::RENAME => given::put(&mut it.rename, entry, given::text, errors),
                _ => given::unknown(&entry, words::VARIANT_OPTIONS, errors),
            }
        }
        of_a_form(attrs, words::VARIANT_OPTIONS, errors);
        it
    }
}

/// Refuses the attribute of forms, which would be ignored here.
fn of_a_form(attrs: &[Attribute], known: &[&str], errors: &mut Errors) {
    for entry in given::read(attrs, words::ELICIT, errors) {
        let name = entry.name();
        if known.contains(&name.as_str()) {
            errors.at(
                &entry.key,
                Rule::OPTIONS,
                format_args!("`#[elicit(..)]` is for forms: write `#[choice({name} = ..)]`"),
            );
        } else {
            given::unknown(&entry, known, errors);
        }
    }
}
