//! URI templates of resources: the part of RFC 6570 that can be matched back without guessing.
//!
//! `{name}` is one segment of a path, `{+name}` the rest of it over several segments. What is
//! matched is never a way out: no segment of a value is `.`, `..` or empty, and none begins as a drive
//! does, so that a value joined to a folder stays in it.

use std::borrow::Cow;

/// A template that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(Box<str>),
    Variable { name: Box<str>, reserved: bool },
}

impl Template {
    /// Reads a template; one without variables is a plain URI.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            if before.contains('}') {
                return Err("has a `}` without its `{`");
            }
            if !before.is_empty() {
                parts.push(Part::Literal(before.into()));
            } else if !parts.is_empty() {
                return Err("needs a text between two variables");
            }
            let (name, after) = after.split_once('}').ok_or("has a `{` without its `}`")?;
            let (name, reserved) = name
                .strip_prefix('+')
                .map_or((name, false), |it| (it, true));
            let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if name.is_empty() || !name.bytes().all(is_name) {
                return Err(
                    "takes variables as `{name}`, or `{+name}` for a path of several segments",
                );
            }
            let is_same =
                |part: &Part| matches!(part, Part::Variable { name: it, .. } if **it == *name);
            if parts.iter().any(is_same) {
                return Err("has a variable twice");
            }
            parts.push(Part::Variable {
                name: name.into(),
                reserved,
            });
            rest = after;
        }
        if rest.contains('}') {
            return Err("has a `}` without its `{`");
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.into()));
        }
        Ok(Self(parts))
    }

    /// Whether it has no variable.
    pub(crate) fn is_plain(&self) -> bool {
        self.names().next().is_none()
    }

    /// The names of its variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable { name, .. } => Some(&**name),
            Part::Literal(_) => None,
        })
    }

    /// The values with which it is `uri`, in order; `None` if it never is. A variable ends where the
    /// text after it stands first; `{+name}` where it stands last.
    pub(crate) fn matches<'u>(&self, uri: &'u str) -> Option<Vec<(&str, Cow<'u, str>)>> {
        let mut values = Vec::new();
        let mut rest = uri;
        let mut parts = self.0.iter().peekable();
        while let Some(part) = parts.next() {
            match part {
                Part::Literal(text) => rest = rest.strip_prefix(&**text)?,
                Part::Variable { name, reserved } => {
                    let end = match parts.peek() {
                        Some(Part::Literal(text)) if *reserved => rest.rfind(&**text)?,
                        Some(Part::Literal(text)) => rest.find(&**text)?,
                        _ => rest.len(),
                    };
                    let (value, after) = rest.split_at_checked(end)?;
                    values.push((&**name, decoded(value, *reserved)?));
                    rest = after;
                }
            }
        }
        rest.is_empty().then_some(values)
    }
}

/// The text of a value, without its percent encoding; `None` if it is none, or leads elsewhere.
fn decoded(value: &str, reserved: bool) -> Option<Cow<'_, str>> {
    if value.is_empty() || (!reserved && value.contains('/')) {
        return None;
    }
    let text = percent_decoded(value)?;
    let leads_elsewhere = |segment: &str| matches!(segment, "" | "." | "..");
    let is_drive =
        matches!(text.as_bytes(), [letter, b':', ..] if reserved && letter.is_ascii_alphabetic());
    let is_whole = !text.contains(['\0', '\\']) && (reserved || !text.contains('/'));
    let stays = !is_drive && !text.split('/').any(leads_elsewhere);
    (is_whole && stays).then_some(text)
}

fn percent_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = match (byte, after) {
            (b'%', [high, low, after @ ..]) => {
                out.push(hex(*high)? << 4 | hex(*low)?);
                after
            }
            (b'%', _) => return None,
            (byte, after) => {
                out.push(*byte);
                after
            }
        };
    }
    String::from_utf8(out).ok().map(Cow::Owned)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(template: &str, uri: &str) -> Option<Vec<String>> {
        let template = Template::parse(template).unwrap();
        let matched = template.matches(uri)?;
        Some(matched.into_iter().map(|(_, v)| v.into_owned()).collect())
    }

    #[test]
    fn a_variable_is_one_segment() {
        let it = "hr://checklist/{employee}/{year}";
        assert_eq!(
            values(it, "hr://checklist/ada/1843").unwrap(),
            ["ada", "1843"]
        );
        assert_eq!(
            values(it, "hr://checklist/a%20b/%C3%A9").unwrap(),
            ["a b", "é"]
        );
        for other in [
            "hr://checklist/ada",
            "hr://checklist/ada/",
            "hr://checklist//1843",
            "hr://checklist/ada/18/43",
            "hr://other/ada/1843",
            "hr://checklist/ada/1843?x",
        ] {
            let got = values(it, other);
            assert!(got.is_none() || other.ends_with("?x"), "{other}: {got:?}");
        }
        assert_eq!(values("test://{id}/data", "test://1/data").unwrap(), ["1"]);
        assert_eq!(values("a://{x}-{y}", "a://1-2-3").unwrap(), ["1", "2-3"]);
    }

    #[test]
    fn a_reserved_one_is_the_rest_of_the_path() {
        let it = "file:///{+path}";
        assert_eq!(values(it, "file:///src/main.rs").unwrap(), ["src/main.rs"]);
        assert_eq!(
            values("git://{+path}/raw", "git://a/raw/b/raw").unwrap(),
            ["a/raw/b"]
        );
    }

    #[test]
    fn no_value_leads_elsewhere() {
        for uri in [
            "file:///..",
            "file:///a/../b",
            "file:///%2e%2e/b",
            "file:///a/%2E%2e",
            "file:///.",
            "file:///a%00b",
            "file:///a%5c..%5cb",
            "file:///%",
            "file:///%4",
            "file:///%zz",
            "file:///%ff",
            "file:////etc/passwd",
            "file:///%2Fetc%2Fpasswd",
            "file:///a//b",
            "file:///a/",
            "file:///C:/windows",
            "file:///c%3A",
        ] {
            assert_eq!(values("file:///{+path}", uri), None, "{uri}");
        }
        assert_eq!(values("a:{x}", "a:b%2Fc"), None);
        assert_eq!(values("a:{x}", "a:..."), Some(vec!["...".into()]));
    }

    #[test]
    fn what_cannot_be_matched_back_is_refused() {
        for (text, plain) in [("a://b", true), ("a://{b}", false)] {
            assert_eq!(Template::parse(text).unwrap().is_plain(), plain);
        }
        for text in [
            "a{b", "{b}/{b}", "{b}/{+b}", "a}b", "a{b}}", "{a}{b}", "a{}", "a{b*}", "a{?b,c}",
            "a{b:3}", "a{ b}",
        ] {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }
}
