//! The members of a JSON object as slices of its text, in one pass without copies.
//!
//! Answers and tool arguments both start here. It checks that the text is JSON, as strictly as a
//! parser, and builds nothing: what a member's value means is for the caller. It does not recurse, so
//! that no nesting can exhaust the stack.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Visitor};

/// How deep lists and objects may nest; as `serde_json` has it.
const DEPTH: u32 = 127;

/// Why a text has no members to take.
///
/// ```
/// use mcp_elicit::declare::{NotAnObject, split};
///
/// assert_eq!(split("[]", &[], &mut []), Err(NotAnObject::NotAnObject));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAnObject {
    /// It is not a JSON object, or not JSON at all.
    NotAnObject,
    /// A member that is asked for stands there twice. Which of the two counts would be a guess.
    Repeated,
}

impl fmt::Display for NotAnObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAnObject => "must be a JSON object",
            Self::Repeated => "has a member twice",
        })
    }
}

impl std::error::Error for NotAnObject {}

/// Puts the text of the member `names[i]` at `found[i]`. Other members are skipped; one that is
/// missing leaves its place as it was.
///
/// # Errors
///
/// If `json` is not an object, or has one of these members twice.
///
/// ```
/// use mcp_elicit::declare::split;
///
/// let mut found = [None; 2];
/// split(r#"{"to":"Oslo","seats":[2]}"#, &["seats", "via"], &mut found)?;
/// assert_eq!(found, [Some("[2]"), None]);
/// # Ok::<(), mcp_elicit::declare::NotAnObject>(())
/// ```
pub fn split<'a>(
    json: &'a str,
    names: &[&str],
    found: &mut [Option<&'a str>],
) -> Result<(), NotAnObject> {
    let position =
        |name: &str, next: usize| find(names.len(), next, |i| names.get(i) == Some(&name));
    members(json, position, |index, value| {
        found
            .get_mut(index)
            .is_none_or(|place| place.replace(value).is_none())
    })
}

/// Gives each member that `position` finds a place for to `take`, which says whether it was the
/// first there. `position` also gets the place after the last member's, since members mostly come
/// in order.
pub(crate) fn members<'a>(
    json: &'a str,
    position: impl Fn(&str, usize) -> Option<usize>,
    mut take: impl FnMut(usize, &'a str) -> bool,
) -> Result<(), NotAnObject> {
    let mut scan = Scan { json, at: 0 };
    let mut next = 0;
    let mut repeated = false;
    let read = scan.object(|name, value| {
        let place = match name.as_bytes().contains(&b'\\') {
            true => string(name).and_then(|name| position(&name, next)),
            false => inside(name).and_then(|name| position(name, next)),
        };
        if let Some(place) = place {
            next = place + 1;
            repeated |= !take(place, value);
        }
    });
    match read {
        None => Err(NotAnObject::NotAnObject),
        Some(()) if repeated => Err(NotAnObject::Repeated),
        Some(()) => Ok(()),
    }
}

/// What stands between the quotes of a JSON string.
fn inside(string: &str) -> Option<&str> {
    string.strip_prefix('"')?.strip_suffix('"')
}

/// A place in a JSON text. Each function moves behind what it names, or gives `None` if that is not
/// what stands there.
struct Scan<'a> {
    json: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// The whole text as one object.
    fn object(&mut self, mut member: impl FnMut(&'a str, &'a str)) -> Option<()> {
        self.blanks();
        self.byte(b'{')?;
        self.blanks();
        if self.byte(b'}').is_none() {
            loop {
                self.blanks();
                let name = self.slice(Self::string)?;
                self.blanks();
                self.byte(b':')?;
                self.blanks();
                let value = self.slice(Self::value)?;
                member(name, value);
                self.blanks();
                if self.byte(b'}').is_some() {
                    break;
                }
                self.byte(b',')?;
            }
        }
        self.blanks();
        (self.at == self.json.len()).then_some(())
    }

    fn value(&mut self) -> Option<()> {
        // One bit for each list or object that is open, 1 for an object; the lowest is the inmost.
        let mut open: u128 = 0;
        let mut depth = 0;
        loop {
            self.blanks();
            let is_object = match self.peek()? {
                b'"' => {
                    self.string()?;
                    None
                }
                b'{' => Some(true),
                b'[' => Some(false),
                b't' => self.word("true").map(|()| None)?,
                b'f' => self.word("false").map(|()| None)?,
                b'n' => self.word("null").map(|()| None)?,
                _ => {
                    self.number()?;
                    None
                }
            };
            if let Some(is_object) = is_object {
                self.at += 1;
                self.blanks();
                if self.byte(close(is_object)).is_none() {
                    depth += 1;
                    if depth > DEPTH {
                        return None;
                    }
                    open = open << 1 | u128::from(is_object);
                    if is_object {
                        self.name()?;
                    }
                    continue;
                }
            }
            loop {
                if depth == 0 {
                    return Some(());
                }
                let is_object = open & 1 == 1;
                self.blanks();
                if self.byte(b',').is_some() {
                    if is_object {
                        self.name()?;
                    }
                    break;
                }
                self.byte(close(is_object))?;
                open >>= 1;
                depth -= 1;
            }
        }
    }

    /// A member's name and the colon.
    fn name(&mut self) -> Option<()> {
        self.blanks();
        self.string()?;
        self.blanks();
        self.byte(b':')
    }

    fn string(&mut self) -> Option<()> {
        self.byte(b'"')?;
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        for _ in 0..4 {
                            self.next().filter(u8::is_ascii_hexdigit)?;
                        }
                    }
                    _ => return None,
                },
                0..=0x1f => return None,
                _ => {}
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.byte(b'-');
        // No zero before other digits.
        if self.byte(b'0').is_none() {
            self.digits()?;
        }
        if self.byte(b'.').is_some() {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let rest = self.json.as_bytes().get(self.at..)?;
        self.at += word.len();
        rest.starts_with(word.as_bytes()).then_some(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// What `read` moves over.
    fn slice(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<&'a str> {
        let start = self.at;
        read(self)?;
        self.json.get(start..self.at)
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }
}

const fn close(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

/// The index for which `is` holds, tried from `hint` on: members mostly come in order.
pub(crate) fn find(len: usize, hint: usize, is: impl Fn(usize) -> bool) -> Option<usize> {
    (hint..len).chain(0..hint.min(len)).find(|i| is(*i))
}

/// A string, borrowed where it has no escapes.
struct Str;

impl<'a> DeserializeSeed<'a> for Str {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Str {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

/// The text that a JSON string holds; `None` if `json` is no string.
pub(crate) fn string(json: &str) -> Option<Cow<'_, str>> {
    if !json.as_bytes().contains(&b'\\') {
        return inside(json).map(Cow::Borrowed);
    }
    Str.deserialize(&mut serde_json::Deserializer::from_str(json))
        .ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;

    use super::*;

    /// The members, in the order of their names.
    fn ours(json: &str) -> Option<BTreeMap<String, &str>> {
        let mut members = BTreeMap::new();
        let read = Scan { json, at: 0 }.object(|name, value| {
            members.insert(string(name).unwrap_or_default().into_owned(), value);
        });
        read.map(|()| members)
    }

    fn theirs(json: &str) -> Option<BTreeMap<String, &str>> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
        Some(members.into_iter().map(|(k, v)| (k, v.get())).collect())
    }

    const SEEDS: &[&str] = &[
        r#"{"a":"x","b":[1,-2.5e+3,0,{"c":{}}],"d":{"e":[],"f":null},"g":true,"h":false}"#,
        " {\n\t\"a\" : \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\" ,\r\n \"é\":[[],[{}],\"🦀\"] } ",
        "{}",
        r#"{"a":0.1E-2,"b":[[[[1]]]],"":""}"#,
    ];

    /// Every text that differs from a seed in one byte, and some in two.
    #[test]
    fn takes_what_a_parser_takes() {
        let bytes = b"{}[]\",:\\tfnu019-+.eE \n\x01x";
        let mut taken = 0;
        for seed in SEEDS {
            assert!(ours(seed).is_some(), "{seed}");
            for at in 0..=seed.len() {
                for (i, byte) in bytes.iter().enumerate() {
                    for edit in 0..3 {
                        let mut text = seed.as_bytes().to_vec();
                        match edit {
                            0 => text.insert(at, *byte),
                            1 if at < text.len() => text[at] = *byte,
                            _ => text.truncate(at),
                        }
                        if i % 3 == 0 && text.len() > 3 {
                            let other = (at * 7 + i) % text.len();
                            text.remove(other);
                        }
                        let Ok(text) = String::from_utf8(text) else {
                            continue;
                        };
                        // It also refuses lone surrogates, which we leave to who reads the string.
                        if !text.contains("\\u") {
                            assert_eq!(ours(&text), theirs(&text), "{text:?}");
                            taken += usize::from(ours(&text).is_some());
                        }
                    }
                }
            }
        }
        assert!(taken > 500, "{taken}");
    }

    #[test]
    fn nesting_ends() {
        let nested = |n: usize| format!("{{\"a\":{}{}}}", "[".repeat(n), "]".repeat(n));
        assert!(ours(&nested(127)).is_some());
        assert!(ours(&nested(1_000_000)).is_none());
    }

    fn split_ab(json: &str) -> Result<[Option<&str>; 2], NotAnObject> {
        let mut found = [None; 2];
        split(json, &["a", "b"], &mut found)?;
        Ok(found)
    }

    #[test]
    fn members_in_any_order_and_others_skipped() {
        assert_eq!(
            split_ab(r#" {"z":[{"a":1}],"b":2.50,"a":"x\n"} "#),
            Ok([Some(r#""x\n""#), Some("2.50")])
        );
        assert_eq!(split_ab("{}"), Ok([None, None]));
        assert_eq!(split_ab(r#"{"\u0061":null}"#), Ok([Some("null"), None]));
    }

    #[test]
    fn a_member_given_twice_is_an_error() {
        assert_eq!(split_ab(r#"{"a":1,"a":1}"#), Err(NotAnObject::Repeated));
        assert_eq!(
            split_ab(r#"{"a":1,"\u0061":2}"#),
            Err(NotAnObject::Repeated)
        );
        assert_eq!(split_ab(r#"{"z":1,"z":2}"#), Ok([None, None]));
    }

    #[test]
    fn anything_else_is_not_an_object() {
        for json in [
            "",
            "null",
            "[]",
            "3",
            r#""a""#,
            r#"{"a":1"#,
            r#"{"a":1}{}"#,
            "{'a':1}",
        ] {
            assert_eq!(split_ab(json), Err(NotAnObject::NotAnObject), "{json}");
        }
    }
}
