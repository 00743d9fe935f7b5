//! What the macros make of functions and methods: the list of tools, as clients see it.

use mcp_elicit::schemars::JsonSchema;
use mcp_elicit::serde::{Deserialize, Serialize};
use mcp_elicit::{
    Args, CallError, Content, Cx, IntoTools, Json, Tool, ToolResult, tool, tools, toolset,
};
use serde_json::{Value, json};

fn listing(tool: &Tool) -> Value {
    serde_json::from_str(&tool.listing()).unwrap()
}

fn listings(tools: impl IntoTools) -> Vec<Value> {
    tools.into_tools().tools.iter().map(listing).collect()
}

mod free {
    use super::*;

    /// Return the given text unchanged
    #[tool]
    pub(crate) async fn echo(
        /// The text to return
        text: String,
    ) -> String {
        text
    }

    pub(crate) mod inner {
        use super::*;

        /// Connects your payment provider account.
        ///
        /// Call it
        /// once:
        /// - before the first
        ///   order
        /// - never after
        #[tool(
            name = "connect.billing",
            title = "Connect",
            idempotent,
            open_world = false,
            read_only = false
        )]
        pub(crate) async fn connect_billing(_cx: &Cx) -> Result<(), CallError> {
            Ok(())
        }
    }
}

#[test]
fn a_function_stays_callable_and_becomes_a_tool() {
    use free::inner::connect_billing;
    let text = poll(free::echo("a".to_owned()));
    assert_eq!(text, "a");
    assert_eq!(
        listings(toolset![free::echo, connect_billing]),
        [
            json!({
                "name": "echo",
                "description": "Return the given text unchanged",
                "inputSchema": {
                    "type": "object",
                    "properties": { "text": { "type": "string", "description": "The text to return" } },
                    "required": ["text"],
                    "additionalProperties": false,
                },
            }),
            json!({
                "name": "connect.billing",
                "title": "Connect",
                "description": "Connects your payment provider account.\n\nCall it once:\n- before the first order\n- never after",
                "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
                "annotations": { "readOnlyHint": false, "idempotentHint": true, "openWorldHint": false },
            }),
        ]
    );
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde", rename_all = "lowercase")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Color {
    Red,
    Green,
}

#[derive(Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Place {
    city: String,
    zip: Option<u32>,
}

type Maybe<T> = Option<T>;

struct Shop {
    name: String,
}

#[tools]
impl Shop {
    /// Everything a parameter can be.
    #[tool(destructive)]
    #[expect(clippy::too_many_arguments, reason = "one of each kind")]
    async fn many(
        &self,
        zebra: Maybe<i8>,
        cx: &Cx,
        #[arg(rename = "Color", default = Color::Red)] color: Color,
        #[arg(default = "x", description = "Its label")] label: String,
        #[arg(default)] flags: Vec<bool>,
        /// Where to
        to: Option<Place>,
        from: Place,
        again: Option<Color>,
        count: u64,
    ) -> ToolResult {
        let _ = (
            zebra, cx, color, flags, to, again, count, from.city, from.zip,
        );
        ToolResult::new().text(format!("{label} {}", self.name))
    }

    /// All of it.
    #[tool]
    async fn whole(Args(Place { city, .. }): Args<Place>) -> Vec<Content> {
        vec![city.into()]
    }

    #[expect(dead_code, reason = "it shows that other methods stay as they are")]
    fn not_a_tool(&self) {}
}

#[test]
fn parameters_are_listed_in_their_order_without_null() {
    let tools = Shop {
        name: String::new(),
    }
    .into_tools()
    .tools;
    let properties = json!({
        "zebra": { "type": "integer", "minimum": -128, "maximum": 127 },
        "Color": { "type": "string", "enum": ["red", "green"], "default": "red" },
        "label": { "type": "string", "description": "Its label", "default": "x" },
        "flags": { "type": "array", "items": { "type": "boolean" }, "default": [] },
        "to": {
            "type": "object",
            "description": "Where to",
            "properties": {
                "city": { "type": "string" },
                "zip": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
            },
            "required": ["city"],
        },
        "from": {
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "zip": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
            },
            "required": ["city"],
        },
        "again": { "type": "string", "enum": ["red", "green"] },
        "count": { "type": "integer", "minimum": 0 },
    });
    let input = &listing(&tools[0])["inputSchema"];
    assert_eq!(input["properties"], properties);
    assert_eq!(input["required"], json!(["from", "count"]));
    let text = tools[0].listing();
    let places = [
        "zebra", "Color", "label", "flags", "to", "from", "again", "count",
    ]
    .map(|name| text.find(&format!("\"{name}\":{{")).unwrap());
    assert!(places.is_sorted(), "{text}");
    assert!(!text.contains("null") && !text.contains("$ref") && !text.contains("$schema"));
}

#[test]
fn arguments_as_one_type_have_its_schema() {
    let tools = Shop {
        name: String::new(),
    }
    .into_tools()
    .tools;
    assert_eq!(
        listing(&tools[1])["inputSchema"],
        json!({
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "zip": { "type": "integer", "minimum": 0, "maximum": u32::MAX },
            },
            "required": ["city"],
        })
    );
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Tree {
    name: String,
    children: Vec<Tree>,
    note: Option<String>,
}

/// Grow a tree.
#[tool]
async fn grow(seed: Tree) -> Result<Json<Tree>, CallError> {
    Ok(Json(seed))
}

/// Grow a forest.
#[tool]
async fn forest(Args(seed): Args<Tree>) -> Json<Tree> {
    Json(seed)
}

#[test]
fn only_a_recursive_type_has_pointers_and_they_lead_somewhere() {
    for tool in toolset![grow, forest].tools {
        let listing = listing(&tool);
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &listing[schema];
            let mut pointers = Vec::new();
            gather(schema, &mut pointers);
            assert!(!pointers.is_empty(), "{schema}");
            for pointer in pointers {
                assert!(
                    schema.pointer(pointer.strip_prefix('#').unwrap()).is_some(),
                    "{schema}"
                );
            }
            assert_eq!(schema["type"], "object");
            assert!(schema.get("title").is_none());
        }
        // What is sent may hold null, and the schema of a result has to say so.
        let note = &listing["outputSchema"]["properties"]["note"];
        assert_eq!(note["type"], json!(["string", "null"]));
    }
}

fn gather<'a>(value: &'a Value, pointers: &mut Vec<&'a str>) {
    match value {
        Value::Object(members) => {
            pointers.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|it| gather(it, pointers));
        }
        Value::Array(items) => items.iter().for_each(|it| gather(it, pointers)),
        _ => {}
    }
}

struct Cache<T>(T);

#[tools]
impl<T: Clone + Into<String>> Cache<T>
where
    T: Send + Sync,
{
    /// Read the cache.
    #[tool]
    async fn read(&self) -> String {
        self.0.clone().into()
    }

    /// Not in this build.
    #[cfg(any())]
    #[tool]
    async fn never(&self) -> DoesNotExist {}
}

#[test]
fn a_generic_value_can_have_tools() {
    let tools = listings(Cache("x"));
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "read");
}

/// Names of a user's own never get in the way, nor do macros of a user's own.
mod surroundings {
    #![deny(warnings, missing_docs, unreachable_pub, non_camel_case_types)]
    #![allow(dead_code, reason = "it is here to be in the way")]
    #![no_implicit_prelude]

    use ::mcp_elicit::{tool, tools};
    use ::std::string::{String, ToString};

    pub(crate) struct Option;
    pub(crate) struct Vec;
    pub(crate) struct Result;
    pub(crate) struct Box;
    pub(crate) enum Args {}
    pub(crate) mod core {}
    pub(crate) mod std {}

    /// Odd names.
    #[tool]
    pub(crate) async fn odd(
        r#type: String,
        mut given: String,
        arguments: bool,
        schema: u8,
        parameters: u8,
        p0: u8,
    ) -> String {
        given.push_str(&r#type);
        given.push_str(&(arguments, schema, parameters, p0).0.to_string());
        given
    }

    pub(crate) struct Shop;

    #[tools]
    impl Shop {
        /// Lifetimes of its own.
        #[tool]
        pub(crate) async fn named<'a>(
            &'a self,
            cx: &'a ::mcp_elicit::Cx,
            this: u8,
            tools: u8,
        ) -> &'static str {
            let _ = (cx, this, tools);
            "named"
        }

        /// Not of a value.
        #[::mcp_elicit::tool]
        async fn of_the_type() {}
    }

    macro_rules! written_by_a_macro {
        ($name:ident, $ty:ty) => {
            #[doc = ::core::concat!("Written by a macro, ", 1, ".")]
            /// Really.
            #[tool]
            pub(crate) async fn $name(x: $ty, cx: &::mcp_elicit::Cx) -> $ty {
                let _ = cx;
                x
            }
        };
    }
    written_by_a_macro!(written, String);
}

#[test]
fn surroundings_do_not_matter() {
    use surroundings::{Shop, odd, written};
    /// Inside of a function.
    #[tool]
    async fn inside() {}

    let odd = &listings(toolset![odd])[0];
    assert!(
        odd["inputSchema"]["properties"].get("type").is_some(),
        "{odd}"
    );
    assert_eq!(
        listings(toolset![written])[0]["description"],
        "Written by a macro, 1.\nReally."
    );
    let names = [toolset![written, inside], Shop.into_tools(), toolset![]];
    let names = names
        .iter()
        .flat_map(|it| &it.tools)
        .map(Tool::name)
        .collect::<Vec<_>>();
    assert_eq!(names, ["written", "inside", "named", "of_the_type"]);
}

/// Runs what has nothing to wait for.
fn poll<T>(future: impl Future<Output = T>) -> T {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).as_mut().poll(&mut cx) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => panic!("it waits"),
    }
}
