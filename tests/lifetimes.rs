//! `.lifetime(..)`: how long the user has for one question.

use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::{Value, json};

/// Where is it?
#[derive(Elicit)]
struct Place {
    city: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please connect your account.")]
struct Account {
    #[secret]
    api_key: SecretString,
}

const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(600);

fn time(long: bool) -> Duration {
    if long { LONG } else { SHORT }
}

/// Asks two things at once, each with a time of its own.
#[tool]
async fn places(cx: &Cx, first: bool, second: bool) -> Result<String, CallError> {
    let (a, b) = try_join!(
        cx.ask::<Place>().lifetime(time(first)),
        cx.ask::<Place>().at(1).lifetime(time(second)),
    )?;
    Ok(format!("{} {}", a.city, b.city))
}

/// Asks without a time of its own.
#[tool]
async fn place(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Place>().await?.city)
}

/// Waits for a page, and then asks for a yes.
#[tool]
async fn account(cx: &Cx, long: bool) -> Result<String, CallError> {
    let said = match cx.ask::<Account>().lifetime(time(long)).await {
        Ok(account) => account.api_key.expose_secret().len().to_string(),
        Err(NoAnswer::TimedOut) => "too late".into(),
        Err(no) => return Err(no.into()),
    };
    cx.confirm("Go on?").await?;
    Ok(said)
}

async fn app(limits: Limits) -> (App, Client) {
    let tools = toolset![places, place, account];
    let app = server().limits(limits).tools(tools).build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

fn cities(keys: &[&str]) -> Value {
    let city = |key: &&str| {
        let answer = json!({ "action": "accept", "content": { "city": "Ulm" } });
        ((*key).to_owned(), answer)
    };
    Value::Object(keys.iter().map(city).collect())
}

fn refused(got: &Got) -> bool {
    got.code() == -32602 && got.text.contains("invalid or expired")
}

#[tokio::test]
async fn the_earliest_of_a_batch_counts() {
    let (_, client) = app(Limits::default()).await;
    for (first, second) in [(true, true), (true, false), (false, true)] {
        let arguments = json!({ "first": first, "second": second });
        let one = client.call("places", arguments.clone()).await;
        let state = one.state();
        let got = client
            .retry(
                "places",
                arguments.clone(),
                &state,
                cities(&["place", "place.1"]),
            )
            .await;
        assert_eq!(got.first_text(), "Ulm Ulm", "{}", got.text);
        tokio::time::sleep(SHORT).await;
        let got = client
            .retry("places", arguments, &state, cities(&["place", "place.1"]))
            .await;
        assert_eq!(refused(&got), !(first && second), "{}", got.text);
    }
}

#[tokio::test]
async fn what_was_answered_in_time_stays_answered() {
    let (_, client) = app(Limits::default()).await;
    let arguments = json!({ "first": false, "second": true });
    let one = client.call("places", arguments.clone()).await;
    let two = client
        .retry(
            "places",
            arguments.clone(),
            &one.state(),
            cities(&["place"]),
        )
        .await;
    assert!(two.asks(), "{}", two.text);
    tokio::time::sleep(SHORT).await;
    let got = client
        .retry("places", arguments, &two.state(), cities(&["place.1"]))
        .await;
    assert_eq!(got.first_text(), "Ulm Ulm", "{}", got.text);
}

#[tokio::test]
async fn no_time_of_its_own_exceeds_the_limit() {
    let (_, client) = app(Limits::default().lifetime(SHORT)).await;
    for (tool, arguments) in [
        ("place", json!({})),
        ("places", json!({ "first": true, "second": true })),
    ] {
        let one = client.call(tool, arguments.clone()).await;
        tokio::time::sleep(SHORT).await;
        let got = client
            .retry(tool, arguments, &one.state(), cities(&["place", "place.1"]))
            .await;
        assert!(refused(&got), "{}", got.text);
    }
}

#[tokio::test]
async fn a_page_whose_time_ends_while_it_is_waited_for_has_timed_out() {
    let (app, client) = app(Limits::default().hold(Duration::from_secs(20))).await;
    let arguments = json!({ "long": false });
    let one = client.call("account", arguments.clone()).await;
    let opened = json!({ "account": { "action": "accept" } });
    let held = client
        .retry("account", arguments.clone(), &one.state(), opened.clone())
        .await;
    assert!(held.asked("confirm").is_object(), "{}", held.text);
    // It is over, whatever the page would do now.
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&one.link("account"), "alice").await;
    assert!(!page.text.contains("api_key"), "{}", page.text);
    let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let got = client
        .retry("account", arguments.clone(), &held.state(), yes)
        .await;
    assert_eq!(got.first_text(), "too late", "{}", got.text);
    // A retry that was not held comes too late itself.
    let got = client
        .retry("account", arguments, &one.state(), opened)
        .await;
    assert!(refused(&got), "{}", got.text);
}

#[tokio::test]
async fn another_round_does_not_prolong_the_time_of_a_page() {
    let (_, client) = app(Limits::default().hold(SHORT / 3)).await;
    let arguments = json!({ "long": false });
    let opened = json!({ "account": { "action": "accept" } });
    let mut got = client.call("account", arguments.clone()).await;
    let link = got.link("account");
    let begun = std::time::Instant::now();
    while got.asked("account").is_object() {
        assert_eq!(got.link("account"), link);
        got = client
            .retry("account", arguments.clone(), &got.state(), opened.clone())
            .await;
    }
    assert!(begun.elapsed() < 2 * SHORT, "{:?}", begun.elapsed());
    // Whether a retry waited just then or came after.
    assert!(
        got.asked("confirm").is_object() || refused(&got),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_run_that_ends_while_a_page_is_waited_for_tells_its_handler() {
    let limits = Limits::default().hold(Duration::from_secs(20)).run(SHORT);
    let (_, client) = app(limits).await;
    let arguments = json!({ "long": true });
    let one = client.call("account", arguments.clone()).await;
    let opened = json!({ "account": { "action": "accept" } });
    let held = client
        .retry("account", arguments, &one.state(), opened)
        .await;
    assert!(held.asked("confirm").is_object(), "{}", held.text);
}
