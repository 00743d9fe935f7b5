//! The texts a user reads: there must be a message, nothing may be empty, and no form has a link.
//!
//! A link in a form is a way to lead a user astray under the server's name: the specification keeps
//! them to URL mode.

use proc_macro2::{Span, TokenStream};

use crate::ast::{Choice, Form, Text};
use crate::errors::Errors;
use crate::words::Rule;

pub(crate) fn form(form: &Form<'_>, errors: &mut Errors) {
    match &form.message {
        // An attribute of the wrong kind is reported already.
        None if form.options.message.is_some() => {}
        // What is no form at all may not need one.
        None if form.fields.is_empty() => {}
        None => errors.at(
            &form.item.ident,
            Rule::MESSAGE,
            "what is asked needs a message for the user: write a doc comment, or \
             `#[elicit(message = \"..\")]`",
        ),
        Some(message) if message.value.trim().is_empty() => errors.at(
            at(message.span),
            Rule::MESSAGE,
            "the message for the user is empty; say what is asked and what for",
        ),
        Some(message) => no_link(message, errors),
    }
    for field in &form.fields {
        if field.options.title.is_some() {
            not_empty(&field.title, "title", errors);
        }
        // The texts beside the fields of a page are shown by this server alone.
        if !form.is_page() {
            no_link(&field.title, errors);
            if let Some(description) = &field.description {
                no_link(description, errors);
            }
        }
    }
}

pub(crate) fn choice(choice: &Choice<'_>, errors: &mut Errors) {
    for title in choice.variants.iter().filter_map(|it| it.title.as_ref()) {
        not_empty(title, "title", errors);
        no_link(title, errors);
    }
}

fn not_empty(text: &Text, what: &str, errors: &mut Errors) {
    if text.value.trim().is_empty() {
        errors.at(
            at(text.span),
            Rule::OPTIONS,
            format_args!(
                "this {what} is empty; write one, or remove it for the one made of the name"
            ),
        );
    }
}

fn no_link(text: &Text, errors: &mut Errors) {
    if has_link(&text.value) {
        errors.at(
            at(text.span),
            Rule::LINKS,
            "no link here: clients must not make it one, and users must not be taught to follow it; \
             name the site in words, or lead there from a page: `#[elicit(url = \"/ui/name\")]`",
        );
    }
}

/// An empty token stream at a place, for errors on text that is not tokens.
fn at(span: Span) -> TokenStream {
    proc_macro2::TokenTree::from({
        let mut it = proc_macro2::Literal::string("");
        it.set_span(span);
        it
    })
    .into()
}

/// Whether a text holds what a client could show as a link.
fn has_link(text: &str) -> bool {
    let lower = text.to_lowercase();
    let starts_word = |at: usize| {
        !lower
            .get(..at)
            .and_then(|before| before.chars().next_back())
            .is_some_and(char::is_alphanumeric)
    };
    let word = |scheme: &str| {
        lower.match_indices(scheme).any(|(at, _)| {
            let after = lower.get(at + scheme.len()..).unwrap_or_default();
            starts_word(at) && after.starts_with(|c: char| !c.is_whitespace())
        })
    };
    lower.contains("://")
        || lower.contains("](")
        || ["www.", "mailto:", "javascript:", "data:text", "tel:"]
            .into_iter()
            .any(word)
}

#[cfg(test)]
mod tests {
    use super::has_link;

    #[test]
    fn links_and_what_only_looks_like_one() {
        for text in [
            "See https://example.com",
            "HTTP://EXAMPLE.COM",
            "go to www.example.com",
            "[here](example.com)",
            "mailto:a@b.c",
            "vscode://open",
        ] {
            assert!(has_link(text), "{text}");
        }
        for text in [
            "Your email",
            "Either/or: choose",
            "Metadata: text",
            "e.g. example.com",
            "Hotel: which one?",
            "awww. Sure?",
            "a list (of two) [optional]",
        ] {
            assert!(!has_link(text), "{text}");
        }
    }
}
