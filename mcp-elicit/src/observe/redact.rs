//! Takes what people and models have said out of texts that go to the log.
//!
//! The texts are errors and panics of an author's code, which like to quote what they stumbled
//! over. What is looked for are the texts and longer numbers in JSON: answers, arguments, results
//! of steps. It uses nothing else of the crate.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::Value;

/// The longest text that is logged, in bytes.
const TEXT: usize = 8 * 1024;
/// The most JSON, in bytes, and the most values that are looked for. With more, the text is not logged
/// at all, or a peer could choose how long it takes to log an error.
const JSON: usize = 256 * 1024;
const VALUES: usize = 512;
/// Shorter values say nothing about anybody, and are in every text.
const SHORTEST: usize = 3;
/// Values as long as this are taken out wherever they are, shorter ones where they stand as a word.
const LONG: usize = 12;

const REMOVED: &str = "[removed]";

/// `text` without the values in `quoted`, which are JSON texts.
pub(crate) fn redact<'t>(text: &'t str, quoted: &[&str]) -> Cow<'t, str> {
    let Some(values) = values(quoted) else {
        return Cow::Borrowed("(withheld: too much was said in this call to look for all of it)");
    };
    // So much is looked at that what is cut in two at the end is found too.
    let seen = start(text, 2 * TEXT);
    let mut said = vec![false; seen.len()];
    for value in &values {
        mark(seen, value, &mut said);
    }
    if text.len() <= TEXT && !said.contains(&true) {
        return Cow::Borrowed(text);
    }
    let mut out = without(start(text, TEXT), &said);
    if text.len() > TEXT {
        out.push_str("… (cut)");
    }
    Cow::Owned(out)
}

/// As much of the beginning of `text` as fits into `most` bytes.
fn start(text: &str, most: usize) -> &str {
    let end = (0..=most).rev().find(|&at| text.is_char_boundary(at));
    if text.len() <= most {
        text
    } else {
        text.get(..end.unwrap_or(0)).unwrap_or_default()
    }
}

/// Marks the bytes of `text` that are `value`.
fn mark(text: &str, value: &str, said: &mut [bool]) {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    for at in memmem::find_iter(text.as_bytes(), value.as_bytes()) {
        let end = at + value.len();
        let (Some(before), Some(after)) = (text.get(..at), text.get(end..)) else {
            continue;
        };
        let inside = is_word(before.chars().next_back()) || is_word(after.chars().next());
        if value.len() < LONG && inside {
            continue;
        }
        if let Some(said) = said.get_mut(at..end) {
            said.fill(true);
        }
    }
}

/// `text` without the bytes that are marked.
fn without(text: &str, said: &[bool]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut removing = false;
    for (c, &said) in text
        .char_indices()
        .filter_map(|(at, c)| Some((c, said.get(at)?)))
    {
        match (said, removing) {
            (true, false) => out.push_str(REMOVED),
            (true, true) => {}
            (false, _) => out.push(c),
        }
        removing = said;
    }
    out
}

/// The values to look for, as they may be written.
fn values(quoted: &[&str]) -> Option<Vec<String>> {
    let size: usize = quoted.iter().map(|json| json.len()).sum();
    if size > JSON {
        return None;
    }
    let mut found = Vec::new();
    for json in quoted {
        match serde_json::from_str(json) {
            Ok(value) => collect(value, &mut found),
            // What is no JSON is looked for as it is.
            Err(_) => found.push((*json).to_owned()),
        }
        if found.len() > VALUES {
            return None;
        }
    }
    let mut all = Vec::with_capacity(found.len() * 2);
    for value in found {
        let value = value.trim();
        if value.len() < SHORTEST {
            continue;
        }
        // As `{:?}` writes it, and as it is written in what is itself written so.
        let once = value.escape_debug().to_string();
        let twice = once.escape_debug().to_string();
        let json = serde_json::to_string(value).unwrap_or_default();
        let json = json.trim_matches('"').to_owned();
        for form in [value, &once, &twice, &json] {
            // The rest of a longer one stands behind what is logged.
            all.push(start(form, TEXT).to_owned());
        }
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

fn collect(value: Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text),
        // One digit or two are a number of seats; more may be a number to call.
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(values) => values.into_iter().for_each(|v| collect(v, found)),
        Value::Object(members) => members.into_iter().for_each(|(name, value)| {
            // The name of a field is the author's word; a key of a map need not be.
            if !name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
            {
                found.push(name);
            }
            collect(value, found);
        }),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_answers(text: &str) -> String {
        let answers = r#"{"name":"Ada","mail":"ada@example.com","seats":3,"phone":4930123456,
            "agreed":true,"notes":["two\nlines","say \"hi\"","pro"],"by":{"eve@example.com":1}}"#;
        redact(text, &[answers, "a plain reason"]).into_owned()
    }

    #[test]
    fn what_was_said_is_removed_however_it_is_quoted() {
        for (text, left) in [
            (
                "no mail to ada@example.com today",
                "no mail to [removed] today",
            ),
            ("Ada, Ada and Adam", "[removed], [removed] and Adam"),
            ("cannot call 4930123456", "cannot call [removed]"),
            ("line `two\nlines` is two", "line `[removed]` is two"),
            (r#"Invalid("two\nlines")"#, r#"Invalid("[removed]")"#),
            (
                r#"Other("Inner(\"say \\\"hi\\\"\")")"#,
                r#"Other("Inner(\"[removed]\")")"#,
            ),
            ("say \"hi\" to eve@example.com", "[removed] to [removed]"),
            ("for this: a plain reason.", "for this: [removed]."),
            // A field's name, a number of one digit, a yes, and a part of a word.
            (
                "`mail` of 3 is true for professionals",
                "`mail` of 3 is true for professionals",
            ),
            ("", ""),
        ] {
            assert_eq!(without_answers(text), left);
        }
    }

    #[test]
    fn a_long_value_is_found_inside_of_words_and_a_short_one_is_not() {
        assert_eq!(
            redact("x123456789012x", &[r#""123456789012""#]),
            "x[removed]x"
        );
        assert_eq!(
            redact("x12345678901x", &[r#""12345678901""#]),
            "x12345678901x"
        );
        assert_eq!(
            redact("a 12 is 123", &[r#"["12","123"]"#]),
            "a 12 is [removed]"
        );
    }

    #[test]
    fn one_may_be_a_part_of_another() {
        let said = r#"["Berlin","Berlin Mitte"]"#;
        assert_eq!(
            redact("to Berlin Mitte or Berlin", &[said]),
            "to [removed] or [removed]"
        );
    }

    #[test]
    fn what_is_too_much_to_look_for_is_withheld_whole() {
        let values = |n: usize| serde_json::to_string(&vec!["word"; n]).unwrap();
        assert_eq!(redact("a word", &[&values(VALUES)]), "a [removed]");
        assert!(redact("a word", &[&values(VALUES + 1)]).starts_with("(withheld"));
        let long = |n: usize| format!("\"{}\"", "x".repeat(n - 2));
        assert_eq!(redact("a word", &[&long(JSON)]), "a word");
        assert!(redact("a word", &[&long(JSON + 1)]).starts_with("(withheld"));
    }

    #[test]
    fn a_value_as_long_as_the_text_is_removed() {
        let long = "z".repeat(3 * TEXT);
        let said = format!("\"{long}\"");
        let cut = redact(&format!("no {long}"), &[&said]).into_owned();
        assert_eq!(cut, "no [removed]… (cut)");
    }

    #[test]
    fn a_long_text_is_cut_and_with_it_nothing_that_was_said() {
        let whole = format!("{} end", "a".repeat(TEXT - 4));
        assert_eq!(redact(&whole, &[]), whole);
        let longer = format!("{} the end of it", "a".repeat(TEXT - 6));
        let cut = redact(&longer, &[r#""the end of it""#]).into_owned();
        assert_eq!(cut, format!("{} [removed]… (cut)", "a".repeat(TEXT - 6)));
        let wide = "\u{1f600}".repeat(TEXT);
        let cut = redact(&wide, &[]).into_owned();
        assert_eq!(cut, format!("{}… (cut)", "\u{1f600}".repeat(TEXT / 4)));
    }
}
