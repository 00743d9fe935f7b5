//! Wire names: none empty, none twice.

use std::collections::HashMap;

use proc_macro2::Span;

use crate::ast::{Choice, Form, Text};
use crate::errors::Errors;
use crate::words::Rule;

pub(crate) fn form(form: &Form<'_>, errors: &mut Errors) {
    check(form.fields.iter().map(|it| &it.name), "fields", errors);
}

pub(crate) fn choice(choice: &Choice<'_>, errors: &mut Errors) {
    check(
        choice.variants.iter().map(|it| &it.value),
        "variants",
        errors,
    );
}

fn check<'a>(names: impl Iterator<Item = &'a Text>, what: &str, errors: &mut Errors) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for name in names {
        let value = name.value.as_str();
        if value.trim().is_empty() {
            errors.push(error(name.span, "this wire name is empty; write one"));
        } else if seen.insert(value, name.span).is_some() {
            errors.push(error(
                name.span,
                &format!("two {what} have the wire name \"{value}\"; give one `rename = \"..\"`"),
            ));
        }
    }
}

fn error(span: Span, message: &str) -> syn::Error {
    let Rule(number) = Rule::OPTIONS;
    syn::Error::new(span, format_args!("{message} [elicit::{number}]"))
}
