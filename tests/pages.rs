//! Questions on the server's own page: the seven calls of the README, and who may do what.

use std::time::{Duration, Instant};

use mcp_elicit::ExposeSecret;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits, Server};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::{Value, json};

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Your account.
#[derive(Elicit)]
#[elicit(
    url = "/ui/set_api_key",
    message = "Please provide your API key to continue."
)]
struct BillingKey {
    /// Secret key from the dashboard
    #[secret]
    api_key: SecretString,
    label: Option<String>,
}

/// Connects your account.
#[tool]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let key = cx.ask::<BillingKey>().await?;
    Ok(format!(
        "connected {} ({} characters)",
        key.label.unwrap_or_default(),
        key.api_key.expose_secret().len()
    ))
}

/// Says the key, which no tool should.
#[tool]
async fn leak(cx: &Cx, how: String) -> Result<String, CallError> {
    let key = cx.ask::<BillingKey>().await?;
    let secret = key.api_key.expose_secret();
    match &*how {
        "plain" => Ok(format!("the key is {secret}")),
        "error" => Err(format!("cannot use {secret}").into()),
        "step" => {
            cx.step("copy", async |_| Ok(secret.to_owned())).await?;
            cx.confirm("Go on?").await?;
            Ok(String::new())
        }
        _ => {
            cx.confirm(format!("Use {secret}?")).await?;
            Ok(String::new())
        }
    }
}

/// Another account.
#[derive(Elicit)]
#[elicit(url = "/ui/other", fallback = "address", check = check_other)]
struct OtherKey {
    #[secret]
    other_key: SecretString,
}

fn check_other(other: &OtherKey) -> Result<(), mcp_elicit::Invalid> {
    if other.other_key.expose_secret().starts_with("ok") {
        Ok(())
    } else {
        Err(mcp_elicit::Invalid::field(
            "other_key",
            "must begin with ok",
        ))
    }
}

/// Asks for a key by name, with what it asks said and for clients that open no pages.
#[tool(asks(OtherKey))]
async fn named(cx: &Cx, name: String) -> Result<String, CallError> {
    drop(cx.ask::<OtherKey>().named(&name).await?.other_key);
    Ok(format!("has {name}"))
}

/// Asks for a key without saying so beforehand.
#[tool]
async fn unsaid(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<OtherKey>().await?.other_key);
    Ok("has it".into())
}

fn with(server: Server) -> Server {
    server.tools(toolset![connect, leak])
}

async fn app() -> App {
    with(server()).build().await.unwrap()
}

fn accept() -> Value {
    json!({ "billing_key": { "action": "accept" } })
}

/// Opens the link as `name` and gives the key.
async fn give(app: &App, name: &str, link: &str) -> Got {
    let mut browser = Browser::new(app);
    let page = browser.sign_in(link, name).await;
    assert_eq!(page.status, 200, "{}", page.text);
    browser
        .submit(link, &page, &[("api_key", KEY), ("label", "main")])
        .await
}

#[tokio::test]
async fn a_client_without_url_mode_is_told_what_it_lacks() {
    let client = Client::new(&app().await, "alice").can(json!({ "elicitation": {} }));
    let got = client.call("connect", json!({})).await;
    assert_eq!((got.status.as_u16(), got.code()), (400, -32021));
    let required = &got.json["error"]["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({ "elicitation": { "url": {} } }));
    assert!(
        got.json["error"]["message"]
            .as_str()
            .unwrap()
            .contains("elicitation.url")
    );
}

#[tokio::test]
async fn a_key_that_is_given_on_the_page_reaches_the_tool() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let asked = one.asked("billing_key");
    assert_eq!(asked["mode"], "url");
    assert_eq!(asked["message"], "Please provide your API key to continue.");
    assert!(asked.get("elicitationId").is_none());
    let link = one.link("billing_key");
    assert!(
        link.starts_with("http://127.0.0.1:3000/ui/set_api_key/"),
        "{link}"
    );
    // Accept is consent, not completion: it is asked again, with the same link.
    for _ in 0..3 {
        let again = client
            .retry("connect", json!({}), &one.state(), accept())
            .await;
        assert!(again.asks(), "{}", again.text);
        assert_eq!(again.link("billing_key"), link);
    }
    let done = give(&app, "alice", &link).await;
    assert!(
        done.status.is_success() || done.status.is_redirection(),
        "{} {}",
        done.status,
        done.text
    );
    assert!(!done.text.contains(KEY));
    let two = client
        .retry("connect", json!({}), &one.state(), accept())
        .await;
    assert_eq!(
        two.first_text(),
        format!("connected main ({} characters)", KEY.len()),
        "{}",
        two.text
    );
    assert!(!two.text.contains(KEY));
    // From now on it needs no round, and no capability.
    let next = client
        .clone()
        .can(json!({}))
        .call("connect", json!({}))
        .await;
    assert!(next.first_text().starts_with("connected"), "{}", next.text);
    // A decline refuses even now.
    let answers = json!({ "billing_key": { "action": "decline" } });
    let no = client
        .retry("connect", json!({}), &one.state(), answers)
        .await;
    assert!(
        no.is_error() && no.first_text().contains("declined"),
        "{}",
        no.text
    );
    // Bob has no key.
    assert!(
        client
            .as_user("bob")
            .call("connect", json!({}))
            .await
            .asks()
    );
}

#[tokio::test]
async fn a_retry_is_held_until_the_page_is_done() {
    let limits = Limits::default().hold(Duration::from_secs(20));
    let app = with(server().limits(limits)).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let (held, state, link) = (client.clone(), one.state(), one.link("billing_key"));
    let held =
        tokio::spawn(async move { held.retry("connect", json!({}), &state, accept()).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!held.is_finished());
    give(&app, "alice", &link).await;
    let started = Instant::now();
    let got = held.await.unwrap();
    assert!(got.first_text().starts_with("connected"), "{}", got.text);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn somebody_else_cannot_fill_the_page() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let link = one.link("billing_key");
    let mut bob = Browser::new(&app);
    let page = bob.sign_in(&link, "bob").await;
    assert_eq!(page.status, 403, "{}", page.text);
    assert!(
        !page.text.contains("name=\"api_key\"") && !page.text.contains("alice"),
        "{}",
        page.text
    );
    let post = bob.submit(&link, &page, &[("api_key", KEY)]).await;
    assert_eq!(post.status, 403);
    assert!(
        client
            .as_user("bob")
            .call("connect", json!({}))
            .await
            .asks()
    );
    assert!(
        client
            .retry("connect", json!({}), &one.state(), accept())
            .await
            .asks()
    );
    give(&app, "alice", &link).await;
    let two = client
        .retry("connect", json!({}), &one.state(), accept())
        .await;
    assert!(two.first_text().starts_with("connected"), "{}", two.text);
}

#[tokio::test]
async fn a_decline_on_the_page_is_a_decline() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let link = one.link("billing_key");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    let got = browser.decline(&link, &page).await;
    assert!(
        got.status.is_success() || got.status.is_redirection(),
        "{}",
        got.text
    );
    let two = client
        .retry("connect", json!({}), &one.state(), accept())
        .await;
    assert!(
        two.is_error() && two.first_text().contains("declined"),
        "{}",
        two.text
    );
}

#[tokio::test]
async fn a_secret_that_was_opened_does_not_leave() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    give(&app, "alice", &one.link("billing_key")).await;
    for how in ["plain", "error", "question", "step"] {
        let got = client.call("leak", json!({ "how": how })).await;
        assert_eq!(got.code(), -32603, "{how}: {}", got.text);
        assert!(!got.text.contains(KEY));
    }
}

#[tokio::test]
async fn nobody_in_particular_is_not_asked_for_secrets() {
    let app = with(server().auth(mcp_elicit::auth::Anonymous))
        .build()
        .await
        .unwrap();
    let got = Client::new(&app, "alice").call("connect", json!({})).await;
    assert!(got.is_error(), "{}", got.text);
}

#[tokio::test]
async fn open_pages_are_limited_per_user() {
    let app = with(server().limits(Limits::default().tickets(2).hold(Duration::ZERO)))
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    for _ in 0..2 {
        assert!(client.call("connect", json!({})).await.asks());
    }
    let third = client.call("connect", json!({})).await;
    assert!(
        third.is_error() && third.first_text().contains("Too many"),
        "{}",
        third.text
    );
    assert!(
        client
            .as_user("bob")
            .call("connect", json!({}))
            .await
            .asks()
    );
}

#[tokio::test]
async fn a_restart_between_question_and_answer_loses_nothing() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-restart-{}", std::process::id()));
    let build = || async {
        with(
            Server::new("test", "1")
                .auth(mcp_elicit::auth::DevUsers)
                .data_dir(&dir),
        )
        .limits(Limits::default().hold(Duration::ZERO))
        .build()
        .await
        .unwrap()
    };
    let app = build().await;
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    drop(app);
    let app = build().await;
    // A second process beside the first.
    let beside = build().await;
    give(&beside, "alice", &one.link("billing_key")).await;
    let two = client
        .on(&app)
        .retry("connect", json!({}), &one.state(), accept())
        .await;
    assert!(two.first_text().starts_with("connected"), "{}", two.text);
    drop((app, beside));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[tokio::test]
async fn a_client_that_opens_no_pages_may_get_the_address() {
    let app = server()
        .tools(toolset![named, unsaid])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice").can(json!({ "elicitation": {} }));
    for (tool, arguments) in [("named", json!({ "name": "prod" })), ("unsaid", json!({}))] {
        let got = client.call(tool, arguments).await;
        assert!(got.is_error(), "{}", got.text);
        assert!(
            got.first_text().contains("http://127.0.0.1:3000/ui/other "),
            "{}",
            got.text
        );
    }
}

#[tokio::test]
async fn the_check_of_a_type_is_made_on_its_page_also_when_no_tool_names_it() {
    let app = server().tools(toolset![unsaid]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("unsaid", json!({})).await;
    let link = one.link("other_key");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    let got = browser
        .submit(&link, &page, &[("other_key", "wrong")])
        .await;
    assert_eq!(got.status, 422, "{}", got.text);
    assert!(got.text.contains("must begin with ok"));
    let got = browser.submit(&link, &got, &[("other_key", "ok-1")]).await;
    assert!(got.status.is_redirection(), "{}", got.text);
    let answers = json!({ "other_key": { "action": "accept" } });
    let two = client
        .retry("unsaid", json!({}), &one.state(), answers)
        .await;
    assert_eq!(two.first_text(), "has it", "{}", two.text);
}
