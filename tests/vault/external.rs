//! `Cx::ask_external`: a page of somebody else, completed by a webhook.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::serde::{self, Deserialize, Serialize};
use mcp_elicit::{App, CompletionError, ExposeSecret, Keyring, Limits, Server};
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};

use super::{Account, whose, with_key};

#[derive(Debug, Serialize, Deserialize)]
#[serde(crate = "self::serde")]
struct Paid {
    receipt: String,
}

fn paid(receipt: &str) -> Paid {
    Paid {
        receipt: receipt.to_owned(),
    }
}

/// What the provider was given, newest last.
#[derive(Default, Clone)]
struct Shop {
    tokens: Arc<Mutex<Vec<String>>>,
}

#[tools]
impl Shop {
    /// Orders something.
    #[tool]
    async fn order(&self, cx: &Cx, order: String) -> Result<String, CallError> {
        let slot = cx.completion::<Paid>(&order);
        self.tokens.lock().unwrap().push(slot.token().to_owned());
        let url = format!("https://pay.example.com/{order}");
        let paid = cx.ask_external(slot, url).await?;
        Ok(format!("paid, {}", paid.receipt))
    }

    /// Tells whether an order is paid.
    #[tool]
    async fn status(&self, cx: &Cx, order: String) -> Result<String, CallError> {
        let paid = cx.completion::<Paid>(order).get().await?;
        Ok(paid.map_or_else(|| "open".to_owned(), |paid| paid.receipt))
    }
}

impl Shop {
    fn token(&self) -> String {
        self.tokens.lock().unwrap().last().cloned().unwrap()
    }

    fn server(&self) -> Server {
        server().tools(self.clone())
    }
}

async fn built(server: Server) -> (App, Client) {
    let app = server.build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

fn seven() -> Value {
    json!({ "order": "7" })
}

fn accept() -> Value {
    json!({ "external": { "action": "accept" } })
}

#[tokio::test]
async fn the_client_is_given_the_link_and_goes_on_when_it_is_completed() {
    let shop = Shop::default();
    let (app, client) = built(shop.server()).await;
    let one = client.call("order", seven()).await;
    let expected = json!({
        "mode": "url", "url": "https://pay.example.com/7",
        "message": "Please go on at the page of pay.example.com.",
    });
    assert_eq!(*one.asked("external"), expected, "{}", one.text);
    // The client's word completes nothing, however often.
    for _ in 0..12 {
        let again = client.retry("order", seven(), &one.state(), accept()).await;
        assert_eq!(*again.asked("external"), expected, "{}", again.text);
    }
    let content = json!({ "external": { "action": "accept", "content": { "receipt": "R0" } } });
    let forged = client.retry("order", seven(), &one.state(), content).await;
    assert!(forged.asks(), "{}", forged.text);
    let first = app.completions().complete(&shop.token(), paid("R1")).await;
    assert!(first.unwrap());
    let done = client.retry("order", seven(), &one.state(), accept()).await;
    assert_eq!(done.first_text(), "paid, R1", "{}", done.text);
    // It belongs to the order and its user, not to the run.
    assert_eq!(client.call("order", seven()).await.first_text(), "paid, R1");
    assert_eq!(client.call("status", seven()).await.first_text(), "R1");
    let eight = client.call("status", json!({ "order": "8" })).await;
    assert_eq!(eight.first_text(), "open");
    let bob = client.as_user("bob");
    assert_eq!(bob.call("status", seven()).await.first_text(), "open");
    assert!(bob.call("order", seven()).await.asks());
}

#[tokio::test]
async fn a_completion_may_come_before_anybody_asks() {
    let shop = Shop::default();
    let (app, client) = built(shop.server()).await;
    // The token is the same in each run of this order, so this one gets it without waiting.
    client.call("order", seven()).await;
    let token = shop.token();
    client.call("order", seven()).await;
    assert_eq!(shop.token(), token);
    app.completions()
        .complete(&token, paid("R1"))
        .await
        .unwrap();
    let got = client.clone().can(json!({})).call("order", seven()).await;
    assert_eq!(got.first_text(), "paid, R1", "{}", got.text);
}

#[tokio::test]
async fn something_is_completed_once() {
    let shop = Shop::default();
    let (app, client) = built(shop.server()).await;
    client.call("order", seven()).await;
    let (completions, token) = (app.completions(), shop.token());
    let races: Vec<_> = (0..16)
        .map(|_| {
            let (completions, token) = (completions.clone(), token.clone());
            tokio::spawn(async move { completions.complete(&token, paid("R1")).await.unwrap() })
        })
        .collect();
    let mut firsts = 0;
    for race in races {
        firsts += usize::from(race.await.unwrap());
    }
    assert_eq!(firsts, 1);
    // Members in another order are the same value.
    let (one, other) = (json!({ "a": 1, "b": 2 }), r#"{"b":2,"a":1}"#);
    client.call("order", json!({ "order": "8" })).await;
    let eight = shop.token();
    assert!(completions.complete(&eight, &one).await.unwrap());
    let raw: Box<serde_json::value::RawValue> = serde_json::from_str(other).unwrap();
    assert!(!completions.complete(&eight, raw).await.unwrap());

    let another = completions.complete(&token, paid("R2")).await;
    assert!(matches!(another, Err(CompletionError::Other)));
    assert_eq!(client.call("status", seven()).await.first_text(), "R1");
}

#[tokio::test]
async fn a_token_that_was_not_made_here_completes_nothing() {
    let shop = Shop::default();
    let (app, client) = built(shop.server()).await;
    client.call("order", seven()).await;
    let token = shop.token();
    let strange = Shop::default();
    let other_keys = strange.server().keyring(Keyring::new([8; 32]).unwrap());
    let (_other, stranger) = built(other_keys).await;
    stranger.call("order", seven()).await;
    for bad in [
        "",
        "c1.",
        "7",
        &token[..66],
        &format!("{token}A"),
        &strange.token(),
    ] {
        let got = app.completions().complete(bad, paid("R1")).await;
        assert!(matches!(got, Err(CompletionError::Token)), "{bad}: {got:?}");
    }
    assert_eq!(client.call("status", seven()).await.first_text(), "open");
    let large = "x".repeat(1 << 20);
    let got = app.completions().complete(&token, large).await;
    assert!(matches!(got, Err(CompletionError::Value(_))), "{got:?}");
    let fits = "x".repeat((1 << 20) - 2);
    assert!(app.completions().complete(&token, fits).await.unwrap());
    // What is completed with another type than is waited for is an error of the author.
    let got = client.call("order", seven()).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
}

#[tokio::test]
async fn a_held_retry_is_woken_by_the_completion() {
    let shop = Shop::default();
    let limits = Limits::default().hold(Duration::from_secs(20));
    let (app, client) = built(shop.server().limits(limits)).await;
    let one = client.call("order", seven()).await;
    let state = one.state();
    let held = tokio::spawn(async move { client.retry("order", seven(), &state, accept()).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!held.is_finished());
    let completed = Instant::now();
    app.completions()
        .complete(&shop.token(), paid("R1"))
        .await
        .unwrap();
    let got = held.await.unwrap();
    assert_eq!(got.first_text(), "paid, R1", "{}", got.text);
    assert!(completed.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn another_process_on_the_same_store_completes_it() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-external-{}", std::process::id()));
    let shop = Shop::default();
    let build = async || {
        let limits = Limits::default().hold(Duration::from_secs(20));
        let server = Server::new("test", "1").auth(DevUsers).data_dir(&dir);
        built(server.limits(limits).tools(shop.clone())).await
    };
    let (app, client) = build().await;
    let one = client.call("order", seven()).await;
    let state = one.state();
    let held = tokio::spawn(async move { client.retry("order", seven(), &state, accept()).await });
    let (beside, _) = build().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let completed = Instant::now();
    beside
        .completions()
        .complete(&shop.token(), paid("R1"))
        .await
        .unwrap();
    let got = held.await.unwrap();
    assert_eq!(got.first_text(), "paid, R1", "{}", got.text);
    assert!(completed.elapsed() < Duration::from_secs(5));
    drop((app, beside));
    // A later process finds it too.
    let (app, client) = build().await;
    assert_eq!(client.call("status", seven()).await.first_text(), "R1");
    drop((app, client));
    std::fs::remove_dir_all(&dir).unwrap();
}

#[tokio::test]
async fn a_user_may_decline_and_a_client_may_lack_the_mode() {
    let shop = Shop::default();
    let (app, client) = built(shop.server()).await;
    let one = client.call("order", seven()).await;
    for (action, text) in [("decline", "declined"), ("cancel", "dismissed")] {
        let answers = json!({ "external": { "action": action } });
        let no = client.retry("order", seven(), &one.state(), answers).await;
        assert!(
            no.is_error() && no.first_text().contains(text),
            "{}",
            no.text
        );
    }
    let bad = json!({ "external": { "action": "maybe" } });
    let bad = client.retry("order", seven(), &one.state(), bad).await;
    assert_eq!(bad.code(), -32602, "{}", bad.text);
    let forms = client.clone().can(json!({ "elicitation": {} }));
    assert_eq!(forms.call("order", seven()).await.code(), -32021);
    drop(app);
    let (_app, nobody) = built(shop.server().auth(mcp_elicit::auth::Anonymous)).await;
    let got = nobody.call("order", seven()).await;
    assert!(
        got.is_error() && got.first_text().contains("who you are"),
        "{}",
        got.text
    );
}

/// Asks at any address.
#[tool]
async fn at(cx: &Cx, url: String) -> Result<String, CallError> {
    let slot = cx.completion::<Paid>("x");
    Ok(cx.ask_external(slot, url).await?.receipt)
}

/// Puts the secret into the link.
#[tool(asks(Account))]
async fn leaks(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let url = format!(
        "https://pay.example.com/?k={}",
        account.api_key.expose_secret()
    );
    Ok(cx
        .ask_external(cx.completion::<Paid>("x"), url)
        .await?
        .receipt)
}

/// Asks for two payments at once.
#[tool]
async fn two(cx: &Cx) -> Result<String, CallError> {
    let url = "https://pay.example.com/";
    let (one, two) = try_join!(
        cx.ask_external(cx.completion::<Paid>("deposit"), url).at(0),
        cx.ask_external(cx.completion::<Paid>("rest"), url)
            .key("rest")
            .message("Pay the rest."),
    )?;
    Ok(format!("{}, {}", one.receipt, two.receipt))
}

#[tokio::test]
async fn links_are_safe_or_not_sent() {
    let (app, client) = built(server().tools(toolset![whose, at, leaks, two])).await;
    for url in [
        "http://pay.example.com/",
        "javascript:alert(1)",
        "https://me@pay.example.com/",
    ] {
        let got = client.call("at", json!({ "url": url })).await;
        assert_eq!(got.code(), -32603, "{}", got.text);
    }
    let local = client
        .call("at", json!({ "url": "http://localhost:1/" }))
        .await;
    assert_eq!(local.link("external"), "http://localhost:1/");
    let secret = "sk_live_4eC39HqLyjWDarjt";
    with_key(&app, &client, "whose", secret).await;
    let got = client.call("leaks", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    assert!(!got.text.contains(secret));
    let both = client.call("two", json!({})).await;
    assert_eq!(both.asked("rest")["message"], "Pay the rest.");
    assert_eq!(both.link("external.0"), "https://pay.example.com/");
}
