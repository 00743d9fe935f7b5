//! Calls of tools: arguments that fit and that do not, and what becomes of results.

use mcp_elicit::prelude::*;
use mcp_elicit::schemars::JsonSchema;
use mcp_elicit::serde::{Deserialize, Serialize};
use mcp_elicit::serde_json::value::RawValue;
use mcp_elicit::{BadArguments, Content, HandlerFuture, Reply, Tool, ToolResult};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde", rename_all = "lowercase")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Class {
    First,
    Second,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde")]
#[schemars(crate = "mcp_elicit::schemars")]
struct Stop {
    city: String,
    nights: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(crate = "mcp_elicit::serde", deny_unknown_fields)]
#[schemars(crate = "mcp_elicit::schemars")]
struct Trip {
    stops: Vec<Stop>,
    class: Class,
}

struct Travel {
    home: String,
}

#[tools]
impl Travel {
    /// Book seats.
    #[tool]
    async fn book(
        &self,
        seats: u16,
        class: Class,
        #[arg(default = "window")] place: String,
        stop: Option<Stop>,
    ) -> Result<String, CallError> {
        let to = stop.map_or_else(
            || self.home.clone(),
            |it| format!("{} {:?}", it.city, it.nights),
        );
        let class = if matches!(class, Class::First) {
            "first"
        } else {
            "second"
        };
        Ok(format!("{seats} {class} {place} {to}"))
    }

    /// Plan a trip.
    #[tool]
    async fn plan(Args(trip): Args<Trip>) -> Json<Trip> {
        Json(trip)
    }

    /// Fail in one of two ways.
    #[tool]
    async fn fail(&self, hidden: bool) -> Result<(), CallError> {
        if hidden {
            Err(std::fs::read("/does/not/exist").unwrap_err())?;
        }
        Err("No seats left".into())
    }

    /// Show everything a result can hold.
    #[tool]
    async fn show(&self) -> ToolResult {
        ToolResult::new()
            .text("done")
            .content(Content::image([0xff], "image/png"))
            .structured(&json!({ "ok": true }))
            .failed()
    }

    /// Nothing to say.
    #[tool]
    async fn quiet(&self) {}
}

async fn client() -> Client {
    let tools = Travel {
        home: "Oslo".to_owned(),
    };
    let app = server().tools(tools).build().await.unwrap();
    Client::new(&app, "ada")
}

/// The lines of a refusal, without the first.
fn lines(got: &Got) -> Vec<&str> {
    assert_eq!(got.status, 200);
    assert!(got.is_error(), "{}", got.text);
    got.first_text().lines().skip(1).collect()
}

#[tokio::test]
async fn arguments_reach_their_parameters() {
    let client = client().await;
    let got = client
        .call("book", json!({ "class": "first", "seats": 3.0 }))
        .await;
    assert_eq!(got.first_text(), "3 first window Oslo");
    let stop = json!({ "city": "Rome", "nights": null });
    let got = client
        .call(
            "book",
            json!({ "class": "second", "seats": 1, "place": "aisle", "stop": stop }),
        )
        .await;
    assert_eq!(got.first_text(), "1 second aisle Rome None");
    assert!(!got.is_error());
}

#[tokio::test]
async fn every_problem_of_the_arguments_is_told_at_once() {
    let client = client().await;
    let got = client
        .call(
            "book",
            json!({ "seats": 70_000, "stop": { "nights": "two" }, "seat": 1 }),
        )
        .await;
    assert_eq!(
        lines(&got),
        [
            "- `seats`: expected an integer from 0 to 65535, got 70000",
            "- `class`: missing, expected one of \"first\", \"second\"",
            "- `stop.city`: missing, expected a string",
            "- `stop.nights`: expected an integer from 0 to 255, got a string",
            "- `seat`: no such parameter, the parameters are `seats`, `class`, `place`, `stop`",
        ]
    );
}

#[tokio::test]
async fn so_are_those_of_arguments_as_one_type() {
    let client = client().await;
    let trip =
        json!({ "stops": [{ "city": "Rome" }, { "nights": -1 }], "class": "third", "by": "rail" });
    let got = client.call("plan", trip).await;
    assert_eq!(
        lines(&got),
        [
            "- `by`: no such member",
            "- `class`: expected one of \"first\", \"second\", got a string",
            "- `stops[1].city`: missing, expected a string",
            "- `stops[1].nights`: expected an integer from 0 to 255, got -1",
        ]
    );
}

#[tokio::test]
async fn arguments_may_be_left_out_but_are_an_object() {
    let client = client().await;
    let got = client.call_with("quiet", json!({})).await;
    assert_eq!(got.json["result"]["content"], json!([]));
    assert!(!got.is_error());
    let got = client.call_with("book", json!({})).await;
    assert_eq!(lines(&got).len(), 2);
    for arguments in [json!([]), json!(3), json!("{}")] {
        let got = client.call("quiet", arguments).await;
        // Both are right: the request is malformed, and the model can mend it.
        assert!(got.is_error() || got.code() == -32602, "{}", got.text);
    }
}

#[tokio::test]
async fn structured_content_is_sent_as_text_too() {
    let client = client().await;
    let trip = json!({ "stops": [], "class": "first" });
    let got = client.call("plan", trip.clone()).await;
    assert_eq!(got.json["result"]["structuredContent"], trip);
    assert_eq!(
        serde_json::from_str::<Value>(got.first_text()).unwrap(),
        trip
    );
}

#[tokio::test]
async fn an_error_shows_what_its_author_wrote_and_no_more() {
    let client = client().await;
    let got = client.call("fail", json!({ "hidden": false })).await;
    assert!(got.is_error());
    assert_eq!(got.first_text(), "No seats left");
    let got = client.call("fail", json!({ "hidden": true })).await;
    assert!(got.is_error());
    assert!(
        !got.text.contains("No such file") && !got.text.contains("os error"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_result_by_hand_arrives_as_it_is() {
    let got = client().await.call("show", json!({})).await;
    let result = &got.json["result"];
    assert_eq!(
        result["content"],
        json!([
            { "type": "text", "text": "done" },
            { "type": "image", "data": "/w==", "mimeType": "image/png" },
        ])
    );
    assert_eq!(result["structuredContent"], json!({ "ok": true }));
    assert_eq!(result["isError"], true);
    assert_eq!(result["resultType"], "complete");
}

/// A tool that is known only when the server starts.
fn mirror(cx: Cx, arguments: Option<&RawValue>) -> Result<HandlerFuture, BadArguments> {
    let text = arguments.map_or("{}", RawValue::get).to_owned();
    if text == "{}" {
        return Err(BadArguments::new("`text` is empty"));
    }
    Ok(Box::pin(async move {
        let _ = cx;
        Ok(Reply::text(text))
    }))
}

#[tokio::test]
async fn a_tool_made_by_hand_is_one_like_others() {
    let tool = Tool::new("mirror", "Give the arguments back.", mirror);
    let client = Client::new(&server().tools(tool).build().await.unwrap(), "ada");
    assert_eq!(
        client.call("mirror", json!({ "a": 1 })).await.first_text(),
        r#"{"a":1}"#
    );
    assert_eq!(
        lines(&client.call("mirror", json!({})).await),
        ["- `text` is empty"]
    );
    for faulty in [
        Tool::new("mirror it", "Give the arguments back.", mirror),
        Tool::new("mirror", "", mirror),
        Tool::new("mirror", "Give the arguments back.", mirror)
            .input_schema(json!({ "type": "string" })),
    ] {
        assert!(server().tools(faulty).build().await.is_err());
    }
}
