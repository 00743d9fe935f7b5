//! The address of a page, and the options that belong to pages or forms alone.

use quote::ToTokens;
use syn::LitStr;

use crate::ast::{Field, Form};
use crate::errors::Errors;
use crate::words::{self, Rule};

pub(crate) fn check(form: &Form<'_>, errors: &mut Errors) {
    let options = &form.options;
    if let Some(url) = &options.url
        && name(&url.value.value()).is_none()
    {
        errors.at(
            &url.value,
            Rule::PAGES,
            "the page of a URL ask is one of this server's own: `/ui/name`, the name of ASCII \
             letters, digits, `_` and `-`; the server adds its own address",
        );
    }
    if let Some(it) = &options.keep {
        if self::keep(&it.value.value()).is_none() {
            errors.at(
                &it.value,
                Rule::OPTIONS,
                "how long it is kept is \"process\", \"until_removed\", or a time such as \"30m\", \
                 \"8h\" or \"7d\"",
            );
        }
        only_page(form, &it.key, errors);
    }
    if let Some(it) = &options.fallback {
        if it.value.value() != "address" {
            errors.at(
                &it.value,
                Rule::OPTIONS,
                "for clients that cannot open links there is one fallback: \"address\"",
            );
        }
        only_page(form, &it.key, errors);
    }
    if let (Some(guarded), true) = (&options.guarded, form.is_page()) {
        errors.at(
            &guarded.key,
            Rule::OPTIONS,
            format_args!(
                "`{}` is for forms: what is typed on a page comes from the user alone; remove it",
                words::GUARDED
            ),
        );
    }
    if let Some(key) = &options.key
        && !is_key(&key.value)
    {
        errors.at(
            &key.value,
            Rule::OPTIONS,
            "a key is of ASCII letters, digits, `_` and `-`, such as \"billing_key\"",
        );
    }
}

/// The display names are of the form's schema: a page always shows the titles.
pub(crate) fn field(form: &Form<'_>, field: &Field<'_>, errors: &mut Errors) {
    if let (Some(enum_names), true, None) = (
        &field.options.enum_names,
        form.is_page(),
        &field.options.secret,
    ) {
        errors.at(
            &enum_names.key,
            Rule::OPTIONS,
            format_args!(
                "`{}` is for forms: a page shows the titles always; remove it",
                words::ENUM_NAMES
            ),
        );
    }
}

fn only_page(form: &Form<'_>, key: impl ToTokens, errors: &mut Errors) {
    if !form.is_page() {
        let name = key.to_token_stream();
        errors.at(
            key,
            Rule::OPTIONS,
            format_args!("`{name}` is for pages; add `url = \"/ui/name\"`, or remove it"),
        );
    }
}

fn is_key(key: &LitStr) -> bool {
    is_name(&key.value())
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// The name of the page at this path.
pub(crate) fn name(path: &str) -> Option<&str> {
    path.strip_prefix("/ui/").filter(|name| is_name(name))
}

/// How long an answer is kept.
pub(crate) enum Keep {
    Process,
    UntilRemoved,
    Seconds(u64),
}

/// The meaning of `keep = ".."`.
pub(crate) fn keep(text: &str) -> Option<Keep> {
    match text {
        "process" => return Some(Keep::Process),
        "until_removed" => return Some(Keep::UntilRemoved),
        _ => {}
    }
    let unit = match text.as_bytes().last()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3600,
        b'd' => 86400,
        _ => return None,
    };
    let digits = text.get(..text.len() - 1)?;
    let is_digits = digits.bytes().all(|b| b.is_ascii_digit());
    let count: u64 = digits.parse().ok().filter(|n| *n > 0 && is_digits)?;
    count.checked_mul(unit).map(Keep::Seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_under_ui() {
        assert_eq!(name("/ui/set_api-key2"), Some("set_api-key2"));
        for path in [
            "",
            "/",
            "/ui",
            "/ui/",
            "ui/a",
            "/ui/a/b",
            "/ui//a",
            "//ui/a",
            "/ui/..",
            "/ui/a?b",
            "/ui/a#b",
            "https://a.b/ui/c",
            "/ui/ä",
            "/ui/a b",
            "/UI/a",
            "/ui/%61",
            "/ui/-a",
        ] {
            assert_eq!(name(path), None, "{path}");
        }
    }

    #[test]
    fn times() {
        assert!(matches!(keep("8h"), Some(Keep::Seconds(28800))));
        assert!(matches!(keep("7d"), Some(Keep::Seconds(604_800))));
        for text in [
            "",
            "h",
            "0h",
            "8",
            "8w",
            "-1h",
            "+1h",
            "1.5h",
            "8 h",
            "99999999999999999999d",
            "forever",
        ] {
            assert!(keep(text).is_none(), "{text}");
        }
    }
}
