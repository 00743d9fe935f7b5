//! F: values that a field has when nobody says another.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;

use super::*;

/// Is this right?
#[derive(Elicit, Debug, PartialEq)]
struct Trip {
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
}

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Color {
    Red,
    DarkGreen,
}

/// And these?
#[derive(Elicit, Debug)]
struct Lists {
    #[elicit(default = ["red"])]
    colors: Vec<Color>,
    #[elicit(default = ["red", "dark_green"])]
    set: BTreeSet<Color>,
    #[elicit(default = "2025-04-17")]
    day: jiff::civil::Date,
    #[elicit(default = false)]
    no: bool,
    #[elicit(default = 0)]
    zero: i8,
    #[elicit(default = USUAL)]
    named: u16,
}

const USUAL: u16 = 7;

const ALL: &str = "Trip { to: \"Oslo\", seats: 3, rate: 0.5, window: true, color: DarkGreen }";

#[tokio::test]
async fn f_028_a_form_is_shown_with_its_defaults() {
    for (name, default) in [
        ("to", json!("Oslo")),
        ("seats", json!(3)),
        ("rate", json!(0.5)),
        ("window", json!(true)),
        ("color", json!("dark_green")),
    ] {
        assert_eq!(property::<Trip>(name)["default"], default);
    }
    // The first revision knows them for yes and no alone.
    let mut out = Vec::new();
    assert!(Trip::declaration().append_first_schema(&mut out));
    let first: Value = serde_json::from_slice(&out).unwrap();
    for (name, property) in first["properties"].as_object().unwrap() {
        assert_eq!(
            property.get("default").is_some(),
            name == "window",
            "{property}"
        );
    }
    let got = Desk::<Trip>::open()
        .await
        .accept(json!({ "to": "Rome" }))
        .await;
    assert_eq!(got.first_text(), ALL.replace("Oslo", "Rome"));
}

#[tokio::test]
async fn f_029_what_was_filled_in_need_not_come_back() {
    assert!(schema::<Trip>().get("required").is_none());
    let desk = Desk::<Trip>::open().await;
    let empty = [
        "",
        "{}",
        r#"{"to":null,"seats":null,"window":null}"#,
        r#"{"to":"","color":" "}"#,
    ];
    for content in empty.map(|it| serde_json::from_str(it).unwrap_or(Value::Null)) {
        let got = desk.accept(content).await;
        assert_eq!(got.first_text(), ALL, "{}", got.text);
    }
    // No content at all.
    let got = desk
        .reply(&desk.ask().await, json!({ "action": "accept" }))
        .await;
    assert_eq!(got.first_text(), ALL, "{}", got.text);

    let got = Desk::<Lists>::open().await.accept(json!({})).await;
    let all = "Lists { colors: [Red], set: {Red, DarkGreen}, day: 2025-04-17, no: false, zero: 0, named: 7 }";
    assert_eq!(got.first_text(), all, "{}", got.text);
}

#[test]
fn f_030_a_default_that_does_not_fit_does_not_compile() {
    for (case, token) in [
        ("default_text_on_integer", "\"x\""),
        ("default_above_max", "200"),
        ("default_not_a_choice", "\"pool\""),
        ("default_below_min", "0.25"),
        ("default_above_type", "300"),
        ("default_bool_on_text", "true"),
        ("default_integer_on_bool", "1"),
        ("default_decimal_on_integer", "1.5"),
        ("default_bad_date", "\"2025-02-30\""),
        ("default_not_in_format", "\"nobody\""),
        ("default_too_long", "\"Oslo\""),
        ("default_twice_in_list", "[\"parking\", \"parking\"]"),
        ("default_unknown_in_list", "[\"parking\", \"pool\"]"),
    ] {
        refused(&format!("bounds/{case}"), token, &["elicit::6"]);
    }
}
