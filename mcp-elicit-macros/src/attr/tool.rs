//! The options of a tool and of its parameters.

use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitInt, LitStr, Meta, Path, Token, Type};

use crate::attr::given::{self, Entry, Given, Written};
use crate::errors::Errors;
use crate::words::{self, Rule};

/// What `#[tool(..)]` says.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) title: Option<Given<LitStr>>,
    pub(crate) description: Option<Given<LitStr>>,
    pub(crate) read_only: Option<Given<bool>>,
    pub(crate) destructive: Option<Given<bool>>,
    pub(crate) idempotent: Option<Given<bool>>,
    pub(crate) open_world: Option<Given<bool>>,
    pub(crate) asks: Option<Given<Vec<Type>>>,
    pub(crate) single_use: Option<Given<()>>,
    pub(crate) rev: Option<Given<LitInt>>,
    pub(crate) krate: Option<Given<Path>>,
}

impl ToolOptions {
    /// Sorts the options as they were written.
    pub(crate) fn read(entries: Vec<Entry>, errors: &mut Errors) -> Self {
        let mut it = Self::default();
        for entry in entries {
            match entry.name().as_str() {
                words::NAME => given::put(&mut it.name, entry, given::text, errors),
                words::TITLE => given::put(&mut it.title, entry, given::text, errors),
                words::DESCRIPTION => given::put(&mut it.description, entry, given::text, errors),
                words::READ_ONLY => given::put(&mut it.read_only, entry, hint, errors),
                words::DESTRUCTIVE => given::put(&mut it.destructive, entry, hint, errors),
                words::IDEMPOTENT => given::put(&mut it.idempotent, entry, hint, errors),
                words::OPEN_WORLD => given::put(&mut it.open_world, entry, hint, errors),
                words::ASKS => given::put(&mut it.asks, entry, types, errors),
                words::SINGLE_USE => given::put(&mut it.single_use, entry, given::flag, errors),
                words::REV => given::put(&mut it.rev, entry, revision, errors),
                words::CRATE => given::put(&mut it.krate, entry, given::path, errors),
                _ => given::unknown(&entry, words::TOOL_OPTIONS, errors),
            }
        }
        it
    }
}

/// Where the library is, as `#[tools(..)]` says.
pub(crate) fn krate_of_block(entries: Vec<Entry>, errors: &mut Errors) -> Option<Given<Path>> {
    let mut krate = None;
    for entry in entries {
        if entry.name() == words::CRATE {
            given::put(&mut krate, entry, given::path, errors);
        } else if words::TOOL_OPTIONS.contains(&entry.name().as_str()) {
            let message = "this is an option of a tool: write it at the `#[tool(..)]` of a method";
            errors.at(&entry.key, Rule::OPTIONS, message);
        } else {
            given::unknown(&entry, words::TOOLS_OPTIONS, errors);
        }
    }
    krate
}

/// Whether an attribute of a method is `#[tool]`, by whatever path.
pub(crate) fn is_tool(attr: &Attribute) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|it| it.ident == words::TOOL)
}

/// The options in the `#[tool]` attributes of a method.
pub(crate) fn entries(attrs: &[Attribute], errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attr in attrs.iter().filter(|attr| is_tool(attr)) {
        match &attr.meta {
            Meta::Path(_) => {}
            Meta::List(list) => entries.extend(given::read_list(list.tokens.clone(), errors)),
            Meta::NameValue(it) => {
                let message = "`#[tool = ..]` has no meaning: write `#[tool(option = value)]`";
                errors.at(it, Rule::OPTIONS, message);
            }
        }
    }
    entries
}

/// What `#[arg(..)]` says.
#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) rename: Option<Given<LitStr>>,
    pub(crate) default: Option<Given<Absent>>,
    pub(crate) description: Option<Given<LitStr>>,
}

/// What stands for a parameter that is left out.
pub(crate) enum Absent {
    /// `default`: the default of its type.
    OfType,
    /// `default = ..`
    Value(Expr),
}

impl ArgOptions {
    /// Sorts the options as they were written.
    pub(crate) fn read(entries: Vec<Entry>, errors: &mut Errors) -> Self {
        let mut it = Self::default();
        for entry in entries {
            match entry.name().as_str() {
                words::RENAME => given::put(&mut it.rename, entry, given::text, errors),
                words::DEFAULT => given::put(&mut it.default, entry, default, errors),
                words::DESCRIPTION => given::put(&mut it.description, entry, given::text, errors),
                _ => given::unknown(&entry, words::ARG_OPTIONS, errors),
            }
        }
        it
    }

    /// The key of any option that was given.
    pub(crate) fn first_key(&self) -> Option<&syn::Ident> {
        let Self {
            rename,
            default,
            description,
        } = self;
        let keys = [
            rename.as_ref().map(|it| &it.key),
            default.as_ref().map(|it| &it.key),
            description.as_ref().map(|it| &it.key),
        ];
        keys.into_iter().flatten().next()
    }
}

/// A hint stands alone or says yes or no, for the assumption of clients is not always no.
fn hint(entry: &Entry, errors: &mut Errors) -> Option<bool> {
    let instead = "stands alone or takes `true` or `false`";
    match &entry.written {
        Written::Flag => Some(true),
        Written::Value(value) => match given::literal(value) {
            Some(Lit::Bool(it)) => Some(it.value),
            _ => given::wrong(entry, value, instead, errors),
        },
        Written::List(list) => given::wrong(entry, list, instead, errors),
    }
}

fn types(entry: &Entry, errors: &mut Errors) -> Option<Vec<Type>> {
    let instead = "takes the types of the questions: `asks(Account, Invoice)`";
    let Written::List(list) = &entry.written else {
        return given::wrong(entry, &entry.key, instead, errors);
    };
    match Punctuated::<Type, Token![,]>::parse_terminated.parse2(list.clone()) {
        Ok(types) if !types.is_empty() => Some(types.into_iter().collect()),
        _ => given::wrong(entry, list, instead, errors),
    }
}

fn revision(entry: &Entry, errors: &mut Errors) -> Option<LitInt> {
    let instead = "takes a whole number: `rev = 2`";
    match &entry.written {
        Written::Value(value) => match given::literal(value) {
            Some(Lit::Int(number)) if number.base10_parse::<u32>().is_ok() => Some(number.clone()),
            _ => given::wrong(entry, value, instead, errors),
        },
        _ => given::wrong(entry, &entry.key, instead, errors),
    }
}

fn default(entry: &Entry, errors: &mut Errors) -> Option<Absent> {
    match &entry.written {
        Written::Flag => Some(Absent::OfType),
        _ => given::expr(entry, errors).map(Absent::Value),
    }
}
