//! Random tables and answers: the library's check of an answer, and an independent JSON Schema
//! validator with the library's schema, find the same fields wrong.
//!
//! Where the library is documented to be milder or stricter than its schema, [`is_blank`] and
//! [`has_twice`] say so. `PROPTEST_CASES` sets how many tables are tried.

#[path = "agree/official.rs"]
mod official;
#[path = "agree/samples.rs"]
mod samples;
#[path = "agree/tables.rs"]
mod tables;

use std::collections::BTreeSet;

use jsonschema::{Draft, Validator};
use mcp_elicit::__private::{Answers, Request};
use mcp_elicit::declare::{Checked, Field, FormTable, Format, Kind, written};
use mcp_elicit::prelude::*;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Map, Value, json};

use samples::{Samples, mangled, samples};
use tables::{field, table, words};

/// The request that asks with this table, as the derive has it written at compile time.
pub fn request_of(message: &str, table: &FormTable<'_>) -> String {
    made(message, table)
        .text()
        .trim_end_matches('\0')
        .to_owned()
}

/// The same, with room to spare.
pub fn made(message: &str, table: &FormTable<'_>) -> Request<{ 1 << 15 }, 8> {
    Request::new(message, table)
}

/// The schema of this table.
pub fn schema_of(table: &FormTable<'_>) -> Value {
    let request: Value = serde_json::from_str(&request_of("Ready?", table)).unwrap();
    request["params"]["requestedSchema"].clone()
}

pub fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .unwrap()
}

/// What the other validator makes of a schema: each property by itself, and all together.
struct Judge {
    properties: Vec<Validator>,
    whole: Validator,
}

impl Judge {
    fn of(table: &FormTable<'_>, schema: &Value) -> Self {
        let properties = &schema["properties"];
        Self {
            properties: table
                .fields
                .iter()
                .map(|field| validator(&properties[field.name]))
                .collect(),
            whole: validator(schema),
        }
    }

    /// The names of the fields that are wrong.
    fn wrong(&self, table: &FormTable<'_>, answer: &Map<String, Value>) -> BTreeSet<String> {
        let mut by_schema = BTreeSet::new();
        let mut beyond = BTreeSet::new();
        let mut filled = answer.clone();
        for (field, property) in table.fields.iter().zip(&self.properties) {
            let name = field.name.to_owned();
            match answer.get(field.name) {
                Some(value) if is_blank(field, value) => {
                    filled.remove(field.name);
                    if field.required {
                        by_schema.insert(name);
                    }
                }
                Some(value) if property.is_valid(value) => {
                    if has_twice(field, value) {
                        beyond.insert(name);
                    }
                }
                None if !field.required => {}
                _ => {
                    by_schema.insert(name);
                }
            }
        }
        let is_valid = self.whole.is_valid(&Value::Object(filled));
        assert_eq!(is_valid, by_schema.is_empty(), "{answer:?}");
        by_schema.append(&mut beyond);
        by_schema
    }
}

/// What counts as left blank. A field that may be left out takes it, and one that may not does not.
fn is_blank(field: &Field<'_>, value: &Value) -> bool {
    match (value, field.kind) {
        (Value::Null, _) => true,
        (Value::String(text), _) => text.trim().is_empty(),
        (Value::Array(list), Kind::Several { min_items, .. }) => {
            list.is_empty() && !field.required && min_items.is_some_and(|it| it > 0)
        }
        _ => false,
    }
}

/// The official schema has no word against a choice that is made twice.
fn has_twice(field: &Field<'_>, value: &Value) -> bool {
    match (value, field.kind) {
        (Value::Array(list), Kind::Several { .. }) => {
            (1..list.len()).any(|i| list[..i].contains(&list[i]))
        }
        _ => false,
    }
}

/// Texts that have the format by the letter, and lead nowhere or to what no form means.
fn is_stricter(format: Format, text: &str) -> bool {
    match format {
        // No quoted names, no addresses in brackets, and host names in Punycode are not decoded.
        Format::Email => text.contains(['"', '[']) || text.contains("--"),
        // A scheme alone.
        Format::Uri => text.strip_suffix(':').is_some_and(|it| !it.contains(':')),
        _ => false,
    }
}

/// The names of the fields that the library finds wrong.
fn refused(table: &FormTable<'_>, json: &str) -> BTreeSet<String> {
    let mut values = Vec::new();
    values.resize_with(table.fields.len(), || Checked::Absent);
    let read = Answers::read(table, json, &mut values).finish(Some(()));
    names(read.err())
}

fn names(invalid: Option<mcp_elicit::Invalid>) -> BTreeSet<String> {
    let Some(invalid) = invalid else {
        return BTreeSet::new();
    };
    invalid
        .reasons()
        .map(|(name, _)| name.unwrap_or("the whole").to_owned())
        .collect()
}

/// What is written of the values that an answer gives; empty texts where one is wrong or left blank.
fn rewritten(table: &FormTable<'_>, json: &str) -> Vec<String> {
    let mut values = Vec::new();
    values.resize_with(table.fields.len(), || Checked::Absent);
    let mut answers = Answers::read(table, json, &mut values);
    let fields = table.fields.iter().enumerate();
    let text = |(i, field): (usize, &Field<'_>)| {
        let value = answers.take(i, Ok)?;
        written::text(field.kind, &value)
    };
    fields.map(text).map(Option::unwrap_or_default).collect()
}

/// Whether two JSON values are one answer: `3.0` is `3`.
fn same(a: &Value, b: &Value) -> bool {
    a == b || a.as_f64().is_some_and(|a| Some(a) == b.as_f64())
}

/// The text of an object with these members, each value as its text.
fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, value)| format!("{}:{value}", Value::from(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn parsed(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).unwrap()
}

/// How many tables are tried. A failure shows its smallest case, which then becomes a test.
pub fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Every value that is nearly right, and every wild one, on one field of its own.
    #[test]
    fn on_each_value(field in field(), samples in samples()) {
        let fields = [field];
        let table = FormTable::new(&fields);
        let judge = Judge::of(&table, &schema_of(&table));
        for value in samples.all(field.kind) {
            let answer = object([(field.name, value.as_str())]);
            prop_assert_eq!(
                refused(&table, &answer),
                judge.wrong(&table, &parsed(&answer)),
                "{}", answer
            );
        }
    }

    /// What a value is written as gives that value again, and is what the answer said.
    #[test]
    fn on_the_way_back(field in field(), samples in samples()) {
        let fields = [field];
        let table = FormTable::new(&fields);
        for value in samples.all(field.kind) {
            let answer = object([(field.name, value.as_str())]);
            let given: Value = serde_json::from_str(&value).unwrap();
            let back = rewritten(&table, &answer).remove(0);
            if refused(&table, &answer).is_empty() && !is_blank(&field, &given) {
                let written: Value = serde_json::from_str(&back).unwrap();
                prop_assert!(same(&written, &given), "{} for {}", back, answer);
                let again = object([(field.name, back.as_str())]);
                prop_assert_eq!(rewritten(&table, &again), [back], "{}", answer);
            }
        }
    }

    /// Whole answers, with members left out and others that are no field.
    #[test]
    fn on_whole_answers(
        table in table(),
        samples in samples(),
        picks in prop::collection::vec((any::<bool>(), any::<Index>(), any::<Index>()), 8),
        others in prop::collection::vec((words(), any::<Index>()), 0..3),
    ) {
        let judge = Judge::of(&table, &schema_of(&table));
        let mut texts = Vec::new();
        for (field, (is_right, pick, missing)) in table.fields.iter().zip(&picks) {
            let mut all = samples.all(field.kind);
            if *is_right {
                // Else hardly an answer of several fields would be right as a whole.
                let fits = |value: &String| {
                    let fields = [*field];
                    refused(&FormTable::new(&fields), &object([(field.name, value.as_str())])).is_empty()
                };
                all.retain(fits);
            }
            if missing.index(5) > 0 && !all.is_empty() {
                texts.push((field.name, all.swap_remove(pick.index(all.len()))));
            }
        }
        let wild = Samples::wild();
        for (name, pick) in &others {
            if table.fields.iter().all(|field| field.name != name) {
                texts.push((name, pick.get(&wild).clone()));
            }
        }
        let first = picks[0].1.index(texts.len() + 1);
        texts.rotate_left(first);
        let answer = object(texts.iter().map(|(name, value)| (*name, value.as_str())));
        prop_assert_eq!(
            refused(&table, &answer),
            judge.wrong(&table, &parsed(&answer)),
            "{}", answer
        );
    }

    /// What has a format has it for both, and what has not for neither.
    #[test]
    fn on_formats(samples in samples()) {
        for (format, is_good, value) in samples.formatted() {
            let kind = Kind::Text { min_length: None, max_length: None, format: Some(format) };
            let fields = [Field::new("x", "X", "", kind, true)];
            let table = FormTable::new(&fields);
            let answer = object([("x", value.as_str())]);
            let judge = Judge::of(&table, &schema_of(&table));
            prop_assert_eq!(judge.wrong(&table, &parsed(&answer)).is_empty(), is_good, "{}", value);
            prop_assert_eq!(refused(&table, &answer).is_empty(), is_good, "{}", value);
        }
    }

    /// Texts between the two, and those that have the format are read by the crates for them.
    #[test]
    fn on_texts_that_nearly_have_a_format((format, text) in mangled()) {
        let kind = Kind::Text { min_length: None, max_length: None, format: Some(format) };
        let fields = [Field::new("x", "X", "", kind, true)];
        let table = FormTable::new(&fields);
        let value = Value::from(text.as_str());
        let answer = object([("x", value.to_string().as_str())]);
        let fits = refused(&table, &answer).is_empty();
        if !is_stricter(format, &text) {
            let by_schema = validator(&json!({"type": "string", "format": format.as_str()}));
            prop_assert_eq!(fits, by_schema.is_valid(&value), "{}", text);
        }
        if fits {
            match format {
                Format::Date => {
                    prop_assert!(text.parse::<jiff::civil::Date>().is_ok(), "{}", text);
                    prop_assert!(text.parse::<chrono::NaiveDate>().is_ok(), "{}", text);
                }
                Format::DateTime => {
                    prop_assert!(chrono::DateTime::parse_from_rfc3339(&text).is_ok(), "{}", text);
                }
                _ => {}
            }
        }
    }

    /// The same for the types of a real form, with the schema that the compiler wrote.
    #[test]
    fn on_a_form_of_every_type(samples in samples(), pick in any::<Index>()) {
        let declaration = Everything::declaration();
        let table = declaration.table();
        let schema: Value = serde_json::from_str(declaration.schema()).unwrap();
        prop_assert_eq!(&schema, &schema_of(table));
        let judge = Judge::of(table, &schema);
        let right: Vec<_> = table
            .fields
            .iter()
            .zip(&judge.properties)
            .map(|(field, property)| {
                let fits = |value: &String| {
                    let value = serde_json::from_str(value).unwrap();
                    property.is_valid(&value) && !is_blank(field, &value) && !has_twice(field, &value)
                };
                samples.all(field.kind).into_iter().find(fits).unwrap()
            })
            .collect();
        let answer = object(table.fields.iter().zip(&right).map(|(field, it)| (field.name, it.as_str())));
        let value = Everything::decode(&answer).unwrap();
        let (written, given) = (parsed(&written::json(&value)), parsed(&answer));
        for field in table.fields {
            let (a, b) = (&written[field.name], &given[field.name]);
            // A time is the same time in another writing.
            prop_assert!(same(a, b) || field.name == "time", "{}: {} for {}", field.name, a, b);
        }
        prop_assert_eq!(written::json(&Everything::decode(&written::json(&value)).unwrap()), written::json(&value));
        let i = pick.index(table.fields.len());
        for value in samples.all(table.fields[i].kind) {
            let members = table.fields.iter().zip(&right).enumerate();
            let answer = object(members.map(|(j, (field, right))| {
                (field.name, if i == j { value.as_str() } else { right.as_str() })
            }));
            prop_assert_eq!(
                names(declaration.validate(&answer).err()),
                judge.wrong(table, &parsed(&answer)),
                "{}", answer
            );
        }
    }
}

#[derive(Choice)]
enum Plan {
    Free,
    #[choice(title = "Pro \"plus\"")]
    Pro,
}

#[derive(Choice, PartialEq, Eq, PartialOrd, Ord)]
enum Extra {
    Support,
    AuditLog,
    #[choice(rename = "größer")]
    Bigger,
}

/// Everything?
#[derive(Elicit)]
struct Everything {
    text: String,
    #[elicit(min_length = 2, max_length = 4)]
    short: Option<String>,
    #[elicit(format = "email", max_length = 40)]
    email: String,
    #[elicit(format = "uri")]
    uri: Option<String>,
    date: jiff::civil::Date,
    time: Option<jiff::Timestamp>,
    i8: i8,
    i16: i16,
    i32: Option<i32>,
    i64: i64,
    isize: isize,
    u8: u8,
    #[elicit(min = 1, max = 500, default = 1)]
    u16: u16,
    u32: u32,
    u64: u64,
    usize: Option<usize>,
    non_zero: std::num::NonZeroU16,
    #[elicit(min = -0.5, max = 10)]
    f64: f64,
    yes: bool,
    #[elicit(default = true)]
    maybe: bool,
    plan: Plan,
    other_plan: Option<Plan>,
    #[elicit(min_items = 1, max_items = 2)]
    extras: Vec<Extra>,
    #[elicit(min_items = 1)]
    more: Option<std::collections::BTreeSet<Extra>>,
    #[elicit(default = ["support"])]
    rest: Vec<Extra>,
}
