//! E: types that cannot be asked for, told when they are written and not to a client.

use mcp_elicit::declare::StoredTable;

use super::*;

#[test]
fn e_021_what_is_no_object_cannot_be_asked_for() {
    for (case, token) in [
        ("shape/ask_for_string", "String"),
        ("shape/ask_for_list", "Vec<i32>"),
        ("shape/ask_for_choice", "Extra"),
        ("shape/ask_for_plain_struct", "Trip"),
        ("shape/tuple_struct", "(String)"),
        ("shape/unit_struct", "Trip"),
        ("shape/enumeration", "enum"),
        ("shape/unions", "union"),
    ] {
        refused(case, token, &["elicit::4"]);
    }
}

#[test]
fn e_022_a_struct_within_a_form_has_three_ways_out() {
    for (case, token) in [
        ("nested", "Address"),
        ("nested_form", "Inner"),
        ("optional_nested", "Option<Address>"),
        ("boxed", "Box<str>"),
    ] {
        let words = [
            "elicitation form",
            "elicit::3",
            "write its fields here, or ask twice with two types",
        ];
        refused(&format!("types/{case}"), token, &words);
    }
}

#[test]
fn e_023_a_form_without_fields_is_a_confirmation() {
    for case in ["no_fields", "unit_struct"] {
        refused(
            &format!("shape/{case}"),
            "Trip",
            &["cx.confirm(", "elicit::4"],
        );
    }
}

#[test]
fn e_024_a_wrong_type_is_named_where_it_stands() {
    for (case, token, name) in [
        ("map", "HashMap<String, String>", "`HashMap<"),
        ("tuple", "(u8, u8)", "`(u8, u8)`"),
        ("nested", "Address", "`Address`"),
        ("u128", "u128", "`u128`"),
        ("i128", "i128", "`i128`"),
        ("char", "char", "`char`"),
        ("unit", "()", "`()`"),
        ("array", "[u8; 2]", "`[u8; 2]`"),
        ("static_str", "&'static str", "`&'static str`"),
    ] {
        let words = [
            "cannot be a field of an elicitation form",
            name,
            "elicit::3",
        ];
        refused(&format!("types/{case}"), token, &words);
    }
    refused(
        "shape/generics",
        "T",
        &["a form has no generics", "elicit::4"],
    );
}

/// When?
#[derive(Elicit, Debug)]
struct Days {
    day: jiff::civil::Date,
    time: jiff::Timestamp,
    chrono: Option<chrono::NaiveDate>,
    chrono_time: Option<chrono::DateTime<chrono::FixedOffset>>,
    date: Option<time::Date>,
    date_time: Option<time::OffsetDateTime>,
}

#[tokio::test]
async fn e_025_dates_are_asked_as_dates() {
    for (name, format) in [
        ("day", "date"),
        ("time", "date-time"),
        ("chrono", "date"),
        ("chrono_time", "date-time"),
        ("date", "date"),
        ("date_time", "date-time"),
    ] {
        let it = property::<Days>(name);
        assert_eq!(
            (&it["type"], &it["format"]),
            (&json!("string"), &json!(format))
        );
    }
    let whole = || json!({ "day": "2025-04-17", "time": "2025-04-17T08:00:00Z" });
    let desk = Desk::<Days>::open().await;
    assert!(
        desk.accept(whole())
            .await
            .first_text()
            .contains("2025-04-17")
    );
    for bad in [
        "04/17/2025",
        "17.04.2025",
        "2025-4-17",
        "2025-02-30",
        "20250417",
        "1744848000",
        "tomorrow",
    ] {
        for (name, hint) in [
            ("day", "day: must be a date such as 2025-04-17"),
            ("chrono", "chrono: must be a date such as 2025-04-17"),
            ("date", "date: must be a date such as 2025-04-17"),
            ("time", "time: must be a date and time such as"),
            (
                "chrono_time",
                "chrono_time: must be a date and time such as",
            ),
            ("date_time", "date_time: must be a date and time such as"),
        ] {
            let desk = Desk::<Days>::open().await;
            let mut answer = whole();
            answer[name] = bad.into();
            let got = desk.accept(answer).await;
            desk.asked_again(&got, &[hint]);
        }
    }
}

#[test]
fn e_026_a_list_holds_choices() {
    for (case, token, name) in [
        ("vec_of_string", "Vec<String>", "String`"),
        ("optional_vec_of_string", "Option<Vec<String>>", "String`"),
        ("vec_of_numbers", "Vec<u8>", "`u8`"),
        ("vec_of_struct", "Vec<Stop>", "`Stop`"),
    ] {
        let words = [
            "a list in an elicitation form holds choices",
            name,
            "elicit::3",
        ];
        refused(&format!("types/{case}"), token, &words);
    }
}

#[test]
fn e_027_a_table_of_run_time_has_no_objects() {
    let table = |kind: Value| {
        let field = json!({ "name": "a", "title": "A", "kind": kind, "required": true });
        StoredTable::decode(json!({ "fields": [field] }).to_string().as_bytes())
    };
    assert!(table(json!({ "one": [{ "value": "a", "title": null }] })).is_some());
    for kind in [
        json!("object"),
        json!({ "object": [{ "value": "a", "title": null }] }),
        json!({ "type": "object", "enum": ["a"] }),
        json!({ "type": "object", "oneOf": [{ "const": "a", "title": "A" }] }),
        json!({ "one": { "type": "object" } }),
        json!({ "one": [{ "value": { "type": "object" }, "title": null }] }),
        json!({ "one": [], "object": [] }),
        json!(null),
    ] {
        assert!(table(kind.clone()).is_none(), "{kind}");
    }
}
