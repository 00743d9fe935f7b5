//! The options of a field: `#[elicit(..)]`, `#[secret]` and `#[select]`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr};

use crate::attr::given::{self, Entry, Given};
use crate::errors::Errors;
use crate::words::{self, Rule};

/// What was said about a field.
#[derive(Default)]
pub(crate) struct FieldOptions {
    pub(crate) title: Option<Given<LitStr>>,
    pub(crate) description: Option<Given<LitStr>>,
    pub(crate) rename: Option<Given<LitStr>>,
    pub(crate) serde_rename: Option<LitStr>,
    pub(crate) default: Option<Given<Expr>>,
    pub(crate) min: Option<Given<Expr>>,
    pub(crate) max: Option<Given<Expr>>,
    pub(crate) min_length: Option<Given<Expr>>,
    pub(crate) max_length: Option<Given<Expr>>,
    pub(crate) min_items: Option<Given<Expr>>,
    pub(crate) max_items: Option<Given<Expr>>,
    pub(crate) format: Option<Given<LitStr>>,
    pub(crate) enum_names: Option<Given<()>>,
    pub(crate) not_secret: Option<Given<LitStr>>,
    pub(crate) secret: Option<SecretOptions>,
    /// The word of `#[select]`.
    pub(crate) select: Option<Span>,
}

/// What `#[secret]` said.
pub(crate) struct SecretOptions {
    /// The word itself.
    pub(crate) span: Span,
    pub(crate) multiline: Option<Given<()>>,
}

impl FieldOptions {
    pub(crate) fn read(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut it = Self {
            serde_rename: given::serde(attrs, words::RENAME),
            ..Self::default()
        };
        for entry in given::read(attrs, words::ELICIT, errors) {
            match entry.name().as_str() {
                words::TITLE => given::put(&mut it.title, entry, given::text, errors),
                words::DESCRIPTION => given::put(&mut it.description, entry, given::text, errors),
                words::RENAME => given::put(&mut it.rename, entry, given::text, errors),
                words::DEFAULT => given::put(&mut it.default, entry, given::expr, errors),
                words::MIN => given::put(&mut it.min, entry, given::expr, errors),
                words::MAX => given::put(&mut it.max, entry, given::expr, errors),
                words::MIN_LENGTH => given::put(&mut it.min_length, entry, given::expr, errors),
                words::MAX_LENGTH => given::put(&mut it.max_length, entry, given::expr, errors),
                words::MIN_ITEMS => given::put(&mut it.min_items, entry, given::expr, errors),
                words::MAX_ITEMS => given::put(&mut it.max_items, entry, given::expr, errors),
                words::FORMAT => given::put(&mut it.format, entry, format, errors),
                words::ENUM_NAMES => given::put(&mut it.enum_names, entry, given::flag, errors),
                words::NOT_SECRET => given::put(&mut it.not_secret, entry, given::text, errors),
                // What was meant is clear, so nothing else is said of the field for it.
                words::SECRET => {
                    own_attribute(&entry.key, errors);
                    it.secret = Some(SecretOptions {
                        span: entry.key.span(),
                        multiline: None,
                    });
                }
                words::SELECT => {
                    own_attribute(&entry.key, errors);
                    it.select = Some(entry.key.span());
                }
                name if words::FOREIGN.contains(&name) => foreign(&entry.key, errors),
                _ => given::unknown(&entry, words::FIELD_OPTIONS, errors),
            }
        }
        for attr in attrs.iter().filter(|a| a.path().is_ident(words::SECRET)) {
            if it.secret.is_some() {
                errors.at(
                    attr,
                    Rule::OPTIONS,
                    "`#[secret]` is given twice: remove one",
                );
            }
            it.secret.get_or_insert_with(|| SecretOptions {
                span: attr.path().span(),
                multiline: None,
            });
        }
        for attr in attrs.iter().filter(|a| a.path().is_ident(words::SELECT)) {
            if it.select.is_some() {
                errors.at(
                    attr,
                    Rule::OPTIONS,
                    "`#[select]` is given twice: remove one",
                );
            }
            it.select.get_or_insert_with(|| attr.path().span());
        }
        for entry in given::read(attrs, words::SELECT, errors) {
            errors.at(
                &entry.key,
                Rule::OPTIONS,
                "`#[select]` has no options: what there is to choose from is given where it is asked, to \
                 `cx.ask_with`",
            );
        }
        for entry in given::read(attrs, words::SECRET, errors) {
            match (&mut it.secret, entry.name().as_str()) {
                (Some(secret), words::MULTILINE) => {
                    given::put(&mut secret.multiline, entry, given::flag, errors);
                }
                _ => given::unknown(&entry, words::SECRET_OPTIONS, errors),
            }
        }
        it
    }
}

impl FieldOptions {
    /// The wire name that was given, by us or to serde.
    pub(crate) fn renamed(&self) -> Option<&LitStr> {
        let ours = self.rename.as_ref().map(|it| &it.value);
        ours.or(self.serde_rename.as_ref())
    }
}

fn own_attribute(key: &Ident, errors: &mut Errors) {
    errors.at(
        key,
        Rule::OPTIONS,
        format_args!("write `#[{key}]` as an attribute of its own"),
    );
}

fn foreign(key: &Ident, errors: &mut Errors) {
    errors.at(
        key,
        Rule::KEYWORDS,
        format_args!(
            "a form cannot say `{key}`: the protocol has `min`, `max`, `min_length`, `max_length`, \
             `format`, `min_items` and `max_items`; check the rest on the server, by \
             `#[elicit(check = some_fn)]` on the struct"
        ),
    );
}

fn format(entry: &Entry, errors: &mut Errors) -> Option<LitStr> {
    let name = given::text(entry, errors)?;
    match name.value().as_str() {
        known if words::FORMATS.contains(&known) => Some(name),
        "password" => {
            errors.at(
                name,
                Rule::SECRETS,
                "no form masks what is typed; ask for it on a page: `#[elicit(url = \"/ui/name\")]` \
                 on the struct, `#[secret]` and `SecretString` here",
            );
            None
        }
        _ => {
            errors.at(
                name,
                Rule::KEYWORDS,
                format_args!(
                    "a form has no such format; known formats: {}; check others on the server, by \
                     `#[elicit(check = some_fn)]` on the struct",
                    words::FORMATS.join(", ")
                ),
            );
            None
        }
    }
}
