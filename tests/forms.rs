//! Questions in forms: rounds, answers that do not fit, refusals, guards, and the sealed state.

use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, Got, keyring, server};
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

/// Needs a yes.
#[tool]
async fn drop_table(cx: &Cx, table: String) -> Result<String, CallError> {
    cx.confirm(format!("Drop {table}?")).await?;
    Ok(format!("dropped {table}"))
}

/// Asks until it has enough.
#[tool]
async fn never_enough(cx: &Cx) -> Result<String, CallError> {
    let mut i = 0;
    loop {
        cx.ask::<Room>().at(i).await?;
        i += 1;
    }
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
        .tools(toolset![
            book,
            both,
            drop_table,
            never_enough,
            twice,
            abandons,
            lenient,
            panics
        ])
        .build()
        .await
        .expect("it starts")
}

fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

fn refused(got: &Got) {
    assert_eq!(got.code(), -32602, "{}", got.text);
    assert_eq!(
        got.json["error"]["message"],
        "requestState is invalid or expired"
    );
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
async fn answers_that_do_not_fit_are_asked_again_and_then_given_up() {
    let client = Client::new(&app().await, "alice");
    let arguments = json!({ "hotel": "Ritz" });
    for wrong in [
        json!({}),
        json!({ "name": 42, "age": 1 }),
        json!({ "name": "A", "age": -5 }),
        json!({"name": "A", "age": 42.5}),
    ] {
        let mut got = client.call("book", arguments.clone()).await;
        for _ in 0..2 {
            got = client
                .retry(
                    "book",
                    arguments.clone(),
                    &got.state(),
                    json!({ "guest": accept(wrong.clone()) }),
                )
                .await;
            assert!(got.asks(), "{}", got.text);
            let message = got.asked("guest")["message"].as_str().unwrap();
            assert!(message.starts_with("Who is it for?\n\n"), "{message}");
        }
        let end = client
            .retry(
                "book",
                arguments.clone(),
                &got.state(),
                json!({ "guest": accept(wrong) }),
            )
            .await;
        assert!(end.is_error(), "{}", end.text);
        assert!(end.first_text().contains("name") || end.first_text().contains("age"));
    }
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
async fn malformed_answers_are_errors() {
    let client = Client::new(&app().await, "alice");
    let one = client.call("book", json!({ "hotel": "x" })).await;
    for bad in [
        json!(7),
        json!({}),
        json!({ "name": "A" }),
        json!({ "action": "reject" }),
        json!({ "action": "message", "content": {} }),
        json!({ "action": 1 }),
        json!(["accept", {}]),
    ] {
        let got = client
            .retry(
                "book",
                json!({ "hotel": "x" }),
                &one.state(),
                json!({ "guest": bad }),
            )
            .await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
    for bad in [json!([]), json!("x"), json!(7)] {
        let got = client
            .retry("book", json!({ "hotel": "x" }), &one.state(), bad)
            .await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
    // None at all is not an error: what is missing is asked again.
    let got = client
        .retry("book", json!({ "hotel": "x" }), &one.state(), Value::Null)
        .await;
    assert!(got.asks());
    // A null content is one without members.
    let answers = json!({ "guest": { "action": "accept", "content": null } });
    assert!(
        client
            .retry("book", json!({ "hotel": "x" }), &one.state(), answers)
            .await
            .asks()
    );
}

#[tokio::test]
async fn only_a_yes_to_the_question_passes_a_confirmation() {
    let client = Client::new(&app().await, "alice");
    let table = json!({ "table": "users" });
    let yes = json!({ "confirm": accept(json!({ "confirm": true })) });
    // A first call that brings its own approval is asked all the same.
    let forged = client
        .call_with(
            "drop_table",
            json!({ "arguments": table, "inputResponses": yes }),
        )
        .await;
    assert!(forged.asks(), "{}", forged.text);
    assert_eq!(forged.asked("confirm")["message"], "Drop users?");
    // So is an approval among the arguments: the tool has no such argument.
    let argument = client
        .call("drop_table", json!({ "table": "users", "confirm": true }))
        .await;
    assert!(
        !argument.first_text().contains("dropped"),
        "{}",
        argument.text
    );
    for no in [
        json!({}),
        json!({ "confirm": false }),
        json!({ "confirm": "true" }),
    ] {
        let one = client.call("drop_table", table.clone()).await;
        let got = client
            .retry(
                "drop_table",
                table.clone(),
                &one.state(),
                json!({ "confirm": accept(no) }),
            )
            .await;
        assert!(!got.text.contains("dropped"), "{}", got.text);
    }
    let one = client.call("drop_table", table.clone()).await;
    let got = client
        .retry("drop_table", table.clone(), &one.state(), yes.clone())
        .await;
    assert_eq!(got.first_text(), "dropped users");
    // The state of one table does not drop another.
    refused(
        &client
            .retry(
                "drop_table",
                json!({ "table": "orders" }),
                &one.state(),
                yes,
            )
            .await,
    );
}

#[tokio::test]
async fn an_unguarded_answer_on_a_first_call_is_taken() {
    let client = Client::new(&app().await, "alice");
    let answers = json!({ "room": accept(json!({ "room": "7" })), "other": { "x": 1 } });
    let got = client
        .call_with("lenient", json!({ "inputResponses": answers }))
        .await;
    assert_eq!(got.first_text(), "7", "{}", got.text);
}

#[tokio::test]
async fn a_state_is_good_for_its_user_tool_and_arguments_alone() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    let arguments = json!({ "hotel": "Ritz", "x": 1 });
    let arguments = json!({ "hotel": arguments["hotel"] });
    let one = client.call("book", arguments.clone()).await;
    let state = one.state();
    let answers = json!({ "guest": accept(json!({ "name": "A", "age": 1 })) });
    refused(
        &client
            .as_user("bob")
            .retry("book", arguments.clone(), &state, answers.clone())
            .await,
    );
    refused(
        &client
            .retry("book", json!({ "hotel": "Savoy" }), &state, answers.clone())
            .await,
    );
    refused(
        &client
            .retry("lenient", json!({}), &state, answers.clone())
            .await,
    );
    refused(
        &client
            .retry("book", arguments.clone(), "", answers.clone())
            .await,
    );
    refused(
        &client
            .retry("book", arguments.clone(), "e1.AAAA", answers.clone())
            .await,
    );
    refused(
        &client
            .retry(
                "book",
                arguments.clone(),
                &"A".repeat(60_000),
                answers.clone(),
            )
            .await,
    );
    refused(
        &client
            .retry(
                "book",
                arguments.clone(),
                &format!("{state}-TAMPERED"),
                answers.clone(),
            )
            .await,
    );
    for i in 0..state.len() {
        let mut changed = state.clone().into_bytes();
        changed[i] = if changed[i] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(changed).unwrap();
        refused(
            &client
                .retry("book", arguments.clone(), &changed, answers.clone())
                .await,
        );
    }
    let odd = json!({ "arguments": arguments, "requestState": 7, "inputResponses": answers });
    assert_eq!(client.call_with("book", odd).await.code(), -32602);
    // Another server with the same keys and name goes on where this one stopped.
    let other = server()
        .tools(toolset![book])
        .keyring(keyring())
        .build()
        .await
        .unwrap();
    let two = client
        .on(&other)
        .retry("book", arguments, &state, answers)
        .await;
    assert!(two.asks() && two.asked("room").is_object(), "{}", two.text);
}

#[tokio::test]
async fn rounds_come_to_an_end() {
    let app = server()
        .tools(toolset![never_enough])
        .limits(Limits::default().rounds(3))
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let mut got = client.call("never_enough", json!({})).await;
    for i in 0..2 {
        assert!(got.asks(), "{}", got.text);
        let answers = json!({ format!("room.{i}"): accept(json!({ "room": "7" })) });
        got = client
            .retry("never_enough", json!({}), &got.state(), answers)
            .await;
    }
    assert!(got.asks());
    let answers = json!({ "room.2": accept(json!({ "room": "7" })) });
    got = client
        .retry("never_enough", json!({}), &got.state(), answers)
        .await;
    assert!(
        got.is_error() && got.first_text().contains("room.3"),
        "{}",
        got.text
    );
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

#[tokio::test]
async fn a_client_is_asked_only_in_modes_it_knows() {
    let app = app().await;
    for (capabilities, asked) in [
        (json!({}), false),
        (json!({ "elicitation": { "url": {} } }), false),
        (json!({ "elicitation": {} }), true),
        (json!({ "elicitation": { "form": {} } }), true),
    ] {
        let got = Client::new(&app, "alice")
            .can(capabilities)
            .call("lenient", json!({}))
            .await;
        assert_eq!(got.asks(), asked, "{}", got.text);
        if !asked {
            assert_eq!((got.status.as_u16(), got.code()), (400, -32021));
            let required = &got.json["error"]["data"]["requiredCapabilities"];
            assert_eq!(*required, json!({ "elicitation": { "form": {} } }));
            assert!(
                got.json["error"]["message"]
                    .as_str()
                    .unwrap()
                    .contains("elicitation.form")
            );
        }
    }
}
