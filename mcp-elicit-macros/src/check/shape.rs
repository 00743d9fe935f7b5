//! Which items can be a form or a choice.

use syn::{Data, Fields};

use crate::ast::{Choice, Form};
use crate::errors::Errors;
use crate::words::Rule;

pub(crate) fn form(form: &Form<'_>, errors: &mut Errors) {
    let item = form.item;
    match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if fields.named.is_empty() => errors.at(
                &item.ident,
                Rule::SHAPE,
                "a form without fields has nothing to fill in; to ask for a yes, use `cx.confirm(\"..\")`",
            ),
            Fields::Named(_) => {}
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => errors.at(
                fields,
                Rule::SHAPE,
                "the fields of a form have names: write `struct Name { field: Type }`; a type for one \
                 field of a form has `#[elicit(transparent)]`",
            ),
            Fields::Unnamed(fields) => errors.at(
                fields,
                Rule::SHAPE,
                "the fields of a form have names; write `struct Name { field: Type }`",
            ),
            Fields::Unit => errors.at(
                &item.ident,
                Rule::SHAPE,
                "a form without fields has nothing to fill in; to ask for a yes, use `cx.confirm(\"..\")`",
            ),
        },
        Data::Enum(data) => errors.at(
            data.enum_token,
            Rule::SHAPE,
            "a form is a struct; for one of several choices, derive `Choice` here and have a field \
             of this type in a form",
        ),
        Data::Union(data) => errors.at(
            data.union_token,
            Rule::SHAPE,
            "a form is a struct with named fields, not a union",
        ),
    }
    if !item.generics.params.is_empty() {
        errors.at(
            &item.generics.params,
            Rule::SHAPE,
            "a form has no generics and no lifetimes: it is one fixed list of fields; write the \
             types out, texts as `String`",
        );
    } else if let Some(clause) = &item.generics.where_clause {
        errors.at(
            clause,
            Rule::SHAPE,
            "a form has no `where` clause; remove it",
        );
    }
}

pub(crate) fn choice(choice: &Choice<'_>, errors: &mut Errors) {
    let item = choice.item;
    match &item.data {
        Data::Enum(data) if data.variants.is_empty() => errors.at(
            &item.ident,
            Rule::TYPES,
            "a choice without variants cannot be answered; add variants",
        ),
        Data::Enum(_) => {}
        Data::Struct(data) => errors.at(
            data.struct_token,
            Rule::TYPES,
            "a choice is an enum of variants without data; for a form, derive `Elicit`",
        ),
        Data::Union(data) => errors.at(
            data.union_token,
            Rule::TYPES,
            "a choice is an enum of variants without data",
        ),
    }
    if !item.generics.params.is_empty() {
        errors.at(
            &item.generics.params,
            Rule::TYPES,
            "a choice has no generics and no lifetimes: it is one fixed list",
        );
    }
    for it in &choice.variants {
        if !matches!(it.variant.fields, Fields::Unit) {
            errors.at(
                &it.variant.fields,
                Rule::TYPES,
                "a choice holds no data: only its name is answered; ask for the data in a field of \
                 its own",
            );
        }
    }
}
