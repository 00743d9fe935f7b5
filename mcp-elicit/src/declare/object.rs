//! The members of a JSON object as slices of its text, in one pass without copies.
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
    let mut repeated = false;
    let mut input = serde_json::Deserializer::from_str(json);
    let visit = Members {
        position,
        take: |index, value: &'a str| {
            let first = take(index, value);
            repeated |= !first;
            first
        },
    };
    let read = input.deserialize_map(visit).and_then(|()| input.end());
    match read {
        Ok(()) => Ok(()),
        Err(_) if repeated => Err(NotAnObject::Repeated),
        Err(_) => Err(NotAnObject::NotAnObject),
    }
}

/// Reads a map for [`members`]. The parser checks each value and builds none.
struct Members<P, T> {
    position: P,
    take: T,
}

impl<'a, P, T> Visitor<'a> for Members<P, T>
where
    P: Fn(&str, usize) -> Option<usize>,
    T: FnMut(usize, &'a str) -> bool,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        let mut next = 0;
        while let Some(name) = map.next_key_seed(Str)? {
            let Some(place) = (self.position)(&name, next) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if !(self.take)(place, map.next_value::<&'a RawValue>()?.get()) {
                return Err(A::Error::custom("a member is given twice"));
            }
            next = place + 1;
        }
        Ok(())
    }
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
    Str.deserialize(&mut serde_json::Deserializer::from_str(json))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

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
