//! Parameters that the model fills in as far as it can, and the user for the rest.

use mcp_elicit::Invalid;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};

/// Where do you want to go?
#[derive(Elicit)]
#[elicit(check = in_order)]
struct Trip {
    to: String,
    #[elicit(min = 1, max = 9)]
    people: u8,
    #[elicit(default = 1)]
    nights: u8,
    /// Anything else
    note: Option<String>,
}

fn in_order(trip: &Trip) -> Result<(), Invalid> {
    if trip.to == "Full" {
        return Err(Invalid::new("there is no room left at all"));
    }
    if trip.people > 5 && trip.nights > 5 {
        return Err(Invalid::field("nights", "must be at most 5 for so many"));
    }
    Ok(())
}

/// Book a trip.
#[tool]
async fn book(
    cx: &Cx,
    Fill(trip): Fill<Trip>,
    /** What it is called */
    title: Option<String>,
) -> Result<String, CallError> {
    cx.confirm(format!("{} nights?", trip.nights)).await?;
    Ok(format!(
        "{} to {} for {}, {}, {}",
        trip.people,
        trip.to,
        trip.nights,
        trip.note.as_deref().unwrap_or("-"),
        title.as_deref().unwrap_or("-"),
    ))
}

async fn client() -> Client {
    let app = server().tools(toolset![book]).build().await.unwrap();
    Client::new(&app, "ada")
}

fn accept(key: &str, content: Value) -> Value {
    json!({ key: { "action": "accept", "content": content } })
}

fn fields(params: &Value) -> Vec<&str> {
    let all = params["requestedSchema"]["properties"].as_object().unwrap();
    all.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn to_the_model_nothing_of_it_is_required() {
    let got = client().await.request("tools/list", None, json!({})).await;
    let schema = &got.json["result"]["tools"][0]["inputSchema"];
    assert_eq!(schema["required"], Value::Null);
    let trip = &schema["properties"]["trip"];
    assert_eq!(trip["required"], Value::Null);
    assert_eq!(trip["type"], "object");
    assert_eq!(trip["description"], "Where do you want to go?");
    assert_eq!(trip["properties"]["people"]["maximum"], 9);
    assert_eq!(trip["properties"]["note"]["description"], "Anything else");
}

#[tokio::test]
async fn what_is_whole_is_not_asked() {
    let client = client().await;
    let args = json!({ "trip": { "to": "Oslo", "people": 2 }, "title": "Fjord" });
    let got = client.call("book", args.clone()).await;
    assert_eq!(got.asked("confirm")["message"], "1 nights?");
    let got = client
        .retry(
            "book",
            args,
            &got.state(),
            accept("confirm", json!({ "confirm": true })),
        )
        .await;
    assert_eq!(got.first_text(), "2 to Oslo for 1, -, Fjord");
}

#[tokio::test]
async fn what_is_left_out_or_wrong_is_asked_in_one_form() {
    let client = client().await;
    let args = json!({ "trip": { "to": "Oslo", "people": 12, "nights": 3 } });
    let got = client.call("book", args.clone()).await;
    let asked = got.asked("fill.trip");
    assert_eq!(fields(asked), ["note", "people"]);
    assert_eq!(asked["requestedSchema"]["required"], json!(["people"]));
    assert_eq!(
        asked["message"],
        "Where do you want to go?\n\nWhat the call gave could not be used: people: must be at most 9"
    );
    let filled = accept("fill.trip", json!({ "people": 4, "note": "by train" }));
    let got = client
        .retry("book", args.clone(), &got.state(), filled)
        .await;
    // The answer is sealed with the rest: the next round does not ask for it again.
    let got = client
        .retry(
            "book",
            args,
            &got.state(),
            accept("confirm", json!({ "confirm": true })),
        )
        .await;
    assert_eq!(got.first_text(), "4 to Oslo for 3, by train, -");
}

#[tokio::test]
async fn nothing_given_and_nothing_usable_ask_for_all_of_it() {
    let client = client().await;
    for args in [
        json!({}),
        json!({ "trip": null }),
        json!({ "trip": {} }),
        json!({ "trip": "{\"to\":\"Oslo\"}" }),
        json!({ "trip": [1] }),
        json!({ "trip": { "unknown": 1 } }),
    ] {
        let got = client.call("book", args.clone()).await;
        assert_eq!(
            fields(got.asked("fill.trip")),
            ["nights", "note", "people", "to"],
            "{args}"
        );
    }
}

#[tokio::test]
async fn a_check_of_the_whole_is_mended_by_the_user() {
    let client = client().await;
    let args = json!({ "trip": { "to": "Oslo", "people": 8, "nights": 7, "note": "x" } });
    let got = client.call("book", args.clone()).await;
    assert_eq!(fields(got.asked("fill.trip")), ["nights"]);
    // The field may be cleared: its default fits.
    let got = client
        .retry(
            "book",
            args.clone(),
            &got.state(),
            accept("fill.trip", json!({})),
        )
        .await;
    assert_eq!(got.asked("confirm")["message"], "1 nights?");

    let args = json!({ "trip": { "to": "Full", "people": 2, "nights": 2, "note": "x" } });
    let got = client.call("book", args.clone()).await;
    let asked = got.asked("fill.trip");
    assert_eq!(fields(asked).len(), 4);
    assert_eq!(
        asked["requestedSchema"]["properties"]["to"]["default"],
        "Full"
    );
    assert_eq!(asked["requestedSchema"]["required"], Value::Null);
    let got = client
        .retry(
            "book",
            args,
            &got.state(),
            accept("fill.trip", json!({ "to": "Rome" })),
        )
        .await;
    assert_eq!(got.asked("confirm")["message"], "2 nights?");
}

#[tokio::test]
async fn an_answer_that_makes_what_was_given_wrong_asks_for_that_too() {
    let client = client().await;
    let args = json!({ "trip": { "to": "Oslo", "nights": 7 } });
    let got = client.call("book", args.clone()).await;
    assert_eq!(fields(got.asked("fill.trip")), ["note", "people"]);
    let got = client
        .retry(
            "book",
            args.clone(),
            &got.state(),
            accept("fill.trip", json!({ "people": 8 })),
        )
        .await;
    let asked = got.asked("fill.trip");
    assert_eq!(fields(asked), ["nights", "note", "people"]);
    assert!(
        asked["message"]
            .as_str()
            .unwrap()
            .contains("nights: must be at most 5")
    );
    let answer = accept("fill.trip", json!({ "people": 8, "nights": 2 }));
    let got = client.retry("book", args, &got.state(), answer).await;
    assert_eq!(got.asked("confirm")["message"], "2 nights?");
}

#[tokio::test]
async fn a_refusal_ends_the_call_politely() {
    let client = client().await;
    let got = client.call("book", json!({})).await;
    let no = json!({ "fill.trip": { "action": "decline" } });
    let got = client.retry("book", json!({}), &got.state(), no).await;
    assert!(got.is_error());
    // Other arguments are another call.
    let first = client.call("book", json!({})).await;
    let yes = accept("fill.trip", json!({ "to": "Oslo", "people": 1 }));
    let args = json!({ "trip": { "to": "Rome" } });
    let got = client.retry("book", args, &first.state(), yes).await;
    assert_eq!(got.code(), -32602);
}

#[tokio::test]
async fn two_of_them_are_asked_in_one_round() {
    /// Book a trip there and back.
    #[tool]
    async fn both(there: Fill<Trip>, back: Fill<Trip>) -> String {
        format!("{} {}", there.0.to, back.0.to)
    }
    let app = server().tools(toolset![both]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    let got = client.call("both", json!({})).await;
    let trip = |to| json!({ "action": "accept", "content": { "to": to, "people": 1 } });
    let answers = json!({ "fill.there": trip("Oslo"), "fill.back": trip("Rome") });
    let got = client.retry("both", json!({}), &got.state(), answers).await;
    assert_eq!(got.first_text(), "Oslo Rome");
}
