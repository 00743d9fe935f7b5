//! One person with several pages: two tabs, two calls, the back button, several lines, several names.

use std::time::{Duration, Instant};

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits};
use mcp_elicit_tests::{Browser, Client, server};
use serde_json::json;

use super::{Account, accept, give, tail, whose};

const KEY: &str = "sk_live_4eC39HqLyjWDarjt";

async fn app(hold: Duration) -> (App, Client) {
    let app = server()
        .limits(Limits::default().hold(hold))
        .tools(toolset![whose, both, certificate, named])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

/// Asks for one credential in two places at once.
#[tool(asks(Account))]
async fn both(cx: &Cx) -> Result<String, CallError> {
    let (one, two) = try_join!(
        cx.ask::<Account>(),
        cx.ask::<Account>()
            .key("again")
            .message("Once more, please.")
    )?;
    Ok(format!("{}, {}", tail(&one), tail(&two)))
}

#[tokio::test]
async fn two_calls_that_wait_for_one_credential_go_on_together() {
    let (app, client) = app(Duration::from_secs(20)).await;
    let (one, two) = (
        client.call("whose", json!({})).await,
        client.call("whose", json!({})).await,
    );
    assert_ne!(one.link("account"), two.link("account"));
    let held = [one.state(), two.state()].map(|state| {
        let client = client.clone();
        tokio::spawn(async move { client.retry("whose", json!({}), &state, accept()).await })
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(held.iter().all(|it| !it.is_finished()));
    let saved = Instant::now();
    assert_eq!(
        give(&app, "alice", &one.link("account"), KEY).await.status,
        303
    );
    for it in held {
        assert_eq!(it.await.unwrap().first_text(), "arjt main");
    }
    assert!(saved.elapsed() < Duration::from_secs(5));
    // The other page has nothing to ask any more.
    let page = Browser::new(&app)
        .sign_in(&two.link("account"), "alice")
        .await;
    assert!(
        page.text.contains("Your answers are stored"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("name=\"api_key\""));
}

#[tokio::test]
async fn two_questions_of_one_call_are_answered_by_one_page() {
    let (app, client) = app(Duration::ZERO).await;
    let one = client.call("both", json!({})).await;
    let (first, second) = (one.link("account"), one.link("again"));
    assert!(!first.is_empty() && !second.is_empty() && first != second);
    give(&app, "alice", &second, KEY).await;
    let answers = json!({ "account": { "action": "accept" }, "again": { "action": "accept" } });
    let done = client.retry("both", json!({}), &one.state(), answers).await;
    assert_eq!(done.first_text(), "arjt main, arjt main", "{}", done.text);
}

#[tokio::test]
async fn a_page_that_was_open_in_two_tabs_stores_once() {
    let (app, client) = app(Duration::ZERO).await;
    let one = client.call("whose", json!({})).await;
    let link = one.link("account");
    let mut browser = Browser::new(&app);
    let first = browser.sign_in(&link, "alice").await;
    let second = browser.open(&link).await;
    let saved = browser.submit(&link, &first, &[("api_key", KEY)]).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    // The second tab, the back button, and the same form sent again.
    let other = [("api_key", "sk_live_of_the_second_tab")];
    for page in [&second, &first] {
        let late = browser.submit(&link, page, &other).await;
        assert_eq!(late.status, 409, "{}", late.text);
        assert!(late.text.contains("already done"), "{}", late.text);
    }
    let declined = browser.decline(&link, &second).await;
    assert_eq!(declined.status, 409);
    let back = browser.open(&link).await;
    assert!(back.text.contains("go back to your app"), "{}", back.text);
    assert!(!back.text.contains("<form method=\"post\" id=\"answers\""));
    assert_eq!(back.headers["cache-control"], "no-store");
    let done = client
        .retry("whose", json!({}), &one.state(), accept())
        .await;
    assert_eq!(done.first_text(), "arjt -");
}

/// A certificate, please.
#[derive(Elicit)]
#[elicit(url = "/ui/certificate", keep = "8h")]
struct Certificate {
    #[secret(multiline)]
    pem: SecretString,
}

/// Counts the lines of a certificate, and leaks it if told so.
#[tool(asks(Certificate))]
async fn certificate(cx: &Cx, leak: Option<String>) -> Result<String, CallError> {
    let it = cx.ask::<Certificate>().await?;
    let pem = it.pem.expose_secret();
    match leak.as_deref() {
        Some("plain") => Ok(format!("it is {pem}")),
        Some(_) => Ok(pem.replace('\n', "\\n")),
        None => Ok(format!(
            "{} lines, {:?}",
            pem.lines().count(),
            pem.ends_with('\n')
        )),
    }
}

#[tokio::test]
async fn a_secret_of_several_lines_arrives_whole_and_does_not_leave() {
    let (app, client) = app(Duration::ZERO).await;
    let one = client.call("certificate", json!({})).await;
    let link = one.link("certificate");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    assert!(
        page.text.contains("<textarea class=\"secret\""),
        "{}",
        page.text
    );
    assert!(page.text.contains("for 8 hours"), "{}", page.text);
    // A browser sends each line end as two characters.
    let pem = "-----BEGIN KEY-----\r\nMC4CAQAwBQYDK2VwBCIEIA==\r\n-----END KEY-----\r\n";
    browser.submit(&link, &page, &[("pem", pem)]).await;
    let done = client.call("certificate", json!({})).await;
    assert_eq!(done.first_text(), "3 lines, true", "{}", done.text);
    let leaked = client.call("certificate", json!({ "leak": "plain" })).await;
    assert_eq!(leaked.code(), -32603, "{}", leaked.text);
    let escaped = client
        .call("certificate", json!({ "leak": "escaped" }))
        .await;
    assert!(
        !escaped.text.contains("MC4CAQAwBQYDK2VwBCIEIA"),
        "{}",
        escaped.text
    );
}

#[tokio::test]
async fn credentials_of_one_person_are_limited() {
    let limits = Limits::default().hold(Duration::ZERO).credentials(2);
    let server = server().limits(limits).tools(toolset![named]);
    let app = server.build().await.unwrap();
    let client = Client::new(&app, "alice");
    let give = async |name: &str, user: &str| {
        let one = client
            .as_user(user)
            .call("named", json!({ "name": name }))
            .await;
        give(&app, user, &one.link(&format!("account.{name}")), KEY).await
    };
    for name in ["a", "b"] {
        assert_eq!(give(name, "alice").await.status, 303);
    }
    let third = give("c", "alice").await;
    assert_eq!(third.status, 422, "{}", third.text);
    assert!(
        third.text.contains("No more than 2 credentials"),
        "{}",
        third.text
    );
    assert!(!third.text.contains(KEY));
    assert_eq!(give("c", "bob").await.status, 303);

    let long = "n".repeat(128);
    let asked = client.call("named", json!({ "name": long })).await;
    assert!(asked.asks(), "{}", asked.text);
    let longer = format!("{long}n");
    let refused = client.call("named", json!({ "name": longer })).await;
    assert!(
        refused.is_error() && refused.first_text().contains("128 bytes"),
        "{}",
        refused.text
    );
}

/// Uses the account of that name.
#[tool(asks(Account))]
async fn named(cx: &Cx, name: String) -> Result<String, CallError> {
    Ok(tail(&cx.ask::<Account>().named(name).await?))
}

#[tokio::test]
async fn credentials_of_several_names_are_kept_apart() {
    let (app, client) = app(Duration::ZERO).await;
    for (name, key) in [("prod", "sk_live_prod_0001"), ("test", "sk_live_test_0002")] {
        let one = client.call("named", json!({ "name": name })).await;
        let link = one.link(&format!("account.{name}"));
        let mut browser = Browser::new(&app);
        let page = browser.sign_in(&link, "alice").await;
        assert!(
            page.text.contains(&format!("Account ({name})")),
            "{}",
            page.text
        );
        browser.submit(&link, &page, &[("api_key", key)]).await;
    }
    let of = async |name: &str| {
        let got = client.call("named", json!({ "name": name })).await;
        got.first_text().to_owned()
    };
    assert_eq!(
        (of("prod").await, of("test").await),
        ("0001 -".into(), "0002 -".into())
    );
    assert!(client.call("whose", json!({})).await.asks());
    // One that is removed leaves the other.
    let mut browser = Browser::new(&app);
    let list = browser.sign_in("/ui", "alice").await;
    let row = list.text.split("action=\"/ui/remove\"").nth(1).unwrap();
    let token = row
        .split("value=\"")
        .nth(1)
        .and_then(|v| v.split('"').next());
    let fields = [
        (":token", token.unwrap()),
        ("credential", "account"),
        ("name", "prod"),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    browser.post("/ui/remove", &fields).await;
    assert!(client.call("named", json!({ "name": "prod" })).await.asks());
    assert_eq!(of("test").await, "0002 -");
}
