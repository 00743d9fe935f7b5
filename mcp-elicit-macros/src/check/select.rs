//! Choices known only at run time: `#[select]` is for forms, and of the bounds it has those of a list.

use proc_macro2::Ident;

use crate::ast::{Field, Form};
use crate::attr::field::FieldOptions;
use crate::errors::Errors;
use crate::words::{self, Rule};

pub(crate) fn check(form: &Form<'_>, field: &Field<'_>, errors: &mut Errors) {
    let Some(span) = field.options.select else {
        return;
    };
    let word = Ident::new(words::SELECT, span);
    if field.options.secret.is_some() {
        errors.at(
            word,
            Rule::OPTIONS,
            "a field is typed unseen or chosen from a list: remove `#[secret]` or `#[select]`",
        );
        return;
    }
    if form.is_page() {
        errors.at(
            word,
            Rule::OPTIONS,
            "`#[select]` is for forms: a page is shown by any process, also one that does not know \
             the choices; ask in a form of its own, or write an enum with `#[derive(Choice)]`",
        );
    }
    let FieldOptions {
        title: _,
        description: _,
        rename: _,
        serde_rename: _,
        default,
        min,
        max,
        min_length,
        max_length,
        min_items: _,
        max_items: _,
        format,
        enum_names,
        not_secret,
        secret: _,
        select: _,
    } = &field.options;
    let keys = [default, min, max, min_length, max_length]
        .into_iter()
        .flatten()
        .map(|it| &it.key)
        .chain([format, not_secret].into_iter().flatten().map(|it| &it.key))
        .chain(enum_names.iter().map(|it| &it.key));
    for key in keys {
        errors.at(
            key,
            Rule::OPTIONS,
            format_args!(
                "`{key}` is not for choices of run time; `#[select]` fields have `title`, \
                 `description`, `rename`, and a `Vec` has `min_items` and `max_items`"
            ),
        );
    }
}
