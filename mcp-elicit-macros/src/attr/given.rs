//! Key and value of one option, with spans: `min = 3`, `guarded`, `asks(A, B)`.
//!
//! It reads any attribute of that form and reports what is malformed, given twice or unknown. What
//! the options mean is for the files beside it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token, UnOp};

use crate::attr::hint;
use crate::errors::Errors;
use crate::words::Rule;

/// An option's value beside the key it was given under.
pub(crate) struct Given<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
}

/// What stands after the key.
pub(crate) enum Written {
    /// Nothing: `guarded`.
    Flag,
    /// `= ..`
    Value(Expr),
    /// `(..)`
    List(TokenStream),
}

/// One option as it was written.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) written: Written,
}

impl Entry {
    /// The option's name.
    pub(crate) fn name(&self) -> String {
        self.key.unraw().to_string()
    }
}

/// The options in all attributes named `word`, in order. A malformed one is reported and skipped;
/// those beside it are still read.
pub(crate) fn read(attrs: &[Attribute], word: &str, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident(word)) {
        match &attr.meta {
            Meta::Path(_) => {}
            Meta::List(list) => entries.extend(read_list(list.tokens.clone(), errors)),
            Meta::NameValue(it) => errors.at(
                it,
                Rule::OPTIONS,
                format_args!("`#[{word} = ..]` has no meaning: write `#[{word}(option = value)]`"),
            ),
        }
    }
    entries
}

/// The options of one list of tokens.
pub(crate) fn read_list(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    let parse = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match entry(input) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    errors.push(numbered(&error));
                    skip(input)?;
                }
            }
            if input.is_empty() {
                break;
            }
            if let Err(error) = input.parse::<Token![,]>() {
                errors.push(numbered(&error));
                skip(input)?;
                let _ = input.parse::<Option<Token![,]>>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = parse.parse2(tokens) {
        errors.push(error);
    }
    entries
}

fn numbered(error: &syn::Error) -> syn::Error {
    let Rule(number) = Rule::OPTIONS;
    syn::Error::new(error.span(), format_args!("{error} [elicit::{number}]"))
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let Ok(key) = input.call(Ident::parse_any) else {
        return Err(input.error("an option has a name: write `option` or `option = value`"));
    };
    let written = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        if input.is_empty() || input.peek(Token![,]) {
            let message = format!("`{key}` needs a value after its `=`");
            return Err(syn::Error::new(key.span(), message));
        }
        Written::Value(input.parse()?)
    } else if input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        Written::List(content.parse()?)
    } else {
        Written::Flag
    };
    Ok(Entry { key, written })
}

/// The text serde was given for `word`. What is malformed there is for serde to report.
pub(crate) fn serde(attrs: &[Attribute], word: &str) -> Option<LitStr> {
    let mut found = None;
    for attr in attrs.iter().filter(|a| a.path().is_ident("serde")) {
        let Meta::List(list) = &attr.meta else {
            continue;
        };
        for entry in read_list(list.tokens.clone(), &mut Errors::default()) {
            if entry.name() == word
                && let Written::Value(value) = &entry.written
                && let Some(Lit::Str(text)) = literal(value)
            {
                found = Some(text.clone());
            }
        }
    }
    found
}

/// Moves to the next comma, so that one bad option does not hide the others.
fn skip(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// Puts an option in its place, read by `read`. A second one is reported at its key.
pub(crate) fn put<T>(
    slot: &mut Option<Given<T>>,
    entry: Entry,
    read: impl FnOnce(&Entry, &mut Errors) -> Option<T>,
    errors: &mut Errors,
) {
    if slot.is_some() {
        let key = &entry.key;
        errors.at(
            key,
            Rule::OPTIONS,
            format_args!("`{key}` is given twice: remove one"),
        );
    } else if let Some(value) = read(&entry, errors) {
        *slot = Some(Given {
            key: entry.key,
            value,
        });
    }
}

/// Reports an option that no place knows.
pub(crate) fn unknown(entry: &Entry, known: &[&str], errors: &mut Errors) {
    let key = &entry.key;
    errors.at(
        key,
        Rule::OPTIONS,
        format_args!(
            "unknown option `{key}`{}; known options: {}",
            hint::of(&entry.name(), known),
            known.join(", ")
        ),
    );
}

/// Reads an option that has no value.
pub(crate) fn flag(entry: &Entry, errors: &mut Errors) -> Option<()> {
    match &entry.written {
        Written::Flag => Some(()),
        Written::Value(it) => wrong(entry, it, "stands alone, without a value", errors),
        Written::List(it) => wrong(entry, it, "stands alone, without a value", errors),
    }
}

/// Reads a string literal.
pub(crate) fn text(entry: &Entry, errors: &mut Errors) -> Option<LitStr> {
    match &entry.written {
        Written::Value(it) => match literal(it) {
            Some(Lit::Str(text)) => Some(text.clone()),
            _ => wrong(entry, it, "takes a text: `= \"..\"`", errors),
        },
        _ => wrong(entry, &entry.key, "takes a text: `= \"..\"`", errors),
    }
}

/// Reads a path, such as the name of a function.
pub(crate) fn path(entry: &Entry, errors: &mut Errors) -> Option<Path> {
    match &entry.written {
        Written::Value(it) => match ungrouped(it) {
            Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
            _ => wrong(entry, it, "takes a path: `= some::path`", errors),
        },
        _ => wrong(entry, &entry.key, "takes a path: `= some::path`", errors),
    }
}

/// Reads any expression.
pub(crate) fn expr(entry: &Entry, errors: &mut Errors) -> Option<Expr> {
    match &entry.written {
        Written::Value(it) => Some(it.clone()),
        _ => wrong(entry, &entry.key, "takes a value: `= ..`", errors),
    }
}

/// Reports `entry` as given in a wrong way; `None`, for the readers above.
pub(crate) fn wrong<T>(
    entry: &Entry,
    at: impl ToTokens,
    instead: &str,
    errors: &mut Errors,
) -> Option<T> {
    let key = &entry.key;
    let mut at = at.to_token_stream();
    if at.is_empty() {
        at = key.to_token_stream();
    }
    errors.at(at, Rule::OPTIONS, format_args!("`{key}` {instead}"));
    None
}

/// The literal an expression is, if it is one.
pub(crate) fn literal(expr: &Expr) -> Option<&Lit> {
    match ungrouped(expr) {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}

/// A number literal with an optional minus before it.
pub(crate) fn number(expr: &Expr) -> Option<(bool, &Lit)> {
    match ungrouped(expr) {
        Expr::Unary(it) if matches!(it.op, UnOp::Neg(_)) => {
            let lit = literal(&it.expr)?;
            matches!(lit, Lit::Int(_) | Lit::Float(_)).then_some((true, lit))
        }
        Expr::Lit(ExprLit { lit, .. }) if matches!(lit, Lit::Int(_) | Lit::Float(_)) => {
            Some((false, lit))
        }
        _ => None,
    }
}

/// The expression inside the invisible brackets that `macro_rules!` puts around its parts.
pub(crate) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        Expr::Paren(paren) => ungrouped(&paren.expr),
        other => other,
    }
}

/// The paragraphs and list items of a doc comment, each on one line; `None` if there is none. The span is that
/// of its first line.
pub(crate) fn doc(attrs: &[Attribute]) -> Option<(String, Span)> {
    let mut text = String::new();
    let mut span = None;
    for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
        let Meta::NameValue(it) = &attr.meta else {
            continue;
        };
        let Some(Lit::Str(line)) = literal(&it.value) else {
            continue;
        };
        span.get_or_insert(line.span());
        let block = line.value();
        let is_starred = is_starred(&block);
        for line in block.split('\n').map(str::trim) {
            let line = match line.strip_prefix('*') {
                Some(rest) if is_starred => rest.trim_start(),
                _ => line,
            };
            match line {
                "" if text.is_empty() || text.ends_with('\n') => {}
                "" => text.push_str("\n\n"),
                line => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push(if begins_item(line) { '\n' } else { ' ' });
                    }
                    text.push_str(line);
                }
            }
        }
    }
    let text = text.trim().to_owned();
    span.filter(|_| !text.is_empty()).map(|span| (text, span))
}

/// Whether this is a block comment with a column of stars at its left, which are no part of the text.
fn is_starred(block: &str) -> bool {
    let mut lines = block
        .split('\n')
        .skip(1)
        .filter(|it| !it.trim().is_empty())
        .peekable();
    lines.peek().is_some()
        && lines.all(|it| it.starts_with([' ', '\t']) && it.trim_start().starts_with('*'))
}

/// Whether a line is the first of a list item.
fn begins_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = digits.len() < line.len() && digits.starts_with(". ");
    is_numbered || line.starts_with("- ") || line.starts_with("* ")
}
