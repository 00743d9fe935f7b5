//! C: no word in a schema that the protocol does not have, and no null.

#![allow(dead_code, reason = "some fields are only asked, not read")]

use std::collections::BTreeSet;
use std::num::{NonZeroI8, NonZeroU16};

use mcp_elicit::schemars::JsonSchema;
use mcp_elicit::serde::{Deserialize, Serialize};

use super::*;

/// How many?
#[derive(Elicit, Debug)]
struct Widths {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: usize,
    f: i8,
    g: i16,
    h: i32,
    i: i64,
    j: isize,
    k: NonZeroU16,
    l: NonZeroI8,
    m: Option<u32>,
    n: Kilo,
}

#[derive(Elicit, Debug)]
#[elicit(transparent)]
struct Kilo(u64);

/// Everything that can be said of a field.
#[derive(Elicit, Debug)]
struct All {
    /// A text
    #[elicit(min_length = 1, max_length = 9, default = "x")]
    text: String,
    #[elicit(format = "email", title = "Mail")]
    email: String,
    #[elicit(format = "uri")]
    uri: String,
    #[elicit(format = "date")]
    day: String,
    #[elicit(format = "date-time", description = "When")]
    time: Option<String>,
    #[elicit(min = 1, max = 5, default = 2)]
    whole: u8,
    #[elicit(min = 0.5, max = 1.5, default = 1)]
    decimal: f32,
    plain: f64,
    #[elicit(default = true)]
    yes: bool,
    #[elicit(default = "b")]
    one: Plain,
    titled: Titled,
    #[elicit(enum_names)]
    older: Titled,
    #[elicit(min_items = 1, max_items = 2, default = ["a"])]
    several: Vec<Plain>,
    set: BTreeSet<Titled>,
    jiff: jiff::civil::Date,
    jiff_time: Option<jiff::Timestamp>,
    chrono: chrono::NaiveDate,
    other_time: chrono::DateTime<chrono::Utc>,
    date: time::Date,
    site: url::Url,
    #[elicit(rename = "type")]
    kind: String,
    #[select]
    from: Select,
    #[select]
    many: Vec<Select>,
}

#[derive(Choice, Debug)]
enum Plain {
    A,
    B,
}

#[derive(Choice, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Titled {
    #[choice(title = "Low")]
    Low,
    High,
}

/// Asks for everything.
#[tool]
async fn all(cx: &Cx) -> Result<String, CallError> {
    let options = AllOptions {
        from: [("a".to_owned(), "A")].into(),
        many: [("a".to_owned(), "A"), ("b".to_owned(), "B")].into(),
    };
    Ok(format!("{:?}", cx.ask_with::<All>(options).await?))
}

#[test]
fn c_010_the_width_of_a_number_is_no_format() {
    let schema = schema::<Widths>();
    for (name, property) in schema["properties"].as_object().unwrap() {
        assert_eq!(property["type"], "integer", "{name}");
        assert!(property.get("format").is_none(), "{name}");
    }
    // Of arguments only formats are told that JSON Schema knows.
    let tool: Value = serde_json::from_str(&toolset![widths].tools[0].listing()).unwrap();
    let mut formats = Vec::new();
    each(&tool, "", &mut |path, value| {
        if path.ends_with("/format") {
            formats.push(value.clone());
        }
    });
    assert_eq!(formats, ["ipv4"], "{tool}");
}

/// Takes numbers of all widths, alone and in other types.
#[tool]
#[expect(clippy::too_many_arguments, reason = "one of each kind")]
async fn widths(
    a: u8,
    b: Option<i128>,
    c: Vec<u16>,
    d: std::collections::BTreeMap<String, Option<i32>>,
    e: (f32, f64, usize),
    f: std::net::IpAddr,
    g: std::net::Ipv4Addr,
    h: char,
    i: std::time::Duration,
    j: [u64; 3],
) {
    let _ = (a, b, c, d, e, f, g, h, i, j);
}

#[test]
fn c_011_the_width_of_a_number_is_its_bounds() {
    const MOST: i64 = (1 << 53) - 1;
    for (name, min, max) in [
        ("a", 0, 255),
        ("b", 0, 65_535),
        ("c", 0, 4_294_967_295),
        ("d", 0, MOST),
        ("e", 0, MOST),
        ("f", -128, 127),
        ("g", -32_768, 32_767),
        ("h", -2_147_483_648, 2_147_483_647),
        ("i", -MOST, MOST),
        ("j", -MOST, MOST),
        ("k", 1, 65_535),
        ("l", -128, 127),
        ("m", 0, 4_294_967_295),
        ("n", 0, MOST),
    ] {
        let it = property::<Widths>(name);
        let bounds = (it["minimum"].as_i64(), it["maximum"].as_i64());
        assert_eq!(bounds, (Some(min), Some(max)), "{name}");
    }
}

#[test]
fn c_012_what_a_form_cannot_say_is_told_when_it_is_written() {
    for (case, token) in [
        ("pattern", "pattern"),
        ("regex", "regex"),
        ("gt", "gt"),
        ("lt", "lt"),
        ("exclusive_min", "exclusive_min"),
        ("exclusive_maximum", "exclusive_maximum"),
        ("multiple_of", "multiple_of"),
        ("nullable", "nullable"),
        ("examples", "examples"),
    ] {
        let words = [
            "`min`",
            "`max`",
            "`min_length`",
            "`max_length`",
            "`format`",
            "check = some_fn",
            "elicit::5",
        ];
        refused(&format!("keywords/{case}"), token, &words);
    }
}

#[tokio::test]
async fn c_013_no_keyword_is_foreign() {
    const OF_FIELDS: [&str; 16] = [
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
        "anyOf",
        "enumNames",
    ];
    let app = server().tools(toolset![all]).build().await.unwrap();
    let got = Client::new(&app, "alice").call("all", json!({})).await;
    for schema in [&got.asked("all")["requestedSchema"], &schema::<Widths>()] {
        let own: Vec<_> = schema.as_object().unwrap().keys().collect();
        assert_eq!(own, ["properties", "required", "type"]);
        for property in schema["properties"].as_object().unwrap().values() {
            for (word, value) in property.as_object().unwrap() {
                assert!(OF_FIELDS.contains(&word.as_str()), "{word} in {property}");
                let is_list = ["enum", "oneOf", "enumNames", "default"].contains(&word.as_str());
                if let Some(items) = value.as_object() {
                    let words = ["anyOf", "enum", "type"];
                    assert!(
                        items.keys().all(|it| words.contains(&it.as_str())),
                        "{property}"
                    );
                } else if let Some(list) = value.as_array() {
                    assert!(is_list, "{property}");
                    for option in list.iter().filter_map(Value::as_object) {
                        assert_eq!(option.keys().collect::<Vec<_>>(), ["const", "title"]);
                    }
                }
            }
        }
    }
    // The deprecated names of choices stand where the author wants them, and nowhere else.
    assert_eq!(got.text.matches("enumNames").count(), 1, "{}", got.text);
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Asks on a page.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok(())
}

/// Greets.
#[prompt]
async fn greet(who: String) -> String {
    who
}

/// Shows a text.
#[resource("test://text")]
async fn text() -> &'static str {
    "text"
}

/// Shows a file.
#[resource("test://files/{name}")]
async fn file(name: String) -> String {
    name
}

#[derive(Deserialize, Serialize, JsonSchema, Default)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Settings {
    #[serde(default)]
    #[schemars(example = None::<String>, example = &"a")]
    name: Option<String>,
    #[serde(default)]
    inner: Inner,
    #[serde(default = "some")]
    list: Vec<Option<Inner>>,
    #[serde(default)]
    unit: (),
    level: Option<Level>,
}

#[derive(Deserialize, Serialize, JsonSchema, Default)]
#[serde(crate = "mcp_elicit::serde", default)]
#[schemars(crate = "mcp_elicit::schemars")]
struct Inner {
    a: Option<u8>,
    b: Option<Box<Inner>>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde", untagged)]
#[schemars(crate = "mcp_elicit::schemars")]
enum Level {
    None,
    Some(Option<u8>),
}

fn some() -> Vec<Option<Inner>> {
    vec![None, Some(Inner::default())]
}

/// Takes what has nulls in its defaults.
#[tool]
async fn settings(
    #[arg(default)] whole: Settings,
    #[arg(default)] nothing: Option<Settings>,
    #[arg(default = some())] list: Vec<Option<Inner>>,
) -> Json<Settings> {
    drop((nothing, list));
    Json(whole)
}

/// Takes the same as one.
#[tool]
async fn all_settings(Args(whole): Args<Settings>) -> Json<Settings> {
    Json(whole)
}

#[tokio::test]
async fn c_014_what_is_not_there_is_left_out() {
    let tools = toolset![all, connect, greet, text, file, settings, all_settings];
    let client = Client::new(&server().tools(tools).build().await.unwrap(), "alice");
    let complete = json!({ "ref": { "type": "ref/prompt", "name": "greet" },
        "argument": { "name": "who", "value": "" } });
    let mut seen = Vec::new();
    for (method, name, params) in [
        ("server/discover", None, json!({})),
        ("tools/list", None, json!({})),
        ("prompts/list", None, json!({})),
        ("resources/list", None, json!({})),
        ("resources/templates/list", None, json!({})),
        ("completion/complete", None, complete),
        ("tools/call", Some("all"), json!({ "name": "all" })),
        ("tools/call", Some("connect"), json!({ "name": "connect" })),
        ("tools/call", Some("none"), json!({ "name": "none" })),
        (
            "prompts/get",
            Some("greet"),
            json!({ "name": "greet", "arguments": { "who": "a" } }),
        ),
        (
            "resources/read",
            Some("test://text"),
            json!({ "uri": "test://text" }),
        ),
        ("none", None, json!({})),
    ] {
        seen.push(client.request(method, name, params).await);
    }
    // Messages whose id cannot be read, or is none.
    for body in [
        "{",
        "[]",
        r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
    ] {
        let got = client.raw("tools/list", None, body).await;
        assert!(
            got.json.get("id").is_none() && got.code() != 0,
            "{}",
            got.text
        );
        seen.push(got);
    }
    for got in seen {
        assert!(got.json.is_object());
        each(&got.json, "", &mut |path, value| {
            assert!(!value.is_null(), "{path} in {}", got.text);
        });
    }
}
