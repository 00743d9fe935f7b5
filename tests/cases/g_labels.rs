//! G: the order of fields, and the words that people read.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use mcp_elicit::declare::StoredTable;
use mcp_elicit::serde_json::value::RawValue;
use mcp_elicit::{BadArguments, HandlerFuture, Prompt, Tool};

use super::*;

/// Whom?
#[derive(Elicit, Debug)]
struct Guest {
    zebra: String,
    alpha: String,
    mid: Option<u8>,
    /// For how many
    party_size: u8,
    #[elicit(title = "Which colour?", description = "Any")]
    color: Option<String>,
    r#type: String,
    a1: bool,
    #[elicit(rename = "Zip")]
    zip: Option<u32>,
}

#[tokio::test]
async fn g_031_fields_come_in_the_order_they_are_written_in() {
    let names = [
        "zebra",
        "alpha",
        "mid",
        "party_size",
        "color",
        "type",
        "a1",
        "Zip",
    ];
    let desk = Desk::<Guest>::open().await;
    let one = desk.ask().await;
    // Asked again, it is another text.
    let again = desk.reply(&one, accept(json!({}))).await;
    let mut first = Vec::new();
    assert!(Guest::declaration().append_first_schema(&mut first));
    for text in [one.text, again.text, String::from_utf8(first).unwrap()] {
        let places = names.map(|it| text.find(&format!("\"{it}\":{{")).expect(it));
        assert!(places.is_sorted(), "{text}");
        let required = r#""required":["zebra","alpha","party_size","type","a1"]"#;
        assert!(text.contains(required), "{text}");
    }
}

#[tokio::test]
async fn g_032_a_dialect_that_was_not_named_stays_unnamed() {
    let table = Guest::declaration().table();
    let bytes = StoredTable::encode(table);
    assert!(!String::from_utf8_lossy(&bytes).contains("$schema"));
    let stored = StoredTable::decode(&bytes).unwrap();
    stored.with(|copy| assert_eq!(copy, table));
    assert!(
        !Desk::<Guest>::open()
            .await
            .ask()
            .await
            .text
            .contains("$schema")
    );
    // What an author names of a tool made by hand is kept.
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let schema = json!({ "$schema": dialect, "type": "object" });
    let tool = Tool::new("a", "A tool.", never).input_schema(schema.clone());
    let listing: Value = serde_json::from_str(&tool.listing()).unwrap();
    assert_eq!(listing["inputSchema"], schema);
}

fn never(_: Cx, _: Option<&RawValue>) -> Result<HandlerFuture, BadArguments> {
    Err(BadArguments::new("never"))
}

#[test]
fn g_033_every_field_has_a_title_that_can_be_read() {
    let it = property::<Guest>("party_size");
    assert_eq!(
        (&it["title"], &it["description"]),
        (&json!("Party size"), &json!("For how many"))
    );
    assert_eq!((&it["minimum"], &it["maximum"]), (&json!(0), &json!(255)));
    for (name, title) in [
        ("zebra", "Zebra"),
        ("color", "Which colour?"),
        ("type", "Type"),
        ("a1", "A1"),
        ("Zip", "Zip"),
    ] {
        assert_eq!(property::<Guest>(name)["title"], title);
    }
    assert_eq!(property::<Guest>("color")["description"], "Any");
    // What was not said is left out, and no title is empty.
    assert!(property::<Guest>("zebra").get("description").is_none());
    refused("options/empty_title", "\"\"", &["elicit::7"]);
    refused("options/empty_variant_title", "\"\"", &["elicit::7"]);
}

#[tokio::test]
async fn g_034_every_tool_is_described() {
    refused(
        "tools/no_description",
        "echo",
        &["a tool without a description", "elicit::11"],
    );
    refused("tools/empty_description", "\" \"", &["elicit::11"]);
    refused(
        "tools/prompt_mistakes",
        "silent",
        &["a prompt without a description"],
    );
    refused("message/missing", "Trip", &["elicit::10"]);
    for blank in ["", " ", "\n"] {
        let tool = Tool::new("a", blank, never);
        let prompt = Prompt::new("a", blank, never);
        for started in [
            server().tools(tool).build().await,
            server().tools(prompt).build().await,
        ] {
            let problems = started.map(drop).unwrap_err().to_string();
            assert!(problems.contains("description"), "{blank:?}: {problems}");
        }
    }
}
