//! R: links that lead to a page, and to nobody else's.

use std::time::{Duration, Instant};

use mcp_elicit::serde::{Deserialize, Serialize};
use mcp_elicit_tests::Browser;

use crate::operate::listen::Log;

use super::*;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
}

/// Connects.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok("connected".to_owned())
}

#[derive(Serialize, Deserialize)]
#[serde(crate = "mcp_elicit::serde")]
struct Paid {
    receipt: String,
}

/// Asks at an address of somebody else.
#[tool]
async fn elsewhere(cx: &Cx, url: String) -> Result<String, CallError> {
    Ok(cx
        .ask_external(cx.completion::<Paid>("x"), url)
        .await?
        .receipt)
}

/// Asks for a yes to any text.
#[tool]
async fn says(cx: &Cx, text: String) -> Result<(), CallError> {
    Ok(cx.confirm(text).await?)
}

async fn begin(hold: Duration) -> (App, Client) {
    let tools = toolset![connect, elsewhere, says];
    let limits = Limits::default().hold(hold);
    let app = server().limits(limits).tools(tools).build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

fn opened() -> Value {
    json!({ "account": { "action": "accept" } })
}

/// Gives the key on the page.
async fn give(app: &App, user: &str, link: &str) -> Got {
    let mut browser = Browser::new(app);
    let page = browser.sign_in(link, user).await;
    browser
        .submit(link, &page, &[("key", "sk_live_4eC39HqL")])
        .await
}

#[tokio::test]
async fn r_080_a_question_with_a_link_has_no_id_of_its_own() {
    let (_app, client) = begin(Duration::ZERO).await;
    let external = json!({ "url": "https://pay.example.com/" });
    for (got, key) in [
        (client.call("connect", json!({})).await, "account"),
        (client.call("elsewhere", external).await, "external"),
    ] {
        let members: Vec<_> = got.asked(key).as_object().unwrap().keys().collect();
        assert_eq!(members, ["message", "mode", "url"], "{}", got.text);
        assert!(!got.text.contains("elicitationId"), "{}", got.text);
    }
    // Each question has a link of its own.
    let links = [
        client.call("connect", json!({})).await,
        client.call("connect", json!({})).await,
    ];
    assert_ne!(links[0].link("account"), links[1].link("account"));
}

#[tokio::test]
async fn r_081_nothing_tells_that_a_page_is_done_but_the_result() {
    let (app, client) = begin(Duration::from_secs(20)).await;
    let client = client
        .hears_progress()
        .says("io.modelcontextprotocol/logLevel", "debug");
    let one = client.call("connect", json!({})).await;
    let (link, state) = (one.link("account"), one.state());
    let held = client.clone();
    let held =
        tokio::spawn(async move { held.retry("connect", json!({}), &state, opened()).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    let saved = give(&app, "alice", &link).await;
    assert!(saved.status.is_redirection(), "{}", saved.text);
    let end = held.await.unwrap();
    assert_eq!(end.first_text(), "connected", "{}", end.text);
    for got in [&one, &end] {
        assert_eq!(got.code(), 0);
        for message in &got.before {
            assert_ne!(message["method"], "notifications/elicitation/complete");
        }
        assert!(
            !got.text.contains("-32042") && !got.text.contains("elicitation/complete"),
            "{}",
            got.text
        );
    }
}

#[tokio::test]
async fn r_082_a_link_is_for_one_person() {
    let (app, client) = begin(Duration::ZERO).await;
    let one = client.call("connect", json!({})).await;
    let link = one.link("account");
    let got = give(&app, "bob", &link).await;
    assert_eq!(got.status, 403, "{}", got.text);
    // Changed, it leads nowhere, and tells nothing of what it is no link to.
    let (before, ticket) = link.rsplit_once('/').unwrap();
    let mut changed = ticket.to_owned().into_bytes();
    changed[0] = if changed[0] == b'A' { b'B' } else { b'A' };
    for ticket in [
        String::from_utf8(changed).unwrap(),
        ticket[1..].to_owned(),
        "A".repeat(22),
        String::new(),
    ] {
        let mut browser = Browser::new(&app);
        browser.sign_in(&link, "alice").await;
        let page = browser.open(&format!("{before}/{ticket}")).await;
        assert!(
            !page.text.contains("name=\"key\"") || ticket.is_empty(),
            "{ticket}: {}",
            page.text
        );
    }
    let mut browser = Browser::new(&app);
    browser.sign_in(&link, "alice").await;
    let other = link.replace("/ui/account/", "/ui/other/");
    assert_eq!(browser.open(&other).await.status, 403);
    // Nothing was stored, for nobody, and the question is still open.
    for user in ["alice", "bob"] {
        assert!(client.as_user(user).call("connect", json!({})).await.asks());
    }
    assert!(
        client
            .retry("connect", json!({}), &one.state(), opened())
            .await
            .asks()
    );
    give(&app, "alice", &link).await;
    let end = client
        .retry("connect", json!({}), &one.state(), opened())
        .await;
    assert_eq!(end.first_text(), "connected", "{}", end.text);
}

#[tokio::test]
async fn r_083_an_early_retry_waits_and_gets_the_same_link() {
    for hold in [Duration::ZERO, Duration::from_millis(200)] {
        let (app, client) = begin(hold).await;
        let one = client.call("connect", json!({})).await;
        let (link, mut state) = (one.link("account"), one.state());
        // More often than a run has rounds: waiting is none.
        for _ in 0..if hold.is_zero() { 20 } else { 3 } {
            let start = Instant::now();
            let got = client.retry("connect", json!({}), &state, opened()).await;
            assert!(got.asks() && start.elapsed() >= hold, "{}", got.text);
            assert_eq!(got.link("account"), link);
            state = got.state();
        }
        give(&app, "alice", &link).await;
        let start = Instant::now();
        let end = client.retry("connect", json!({}), &state, opened()).await;
        assert_eq!(end.first_text(), "connected", "{}", end.text);
        assert!(hold.is_zero() || start.elapsed() < hold);
    }
    // A page that is done while a retry waits ends the wait.
    let (app, client) = begin(Duration::from_secs(30)).await;
    let one = client.call("connect", json!({})).await;
    let (link, state) = (one.link("account"), one.state());
    let start = Instant::now();
    let held =
        tokio::spawn(async move { client.retry("connect", json!({}), &state, opened()).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!held.is_finished());
    give(&app, "alice", &link).await;
    assert_eq!(held.await.unwrap().first_text(), "connected");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn r_084_consent_to_a_link_is_no_completion() {
    let (app, client) = begin(Duration::ZERO).await;
    let one = client.call("connect", json!({})).await;
    for answer in [
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": {} }),
        json!({ "action": "accept", "content": { "key": "sk_live_from_the_client" } }),
        json!({ "action": "accept", "content": { "done": true }, "completed": true }),
    ] {
        let answers = json!({ "account": answer });
        let got = client
            .retry("connect", json!({}), &one.state(), answers)
            .await;
        assert!(
            got.asks() && !got.link("account").is_empty(),
            "{}",
            got.text
        );
    }
    // To have looked at the page is not enough either.
    Browser::new(&app)
        .sign_in(&one.link("account"), "alice")
        .await;
    assert!(
        client
            .retry("connect", json!({}), &one.state(), opened())
            .await
            .asks()
    );
    give(&app, "alice", &one.link("account")).await;
    for _ in 0..2 {
        let got = client
            .retry("connect", json!({}), &one.state(), opened())
            .await;
        assert_eq!(got.first_text(), "connected", "{}", got.text);
    }
    // The same call from its beginning needs no question any more.
    assert_eq!(
        client.call("connect", json!({})).await.first_text(),
        "connected"
    );
}

#[tokio::test]
async fn r_085_no_unsafe_link_is_sent() {
    let (_app, client) = begin(Duration::ZERO).await;
    for url in [
        "http://pay.example.com/",
        "http://127.0.0.1.example.com/",
        "http://localhost.example.com/",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "ftp://pay.example.com/",
        "https://me@pay.example.com/",
        "https://me:pw@pay.example.com/",
        "https://:@pay.example.com/",
        "https://",
        "//pay.example.com/",
        "/pay",
        "pay.example.com",
        "",
        " https://pay.example.com/",
        "https://pay.example.com/\u{202e}",
        "https://pay.example.com/\nx",
        "http://[::ffff:8.8.8.8]/",
        "http://10.0.0.1/",
    ] {
        let got = client.call("elsewhere", json!({ "url": url })).await;
        assert_eq!(got.code(), -32603, "{url:?}: {}", got.text);
    }
    for url in [
        "https://pay.example.com/x?y=1",
        "http://localhost:1/",
        "http://127.0.0.1:1/",
        "http://[::1]:1/",
    ] {
        let got = client.call("elsewhere", json!({ "url": url })).await;
        assert_eq!(got.link("external"), url, "{}", got.text);
    }
    // A link in a text is told to the author: by the compiler, or in the log if it comes at run time.
    for case in [
        "in_message",
        "in_doc_message",
        "in_title",
        "in_description",
        "in_doc",
        "in_variant_title",
    ] {
        let said = fs::read_to_string(format!("ui/links/{case}.stderr")).unwrap();
        assert!(said.contains("elicit::8"), "{said}");
    }
    for (text, is_link) in [
        ("See https://evil.example/", true),
        ("See http://evil.example/", true),
        ("See HTTPS://EVIL.EXAMPLE", true),
        ("Pay 3.50 to John?", false),
    ] {
        let (log, _guard) = Log::listen();
        assert!(client.call("says", json!({ "text": text })).await.asks());
        assert_eq!(log.text().contains("holds a link"), is_link, "{text}");
    }
}
