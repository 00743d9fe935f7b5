//! The rules on syntax, a file per family. What only the type can tell is left to constants that
//! `expand` writes.

pub(crate) mod bounds;
pub(crate) mod header;
mod links;
mod names;
pub(crate) mod newtype;
pub(crate) mod page;
pub(crate) mod secrets;
mod select;
mod shape;
pub(crate) mod tool;

use crate::ast::{Choice, Form};
use crate::errors::Errors;

/// Checks a form or page, or a newtype for a field of one.
pub(crate) fn form(form: &Form<'_>, errors: &mut Errors) {
    if form.options.transparent.is_some() {
        return newtype::check(form, errors);
    }
    shape::form(form, errors);
    links::form(form, errors);
    page::check(form, errors);
    names::form(form, errors);
    for field in &form.fields {
        secrets::check(form, field, errors);
        bounds::check(field, errors);
        select::check(form, field, errors);
        page::field(form, field, errors);
    }
}

/// Checks a choice.
pub(crate) fn choice(choice: &Choice<'_>, errors: &mut Errors) {
    shape::choice(choice, errors);
    names::choice(choice, errors);
    links::choice(choice, errors);
}
