//! `.prefill(..)`: a form that the user is shown filled in.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_elicit::prelude::*;
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

#[derive(Choice, Debug, Clone, Copy)]
enum Plan {
    #[choice(title = "Free, one project")]
    Free,
    Pro,
}

#[derive(Choice, Debug, Clone, Copy)]
enum Extra {
    Backups,
    Support,
}

/// How should we invoice you?
#[derive(Elicit, Debug, Clone)]
struct Invoice {
    #[elicit(format = "email", max_length = 20)]
    email: String,
    plan: Plan,
    extras: Vec<Extra>,
    #[elicit(min = 1, max = 500, default = 1)]
    seats: u16,
    #[elicit(max_length = 10)]
    note: Option<String>,
    paper: bool,
}

/// What the handler would fill in.
static LAST: Mutex<Option<Invoice>> = Mutex::new(None);
/// The tests share that.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
static CHECKED: AtomicUsize = AtomicUsize::new(0);

fn ada() -> Invoice {
    Invoice {
        email: "ada@example.com".into(),
        plan: Plan::Pro,
        extras: vec![Extra::Support],
        seats: 7,
        note: Some("as before".into()),
        paper: true,
    }
}

/// Orders, with what was ordered last.
#[tool(asks(Invoice))]
async fn order(cx: &Cx) -> Result<String, CallError> {
    let last = LAST.lock().unwrap().clone();
    let ask = cx.ask::<Invoice>();
    let it = match &last {
        Some(last) => ask.prefill(last).await?,
        None => ask.await?,
    };
    cx.confirm("Order?").await?;
    Ok(format!(
        "{} {:?} {:?} {} {:?} {}",
        it.email, it.plan, it.extras, it.seats, it.note, it.paper
    ))
}

/// Orders, and looks at what comes.
#[tool]
async fn looks(cx: &Cx) -> Result<String, CallError> {
    let last = ada();
    let it = cx
        .ask::<Invoice>()
        .prefill(&last)
        .check(async |it: &Invoice| {
            CHECKED.fetch_add(1, Ordering::SeqCst);
            match it.seats {
                7 => Err(Invalid::field("seats", "must be others")),
                _ => Ok(()),
            }
        })
        .await?;
    Ok(it.seats.to_string())
}

async fn client() -> Client {
    let app = server()
        .tools(toolset![order, looks])
        .build()
        .await
        .unwrap();
    Client::new(&app, "alice")
}

fn accept(content: Value) -> Value {
    json!({ "invoice": { "action": "accept", "content": content } })
}

fn yes() -> Value {
    json!({ "confirm": { "action": "accept", "content": { "confirm": true } } })
}

fn schema(got: &Got) -> &Value {
    &got.asked("invoice")["requestedSchema"]
}

/// The text in the end, after this answer.
async fn ordered(client: &Client, state: &str, content: Value) -> String {
    let got = client
        .retry("order", json!({}), state, accept(content))
        .await;
    assert!(got.asked("confirm").is_object(), "{}", got.text);
    let got = client.retry("order", json!({}), &got.state(), yes()).await;
    got.first_text().to_owned()
}

#[tokio::test]
async fn the_form_is_shown_filled_in_and_nothing_of_that_is_required() {
    let _one = ONE.lock().await;
    let client = client().await;
    *LAST.lock().unwrap() = Some(ada());
    let one = client.call("order", json!({})).await;
    let schema = schema(&one);
    let defaults: Vec<_> = ["email", "plan", "extras", "seats", "note", "paper"]
        .map(|name| schema["properties"][name]["default"].clone())
        .into();
    assert_eq!(
        json!(defaults),
        json!(["ada@example.com", "pro", ["support"], 7, "as before", true]),
        "{}",
        one.text
    );
    assert!(schema.get("required").is_none(), "{schema}");
    assert_eq!(
        ordered(&client, &one.state(), json!({})).await,
        "ada@example.com Pro [Support] 7 Some(\"as before\") true"
    );
    // What the user writes wins, and to leave something blank is to write that.
    let content = json!({ "plan": "free", "extras": [], "seats": 9, "note": "" });
    assert_eq!(
        ordered(&client, &one.state(), content).await,
        "ada@example.com Free [] 9 None true"
    );
}

#[tokio::test]
async fn an_answer_is_read_with_what_was_shown() {
    let _one = ONE.lock().await;
    let client = client().await;
    *LAST.lock().unwrap() = Some(ada());
    let one = client.call("order", json!({})).await;
    // Another value in a later round is the same question.
    *LAST.lock().unwrap() = Some(Invoice {
        seats: 400,
        ..ada()
    });
    let text = ordered(&client, &one.state(), json!({ "note": "new" })).await;
    assert_eq!(text, "ada@example.com Pro [Support] 7 Some(\"new\") true");
    // So is none at all.
    *LAST.lock().unwrap() = None;
    let text = ordered(&client, &one.state(), json!({})).await;
    assert_eq!(
        text,
        "ada@example.com Pro [Support] 7 Some(\"as before\") true"
    );
    // And what was shown without a value is not filled in later.
    let plain = client.call("order", json!({})).await;
    assert!(
        schema(&plain)["required"].as_array().unwrap().len() > 2,
        "{}",
        plain.text
    );
    *LAST.lock().unwrap() = Some(ada());
    let got = client
        .retry("order", json!({}), &plain.state(), accept(json!({})))
        .await;
    let message = got.asked("invoice")["message"].as_str().unwrap();
    assert!(message.contains("email: "), "{}", got.text);
}

#[tokio::test]
async fn an_answer_that_nobody_was_asked_for_is_filled_in_by_nobody() {
    let _one = ONE.lock().await;
    let client = client().await;
    *LAST.lock().unwrap() = Some(ada());
    let got = client
        .call_with("order", json!({ "inputResponses": accept(json!({})) }))
        .await;
    assert!(got.asked("invoice").is_object(), "{}", got.text);
}

#[tokio::test]
async fn what_does_not_fit_the_form_is_not_filled_in() {
    let _one = ONE.lock().await;
    let client = client().await;
    let odd = Invoice {
        email: "no address".into(),
        seats: 501,
        note: Some("x".repeat(11)),
        ..ada()
    };
    *LAST.lock().unwrap() = Some(odd);
    let one = client.call("order", json!({})).await;
    let schema = schema(&one);
    assert_eq!(schema["required"], json!(["email"]), "{schema}");
    assert!(
        schema["properties"]["note"].get("default").is_none(),
        "{schema}"
    );
    // The declared default stands where it was.
    assert_eq!(schema["properties"]["seats"]["default"], 1);
    assert_eq!(schema["properties"]["plan"]["default"], "pro");
    let text = ordered(&client, &one.state(), json!({ "email": "eve@example.com" })).await;
    assert_eq!(text, "eve@example.com Pro [Support] 1 None true");
}

#[tokio::test]
async fn what_was_wrong_is_not_filled_in_again() {
    let _one = ONE.lock().await;
    let client = client().await;
    *LAST.lock().unwrap() = Some(ada());
    let one = client.call("order", json!({})).await;
    let two = client
        .retry(
            "order",
            json!({}),
            &one.state(),
            accept(json!({ "email": "no" })),
        )
        .await;
    assert_eq!(schema(&two)["required"], json!(["email"]), "{}", two.text);
    assert_eq!(schema(&two)["properties"]["note"]["default"], "as before");
    let text = ordered(&client, &two.state(), json!({ "email": "eve@example.com" })).await;
    assert_eq!(
        text,
        "eve@example.com Pro [Support] 7 Some(\"as before\") true"
    );
}

#[tokio::test]
async fn a_check_sees_the_whole() {
    let client = client().await;
    let one = client.call("looks", json!({})).await;
    let two = client
        .retry("looks", json!({}), &one.state(), accept(json!({})))
        .await;
    assert!(
        two.asked("invoice")["message"]
            .as_str()
            .unwrap()
            .ends_with("seats: must be others"),
        "{}",
        two.text
    );
    assert_eq!(schema(&two)["properties"]["seats"]["default"], 1);
    let got = client
        .retry(
            "looks",
            json!({}),
            &two.state(),
            accept(json!({ "seats": 8 })),
        )
        .await;
    assert_eq!(got.first_text(), "8", "{}", got.text);
    assert_eq!(CHECKED.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_the_user_wrote_stays_when_it_is_asked_again() {
    let _one = ONE.lock().await;
    let client = client().await;
    *LAST.lock().unwrap() = Some(ada());
    let one = client.call("order", json!({})).await;
    let wrong = json!({ "email": "no", "seats": 9, "plan": "free", "note": " " });
    let two = client
        .retry("order", json!({}), &one.state(), accept(wrong))
        .await;
    // Nobody answers, and what is shown stays.
    let three = client
        .retry("order", json!({}), &two.state(), json!({}))
        .await;
    for asked in [&two, &three] {
        let schema = schema(asked);
        let default = |field: &str| schema["properties"][field].get("default").cloned();
        assert_eq!(default("seats"), Some(json!(9)), "{schema}");
        assert_eq!(default("plan"), Some(json!("free")), "{schema}");
        // What was emptied and what was wrong are not brought back.
        assert_eq!(
            (default("note"), default("email")),
            (None, None),
            "{schema}"
        );
    }
    let text = ordered(
        &client,
        &three.state(),
        json!({ "email": "eve@example.com" }),
    )
    .await;
    assert_eq!(text, "eve@example.com Free [Support] 9 None true");
}
