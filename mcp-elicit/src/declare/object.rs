//! The members of a JSON object, borrowed, in one pass.
//!
//! Answers and tool arguments both start here. What a member's value means is for the caller.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

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

/// Puts the value of the member `names[i]` at `found[i]`. Other members are skipped; one that is
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
/// assert_eq!(found[0].map(|value| value.get()), Some("[2]"));
/// assert!(found[1].is_none());
/// # Ok::<(), mcp_elicit::declare::NotAnObject>(())
/// ```
pub fn split<'a>(
    json: &'a str,
    names: &[&str],
    found: &mut [Option<&'a RawValue>],
) -> Result<(), NotAnObject> {
    let position =
        |name: &str, hint: usize| find(names.len(), hint, |i| names.get(i) == Some(&name));
    members(json, &position, &mut |index, value| {
        found
            .get_mut(index)
            .is_none_or(|place| place.replace(value).is_none())
    })
}

/// Gives each member that `position` finds a place for to `take`, which says whether it was the
/// first there.
pub(crate) fn members<'a>(
    json: &'a str,
    position: &dyn Fn(&str, usize) -> Option<usize>,
    take: &mut dyn FnMut(usize, &'a RawValue) -> bool,
) -> Result<(), NotAnObject> {
    let mut repeated = false;
    let mut input = serde_json::Deserializer::from_str(json);
    let visit = Members {
        position,
        take,
        repeated: &mut repeated,
    };
    let read = input.deserialize_map(visit).and_then(|()| input.end());
    match read {
        Ok(()) => Ok(()),
        Err(_) if repeated => Err(NotAnObject::Repeated),
        Err(_) => Err(NotAnObject::NotAnObject),
    }
}

/// The index for which `is` holds, tried from `hint` on: members mostly come in order.
pub(crate) fn find(len: usize, hint: usize, is: impl Fn(usize) -> bool) -> Option<usize> {
    (hint..len).chain(0..hint.min(len)).find(|i| is(*i))
}

struct Members<'f, 'a> {
    position: &'f dyn Fn(&str, usize) -> Option<usize>,
    take: &'f mut dyn FnMut(usize, &'a RawValue) -> bool,
    repeated: &'f mut bool,
}

impl<'a> Visitor<'a> for Members<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let mut hint = 0;
        while let Some(name) = map.next_key_seed(Str)? {
            match (self.position)(&name, hint) {
                Some(index) => {
                    let value = map.next_value::<&'a RawValue>()?;
                    if !(self.take)(index, value) {
                        *self.repeated = true;
                        return Err(A::Error::custom("repeated"));
                    }
                    hint = index + 1;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A string, borrowed where it has no escapes.
pub(crate) struct Str;

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
    Str.deserialize(&mut serde_json::Deserializer::from_str(json))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_ab(json: &str) -> Result<[Option<&str>; 2], NotAnObject> {
        let mut found = [None; 2];
        split(json, &["a", "b"], &mut found).map(|()| found.map(|v| v.map(RawValue::get)))
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
