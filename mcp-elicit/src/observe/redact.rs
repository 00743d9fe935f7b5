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
/// The most JSON, in bytes, and the most values whose quotation is looked for. With more, the text
/// is not logged at all, or a peer could choose how long it takes to log an error.
const JSON: usize = 256 * 1024;
const VALUES: usize = 1024;
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
    let mut out = Cow::Borrowed(text);
    if text.len() > TEXT {
        let end = (0..=TEXT).rev().find(|&at| text.is_char_boundary(at));
        let start = text.get(..end.unwrap_or(0)).unwrap_or_default();
        // What was cut in two at the end is not found any more.
        out = Cow::Owned(format!("{}… (cut)", without_last_word(start)));
    }
    for value in &values {
        if let Some(without) = without(&out, value) {
            out = Cow::Owned(without);
        }
    }
    out
}

fn without_last_word(text: &str) -> &str {
    let words = text.rsplit_once(|c: char| c.is_whitespace());
    words.map_or("", |(before, _)| before)
}

/// The values to look for, the longest first: one may be a part of another.
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
        for form in [value.to_owned(), once, twice, json] {
            all.push(form);
        }
    }
    all.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
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

/// `text` without `value`; `None` if it is not in there.
fn without(text: &str, value: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for at in memmem::find_iter(text.as_bytes(), value.as_bytes()) {
        let (Some(before), Some(after)) = (text.get(..at), text.get(at + value.len()..)) else {
            continue;
        };
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if value.len() < LONG
            && (is_word(before.chars().next_back()) || is_word(after.chars().next()))
        {
            continue;
        }
        out.push_str(text.get(copied..at)?);
        out.push_str(REMOVED);
        copied = at + value.len();
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}
