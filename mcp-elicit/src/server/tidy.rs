//! What schemars writes, put into the shape that clients take without complaint. It uses nothing
//! else of the crate.

use serde_json::{Map, Value};

/// The formats of JSON Schema; schemars also writes the widths of Rust's numbers as formats.
const FORMATS: &[&str] = &[
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Keywords whose value is one schema.
const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LIST: &[&str] = &["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const MAP: &[&str] = &["$defs", "patternProperties", "dependentSchemas"];

/// Takes out of `schema` what clients stumble over: foreign formats (their bounds stay), `null` in
/// a default or example or among the values of an enum, and unions with null for properties that may be left
/// out anyway.
pub(crate) fn tidy(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    object.remove("$schema");
    replace_format(object);
    if !object.get_mut("default").is_none_or(leave_out_null) {
        object.remove("default");
    }
    if let Some(Value::Array(examples)) = object.get_mut("examples") {
        examples.retain_mut(leave_out_null);
    }
    for (key, value) in object.iter_mut() {
        match value {
            one if ONE.contains(&key.as_str()) => tidy(one),
            Value::Array(list) if LIST.contains(&key.as_str()) => list.iter_mut().for_each(tidy),
            Value::Object(map) if MAP.contains(&key.as_str()) => map.values_mut().for_each(tidy),
            _ => {}
        }
    }
    tidy_properties(object);
    split_null_from_enum(schema);
}

fn tidy_properties(object: &mut Map<String, Value>) {
    let required: Vec<String> = match object.get("required") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(|it| it.as_str().map(Into::into))
            .collect(),
        _ => Vec::new(),
    };
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, property) in properties {
            if !required.contains(name) {
                without_null(property);
            }
            tidy(property);
        }
    }
}

/// Leaves out the members of a value that are null, which is what a member that is not there means. False
/// if there is another null, which nothing else can stand for.
pub(crate) fn leave_out_null(value: &mut Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().all(leave_out_null)
        }
        Value::Array(items) => items.iter_mut().all(leave_out_null),
        _ => true,
    }
}

fn replace_format(object: &mut Map<String, Value>) {
    let Some(format) = object.get("format").and_then(Value::as_str) else {
        return;
    };
    if FORMATS.contains(&format) {
        return;
    }
    let bounds = match format {
        "int32" => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        "uint32" => Some((0, i64::from(u32::MAX))),
        _ => None,
    };
    object.remove("format");
    if let Some((min, max)) = bounds {
        object.entry("minimum").or_insert(min.into());
        object.entry("maximum").or_insert(max.into());
    }
}

/// Makes `schema` one that null does not fit, if that leaves something.
pub(crate) fn without_null(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|it| !it.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(variants)) = object.get_mut(key) else {
            continue;
        };
        let before = variants.len();
        variants.retain(|it| it.get("type") != Some(&Value::from("null")));
        variants.iter_mut().for_each(without_null);
        if before == variants.len() {
            continue;
        }
        if let [Value::Object(only)] = variants.as_mut_slice() {
            let only = std::mem::take(only);
            object.remove(key);
            for (key, value) in only {
                // What stands beside the union, such as a description, is the nearer word.
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// A value of an enum that is null becomes a variant of its own, so that the list holds texts.
fn split_null_from_enum(schema: &mut Value) {
    let has_null = |it: &Value| {
        it.as_array()
            .is_some_and(|values| values.contains(&Value::Null))
    };
    if !schema.get("enum").is_some_and(has_null) {
        return;
    }
    without_null(schema);
    let rest = schema.take();
    *schema = serde_json::json!({ "anyOf": [rest, { "type": "null" }] });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tidied(mut schema: Value) -> Value {
        tidy(&mut schema);
        schema
    }

    #[test]
    fn number_formats_go_and_their_bounds_stay() {
        assert_eq!(
            tidied(json!({ "type": "integer", "format": "uint32", "minimum": 0 })),
            json!({ "type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32 })
        );
        assert_eq!(
            tidied(json!({ "type": "number", "format": "double" })),
            json!({ "type": "number" })
        );
        let date = json!({ "type": "string", "format": "date" });
        assert_eq!(tidied(date.clone()), date);
    }

    #[test]
    fn a_property_that_may_be_left_out_is_never_null() {
        let schema = json!({ "type": "object", "required": ["kept"], "properties": {
            "plain": { "type": ["string", "null"], "default": null },
            "named": { "anyOf": [{ "type": "object", "description": "Inner" }, { "type": "null" }], "description": "Outer" },
            "color": { "type": ["string", "null"], "enum": ["red", null] },
            "kept": { "type": ["string", "null"] },
        }});
        assert_eq!(
            tidied(schema)["properties"],
            json!({
                "plain": { "type": "string" },
                "named": { "type": "object", "description": "Outer" },
                "color": { "type": "string", "enum": ["red"] },
                "kept": { "type": ["string", "null"] },
            })
        );
    }

    #[test]
    fn null_is_not_left_in_a_variant_either() {
        let level = json!({ "anyOf": [{ "type": "null" }, { "type": ["integer", "null"] }] });
        let either = json!({ "oneOf": [{ "type": ["integer", "null"] }, { "anyOf": [{ "type": "string" }, { "type": "null" }] }] });
        let schema =
            json!({ "type": "object", "properties": { "level": level, "either": either } });
        assert_eq!(
            tidied(schema)["properties"],
            json!({
                "level": { "type": "integer" },
                "either": { "oneOf": [{ "type": "integer" }, { "type": "string" }] },
            })
        );
    }

    #[test]
    fn a_default_has_no_null() {
        for (default, left) in [
            (json!(null), None),
            (
                json!({ "a": null, "b": { "c": null, "d": 1 } }),
                Some(json!({ "b": { "d": 1 } })),
            ),
            (json!({ "a": null }), Some(json!({}))),
            (json!([{ "a": null }]), Some(json!([{}]))),
            (json!([null]), None),
            (json!({ "a": [1, null] }), None),
            (json!([]), Some(json!([]))),
        ] {
            let schema = json!({ "properties": { "a": { "default": default } } });
            assert_eq!(
                tidied(schema)["properties"]["a"].get("default"),
                left.as_ref()
            );
        }
    }

    #[test]
    fn a_null_in_a_list_of_values_becomes_a_variant() {
        let schema = json!({ "type": "array", "items": { "type": ["string", "null"], "enum": ["a", null] } });
        assert_eq!(
            tidied(schema)["items"],
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }] })
        );
    }
}
