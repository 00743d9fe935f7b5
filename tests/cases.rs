//! What goes wrong elsewhere with forms in practice: null unions, references, foreign keywords, lost
//! order, answers that are not checked.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;

use mcp_elicit::prelude::*;
use mcp_elicit::serde;
use serde_json::{Value, json};

/// A guest.
#[derive(Elicit, Debug)]
struct Guest {
    zebra: String,
    nickname: Option<String>,
    /// For how many
    party_size: u8,
    from: Option<jiff::civil::Date>,
    count: Option<u8>,
    color: Option<Color>,
    colors: Option<Vec<Color>>,
    priority: Priority,
    other_priority: Priority,
    #[elicit(min_items = 1, max_items = 2)]
    labels: Vec<Color>,
    priorities: BTreeSet<Priority>,
    alpha: i8,
    mid: u32,
}

#[derive(Choice, Debug, PartialEq)]
enum Color {
    Red,
    DarkGreen,
}

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    #[choice(title = "Low")]
    Low,
    /// When it matters
    High,
}

/// All with a default.
#[derive(Elicit, Debug, PartialEq)]
struct Defaults {
    #[elicit(default = "Oslo")]
    to: String,
    #[elicit(default = 3)]
    seats: u8,
    #[elicit(default = 0.5)]
    rate: f64,
    #[elicit(default = true)]
    window: bool,
    #[elicit(default = "dark_green")]
    color: Color,
    #[elicit(default = ["red"])]
    colors: Vec<Color>,
}

fn schema<T: Elicit>() -> Value {
    serde_json::from_str(T::declaration().schema()).unwrap()
}

fn property<T: Elicit>(name: &str) -> Value {
    schema::<T>()["properties"][name].clone()
}

const WHOLE: &str = r#"{"zebra":"z","party_size":2,"priority":"low","other_priority":"high",
    "labels":["red"],"priorities":["high","low"],"alpha":1,"mid":1}"#;

fn guest(name: &str, value: Value) -> Result<Guest, String> {
    let mut answer: Value = serde_json::from_str(WHOLE).unwrap();
    answer[name] = value;
    Guest::decode(&answer.to_string()).map_err(|invalid| invalid.to_string())
}

#[test]
fn an_optional_field_is_the_same_schema_and_not_required() {
    let text = Guest::declaration().request();
    for word in [
        "null",
        "$ref",
        "$defs",
        "definitions",
        "$schema",
        "anyOf\":[{\"type",
    ] {
        assert!(!text.contains(word), "{word}");
    }
    assert_eq!(
        property::<Guest>("nickname"),
        json!({"type":"string","title":"Nickname"})
    );
    assert_eq!(
        property::<Guest>("color"),
        json!({"type":"string","title":"Color","enum":["red","dark_green"]})
    );
    assert_eq!(property::<Guest>("colors")["type"], "array");
    let schema = schema::<Guest>();
    let required = schema["required"].as_array().unwrap();
    for name in ["nickname", "from", "count", "color", "colors"] {
        assert!(!required.contains(&json!(name)), "{name}");
    }
}

#[test]
fn null_and_blank_are_none_or_asked_again() {
    assert_eq!(guest("from", json!(null)).unwrap().from, None);
    assert_eq!(guest("from", json!("")).unwrap().from, None);
    assert_eq!(guest("count", json!("")).unwrap().count, None);
    assert_eq!(guest("nickname", json!(" ")).unwrap().nickname, None);
    for blank in [json!(null), json!(""), json!("  ")] {
        assert_eq!(guest("zebra", blank).unwrap_err(), "zebra: needs an answer");
    }
}

#[test]
fn choices_stand_inline_in_the_shape_of_the_specification() {
    let choices = json!([{"const":"low","title":"Low"},{"const":"high","title":"When it matters"}]);
    assert_eq!(
        property::<Guest>("priority"),
        json!({"type":"string","title":"Priority","oneOf":choices})
    );
    assert_eq!(property::<Guest>("other_priority")["oneOf"], choices);
    assert_eq!(
        property::<Guest>("labels"),
        json!({"type":"array","title":"Labels","minItems":1,"maxItems":2,
            "items":{"type":"string","enum":["red","dark_green"]}})
    );
    assert_eq!(
        property::<Guest>("priorities"),
        json!({"type":"array","title":"Priorities","items":{"anyOf":choices}})
    );
}

#[test]
fn widths_are_bounds_and_not_formats() {
    for (name, min, max) in [
        ("party_size", 0, 255),
        ("alpha", -128, 127),
        ("mid", 0, 4_294_967_295_i64),
    ] {
        let it = property::<Guest>(name);
        assert_eq!(it["type"], "integer");
        assert_eq!(
            (it["minimum"].as_i64(), it["maximum"].as_i64()),
            (Some(min), Some(max))
        );
        assert!(it.get("format").is_none());
    }
    assert_eq!(property::<Guest>("from")["format"], "date");
}

#[test]
fn no_keyword_is_foreign() {
    let known = [
        "type",
        "title",
        "description",
        "minLength",
        "maxLength",
        "format",
        "default",
        "minimum",
        "maximum",
        "enum",
        "oneOf",
        "items",
        "minItems",
        "maxItems",
    ];
    for schema in [schema::<Guest>(), schema::<Defaults>()] {
        let keys: Vec<_> = schema.as_object().unwrap().keys().collect();
        assert!(
            keys.iter()
                .all(|k| ["type", "properties", "required"].contains(&k.as_str()))
        );
        for property in schema["properties"].as_object().unwrap().values() {
            for (key, value) in property.as_object().unwrap() {
                assert!(known.contains(&key.as_str()), "{key}");
                if let Some(items) = value.as_object() {
                    assert!(
                        items
                            .keys()
                            .all(|k| ["type", "enum", "anyOf"].contains(&k.as_str()))
                    );
                }
            }
        }
    }
}

#[test]
fn order_labels_and_descriptions() {
    let text = Guest::declaration().schema();
    let mut at = 0;
    for field in Guest::declaration().table().fields {
        let found = text.find(&format!("\"{}\":{{", field.name)).unwrap();
        assert!(found > at, "{}", field.name);
        at = found;
    }
    let it = property::<Guest>("party_size");
    assert_eq!(
        (&it["title"], &it["description"]),
        (&json!("Party size"), &json!("For how many"))
    );
}

#[test]
fn defaults_fill_what_is_left_out() {
    let all = Defaults {
        to: "Oslo".into(),
        seats: 3,
        rate: 0.5,
        window: true,
        color: Color::DarkGreen,
        colors: vec![Color::Red],
    };
    assert_eq!(Defaults::decode("{}").unwrap(), all);
    assert_eq!(
        Defaults::decode(r#"{"to":null,"seats":"","colors":null}"#).unwrap(),
        all
    );
    let schema = schema::<Defaults>();
    assert!(schema.get("required").is_none());
    assert_eq!(schema["properties"]["color"]["default"], "dark_green");
    assert_eq!(schema["properties"]["colors"]["default"], json!(["red"]));
}

#[test]
fn the_first_revision_has_boolean_defaults_alone_and_no_lists() {
    /// One.
    #[derive(Elicit)]
    struct One {
        #[elicit(default = true)]
        window: bool,
        #[elicit(default = "Oslo")]
        to: String,
        priority: Priority,
    }
    let mut out = Vec::new();
    assert!(One::declaration().append_first_schema(&mut out));
    let schema: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(schema["properties"]["window"]["default"], true);
    assert!(schema["properties"]["to"].get("default").is_none());
    assert_eq!(
        schema["properties"]["priority"]["enumNames"],
        json!(["Low", "When it matters"])
    );
    assert!(schema["properties"]["priority"].get("oneOf").is_none());
    assert!(!Guest::declaration().append_first_schema(&mut out));
    assert!(Guest::declaration().has_arrays());
}

#[test]
fn answers_are_checked() {
    for (name, value, reason) in [
        ("zebra", json!(42), "zebra: must be a text"),
        ("alpha", json!(-129), "alpha: must be at least -128"),
        (
            "party_size",
            json!(42.5),
            "party_size: must be a whole number",
        ),
        (
            "from",
            json!("04/17/2025"),
            "from: must be a date such as 2025-04-17",
        ),
        (
            "labels",
            json!(["red", "red"]),
            "labels: has a choice twice",
        ),
        (
            "labels",
            json!([]),
            "labels: needs at least 1 of the choices",
        ),
        (
            "priorities",
            json!(["huge"]),
            "priorities: takes only: low, high",
        ),
    ] {
        assert_eq!(guest(name, value).unwrap_err(), reason);
    }
    assert_eq!(guest("party_size", json!(3.0)).unwrap().party_size, 3);
    let set = guest("unknown", json!({"a": 1})).unwrap().priorities;
    assert_eq!(set, BTreeSet::from([Priority::Low, Priority::High]));
    for (json, reason) in [
        ("[]", "must be a JSON object"),
        ("", "must be a JSON object"),
        (r#"{"zebra":"a","zebra":"a"}"#, "has a member twice"),
    ] {
        assert_eq!(Guest::decode(json).unwrap_err().to_string(), reason);
    }
    let empty = Guest::decode("{}").unwrap_err();
    assert_eq!(empty.reasons().count(), 8);
}

#[test]
fn names_of_serde_count() {
    #[derive(Choice, serde::Serialize, Debug, PartialEq)]
    #[serde(crate = "mcp_elicit::serde", rename_all = "kebab-case")]
    enum Class {
        SleepingCar,
        USDollar,
        #[serde(rename = "2nd")]
        Second,
    }
    /// How?
    #[derive(Elicit)]
    struct Trip {
        class: Class,
    }
    for class in [Class::SleepingCar, Class::USDollar, Class::Second] {
        let answer = json!({"class": class}).to_string();
        assert_eq!(json!(class.as_str()), json!(class));
        assert_eq!(Trip::decode(&answer).unwrap().class, class);
    }
}

#[test]
fn names_of_serde_count_in_forms() {
    macro_rules! forms {
        ($($form:ident: $case:literal;)*) => {
            $({
                /// Who travels?
                #[derive(Elicit, serde::Serialize, serde::Deserialize)]
                #[serde(crate = "mcp_elicit::serde", rename_all = $case)]
                struct $form {
                    first_name: String,
                    #[serde(rename = "Nick Name")]
                    nick: String,
                    #[serde(rename = "no")]
                    #[elicit(rename = "number")]
                    seat_no: u8,
                }
                let it = $form { first_name: "A".into(), nick: "B".into(), seat_no: 1 };
                let mut answer = json!(it);
                let number = answer.as_object_mut().unwrap().remove("no").unwrap();
                // What is said to us alone counts more.
                answer["number"] = number;
                let read = $form::decode(&answer.to_string()).unwrap();
                assert_eq!((&*read.first_name, &*read.nick, read.seat_no), ("A", "B", 1));
            })*
        };
    }
    forms! {
        Lower: "lowercase";
        Upper: "UPPERCASE";
        Pascal: "PascalCase";
        Camel: "camelCase";
        Snake: "snake_case";
        ScreamingSnake: "SCREAMING_SNAKE_CASE";
        Kebab: "kebab-case";
        ScreamingKebab: "SCREAMING-KEBAB-CASE";
    }
}

#[test]
fn nothing_of_a_secret_is_in_a_message() {
    /// Your account.
    #[derive(Elicit)]
    #[elicit(url = "/ui/account")]
    struct Account {
        #[secret]
        key: SecretString,
        #[elicit(max_length = 3)]
        label: String,
    }
    let wrong = Account::declaration().validate(r#"{"key":"MARK\nMARK","label":"MARK"}"#);
    let text = format!("{0} {0:?}", wrong.unwrap_err());
    assert!(!text.contains("MARK"), "{text}");
    let account = Account::decode(r#"{"key":"MARK","label":"a"}"#).unwrap();
    assert!(!format!("{:?}", account.key).contains("MARK"));
}
