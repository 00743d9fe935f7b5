//! What of a value does not fit a schema, in words. It is asked only about values that a type has
//! already refused; it uses nothing else of the crate.

use serde_json::{Map, Value};

/// More lines would not help.
const LINES: usize = 20;
/// A recursive schema with alternatives could be walked for ever.
const STEPS: usize = 10_000;
/// Nor is the stack endless.
const DEPTH: usize = 64;

/// Goes through a value and gathers what does not fit.
pub(crate) struct Explainer<'a> {
    root: &'a Value,
    lines: Vec<String>,
    steps: usize,
    depth: usize,
}

impl<'a> Explainer<'a> {
    /// Pointers in the schema lead into `root`.
    pub(crate) fn new(root: &'a Value) -> Self {
        Self {
            root,
            lines: Vec::new(),
            steps: STEPS,
            depth: 0,
        }
    }

    /// One line for everything in `value` that does not fit `schema`; `path` leads to the value.
    pub(crate) fn explain(mut self, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        self.walk(schema, value, path);
        self.lines
    }

    fn walk(&mut self, schema: &Value, value: &Value, path: &str) {
        if self.steps == 0 || self.depth == DEPTH || self.lines.len() >= LINES {
            return;
        }
        self.steps -= 1;
        self.depth += 1;
        self.look(schema, value, path);
        self.depth -= 1;
    }

    fn look(&mut self, schema: &Value, value: &Value, path: &str) {
        let Value::Object(schema) = resolve(schema, self.root) else {
            return;
        };
        if !has_type(schema, value) || !is_within(schema, value) || !is_listed(schema, value) {
            return self.expected(schema, value, path);
        }
        for key in ["anyOf", "oneOf"] {
            let Some(variants) = schema.get(key).and_then(Value::as_array) else {
                continue;
            };
            if !variants.iter().any(|variant| self.fits(variant, value)) {
                return match like(variants, value) {
                    Some(variant) => self.walk(variant, value, path),
                    None => self.expected(schema, value, path),
                };
            }
        }
        for part in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.walk(part, value, path);
        }
        match value {
            Value::Object(members) => self.members(schema, members, path),
            Value::Array(items) => {
                let Some(each) = schema.get("items") else {
                    return;
                };
                for (i, item) in items.iter().enumerate() {
                    self.walk(each, item, &format!("{path}[{i}]"));
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, schema: &Map<String, Value>, members: &Map<String, Value>, path: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !members.contains_key(name) {
                let property = properties
                    .and_then(|it| it.get(name))
                    .unwrap_or(&Value::Null);
                let expected = expected(property, self.root);
                self.say(&join(path, name), &format!("missing, expected {expected}"));
            }
        }
        for (name, value) in members {
            match properties.and_then(|it| it.get(name)) {
                Some(property) => self.walk(property, value, &join(path, name)),
                None => match schema.get("additionalProperties") {
                    Some(Value::Bool(false)) => self.say(&join(path, name), "no such member"),
                    Some(other) => self.walk(other, value, &join(path, name)),
                    None => {}
                },
            }
        }
    }

    /// Whether there is nothing to say about a value.
    fn fits(&mut self, schema: &Value, value: &Value) -> bool {
        let mut other = Explainer {
            root: self.root,
            lines: Vec::new(),
            steps: self.steps,
            depth: self.depth,
        };
        other.walk(schema, value, "");
        self.steps = other.steps;
        other.lines.is_empty()
    }

    fn expected(&mut self, schema: &Map<String, Value>, value: &Value, path: &str) {
        let got = match value {
            Value::Null => "null".to_owned(),
            Value::Bool(_) => "a boolean".to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(_) => "a string".to_owned(),
            Value::Array(_) => "an array".to_owned(),
            Value::Object(_) => "an object".to_owned(),
        };
        self.say(
            path,
            &format!("expected {}, got {got}", describe(schema, self.root)),
        );
    }

    fn say(&mut self, path: &str, text: &str) {
        if self.lines.len() < LINES {
            self.lines.push(if path.is_empty() {
                text.to_owned()
            } else {
                format!("`{path}`: {text}")
            });
        }
    }
}

/// What a schema asks for: ``an integer from 0 to 9``.
pub(crate) fn expected(schema: &Value, root: &Value) -> String {
    match resolve(schema, root) {
        Value::Object(schema) => describe(schema, root),
        _ => "a value".to_owned(),
    }
}

fn describe(schema: &Map<String, Value>, root: &Value) -> String {
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        let values = values.iter().map(ToString::to_string).collect::<Vec<_>>();
        return match values.as_slice() {
            [one] => one.clone(),
            values => format!("one of {}", values.join(", ")),
        };
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(Value::Array(variants)) = schema.get(key) {
            let mut words = variants
                .iter()
                .map(|variant| match resolve(variant, root) {
                    // One level is enough, and a recursive schema has no last one.
                    Value::Object(it) if !it.contains_key("anyOf") && !it.contains_key("oneOf") => {
                        describe(it, root)
                    }
                    _ => "a value".to_owned(),
                })
                .collect::<Vec<_>>();
            words.dedup();
            return words.join(" or ");
        }
    }
    let kinds = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["value"],
    };
    kinds
        .into_iter()
        .map(|kind| describe_kind(kind, schema))
        .collect::<Vec<_>>()
        .join(" or ")
}

fn describe_kind(kind: &str, schema: &Map<String, Value>) -> String {
    let number = |key| schema.get(key).filter(|it| it.is_number());
    let bounds = match (number("minimum"), number("maximum")) {
        (Some(min), Some(max)) => format!(" from {min} to {max}"),
        (Some(min), None) => format!(" of at least {min}"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
    };
    match kind {
        "integer" => format!("an integer{bounds}"),
        "number" => format!("a number{bounds}"),
        "string" => match schema.get("format").and_then(Value::as_str) {
            Some(format) => format!("a string in the format {format}"),
            None => "a string".to_owned(),
        },
        "boolean" => "a boolean".to_owned(),
        "array" => "an array".to_owned(),
        "object" => "an object".to_owned(),
        "null" => "null".to_owned(),
        _ => "a value".to_owned(),
    }
}

fn has_type(schema: &Map<String, Value>, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|it| it.fract() == 0.0)
        }
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some("null") => value.is_null(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    }
}

fn is_within(schema: &Map<String, Value>, value: &Value) -> bool {
    let Some(value) = value.as_f64() else {
        return true;
    };
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    bound("minimum").is_none_or(|min| value >= min)
        && bound("maximum").is_none_or(|max| value <= max)
}

fn is_listed(schema: &Map<String, Value>, value: &Value) -> bool {
    schema.get("const").is_none_or(|it| it == value)
        && schema
            .get("enum")
            .and_then(Value::as_array)
            .is_none_or(|it| it.contains(value))
}

/// Among alternatives the only one of the value's own kind, which is what was meant.
fn like<'a>(variants: &'a [Value], value: &Value) -> Option<&'a Value> {
    let mut alike = variants.iter().filter(|variant| match variant {
        Value::Object(it) => {
            !it.contains_key("$ref") && has_type(it, value) && is_listed(it, value)
        }
        _ => false,
    });
    alike.next().filter(|_| alike.next().is_none())
}

/// Follows a pointer within the document; one that leads nowhere asks for nothing.
fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(pointer) => pointer
            .strip_prefix('#')
            .and_then(|it| root.pointer(it))
            .unwrap_or(&Value::Null),
        None => schema,
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(schema: &Value, value: &Value) -> Vec<String> {
        Explainer::new(schema).explain(schema, value, "")
    }

    #[test]
    fn every_problem_is_named_by_its_path() {
        let schema = json!({
            "type": "object",
            "properties": {
                "seats": { "type": "integer", "minimum": 0, "maximum": 9 },
                "plan": { "type": "string", "enum": ["free", "pro"] },
                "stops": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "city": { "type": "string" } },
                    "required": ["city"],
                    "additionalProperties": false,
                } },
                "when": { "type": "string", "format": "date" },
            },
            "required": ["when", "plan"],
        });
        let value =
            json!({ "seats": 12, "plan": "gold", "stops": [{ "city": "Oslo" }, { "town": 1 }, 7] });
        let mut lines = said(&schema, &value);
        lines.sort();
        assert_eq!(
            lines,
            [
                r#"`plan`: expected one of "free", "pro", got a string"#,
                "`seats`: expected an integer from 0 to 9, got 12",
                "`stops[1].city`: missing, expected a string",
                "`stops[1].town`: no such member",
                "`stops[2]`: expected an object, got 7",
                "`when`: missing, expected a string in the format date",
            ]
        );
    }

    #[test]
    fn of_alternatives_the_one_that_was_meant_is_explained() {
        let schema = json!({ "oneOf": [
            { "type": "string" },
            { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
        ] });
        assert_eq!(
            said(&schema, &json!({ "n": "x" })),
            ["`n`: expected an integer, got a string"]
        );
        assert_eq!(
            said(&schema, &json!(true)),
            ["expected a string or an object, got a boolean"]
        );
        assert!(said(&schema, &json!("x")).is_empty());
    }

    #[test]
    fn a_recursive_schema_comes_to_an_end() {
        let schema = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
        let _ = said(&schema, &json!({}));
        let tree =
            json!({ "type": "array", "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] } });
        let deep = (0..100).fold(json!(0), |inner, _| json!([inner]));
        let _ = said(&tree, &deep);
    }
}
