//! The options of a tool, a prompt or a resource, and of its parameters.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, LitInt, LitStr, Meta, Path, Token, Type};

use crate::attr::given::{self, Entry, Given, Written};
use crate::errors::Errors;
use crate::words::{self, Rule};

/// What a function is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Tool,
    Prompt,
    Resource,
}

impl Role {
    /// What it is called in messages.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Prompt => "a prompt",
            Self::Resource => "a resource",
        }
    }

    /// The attribute that makes it so.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Tool => words::TOOL,
            Self::Prompt => words::PROMPT,
            Self::Resource => words::RESOURCE,
        }
    }

    const fn options(self) -> &'static [&'static str] {
        match self {
            Self::Tool => words::TOOL_OPTIONS,
            Self::Prompt => words::PROMPT_OPTIONS,
            Self::Resource => words::RESOURCE_OPTIONS,
        }
    }

    /// What an attribute of a method makes of it, by whatever path.
    pub(crate) fn of(attr: &Attribute) -> Option<Self> {
        let last = &attr.path().segments.last()?.ident;
        [Self::Tool, Self::Prompt, Self::Resource]
            .into_iter()
            .find(|role| last == role.word())
    }
}

/// What `#[tool(..)]`, `#[prompt(..)]` or `#[resource(..)]` says.
#[derive(Default)]
pub(crate) struct ToolOptions {
    /// The URI of a resource, or the template of its URIs.
    pub(crate) uri: Option<LitStr>,
    pub(crate) mime: Option<Given<LitStr>>,
    pub(crate) name: Option<Given<LitStr>>,
    pub(crate) title: Option<Given<LitStr>>,
    pub(crate) description: Option<Given<LitStr>>,
    pub(crate) read_only: Option<Given<bool>>,
    pub(crate) destructive: Option<Given<bool>>,
    pub(crate) idempotent: Option<Given<bool>>,
    pub(crate) open_world: Option<Given<bool>>,
    pub(crate) icon: Option<Given<Expr>>,
    pub(crate) only_if: Option<Given<Expr>>,
    pub(crate) input_schema: Option<Given<Expr>>,
    pub(crate) output_schema: Option<Given<Expr>>,
    pub(crate) ttl: Option<Given<Expr>>,
    pub(crate) shared: Option<Given<()>>,
    pub(crate) asks: Option<Given<Vec<Type>>>,
    pub(crate) single_use: Option<Given<()>>,
    pub(crate) rev: Option<Given<LitInt>>,
    pub(crate) krate: Option<Given<Path>>,
}

impl ToolOptions {
    /// Reads the options as they were written.
    pub(crate) fn read(role: Role, written: TokenStream, errors: &mut Errors) -> Self {
        let mut it = Self::default();
        let mut rest = written;
        if role == Role::Resource {
            let mut tokens = rest.clone().into_iter();
            if let Some(uri) = tokens.next().and_then(text_of) {
                it.uri = Some(uri);
                // The comma after it, if more comes.
                tokens.next();
                rest = tokens.collect();
            }
        }
        for entry in given::read_list(rest, errors) {
            let name = entry.name();
            if !role.options().contains(&name.as_str()) {
                given::unknown(&entry, role.options(), errors);
                continue;
            }
            match name.as_str() {
                words::MIME => given::put(&mut it.mime, entry, given::text, errors),
                words::NAME => given::put(&mut it.name, entry, given::text, errors),
                words::TITLE => given::put(&mut it.title, entry, given::text, errors),
                words::DESCRIPTION => given::put(&mut it.description, entry, given::text, errors),
                words::READ_ONLY => given::put(&mut it.read_only, entry, hint, errors),
                words::DESTRUCTIVE => given::put(&mut it.destructive, entry, hint, errors),
                words::IDEMPOTENT => given::put(&mut it.idempotent, entry, hint, errors),
                words::OPEN_WORLD => given::put(&mut it.open_world, entry, hint, errors),
                words::ICON => given::put(&mut it.icon, entry, given::expr, errors),
                words::ONLY_IF => given::put(&mut it.only_if, entry, given::expr, errors),
                words::INPUT_SCHEMA => given::put(&mut it.input_schema, entry, given::expr, errors),
                words::OUTPUT_SCHEMA => {
                    given::put(&mut it.output_schema, entry, given::expr, errors);
                }
                words::TTL => given::put(&mut it.ttl, entry, given::expr, errors),
                words::SHARED => given::put(&mut it.shared, entry, given::flag, errors),
                words::ASKS => given::put(&mut it.asks, entry, types, errors),
                words::SINGLE_USE => given::put(&mut it.single_use, entry, given::flag, errors),
                words::REV => given::put(&mut it.rev, entry, revision, errors),
                words::CRATE => given::put(&mut it.krate, entry, given::path, errors),
                _ => given::unknown(&entry, role.options(), errors),
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

/// The text that one token is.
fn text_of(token: TokenTree) -> Option<LitStr> {
    match Lit::new(match token {
        TokenTree::Literal(literal) => literal,
        _ => return None,
    }) {
        Lit::Str(text) => Some(text),
        _ => None,
    }
}

/// What a method is to be, by its attributes.
pub(crate) fn role(attrs: &[Attribute]) -> Option<Role> {
    attrs.iter().find_map(Role::of)
}

/// The options in the attributes of a method.
pub(crate) fn written(attrs: &[Attribute], role: Role, errors: &mut Errors) -> TokenStream {
    let mut all = TokenStream::new();
    for attr in attrs {
        match Role::of(attr) {
            Some(its) if its == role => {}
            Some(its) => {
                let (noun, other) = (role.noun(), its.noun());
                errors.at(
                    attr,
                    Rule::TOOLS,
                    format_args!(
                        "this is {noun} already, and cannot be {other} as well: remove one"
                    ),
                );
                continue;
            }
            None => continue,
        }
        match &attr.meta {
            Meta::Path(_) => {}
            Meta::List(list) => {
                if !all.is_empty() {
                    all.extend(quote::quote!(,));
                }
                all.extend(list.tokens.clone());
            }
            Meta::NameValue(it) => {
                let word = role.word();
                let message = format_args!(
                    "`#[{word} = ..]` has no meaning: write `#[{word}(option = value)]`"
                );
                errors.at(it, Rule::OPTIONS, message);
            }
        }
    }
    all
}

/// What `#[arg(..)]` says.
#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) rename: Option<Given<LitStr>>,
    pub(crate) default: Option<Given<Absent>>,
    pub(crate) description: Option<Given<LitStr>>,
    /// What suggests values.
    pub(crate) complete: Option<Given<Path>>,
    /// The name for people of a prompt's argument.
    pub(crate) title: Option<Given<LitStr>>,
    /// The header that repeats it.
    pub(crate) header: Option<Given<LitStr>>,
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
    pub(crate) fn read(role: Role, entries: Vec<Entry>, errors: &mut Errors) -> Self {
        let mut it = Self::default();
        let known = match role {
            Role::Tool => words::ARG_OPTIONS,
            Role::Prompt | Role::Resource => words::TEXT_OPTIONS,
        };
        for entry in entries {
            let name = entry.name();
            if !known.contains(&name.as_str()) {
                given::unknown(&entry, known, errors);
                continue;
            }
            match name.as_str() {
                words::HEADER => given::put(&mut it.header, entry, given::text, errors),
                words::TITLE => given::put(&mut it.title, entry, given::text, errors),
                words::COMPLETE => given::put(&mut it.complete, entry, given::path, errors),
                words::RENAME => given::put(&mut it.rename, entry, given::text, errors),
                words::DEFAULT => given::put(&mut it.default, entry, default, errors),
                words::DESCRIPTION => given::put(&mut it.description, entry, given::text, errors),
                _ => given::unknown(&entry, known, errors),
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
            complete,
            title,
            header,
        } = self;
        let keys = [
            rename.as_ref().map(|it| &it.key),
            default.as_ref().map(|it| &it.key),
            description.as_ref().map(|it| &it.key),
            complete.as_ref().map(|it| &it.key),
            title.as_ref().map(|it| &it.key),
            header.as_ref().map(|it| &it.key),
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
