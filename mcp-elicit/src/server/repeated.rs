//! Arguments that are repeated in headers, which `x-mcp-header` in a tool's schema asks for
//! (basic/transports/streamable-http, "Custom Headers from Tool Parameters").
//!
//! Whoever stands between client and server routes by the header, the tool acts on the argument; so
//! the two must say the same. What is repeated is read from the schema when the tool is registered,
//! wherever the schema came from. A tool without any pays for none of it.

use std::collections::HashSet;

use axum::http::{HeaderMap, HeaderName};
use serde_json::{Map, Value};

use super::decimal;
use super::mirror::{decode, is_encoded};
use crate::declare::object::split;
use crate::wire::error::RpcError;
use crate::wire::object::Text;

/// The keyword of a schema.
pub(super) const KEYWORD: &str = "x-mcp-header";
/// What all of these headers begin with.
const PREFIX: &str = "Mcp-Param-";

/// Keywords whose values are data, in which nothing is a schema.
const DATA: &[&str] = &["const", "default", "enum", "examples"];
/// Keywords whose value names schemas, so that its own members are no keywords.
const NAMED: &[&str] = &[
    "$defs",
    "definitions",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// One argument and the header that repeats it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repeated {
    header: HeaderName,
    /// The header as the schema spells it.
    shown: Box<str>,
    /// The names of the properties that lead to it.
    path: Box<[Box<str>]>,
}

/// What a schema says is repeated, or all that is wrong with that: a client must leave out a tool
/// with any of these mistakes.
pub(crate) fn of_schema(schema: &Value) -> Result<Box<[Repeated]>, Vec<String>> {
    let mut search = Search::default();
    search.schema(schema, Some(&mut Vec::new()));
    match search.faults.is_empty() {
        true => Ok(search.found.into()),
        false => Err(search.faults),
    }
}

/// Marks the schema of an argument. The type is written out where the values alone say it, and a whole
/// number stays in the range that every client keeps.
pub(super) fn mark(schema: &mut Map<String, Value>, header: &str) {
    schema.insert(KEYWORD.to_owned(), header.into());
    let choices = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|key| schema.get(key)?.as_array());
    let is_text = |it: &Value| it.get("type") == Some(&Value::from("string"));
    if !schema.contains_key("type") && choices.is_some_and(|all| all.iter().all(is_text)) {
        schema.insert("type".to_owned(), "string".into());
    }
    if schema.get("type") == Some(&Value::from("integer")) {
        const LARGEST: i64 = decimal::LARGEST.cast_signed();
        let min = schema.get("minimum").and_then(Value::as_i64);
        let max = schema.get("maximum").and_then(Value::as_i64);
        let min = min.map_or(-LARGEST, |it| it.max(-LARGEST));
        let max = max.map_or(LARGEST, |it| it.min(LARGEST));
        schema.insert("minimum".to_owned(), min.into());
        schema.insert("maximum".to_owned(), max.into());
    }
}

#[derive(Default)]
struct Search {
    found: Vec<Repeated>,
    seen: HashSet<HeaderName>,
    faults: Vec<String>,
}

impl Search {
    /// Looks through a schema. `path` leads to it where properties alone do.
    fn schema(&mut self, schema: &Value, mut path: Option<&mut Vec<String>>) {
        match schema {
            Value::Object(schema) => {
                if let Some(name) = schema.get(KEYWORD) {
                    self.annotation(name, schema, path.as_deref().map(Vec::as_slice));
                }
                for (keyword, value) in schema {
                    match value {
                        _ if DATA.contains(&keyword.as_str()) => {}
                        Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                            let path = path.as_deref_mut().filter(|_| keyword == "properties");
                            self.named(named, path);
                        }
                        other => self.schema(other, None),
                    }
                }
            }
            Value::Array(schemas) => schemas.iter().for_each(|it| self.schema(it, None)),
            _ => {}
        }
    }

    fn named(&mut self, schemas: &Map<String, Value>, mut path: Option<&mut Vec<String>>) {
        for (name, schema) in schemas {
            match path.as_deref_mut() {
                Some(path) => {
                    path.push(name.clone());
                    self.schema(schema, Some(path));
                    path.pop();
                }
                None => self.schema(schema, None),
            }
        }
    }

    fn annotation(&mut self, name: &Value, schema: &Map<String, Value>, path: Option<&[String]>) {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            self.faults.push(format!(
                "`{KEYWORD}` {name} stands where no chain of `properties` leads, so nobody could find its value"
            ));
            return;
        };
        let argument = path.join(".");
        let header = name.as_str().filter(|it| is_token(it));
        let shown = header.map(|it| format!("{PREFIX}{it}"));
        let header = shown
            .as_deref()
            .and_then(|it| HeaderName::from_bytes(it.as_bytes()).ok());
        let (Some(shown), Some(header)) = (shown, header) else {
            self.faults.push(format!(
                "`{KEYWORD}` {name} of `{argument}` is no part of a header's name: write letters, digits and `-`, such as \"Region\""
            ));
            return;
        };
        let kind = schema.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            self.faults.push(format!(
                "`{argument}` cannot be repeated in the header {shown}: its `type` must be string, integer or boolean"
            ));
        } else if self.seen.insert(header.clone()) {
            self.found.push(Repeated {
                header,
                shown: shown.into(),
                path: path.iter().map(|it| it.as_str().into()).collect(),
            });
        } else {
            self.faults.push(format!(
                "two arguments are repeated in the header {shown}, whose case does not count: give `{argument}` another"
            ));
        }
    }
}

/// Whether a text can be part of a header's name (RFC 9110, section 5.1).
fn is_token(text: &str) -> bool {
    let is_allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Checks the headers of a call against its arguments.
pub(crate) fn check(
    all: &[Repeated],
    headers: &HeaderMap,
    arguments: Option<&str>,
) -> Result<(), RpcError> {
    all.iter().try_for_each(|it| {
        it.check(headers, arguments.unwrap_or("{}"))
            .map_err(|why| RpcError::header_mismatch(format!("The header {} {why}.", it.shown)))
    })
}

/// The headers of a call with these arguments, as a client sends them.
#[cfg(feature = "testing")]
pub(crate) fn headers(all: &[Repeated], arguments: &Value) -> Vec<(HeaderName, String)> {
    let told = all.iter().filter_map(|it| {
        let value = it
            .path
            .iter()
            .try_fold(arguments, |at, name| at.get(&**name))?;
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        };
        Some((it.header.clone(), text))
    });
    told.collect()
}

impl Repeated {
    fn check(&self, headers: &HeaderMap, arguments: &str) -> Result<(), &'static str> {
        let value = self.value(arguments)?;
        let mut sent = headers.get_all(&self.header).iter();
        let (value, header) = match (value, sent.next()) {
            (None, None) => return Ok(()),
            // It would be routed by what the call does not say.
            (None, Some(_)) => return Err("repeats an argument that is not in the body"),
            (Some(_), None) => return Err("is missing, while its argument is in the body"),
            (Some(value), Some(header)) => (value, header.as_bytes()),
        };
        if sent.next().is_some() {
            return Err("is there twice");
        }
        if !header.iter().all(|b| matches!(b, b' '..=b'~' | b'\t')) {
            return Err("has characters that it must not have; encode it as `=?base64?..?=`");
        }
        let decoded = match is_encoded(header) {
            true => Some(decode(header).ok_or("is not the Base64 form of anything")?),
            false => None,
        };
        let header = std::str::from_utf8(decoded.as_deref().unwrap_or(header));
        match header.is_ok_and(|header| is_same(value, header)) {
            true => Ok(()),
            false => Err("differs from its argument in the body"),
        }
    }

    /// The JSON text of the argument, unless it is null or not there.
    fn value<'a>(&self, arguments: &'a str) -> Result<Option<&'a str>, &'static str> {
        let mut json = arguments;
        for name in &self.path {
            // What is no object has no members; the tool itself will say that it should be one.
            if !json.starts_with('{') {
                return Ok(None);
            }
            let mut found = [None];
            split(json, &[name], &mut found)
                .map_err(|_| "repeats an argument that is there twice")?;
            match found {
                [Some(value)] => json = value,
                _ => return Ok(None),
            }
        }
        Ok(Some(json).filter(|json| *json != "null"))
    }
}

/// Whether a header says what a JSON value does. A list or an object has no text that a header could
/// have, so it is never the same.
fn is_same(json: &str, header: &str) -> bool {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<Text<'_>>(json).is_ok_and(|text| *text == *header),
        Some(b't' | b'f') => json == header,
        Some(b'{' | b'[') | None => false,
        Some(_) => decimal::are_equal(json, header),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn paths(schema: Value) -> Vec<(String, String)> {
        let found = of_schema(&schema).unwrap();
        let told = found
            .iter()
            .map(|it| (it.path.join("."), it.header.to_string()));
        told.collect()
    }

    #[test]
    fn what_properties_lead_to_is_found() {
        let found = paths(json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "where": { "type": "object", "properties": {
                "zone": { "type": "integer", "x-mcp-header": "Zone!" },
                "x-mcp-header": { "type": "string" },
            } },
            "dry": { "type": "boolean", "x-mcp-header": "dry", "default": { "x-mcp-header": 7 } },
            "other": { "type": "string" },
        } }));
        assert_eq!(
            found,
            [
                ("dry".to_owned(), "mcp-param-dry".to_owned()),
                ("region".to_owned(), "mcp-param-region".to_owned()),
                ("where.zone".to_owned(), "mcp-param-zone!".to_owned()),
            ]
        );
        assert!(paths(json!({ "type": "object" })).is_empty());
    }

    #[test]
    fn every_other_place_and_every_bad_name_is_refused() {
        let of = |property: Value| {
            of_schema(&json!({ "type": "object", "properties": { "a": property } })).unwrap_err()
        };
        for name in [
            json!(""),
            json!("a b"),
            json!("a\r\nb"),
            json!("é"),
            json!("a:"),
            json!(7),
        ] {
            let faults = of(json!({ "type": "string", "x-mcp-header": name }));
            assert!(
                faults[0].contains("no part of a header's name"),
                "{faults:?}"
            );
        }
        for kind in [
            json!("number"),
            json!("array"),
            json!("object"),
            json!("null"),
            json!(["string", "null"]),
        ] {
            let faults = of(json!({ "type": kind, "x-mcp-header": "A" }));
            assert!(
                faults[0].contains("must be string, integer or boolean"),
                "{faults:?}"
            );
        }
        assert!(of(json!({ "x-mcp-header": "A" }))[0].contains("`type` must be"));
        let marked = json!({ "type": "string", "x-mcp-header": "A" });
        for elsewhere in [
            json!({ "type": "array", "items": marked }),
            json!({ "items": { "properties": { "b": marked } } }),
            json!({ "anyOf": [{ "properties": { "b": marked } }] }),
            json!({ "additionalProperties": marked }),
            json!({ "patternProperties": { "^b": marked } }),
            json!({ "if": { "properties": { "b": marked } } }),
            json!({ "$defs": { "b": marked } }),
        ] {
            let faults = of(elsewhere);
            assert!(faults[0].contains("no chain of `properties`"), "{faults:?}");
        }
        let twice = json!({ "type": "object", "properties": {
            "a": { "type": "string", "x-mcp-header": "Region" },
            "b": { "type": "integer", "x-mcp-header": "REGION" },
            "c": { "type": "number", "x-mcp-header": "C" },
        } });
        assert_eq!(of_schema(&twice).unwrap_err().len(), 2);
        assert!(of_schema(&json!({ "type": "object", "x-mcp-header": "A" })).is_err());
    }

    fn is_ok(sent: &[&[u8]], arguments: &str) -> bool {
        let schema = json!({ "type": "object", "properties": {
            "a": { "type": "string", "x-mcp-header": "A" },
            "b": { "type": "object", "properties": { "c": { "type": "string", "x-mcp-header": "C" } } },
        } });
        let all = of_schema(&schema).unwrap();
        let mut headers = HeaderMap::new();
        for value in sent {
            let value = axum::http::HeaderValue::from_bytes(value).unwrap();
            headers.append("mcp-param-a", value);
        }
        let checked = check(&all, &headers, Some(arguments));
        if let Err(error) = &checked {
            assert_eq!((error.code, error.status), (-32020, 400));
        }
        checked.is_ok()
    }

    #[test]
    fn a_header_says_what_its_argument_says() {
        for (header, arguments, same) in [
            ("x", r#"{"a":"x"}"#, true),
            ("x", r#"{"a":"y"}"#, false),
            ("X", r#"{"a":"x"}"#, false),
            ("x", r#"{"a":"\u0078"}"#, true),
            ("", r#"{"a":""}"#, true),
            ("=?base64?SGVsbG8=?=", r#"{"a":"Hello"}"#, true),
            ("=?base64?SGVsbG8?=", r#"{"a":"Hello"}"#, false),
            ("=?base64?SGVs!!!bG8=?=", r#"{"a":"Hello"}"#, false),
            ("=?base64?/w==?=", r#"{"a":"\ufffd"}"#, false),
            (
                "=?base64?SGVsbG8sIOS4lueVjA==?=",
                r#"{"a":"Hello, 世界"}"#,
                true,
            ),
            ("SGVsbG8=", r#"{"a":"SGVsbG8="}"#, true),
            ("=?base64?SGVsbG8=", r#"{"a":"=?base64?SGVsbG8="}"#, true),
            ("=?base64?literal?=", r#"{"a":"=?base64?literal?="}"#, false),
            (
                "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
                r#"{"a":"=?base64?literal?="}"#,
                true,
            ),
            ("42", r#"{"a":42}"#, true),
            ("42.0", r#"{"a":42}"#, true),
            ("42", r#"{"a":4.2e1}"#, true),
            ("=?base64?NDI=?=", r#"{"a":42}"#, true),
            ("43", r#"{"a":42}"#, false),
            ("42", r#"{"a":"42.0"}"#, false),
            ("true", r#"{"a":true}"#, true),
            ("TRUE", r#"{"a":true}"#, false),
            ("false", r#"{"a":true}"#, false),
            ("null", r#"{"a":null}"#, false),
            ("x", "{}", false),
            ("[]", r#"{"a":[]}"#, false),
            ("{}", r#"{"a":{}}"#, false),
            ("x", r#"{"a":"x","a":"x"}"#, false),
            ("x", r#"{"a":"\ud800"}"#, false),
        ] {
            assert_eq!(
                is_ok(&[header.as_bytes()], arguments),
                same,
                "{header} {arguments}"
            );
        }
        assert!(!is_ok(&[b"x", b"x"], r#"{"a":"x"}"#), "there twice");
        assert!(!is_ok(&[b"\xc3\xa9"], r#"{"a":"é"}"#), "not ASCII");
        for (arguments, ok) in [
            (r#"{"a":"x"}"#, false),
            (r#"{"a":[]}"#, false),
            (r#"{"a":null}"#, true),
            ("{}", true),
            (r#"{"b":7}"#, true),
            (r#"{"b":{"c":null}}"#, true),
            (r#"{"b":{"c":"x"}}"#, false),
            (r#"{"b":{"d":"x"}}"#, true),
        ] {
            assert_eq!(is_ok(&[], arguments), ok, "{arguments}");
        }
    }
}
