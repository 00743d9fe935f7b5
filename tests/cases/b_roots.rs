//! B: schemas that are whole: nothing is pointed at, or it is there.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::{BTreeMap, BTreeSet};

use mcp_elicit::schemars::JsonSchema;
use mcp_elicit::serde::{Deserialize, Serialize};

use super::*;

/// Which?
#[derive(Elicit, Debug)]
struct Twice {
    one: Level,
    other: Level,
    maybe: Option<Level>,
    several: Vec<Level>,
    set: BTreeSet<Level>,
    #[select]
    run_time: Select,
}

#[derive(
    Choice, Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Level {
    Low,
    /// When it matters
    High,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Street {
    name: String,
    level: Level,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Address {
    street: Street,
    former: Vec<Street>,
    by_name: BTreeMap<String, Street>,
    other: Option<Street>,
}

/// Moves somebody.
#[tool]
async fn relocate(from: Address, to: Address) -> Json<Address> {
    let _ = from;
    Json(to)
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Folder {
    files: Vec<File>,
    level: Level,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct File {
    folder: Option<Box<Folder>>,
    /// A name that a pointer has to escape
    by: BTreeMap<String, Folder>,
}

/// Copies folders.
#[tool]
async fn copy(from: Folder, to: Option<Box<Folder>>) -> Json<Folder> {
    drop(to);
    Json(from)
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars", rename = "A/B~C % \"é\"")]
struct Odd {
    more: Vec<Odd>,
    boxed: Option<Box<Odd>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde", tag = "kind")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Shape {
    Point {
        level: Level,
    },
    Group {
        shapes: Vec<Shape>,
        note: Option<String>,
    },
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Flat {
    #[serde(flatten)]
    street: Street,
    #[serde(flatten)]
    other: Option<Odd>,
    shape: Shape,
}

/// Takes what is oddly made.
#[tool]
async fn odd(one: Odd, shape: Shape, flat: Flat) -> Json<Flat> {
    drop((one, shape));
    Json(flat)
}

/// Takes all of what is oddly made.
#[tool]
async fn odd_all(Args(flat): Args<Flat>) -> Json<Odd> {
    drop(flat);
    Json(Odd {
        more: Vec::new(),
        boxed: None,
    })
}

/// Copies all.
#[tool]
async fn copy_all(Args(from): Args<Folder>) -> Json<Vec<Folder>> {
    Json(vec![from])
}

/// Asks which.
#[tool]
async fn which(cx: &Cx) -> Result<String, CallError> {
    let run_time = [("a".to_owned(), "A")].into();
    let twice = cx.ask_with::<Twice>(TwiceOptions { run_time }).await?;
    Ok(format!("{twice:?}"))
}

async fn client() -> Client {
    let tools = toolset![relocate, copy, copy_all, which, odd, odd_all];
    Client::new(&server().tools(tools).build().await.unwrap(), "alice")
}

#[tokio::test]
async fn b_006_choices_stand_where_they_are_chosen() {
    let got = client().await.call("which", json!({})).await;
    let schema = &got.asked("twice")["requestedSchema"];
    let options = json!([{ "const": "low", "title": "Low" }, { "const": "high", "title": "When it matters" }]);
    for name in ["one", "other", "maybe"] {
        assert_eq!(schema["properties"][name]["oneOf"], options, "{}", got.text);
    }
    for name in ["several", "set"] {
        assert_eq!(
            schema["properties"][name]["items"]["anyOf"], options,
            "{}",
            got.text
        );
    }
    assert_eq!(schema["properties"]["run_time"]["oneOf"][0]["const"], "a");
    for word in ["$ref", "$defs", "definitions", "$anchor", "$id"] {
        assert!(!schema.to_string().contains(word), "{word}");
    }
}

#[tokio::test]
async fn b_007_arguments_within_arguments_are_written_out() {
    let list = client().await.request("tools/list", None, json!({})).await;
    let input = &list.json["result"]["tools"][0]["inputSchema"];
    for place in ["from", "to"] {
        let address = &input["properties"][place]["properties"];
        for street in [
            &address["street"],
            &address["former"]["items"],
            &address["by_name"]["additionalProperties"],
            &address["other"],
        ] {
            assert_eq!(street["properties"]["name"]["type"], "string", "{input}");
        }
    }
    assert!(!input.to_string().contains("$ref"), "{input}");
    assert!(!input.to_string().contains("$defs"), "{input}");
}

#[tokio::test]
async fn b_008_a_pointer_leads_somewhere_in_its_document() {
    let list = client().await.request("tools/list", None, json!({})).await;
    let mut pointers = 0;
    for tool in list.json["result"]["tools"].as_array().unwrap() {
        for document in ["inputSchema", "outputSchema"] {
            let document = &tool[document];
            if document.is_null() {
                continue;
            }
            // By a resolver that shares nothing with the library.
            if let Err(error) = jsonschema::validator_for(document) {
                panic!("{error}: {document}");
            }
            each(document, "", &mut |_, value| {
                let pointer = value.get("$ref").filter(|_| value.is_object());
                assert!(pointer.is_none_or(|it| it.as_str().unwrap().starts_with('#')));
                pointers += usize::from(pointer.is_some());
            });
        }
    }
    assert!(jsonschema::validator_for(&json!({ "$ref": "#/$defs/none" })).is_err());
    assert!(pointers >= 12, "{pointers} {}", list.text);
}

#[tokio::test]
async fn b_009_no_schema_names_its_dialect() {
    let client = client().await;
    let list = client.request("tools/list", None, json!({})).await;
    let form = client.call("which", json!({})).await;
    let mut first = Vec::new();
    /// One.
    #[derive(Elicit)]
    struct One {
        one: Level,
    }
    assert!(One::declaration().append_first_schema(&mut first));
    for text in [list.text, form.text, String::from_utf8(first).unwrap()] {
        assert!(
            text.contains("\"type\"") && !text.contains("$schema"),
            "{text}"
        );
    }
}
