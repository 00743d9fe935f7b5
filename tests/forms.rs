//! Questions in forms: rounds, answers that do not fit, refusals, guards, and the sealed state.

use mcp_elicit::App;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};

/// Who is it for?
#[derive(Elicit)]
struct Guest {
    name: String,
    #[elicit(min = 0, max = 120)]
    age: u8,
}

/// Which room?
#[derive(Elicit)]
struct Room {
    #[elicit(min_length = 1)]
    room: String,
    floor: Option<u8>,
}

/// Books a room.
#[tool]
async fn book(cx: &Cx, hotel: String) -> Result<String, CallError> {
    let guest = cx.ask::<Guest>().await?;
    let room = cx.ask::<Room>().await?;
    Ok(format!(
        "{} ({}) in {} of {hotel}",
        guest.name, guest.age, room.room
    ))
}

/// Asks two things at once.
#[tool]
async fn both(cx: &Cx) -> Result<String, CallError> {
    let (guest, room) = try_join!(cx.ask::<Guest>(), cx.ask::<Room>())?;
    Ok(format!(
        "{} in {} on {:?}",
        guest.name, room.room, room.floor
    ))
}

/// Asks the same twice without telling the two apart.
#[tool]
async fn twice(cx: &Cx) -> Result<String, CallError> {
    cx.ask::<Room>().await?;
    cx.ask::<Room>().await?;
    Ok(String::new())
}

/// Lets a question go and says that all is well.
#[tool]
async fn abandons(cx: &Cx) -> Result<String, CallError> {
    {
        let mut ask = std::pin::pin!(cx.ask::<Room>());
        std::future::poll_fn(|c| {
            let _ = ask.as_mut().poll(c);
            std::task::Poll::Ready(())
        })
        .await;
    }
    Ok("done".into())
}

/// Takes a no for an answer.
#[tool]
async fn lenient(cx: &Cx) -> Result<String, CallError> {
    let room = cx.ask::<Room>().optional().await?;
    Ok(room.map_or_else(|| "any room".to_owned(), |r| r.room))
}

/// Panics after a question.
#[tool]
async fn panics(cx: &Cx) -> Result<String, CallError> {
    let room = cx.ask::<Room>().await?;
    panic!("{}", room.room.len());
}

async fn app() -> App {
    server()
        .tools(toolset![book, both, twice, abandons, lenient, panics])
        .build()
        .await
        .expect("it starts")
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[tokio::test]
async fn a_handler_goes_on_over_rounds() {
    let client = Client::new(&app().await, "alice");
    let arguments = json!({ "hotel": "Ritz" });
    let one = client.call("book", arguments.clone()).await;
    assert!(one.asks(), "{}", one.text);
    assert_eq!(one.asked("guest")["mode"], "form");
    assert_eq!(one.asked("guest")["message"], "Who is it for?");
    assert!(one.json["result"].get("content").is_none());
    let answers = json!({ "guest": accept(json!({ "name": "Ada", "age": 36.0 })) });
    let two = client
        .retry("book", arguments.clone(), &one.state(), answers)
        .await;
    assert!(
        two.asks()
            && two.json["result"]["inputRequests"]
                .as_object()
                .unwrap()
                .len()
                == 1
    );
    assert_ne!(one.state(), two.state());
    // Only the newest answer travels; the first one is in the state.
    let answers = json!({ "room": accept(json!({ "room": "7", "floor": null })) });
    let three = client.retry("book", arguments, &two.state(), answers).await;
    assert_eq!(
        three.first_text(),
        "Ada (36) in 7 of Ritz",
        "{}",
        three.text
    );
    assert_eq!(three.json["result"]["resultType"], "complete");
    assert_eq!(
        three.json["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "test"
    );
}

#[tokio::test]
async fn two_questions_at_once_are_one_round() {
    let client = Client::new(&app().await, "alice");
    let one = client.call("both", json!({})).await;
    assert_eq!(
        one.json["result"]["inputRequests"]
            .as_object()
            .unwrap()
            .len(),
        2
    );
    // One is missing: only that one is asked again.
    let answers = json!({ "guest": accept(json!({ "name": "Ada", "age": 1 })) });
    let two = client.retry("both", json!({}), &one.state(), answers).await;
    assert!(two.asked("guest").is_null() && two.asked("room").is_object());
    let answers = json!({ "room": accept(json!({ "room": "7" })), "unknown": 7 });
    let three = client.retry("both", json!({}), &two.state(), answers).await;
    assert_eq!(three.first_text(), "Ada in 7 on None");
}

#[tokio::test]
async fn refusals_end_the_tool_politely() {
    let client = Client::new(&app().await, "alice");
    for (action, word) in [("decline", "declined"), ("cancel", "dismissed")] {
        for content in [None, Some(json!(null)), Some(json!({}))] {
            let one = client.call("book", json!({ "hotel": "x" })).await;
            let mut answer = json!({ "action": action, "extra": [1] });
            if let Some(content) = content {
                answer["content"] = content;
            }
            let answers = json!({ "guest": answer });
            for _ in 0..2 {
                let end = client
                    .retry(
                        "book",
                        json!({ "hotel": "x" }),
                        &one.state(),
                        answers.clone(),
                    )
                    .await;
                assert!(
                    end.is_error() && end.first_text().contains(word),
                    "{}",
                    end.text
                );
            }
        }
    }
    let one = client.call("lenient", json!({})).await;
    let answers = json!({ "room": { "action": "decline" } });
    let end = client
        .retry("lenient", json!({}), &one.state(), answers)
        .await;
    assert_eq!(end.first_text(), "any room");
}

#[tokio::test]
async fn mistakes_of_an_author_are_errors_without_internals() {
    let client = Client::new(&app().await, "alice");
    let one = client.call("twice", json!({})).await;
    let answers = json!({ "room": accept(json!({ "room": "7" })) });
    for got in [
        client
            .retry("twice", json!({}), &one.state(), answers.clone())
            .await,
        client.call("abandons", json!({})).await,
    ] {
        assert_eq!(got.code(), -32603, "{}", got.text);
        assert!(
            got.json["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with("Internal error ")
        );
        assert!(!got.text.contains("room"));
    }
    let one = client.call("panics", json!({})).await;
    for _ in 0..2 {
        let got = client
            .retry("panics", json!({}), &one.state(), answers.clone())
            .await;
        assert_eq!(got.code(), -32603, "{}", got.text);
    }
}
