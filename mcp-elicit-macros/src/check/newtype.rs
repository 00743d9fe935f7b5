//! Which items can stand for the type of a field: `#[elicit(transparent)]` on a struct around one type.

use quote::ToTokens;
use syn::{Data, Fields, Type};

use crate::ast::Form;
use crate::attr::form::FormOptions;
use crate::errors::Errors;
use crate::words::{self, Rule};

pub(crate) fn check(form: &Form<'_>, errors: &mut Errors) {
    shape(form, errors);
    options(form, errors);
    attributes(form, errors);
}

/// The one type in it, if it has that shape.
pub(crate) fn inner<'a>(form: &Form<'a>) -> Option<&'a Type> {
    match &form.item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                fields.unnamed.first().map(|field| &field.ty)
            }
            _ => None,
        },
        _ => None,
    }
}

fn shape(form: &Form<'_>, errors: &mut Errors) {
    const INSTEAD: &str =
        "a transparent type is a struct around one type: write `struct Name(Type);`";
    let item = form.item;
    match &item.data {
        Data::Struct(_) if inner(form).is_some() => {}
        Data::Struct(data) => match &data.fields {
            Fields::Unit => errors.at(&item.ident, Rule::SHAPE, INSTEAD),
            fields => errors.at(fields, Rule::SHAPE, INSTEAD),
        },
        Data::Enum(data) => errors.at(
            data.enum_token,
            Rule::SHAPE,
            format_args!("{INSTEAD}; for one of several choices derive `Choice`"),
        ),
        Data::Union(data) => errors.at(data.union_token, Rule::SHAPE, INSTEAD),
    }
    if !item.generics.params.is_empty() {
        errors.at(
            &item.generics.params,
            Rule::SHAPE,
            "a transparent type has no generics and no lifetimes: write the type inside of it out",
        );
    } else if let Some(clause) = &item.generics.where_clause {
        errors.at(
            clause,
            Rule::SHAPE,
            "a transparent type has no `where` clause; remove it",
        );
    }
}

/// It is asked as a field, so all that a form says is said elsewhere.
fn options(form: &Form<'_>, errors: &mut Errors) {
    let FormOptions {
        message,
        key,
        check,
        guarded,
        rename_all,
        serde_rename_all: _,
        url,
        keep,
        fallback,
        krate: _,
        transparent: _,
        page: _,
    } = &form.options;
    let texts = [message, key, url, keep, fallback];
    let keys = texts
        .into_iter()
        .flatten()
        .map(|it| &it.key)
        .chain(check.iter().map(|it| &it.key))
        .chain(guarded.iter().map(|it| &it.key))
        .chain(rename_all.iter().map(|it| &it.key));
    for key in keys {
        errors.at(
            key,
            Rule::OPTIONS,
            format_args!(
                "`{key}` is for forms and pages; a transparent type stands for a field of one and \
                 has no options; move it there"
            ),
        );
    }
}

fn attributes(form: &Form<'_>, errors: &mut Errors) {
    let Data::Struct(data) = &form.item.data else {
        return;
    };
    for attr in data.fields.iter().flat_map(|field| &field.attrs) {
        let path = attr.path();
        if [words::ELICIT, words::SECRET, words::SELECT]
            .iter()
            .any(|word| path.is_ident(word))
        {
            errors.at(
                attr,
                Rule::OPTIONS,
                format_args!(
                    "`#[{}]` stands on a field of a form or page; move it to where this type is used",
                    path.to_token_stream()
                ),
            );
        }
    }
}
