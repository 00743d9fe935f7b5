//! D: choices, in the shape that each kind of them has.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;

use mcp_elicit::declare::StoredTable;

use super::*;

/// What is it?
#[derive(Elicit, Debug)]
struct Ticket {
    priority: Priority,
    #[elicit(min_items = 1, max_items = 2)]
    labels: Vec<Label>,
    areas: Vec<Priority>,
    others: Option<BTreeSet<Priority>>,
}

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    Low,
    #[choice(title = "When it matters")]
    High,
}

#[derive(Choice, Debug)]
enum Label {
    Bug,
    Wish,
    Question,
}

fn titled() -> Value {
    json!([{ "const": "low", "title": "Low" }, { "const": "high", "title": "When it matters" }])
}

#[test]
fn d_015_a_titled_choice_says_that_it_is_a_text() {
    assert_eq!(
        property::<Ticket>("priority"),
        json!({ "type": "string", "title": "Priority", "oneOf": titled() })
    );
    // A doc comment is a title too, and one of them titles all.
    #[derive(Choice, Debug)]
    enum Documented {
        /// The first
        A,
        LongName,
    }
    /// Which?
    #[derive(Elicit)]
    struct Which {
        which: Option<Documented>,
    }
    assert_eq!(
        property::<Which>("which")["oneOf"],
        json!([{ "const": "a", "title": "The first" }, { "const": "long_name", "title": "Long name" }])
    );
}

#[tokio::test]
async fn d_016_several_choices_are_a_list() {
    assert_eq!(
        property::<Ticket>("labels"),
        json!({ "type": "array", "title": "Labels", "minItems": 1, "maxItems": 2,
            "items": { "type": "string", "enum": ["bug", "wish", "question"] } })
    );
    let desk = Desk::<Ticket>::open().await;
    let answer = json!({ "priority": "low", "labels": ["wish", "bug"], "areas": [] });
    let got = desk.accept(answer).await;
    assert!(
        got.first_text().contains("labels: [Wish, Bug]"),
        "{}",
        got.text
    );
    for (labels, reason) in [
        (json!("bug"), "labels: "),
        (json!({ "0": "bug" }), "labels: "),
        (json!([["bug"]]), "labels: "),
        (json!([1]), "labels: "),
    ] {
        let desk = Desk::<Ticket>::open().await;
        let answer = json!({ "priority": "low", "labels": labels, "areas": [] });
        let got = desk.accept(answer).await;
        desk.asked_again(&got, &[reason]);
    }
}

#[test]
fn d_017_a_list_has_no_shape_where_lists_are_not_known() {
    let mut out = Vec::new();
    assert!(!Ticket::declaration().append_first_schema(&mut out));
    assert!(Ticket::declaration().has_arrays());
    assert!(out.is_empty());
}

#[test]
fn d_018_names_of_choices_are_kept_with_their_order() {
    /// Which?
    #[derive(Elicit)]
    struct Older {
        #[elicit(enum_names)]
        priority: Option<Priority>,
    }
    let expected = json!({ "type": "string", "title": "Priority",
        "enum": ["low", "high"], "enumNames": ["Low", "When it matters"] });
    assert_eq!(property::<Older>("priority"), expected);
    // In the shape of the first revision too, where there was no other.
    let mut out = Vec::new();
    assert!(Older::declaration().append_first_schema(&mut out));
    let first: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(first["properties"]["priority"], expected);
    // And after a way through a store.
    for table in [Older::declaration().table(), Ticket::declaration().table()] {
        let stored = StoredTable::decode(&StoredTable::encode(table)).unwrap();
        stored.with(|copy| assert_eq!(copy, table));
    }
}

#[tokio::test]
async fn d_019_a_plain_enum_is_a_choice_and_one_with_data_is_none() {
    #[derive(Choice, mcp_elicit::serde::Serialize, Debug)]
    #[serde(crate = "mcp_elicit::serde", rename_all = "kebab-case")]
    enum Class {
        SleepingCar,
        USDollar,
        #[serde(rename = "2nd")]
        Second,
    }
    /// How?
    #[derive(Elicit, Debug)]
    struct Trip {
        class: Class,
    }
    let desk = Desk::<Trip>::open().await;
    for class in [Class::SleepingCar, Class::USDollar, Class::Second] {
        let answer = json!({ "class": class });
        assert_eq!(answer["class"], class.as_str());
        let got = desk.accept(answer).await;
        assert!(
            got.first_text().contains(&format!("{class:?}")),
            "{}",
            got.text
        );
    }
    for (case, token) in [
        ("choice_with_data", "(u8)"),
        ("choice_with_named_data", "{ number: u8 }"),
    ] {
        refused(
            &format!("types/{case}"),
            token,
            &["a choice holds no data", "elicit::3"],
        );
    }
    refused("types/empty_choice", "Seat", &["elicit::3"]);
}

#[test]
fn d_020_several_titled_choices_are_any_of_them() {
    for name in ["areas", "others"] {
        assert_eq!(
            property::<Ticket>(name)["items"],
            json!({ "anyOf": titled() })
        );
    }
}
