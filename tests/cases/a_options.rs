//! A: fields that may be left blank, without a word for null in their schema.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;

use mcp_elicit::schemars::JsonSchema;
use mcp_elicit::serde::{Deserialize, Serialize};

use super::*;

/// Who is it for?
#[derive(Elicit, Debug)]
struct Guest {
    name: String,
    nickname: Option<String>,
    /// From when on
    from: Option<jiff::civil::Date>,
    count: Option<u8>,
    color: Option<Color>,
    colors: Option<Vec<Color>>,
    others: Option<BTreeSet<Color>>,
    window: Option<bool>,
    rate: Option<f64>,
    #[elicit(format = "email")]
    email: Option<String>,
    seen: Option<jiff::Timestamp>,
    site: Option<url::Url>,
    alias: Maybe<String>,
    titled: Option<Titled>,
}

type Maybe<T> = Option<T>;

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Color {
    Red,
    DarkGreen,
}

#[derive(Choice, Debug)]
enum Titled {
    /// Quite low
    Low,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Place {
    city: Option<String>,
    zips: Vec<Option<u32>>,
    inner: Option<Box<Place>>,
}

/// Takes whatever may be left out.
#[tool]
#[expect(clippy::too_many_arguments, reason = "one of each kind")]
#[expect(clippy::option_option, reason = "it is what is shown")]
async fn take(
    nickname: Option<String>,
    place: Option<Place>,
    many: Option<Vec<Option<String>>>,
    any: Option<Value>,
    pair: Option<(u8, Option<u8>)>,
    twice: Option<Option<u8>>,
    boxed: Box<Option<u8>>,
    #[arg(default)] left: Option<u8>,
) -> String {
    let _ = (nickname, place, many, any, pair, twice, boxed, left);
    String::new()
}

#[derive(Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Given {
    sent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<String>,
}

/// Gives what may be null, and what is left out instead.
#[tool]
async fn give() -> Json<Given> {
    Json(Given {
        sent: None,
        left_out: None,
    })
}

#[tokio::test]
async fn a_result_says_null_where_it_sends_it_and_nowhere_else() {
    let app = server().tools(toolset![give]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let list = client.request("tools/list", None, json!({})).await;
    let fields = &list.json["result"]["tools"][0]["outputSchema"]["properties"];
    assert_eq!(fields["sent"]["type"], json!(["string", "null"]));
    assert_eq!(fields["left_out"]["type"], "string");
    let got = client.call("give", json!({})).await;
    let content = &got.json["result"]["structuredContent"];
    assert_eq!(*content, json!({ "sent": null }));
}

#[test]
fn a_001_an_optional_field_is_what_it_holds() {
    assert_eq!(
        property::<Guest>("nickname"),
        json!({ "type": "string", "title": "Nickname" })
    );
    assert_eq!(
        property::<Guest>("from"),
        json!({ "type": "string", "title": "From", "description": "From when on", "format": "date" })
    );
    let schema = schema::<Guest>();
    assert_eq!(schema["required"], json!(["name"]));
    for (name, property) in schema["properties"].as_object().unwrap() {
        assert!(property["type"].is_string(), "{name}: {property}");
        for word in ["null", "not", "if", "allOf"] {
            assert!(
                !property.to_string().contains(&format!("\"{word}\"")),
                "{name}"
            );
        }
    }
}

#[tokio::test]
async fn a_002_no_schema_knows_the_word_nullable() {
    let app = server().tools(toolset![take]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let list = client.request("tools/list", None, json!({})).await;
    assert!(list.text.contains("nickname"), "{}", list.text);
    for text in [&list.text, Guest::declaration().request()] {
        assert!(!text.contains("nullable"), "{text}");
    }
    // No property is null, however deep its option is; what stands in a list may be.
    each(
        &list.json["result"]["tools"][0]["inputSchema"],
        "",
        &mut |path, value| {
            let is_null = *value == json!("null") || value.is_null();
            assert!(
                !is_null || path.contains("/items/") || path.contains("/prefixItems/"),
                "{path} in {}",
                list.text
            );
        },
    );
}

#[tokio::test]
async fn a_003_null_is_a_blank() {
    let desk = Desk::<Guest>::open().await;
    let got = desk.accept(json!({ "name": "x", "from": null })).await;
    assert!(got.first_text().contains("from: None"), "{}", got.text);
    // All at once.
    let mut all = json!({ "name": "x" });
    for field in Guest::declaration().table().fields.iter().skip(1) {
        all[field.name] = Value::Null;
    }
    let got = desk.accept(all).await;
    assert_eq!(got.first_text().matches("None").count(), 13, "{}", got.text);

    let desk = Desk::<Guest>::open().await;
    let got = desk.accept(json!({ "name": null, "from": null })).await;
    desk.asked_again(&got, &["name: needs an answer"]);
}

#[tokio::test]
async fn a_004_an_empty_text_is_a_blank() {
    let desk = Desk::<Guest>::open().await;
    for blank in ["", " ", "\t\n", "\u{a0}"] {
        for name in Guest::declaration().table().fields.iter().skip(1) {
            let got = desk.accept(json!({ "name": "x", name.name: blank })).await;
            let none = format!("{}: None", name.name);
            assert!(got.first_text().contains(&none), "{blank:?} {}", got.text);
        }
    }
    // A text that has more than blanks is left as it is.
    let got = desk.accept(json!({ "name": "x", "nickname": " y " })).await;
    assert!(
        got.first_text().contains("nickname: Some(\" y \")"),
        "{}",
        got.text
    );

    let desk = Desk::<Guest>::open().await;
    let got = desk.accept(json!({ "name": " " })).await;
    desk.asked_again(&got, &["name: needs an answer"]);
}

#[test]
fn a_005_an_optional_choice_stands_in_its_property() {
    let colors = json!(["red", "dark_green"]);
    assert_eq!(
        property::<Guest>("color"),
        json!({ "type": "string", "title": "Color", "enum": colors })
    );
    for (name, title) in [("colors", "Colors"), ("others", "Others")] {
        assert_eq!(
            property::<Guest>(name),
            json!({ "type": "array", "title": title, "items": { "type": "string", "enum": colors } })
        );
    }
    assert_eq!(
        property::<Guest>("titled"),
        json!({ "type": "string", "title": "Titled", "oneOf": [{ "const": "low", "title": "Quite low" }] })
    );
    assert!(!Guest::declaration().schema().contains("anyOf"));
}
