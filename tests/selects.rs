//! Choices known only at run time: what is asked, and answers while the choices change.

use std::sync::{Arc, Mutex};

use mcp_elicit::App;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};

/// Where shall it go?
#[derive(Elicit)]
struct Route {
    #[elicit(max_length = 9)]
    title: String,
    #[select]
    repo: Select<u64>,
    #[select]
    #[elicit(max_items = 2)]
    labels: Vec<Select>,
    #[select]
    reader: Option<Select>,
}

/// What there is to choose from, as some other service says.
struct Desk(Arc<Mutex<Vec<(u64, String)>>>);

#[tools]
impl Desk {
    /// Routes a message.
    #[tool(asks(Route))]
    async fn route(&self, cx: &Cx) -> Result<String, CallError> {
        let name = |name: &str| (name.to_owned(), format!("The {name}"));
        let repo = self.0.lock().expect("no panic").clone();
        let route = cx
            .ask_with::<Route>(RouteOptions {
                repo: repo.into(),
                labels: [name("bug"), name("wish"), name("\"quote\"")].into(),
                reader: [name("team")].into(),
            })
            .await?;
        let labels: Vec<_> = route.labels.iter().map(|it| it.key().as_str()).collect();
        Ok(format!(
            "{} to {} as {} for {:?}",
            route.title,
            route.repo.key(),
            labels.join("+"),
            route.reader.map(Select::into_key)
        ))
    }
}

fn repos(ids: impl IntoIterator<Item = u64>) -> Vec<(u64, String)> {
    ids.into_iter()
        .map(|id| (id, format!("Number {id}")))
        .collect()
}

async fn desk(ids: impl IntoIterator<Item = u64>) -> (App, Arc<Mutex<Vec<(u64, String)>>>) {
    let list = Arc::new(Mutex::new(repos(ids)));
    let app = server().tools(Desk(Arc::clone(&list))).build().await;
    (app.expect("it starts"), list)
}

fn accept(content: Value) -> Value {
    json!({ "route": { "action": "accept", "content": content } })
}

#[tokio::test]
async fn the_choices_stand_in_the_form_and_come_back_typed() {
    let (app, _) = desk([17, 23]).await;
    let client = Client::new(&app, "alice");
    let one = client.call("route", json!({})).await;
    assert_eq!(
        one.asked("route")["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "title": { "type": "string", "title": "Title", "maxLength": 9 },
                "repo": { "type": "string", "title": "Repo", "oneOf": [
                    { "const": "17", "title": "Number 17" },
                    { "const": "23", "title": "Number 23" },
                ] },
                "labels": { "type": "array", "title": "Labels", "maxItems": 2, "items": { "anyOf": [
                    { "const": "bug", "title": "The bug" },
                    { "const": "wish", "title": "The wish" },
                    { "const": "\"quote\"", "title": "The \"quote\"" },
                ] } },
                "reader": { "type": "string", "title": "Reader", "oneOf": [
                    { "const": "team", "title": "The team" },
                ] },
            },
            "required": ["title", "repo", "labels"],
        })
    );
    assert_eq!(one.asked("route")["message"], "Where shall it go?");
    let answer = json!({ "title": "Hi", "repo": "23", "labels": ["\"quote\"", "bug"] });
    let two = client
        .retry("route", json!({}), &one.state(), accept(answer))
        .await;
    assert_eq!(
        two.first_text(),
        "Hi to 23 as \"quote\"+bug for None",
        "{}",
        two.text
    );
}

#[tokio::test]
async fn an_answer_that_is_no_choice_any_more_is_asked_again() {
    let (app, list) = desk([17, 23]).await;
    let client = Client::new(&app, "alice");
    let one = client.call("route", json!({})).await;
    *list.lock().expect("no panic") = repos([17, 42]);
    let answer = json!({ "title": "Hi", "repo": "23", "labels": [] });
    let two = client
        .retry("route", json!({}), &one.state(), accept(answer))
        .await;
    assert!(two.asks(), "{}", two.text);
    let message = two.asked("route")["message"].as_str().unwrap_or_default();
    assert!(
        message.contains("repo: must be one of: 17, 42"),
        "{message}"
    );
    assert!(two.text.contains("Number 42") && !two.text.contains("Number 23"));
    let answer = json!({ "title": "Hi", "repo": "42", "labels": [], "reader": "team" });
    let three = client
        .retry("route", json!({}), &two.state(), accept(answer))
        .await;
    assert_eq!(
        three.first_text(),
        "Hi to 42 as  for Some(\"team\")",
        "{}",
        three.text
    );
}

#[tokio::test]
async fn other_choices_are_the_same_question() {
    let (app, list) = desk([17, 23]).await;
    let client = Client::new(&app, "alice");
    let one = client.call("route", json!({})).await;
    *list.lock().expect("no panic") = repos([99, 23]);
    let answer = json!({ "title": "Hi", "repo": "23", "labels": ["wish"] });
    let two = client
        .retry("route", json!({}), &one.state(), accept(answer))
        .await;
    assert_eq!(
        two.first_text(),
        "Hi to 23 as wish for None",
        "{}",
        two.text
    );
}

#[tokio::test]
async fn no_choices_too_many_and_the_same_twice_end_the_run() {
    for ids in [vec![], (0..251).collect(), vec![7, 7]] {
        let (app, _) = desk(ids).await;
        let got = Client::new(&app, "alice").call("route", json!({})).await;
        assert!(!got.asks(), "{}", got.text);
        assert!(!got.text.contains("Number"), "{}", got.text);
    }
    let (app, _) = desk(0..250).await;
    let got = Client::new(&app, "alice").call("route", json!({})).await;
    assert!(got.asks(), "{}", got.text);
}
