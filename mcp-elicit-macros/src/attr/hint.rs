//! What to write instead of an option that is not known: words of other tools, and slips of the pen.
//!
//! It only ever lengthens a message.

use crate::case::Case;
use crate::words;

/// What other tools call an option, and ours for it.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("label", &[words::TITLE]),
    ("name", &[words::RENAME, words::TITLE]),
    ("display_name", &[words::TITLE]),
    ("title", &[words::MESSAGE, words::DESCRIPTION]),
    ("help", &[words::DESCRIPTION]),
    ("hint", &[words::DESCRIPTION]),
    ("placeholder", &[words::DESCRIPTION]),
    ("doc", &[words::DESCRIPTION]),
    ("desc", &[words::DESCRIPTION]),
    ("prompt", &[words::MESSAGE]),
    ("question", &[words::MESSAGE]),
    ("description", &[words::MESSAGE]),
    ("page", &[words::URL]),
    ("path", &[words::URL]),
    ("validate", &[words::CHECK]),
    ("minimum", &[words::MIN]),
    ("maximum", &[words::MAX]),
    ("range", &[words::MIN, words::MAX]),
    ("length", &[words::MIN_LENGTH, words::MAX_LENGTH]),
    ("len", &[words::MIN_LENGTH, words::MAX_LENGTH]),
    ("min_len", &[words::MIN_LENGTH]),
    ("max_len", &[words::MAX_LENGTH]),
    ("items", &[words::MIN_ITEMS, words::MAX_ITEMS]),
    ("default_value", &[words::DEFAULT]),
];

/// What is said by other means than an option.
const OTHERWISE: &[(&[&str], &str)] = &[
    (
        &["required", "require", "mandatory"],
        "remove it: a field is required unless it is an `Option` or has a `default`",
    ),
    (
        &["optional", "nullable", "skip", "skip_serializing_if"],
        "write `Option<T>`; a field is required unless it is an `Option` or has a `default`",
    ),
    (&["email"], "write `format = \"email\"`"),
    (
        &["uri", "url"],
        "write `format = \"uri\"`; the `url` of a page stands on the struct",
    ),
    (&["date"], "write `format = \"date\"`"),
    (
        &["date_time", "datetime", "timestamp"],
        "write `format = \"date-time\"`",
    ),
    (
        &["values", "options", "choices", "one_of", "enum", "variants"],
        "make its type an enum with `#[derive(Choice)]`",
    ),
];

/// `; write ..`, or nothing if nothing is near.
pub(crate) fn of(given: &str, known: &[&str]) -> String {
    let name = Case::Snake.apply(given);
    if known.contains(&words::DEFAULT)
        && let Some((_, instead)) = OTHERWISE
            .iter()
            .find(|(names, _)| names.contains(&name.as_str()))
    {
        return format!("; {instead}");
    }
    if let Some(place) = elsewhere(&name, known) {
        return format!("; `{name}` stands {place}: move it there");
    }
    let near: Vec<String> = match known.iter().find(|it| **it == name) {
        Some(same) => vec![format!("`{same}`")],
        None => near(&name, known)
            .iter()
            .map(|it| format!("`{it}`"))
            .collect(),
    };
    if near.is_empty() {
        String::new()
    } else {
        format!("; write {}", near.join(" or "))
    }
}

/// Where an option stands that is another place's.
fn elsewhere(name: &str, known: &[&str]) -> Option<&'static str> {
    let is_one_of = |place: &[&str]| place.contains(&name) && place != known;
    let is_a_field = known == words::FIELD_OPTIONS || known == words::SECRET_OPTIONS;
    if is_a_field && is_one_of(words::FORM_OPTIONS) && !is_synonym(name, known) {
        Some("in the `#[elicit(..)]` of the struct")
    } else if known == words::FORM_OPTIONS && is_one_of(words::FIELD_OPTIONS) {
        (!is_synonym(name, known)).then_some("in the `#[elicit(..)]` of a field")
    } else if known == words::SECRET_OPTIONS && is_one_of(words::FIELD_OPTIONS) {
        let is_for_secrets = [words::TITLE, words::DESCRIPTION, words::RENAME].contains(&name);
        is_for_secrets.then_some("in the `#[elicit(..)]` of this field")
    } else {
        None
    }
}

fn is_synonym(name: &str, known: &[&str]) -> bool {
    SYNONYMS
        .iter()
        .any(|(theirs, ours)| *theirs == name && ours.iter().any(|it| known.contains(it)))
}

fn near<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    let ours = SYNONYMS
        .iter()
        .filter(|(theirs, _)| *theirs == name)
        .flat_map(|(_, ours)| *ours);
    let ours: Vec<_> = known
        .iter()
        .filter(|it| ours.clone().any(|ours| ours == *it))
        .copied()
        .collect();
    if !ours.is_empty() {
        return ours;
    }
    known
        .iter()
        .map(|it| (distance(name, it), *it))
        .filter(|(distance, it)| *distance <= 2 && *distance * 2 < it.len())
        .min()
        .map(|(_, it)| it)
        .into_iter()
        .collect()
}

/// The letters to insert, remove or replace on the way from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut left = i + 1;
        let mut before = i;
        for (cell, b) in row.iter_mut().skip(1).zip(to.bytes()) {
            let replaced = before + usize::from(a != b);
            before = *cell;
            left = replaced.min(before + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near() {
        for (given, instead) in [
            ("titel", "; write `title`"),
            ("label", "; write `title`"),
            ("minimum", "; write `min`"),
            ("range", "; write `min` or `max`"),
            ("maxLength", "; write `max_length`"),
            ("minLenght", "; write `min_length`"),
            ("max_len", "; write `max_length`"),
            ("length", "; write `min_length` or `max_length`"),
            ("name", "; write `title` or `rename`"),
            ("notSecret", "; write `not_secret`"),
            ("colour", ""),
            ("x", ""),
            ("", ""),
        ] {
            assert_eq!(of(given, words::FIELD_OPTIONS), instead, "{given}");
        }
        assert!(of("required", words::FIELD_OPTIONS).starts_with("; remove it"));
        assert!(of("optional", words::FIELD_OPTIONS).contains("`Option<T>`"));
        assert_eq!(
            of("email", words::FIELD_OPTIONS),
            "; write `format = \"email\"`"
        );
        assert_eq!(of("title", words::FORM_OPTIONS), "; write `message`");
        for (given, known, place) in [
            ("check", words::FIELD_OPTIONS, "of the struct"),
            ("guarded", words::FIELD_OPTIONS, "of the struct"),
            ("min_length", words::FORM_OPTIONS, "of a field"),
            ("default", words::FORM_OPTIONS, "of a field"),
            ("title", words::SECRET_OPTIONS, "of this field"),
            ("keep", words::SECRET_OPTIONS, "of the struct"),
        ] {
            assert!(of(given, known).contains(place), "{given}");
        }
        assert_eq!(of("readonly", words::TOOL_OPTIONS), "; write `read_only`");
    }
}
