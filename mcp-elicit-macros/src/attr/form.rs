//! The options of a form or page: `#[elicit(..)]` on the struct.

use syn::{Attribute, Ident, LitStr, Path};

use crate::attr::given::{self, Entry, Given};
use crate::case::Case;
use crate::errors::Errors;
use crate::words::{self, Rule};

/// What was said about the struct.
#[derive(Default)]
pub(crate) struct FormOptions {
    pub(crate) message: Option<Given<LitStr>>,
    pub(crate) key: Option<Given<LitStr>>,
    pub(crate) check: Option<Given<Path>>,
    pub(crate) guarded: Option<Given<()>>,
    pub(crate) rename_all: Option<Given<Case>>,
    pub(crate) serde_rename_all: Option<Case>,
    pub(crate) url: Option<Given<LitStr>>,
    pub(crate) keep: Option<Given<LitStr>>,
    pub(crate) fallback: Option<Given<LitStr>>,
    pub(crate) krate: Option<Given<Path>>,
    /// It is no form, but a type that stands for that of its one field.
    pub(crate) transparent: Option<Given<()>>,
    /// The key of `url`, even where its value is wrong: it is a page all the same.
    pub(crate) page: Option<Ident>,
}

impl FormOptions {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut it = Self {
            serde_rename_all: given::serde(attrs, words::RENAME_ALL)
                .and_then(|name| Case::of(&name.value())),
            ..Self::default()
        };
        for entry in given::read(attrs, words::ELICIT, errors) {
            match entry.name().as_str() {
                words::MESSAGE => given::put(&mut it.message, entry, given::text, errors),
                words::KEY => given::put(&mut it.key, entry, given::text, errors),
                words::CHECK => given::put(&mut it.check, entry, given::path, errors),
                words::GUARDED => given::put(&mut it.guarded, entry, given::flag, errors),
                words::RENAME_ALL => given::put(&mut it.rename_all, entry, case, errors),
                words::URL => {
                    it.page = Some(entry.key.clone());
                    given::put(&mut it.url, entry, given::text, errors);
                }
                words::KEEP => given::put(&mut it.keep, entry, given::text, errors),
                words::FALLBACK => given::put(&mut it.fallback, entry, given::text, errors),
                words::CRATE => given::put(&mut it.krate, entry, given::path, errors),
                words::TRANSPARENT => {
                    given::put(&mut it.transparent, entry, given::flag, errors);
                }
                _ => given::unknown(&entry, words::FORM_OPTIONS, errors),
            }
        }
        it
    }
}

/// Reads the name of a case.
pub(crate) fn case(entry: &Entry, errors: &mut Errors) -> Option<Case> {
    let name = given::text(entry, errors)?;
    let case = Case::of(&name.value());
    if case.is_none() {
        let known: Vec<_> = Case::ALL.iter().map(|(name, _)| *name).collect();
        errors.at(
            name,
            Rule::OPTIONS,
            format_args!("no such case; known cases: {}", known.join(", ")),
        );
    }
    case
}
