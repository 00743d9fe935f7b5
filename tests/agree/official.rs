//! The schemas are what the specification allows: valid by its own definitions, and without a
//! keyword that these do not name.

use mcp_elicit::declare::{Declaration, DefaultValue, Field, FormTable, Kind, Opt, StoredTable};
use mcp_elicit::prelude::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::tables::{table, words};
use super::{config, made, validator};

/// The definitions, as the specification has them.
fn official() -> Value {
    serde_json::from_str(include_str!("official.json")).unwrap()
}

/// A schema that is the definition of this name.
fn definition(definitions: &Value, name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}"), "$defs": definitions })
}

/// Lets no member through that a definition does not name.
fn close(schema: &mut Value) {
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    for word in ["items", "additionalProperties"] {
        if let Some(inner) = keywords.get_mut(word) {
            close(inner);
        }
    }
    if let Some(properties) = keywords.get_mut("properties") {
        properties
            .as_object_mut()
            .unwrap()
            .values_mut()
            .for_each(close);
        keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// The one definition that is meant for a field.
fn name_of(field: &Field<'_>, is_first: bool) -> &'static str {
    let is_titled = |options: &[Opt<'_>]| options[0].title.is_some();
    match field.kind {
        Kind::Text { .. } => "StringSchema",
        Kind::Integer { .. } | Kind::Number { .. } => "NumberSchema",
        Kind::Boolean => "BooleanSchema",
        Kind::One(options) if !is_titled(options) => "UntitledSingleSelectEnumSchema",
        Kind::One(_) if is_first => "LegacyTitledEnumSchema",
        Kind::One(_) => "TitledSingleSelectEnumSchema",
        Kind::Several { options, .. } if is_titled(options) => "TitledMultiSelectEnumSchema",
        Kind::Several { .. } => "UntitledMultiSelectEnumSchema",
        _ => unreachable!("no form has another kind"),
    }
}

fn properties_fit(table: &FormTable<'_>, schema: &Value, closed: &Value, is_first: bool) {
    for field in table.fields {
        let property = &schema["properties"][field.name];
        let definition = definition(closed, name_of(field, is_first));
        if let Err(error) = validator(&definition).validate(property) {
            panic!("{error}: {property}");
        }
    }
}

/// Stands for the type of a random table.
#[derive(Elicit)]
#[elicit(message = "Any")]
struct Any {
    any: bool,
}

/// The declaration that the derive would write for this table.
fn declaration(message: &str, table: FormTable<'static>) -> Declaration {
    let request: &_ = Box::leak(Box::new(made(message, &table)));
    let message = Box::leak(message.to_owned().into_boxed_str());
    let text = request.text().trim_end_matches('\0');
    Declaration::form::<Any>(
        "any",
        message,
        Box::leak(Box::new(table)),
        text,
        request.marks(),
        false,
    )
}

proptest! {
    #![proptest_config(config())]

    /// Each request is one of the official kind, and each property of the one kind it is meant for.
    #[test]
    fn schemas_are_official(message in words(), table in table()) {
        let open = official()["$defs"].clone();
        let mut closed = open.clone();
        closed.as_object_mut().unwrap().values_mut().for_each(close);

        let it = declaration(&message, table);
        let request: Value = serde_json::from_str(it.request()).unwrap();
        let schema: Value = serde_json::from_str(it.schema()).unwrap();
        prop_assert_eq!(&request["method"], "elicitation/create");
        prop_assert_eq!(&request["params"]["message"], &message);
        prop_assert_eq!(&request["params"]["requestedSchema"], &schema);

        for definitions in [&open, &closed] {
            let params = validator(&definition(definitions, "ElicitRequestFormParams"));
            if let Err(error) = params.validate(&request["params"]) {
                panic!("{error}: {request}");
            }
        }
        properties_fit(&table, &schema, &closed, false);

        let names: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        prop_assert_eq!(names.len(), table.fields.len());
        let required = table.fields.iter().filter(|it| it.required).map(|it| it.name);
        let required = Vec::from_iter(required);
        let written = schema.get("required").cloned().unwrap_or(json!([]));
        prop_assert_eq!(written, json!(required));
    }

    /// The shape of the first revision is official as well, where there is one.
    #[test]
    fn first_schemas_are_official(table in table()) {
        let mut closed = official()["$defs"].clone();
        closed.as_object_mut().unwrap().values_mut().for_each(close);
        let mut out = Vec::new();
        let has_one = declaration("Ready?", table).append_first_schema(&mut out);
        prop_assert_eq!(has_one, !table.has_arrays());
        if has_one {
            let schema: Value = serde_json::from_slice(&out).unwrap();
            properties_fit(&table, &schema, &closed, true);
        }
    }

    /// Titles, texts and defaults say what the table says.
    #[test]
    fn texts_and_defaults_are_in_the_schema(table in table()) {
        let it = declaration("Ready?", table);
        let schema: Value = serde_json::from_str(it.schema()).unwrap();
        for field in table.fields {
            let property = &schema["properties"][field.name];
            prop_assert_eq!(&property["title"], field.title);
            let description = property.get("description").map_or("", |it| it.as_str().unwrap());
            prop_assert_eq!(description, field.description);
            let default = field.default.map(|it| match it {
                DefaultValue::Text(text) => json!(text),
                DefaultValue::Integer(number) => json!(number),
                DefaultValue::Number(number) => serde_json::from_str(number.text).unwrap(),
                DefaultValue::Boolean(yes) => json!(yes),
                DefaultValue::Several(values) => json!(values),
                _ => unreachable!("there is no other"),
            });
            prop_assert_eq!(property.get("default"), default.as_ref());
            if let Some(default) = &default {
                prop_assert!(validator(property).is_valid(default), "{}", property);
            }
        }
    }

    /// A copy read from a store is the very same table, to the last digit.
    #[test]
    fn a_stored_table_is_the_same(table in table(), decimal in -1e300..1e300) {
        let text = format!("{decimal:?}");
        let bound = Some(mcp_elicit::declare::Num::new(decimal, &text));
        let kind = Kind::Number { min: bound, max: bound };
        let mut fields = table.fields.to_vec();
        fields.push(Field::new("decimal", "Decimal", "", kind, true));
        let table = FormTable::new(&fields);
        let stored = StoredTable::decode(&StoredTable::encode(&table)).unwrap();
        stored.with(|copy| assert_eq!(*copy, table));
    }
}
