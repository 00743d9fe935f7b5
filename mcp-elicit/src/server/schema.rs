//! The schemas of a tool, made once when it is registered: of its parameters and of its result.
//!
//! They come from schemars and are then put into the shape that clients take without complaint
//! (see `tidy`). It uses the traits of the arguments; nothing here runs during a call.

use std::fmt::Write as _;

use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::declare::Fillable;
use crate::runtime::Filling;

use super::absent;
use super::arguments::{Argument, Slot, Whole};
use super::completion::Completer;
use super::prompt::PromptArgument;
use super::repeated;
use super::tidy::{leave_out_null, tidy, without_null};

/// A schema and the order in which its properties were declared.
#[derive(Debug, Clone)]
pub struct Schema {
    pub(crate) value: Value,
    order: Vec<&'static str>,
    /// The text, where it was given as such.
    text: Option<String>,
}

impl Schema {
    /// The schema `value`, as it is.
    #[must_use]
    pub fn new(value: Value) -> Self {
        Self {
            value,
            order: Vec::new(),
            text: None,
        }
    }

    /// The schema that this JSON text is, which is listed as it is, but for blanks. One that is not
    /// JSON is reported when the server is built.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self {
            value: serde_json::from_str(text).unwrap_or_default(),
            order: Vec::new(),
            text: Some(without_blanks(text)),
        }
    }

    /// What is wrong with it, if it is no schema at all.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match (&self.value, &self.text) {
            (Value::Object(_), _) => None,
            (Value::Null, Some(text)) if text != "null" => Some("is not JSON"),
            _ => Some("is not a JSON object"),
        }
    }

    /// The JSON text, with the properties in their order; those of unknown order come last.
    pub(crate) fn to_json(&self) -> String {
        if let Some(text) = &self.text {
            return text.clone();
        }
        let Value::Object(root) = &self.value else {
            return self.value.to_string();
        };
        let mut out = String::new();
        members(&mut out, root.iter(), |out, key, value| match value {
            Value::Object(properties) if key == "properties" => {
                let first = self
                    .order
                    .iter()
                    .filter_map(|name| properties.get_key_value(*name));
                let last = properties
                    .iter()
                    .filter(|(name, _)| !self.order.contains(&name.as_str()));
                members(out, first.chain(last), |out, _, value| append(out, value));
            }
            _ => append(out, value),
        });
        out
    }
}

fn members<'a>(
    out: &mut String,
    pairs: impl Iterator<Item = (&'a String, &'a Value)>,
    mut write: impl FnMut(&mut String, &str, &Value),
) {
    out.push('{');
    for (i, (key, value)) in pairs.enumerate() {
        if i > 0 {
            out.push(',');
        }
        append(out, &Value::from(key.as_str()));
        out.push(':');
        write(out, key, value);
    }
    out.push('}');
}

fn append(out: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{value}");
}

/// The parameters of one tool, gathered one by one.
#[derive(Debug)]
pub struct Parameters {
    generator: SchemaGenerator,
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    order: Vec<&'static str>,
    /// Names for people, by the number of parameters that there were then.
    titles: Vec<(usize, &'static str)>,
}

impl Parameters {
    /// No parameters yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            generator: settings().for_deserialize().into_generator(),
            properties: Map::new(),
            required: Vec::new(),
            order: Vec::new(),
            titles: Vec::new(),
        }
    }

    /// Adds a parameter. It is required unless its type can do without a value.
    pub fn add<T: Argument>(&mut self, name: &'static str, description: &str) -> Slot<T> {
        let slot = Slot::new(self.order.len());
        let optional = absent::value::<T>().is_some();
        if !optional {
            self.required.push(name);
        }
        let schema = self.generator.subschema_for::<T>().to_value();
        self.insert(name, description, schema, optional, None);
        slot
    }

    /// Adds a parameter that has a value of its own when it is left out.
    pub fn add_or<T: Argument + Serialize>(
        &mut self,
        name: &'static str,
        description: &str,
        default: fn() -> Option<T>,
    ) -> Slot<T> {
        let slot = Slot::with_default(self.order.len(), default);
        let schema = self.generator.subschema_for::<T>().to_value();
        let default = default().and_then(|it| serde_json::to_value(it).ok());
        let default = default.and_then(|mut it| leave_out_null(&mut it).then_some(it));
        self.insert(name, description, schema, true, default);
        slot
    }

    /// Adds a form of which the user is asked what the model leaves out.
    pub fn add_fill<T: Fillable>(
        &mut self,
        name: &'static str,
        description: &str,
    ) -> Slot<Filling<T>> {
        let slot = Slot::filling(self.order.len());
        let declaration = T::declaration();
        let mut schema: Value = serde_json::from_str(declaration.schema()).unwrap_or_default();
        if let Value::Object(schema) = &mut schema {
            schema.remove("required");
            let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
            for field in fields.into_iter().flat_map(Map::values_mut) {
                // A word of forms, not of JSON Schema.
                field.as_object_mut().map(|it| it.remove("enumNames"));
            }
        }
        let description = match description {
            "" => declaration.message(),
            given => given,
        };
        self.insert(name, description, schema, true, None);
        slot
    }

    /// Has the parameter that was added last repeated in a header.
    pub fn in_header(&mut self, header: &str) {
        let last = self.order.last().copied().unwrap_or_default();
        if let Some(Value::Object(schema)) = self.properties.get_mut(last) {
            repeated::mark(schema, header);
        }
    }

    /// Gives the argument that was added last a name that people should read.
    pub fn titled(&mut self, title: &'static str) {
        self.titles.push((self.order.len(), title));
    }

    /// The arguments of a prompt, or the variables of a template. Where a type lists its values, they
    /// are suggested, unless there is a completer for it.
    #[must_use]
    pub fn finish_texts(
        self,
        mut completers: Vec<(&'static str, Completer)>,
    ) -> Vec<PromptArgument> {
        let argument = |(i, name): (usize, &'static str)| {
            let schema = self.properties.get(name);
            let description = schema.and_then(|it| it.get("description")?.as_str());
            let mut it = PromptArgument::new(name, description.unwrap_or_default().to_owned());
            it.required = self.required.contains(&name);
            if let Some((_, title)) = self.titles.iter().find(|(at, _)| *at == i + 1) {
                it.title = (*title).into();
            }
            let own = completers.iter().position(|(of, _)| *of == name);
            it.completer = match own {
                Some(at) => Some(completers.swap_remove(at).1),
                None => schema.and_then(values).map(Completer::of_values),
            };
            it
        };
        self.order
            .iter()
            .copied()
            .enumerate()
            .map(argument)
            .collect()
    }

    /// The schema of them all.
    #[must_use]
    pub fn finish(mut self) -> Schema {
        let mut root = json!({ "type": "object", "additionalProperties": false });
        if let Value::Object(root) = &mut root {
            root.insert("properties".to_owned(), self.properties.into());
            if !self.required.is_empty() {
                root.insert("required".to_owned(), self.required.into());
            }
            let mut definitions = self.generator.take_definitions(true);
            if !definitions.is_empty() {
                definitions.values_mut().for_each(tidy);
                root.insert("$defs".to_owned(), definitions.into());
            }
        }
        Schema {
            value: root,
            order: self.order,
            text: None,
        }
    }

    fn insert(
        &mut self,
        name: &'static str,
        description: &str,
        mut schema: Value,
        optional: bool,
        default: Option<Value>,
    ) {
        if optional {
            without_null(&mut schema);
        }
        tidy(&mut schema);
        // A type without any constraint has the schema `true`, which has no place for texts.
        if schema == Value::Bool(true) {
            schema = json!({});
        }
        if let Value::Object(schema) = &mut schema {
            if !description.is_empty() {
                schema.insert("description".to_owned(), description.into());
            }
            if let Some(default) = default {
                schema.insert("default".to_owned(), default);
            }
        }
        self.properties.insert(name.to_owned(), schema);
        self.order.push(name);
    }
}

/// The values that a schema lists.
fn values(schema: &Value) -> Option<Vec<String>> {
    let listed = |key: &str| schema.get(key)?.as_array();
    let of_enum = listed("enum").map(|all| all.iter().map(Some).collect::<Vec<_>>());
    let of_variants = listed("oneOf").map(|all| all.iter().map(|it| it.get("const")).collect());
    let all: Vec<Option<&Value>> = of_enum.or(of_variants)?;
    all.into_iter()
        .map(|it| it?.as_str().map(ToOwned::to_owned))
        .collect()
}

impl Default for Parameters {
    fn default() -> Self {
        Self::new()
    }
}

/// The schema of a tool whose arguments are one type, and how they are read.
#[must_use]
pub fn whole<T: Argument>() -> (Schema, Whole<T>) {
    let mut value = root::<T>(settings().for_deserialize());
    without_null(&mut value);
    if let Value::Object(root) = &mut value {
        // The protocol wants `"type": "object"` at the root, where schemars leaves it out of an
        // enum whose variants are all objects.
        let choice = ["oneOf", "anyOf"].into_iter().find_map(|key| root.get(key));
        let all_objects = choice.and_then(Value::as_array).is_some_and(|variants| {
            variants
                .iter()
                .all(|variant| variant.get("type") == Some(&Value::from("object")))
        });
        if all_objects && !root.contains_key("type") {
            root.insert("type".to_owned(), "object".into());
        }
    }
    let order = absent::fields::<T>().to_vec();
    let text = None;
    (Schema { value, order, text }, Whole::new())
}

/// The schema of structured content.
pub(crate) fn of_output<T: JsonSchema>() -> Schema {
    let schema = root::<T>(settings().for_serialize());
    // Of a type that may be anything the schema is `true`, which the protocol does not take.
    Schema::new(match schema {
        Value::Bool(_) => json!({}),
        schema => schema,
    })
}

fn root<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let mut value = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Value::Object(root) = &mut value {
        // Here schemars puts the name of the Rust type, which is nothing to a client.
        root.remove("title");
    }
    tidy(&mut value);
    value
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|it| {
        it.meta_schema = None;
        it.inline_subschemas = true;
    })
}

/// The text without the blanks between its tokens: a message of some transports is one line.
fn without_blanks(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |c: &char| {
        let is_blank = !in_string && matches!(c, ' ' | '\t' | '\r' | '\n');
        in_string ^= *c == '"' && !escaped;
        escaped = in_string && *c == '\\' && !escaped;
        !is_blank
    };
    text.chars().filter(keep).collect()
}

impl From<&str> for Schema {
    fn from(text: &str) -> Self {
        Self::of_text(text)
    }
}

impl From<String> for Schema {
    fn from(text: String) -> Self {
        Self::of_text(&text)
    }
}

impl From<Value> for Schema {
    fn from(value: Value) -> Self {
        Self::new(value)
    }
}
