//! Steps and effects: what is done once, however often a run is sent.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_elicit::App;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};

/// Go on?
#[derive(Elicit)]
struct Choose {
    what: String,
}

#[derive(Clone, Default)]
struct Shop {
    reads: Arc<AtomicUsize>,
    orders: Arc<AtomicUsize>,
    keys: Arc<Mutex<Vec<String>>>,
    failures: Arc<AtomicUsize>,
}

#[tools]
impl Shop {
    /// Reads, asks, buys, asks again.
    #[tool]
    async fn buy(&self, cx: &Cx) -> Result<String, CallError> {
        let offer = cx
            .step("offers", async |s| {
                self.keys.lock().unwrap().push(s.key().to_owned());
                Ok(self.reads.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
        let first = cx.ask::<Choose>().await?;
        let order = cx
            .once("order", async |s| {
                self.keys.lock().unwrap().push(s.key().to_owned());
                tokio::time::sleep(Duration::from_millis(20)).await;
                if self.failures.load(Ordering::SeqCst) > 0 {
                    self.failures.fetch_sub(1, Ordering::SeqCst);
                    return Err("the card was declined".into());
                }
                Ok(self.orders.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
        let second = cx.ask::<Choose>().key("after").await?;
        Ok(format!(
            "offer {offer}, {}, order {order}, {}",
            first.what, second.what
        ))
    }

    /// Reads something large.
    #[tool]
    async fn large(&self, cx: &Cx) -> Result<String, CallError> {
        let text = cx
            .step("large", async |_| {
                self.reads.fetch_add(1, Ordering::SeqCst);
                Ok("x".repeat(100_000))
            })
            .await?;
        cx.ask::<Choose>().await?;
        Ok(text.len().to_string())
    }

    /// Pays one invoice, whoever asks and however often.
    #[tool]
    async fn pay(&self, cx: &Cx, invoice: String) -> Result<String, CallError> {
        let n = cx
            .once("pay", async |_| {
                Ok(self.orders.fetch_add(1, Ordering::SeqCst))
            })
            .by(&invoice)
            .await?;
        Ok(n.to_string())
    }

    /// Makes a confirmation and does not ask it.
    #[tool]
    async fn unasked(&self, cx: &Cx) -> Result<String, CallError> {
        #[expect(clippy::let_underscore_future, reason = "this is the mistake")]
        let _ = cx.confirm("Delete all?");
        cx.once("delete", async |_| {
            Ok(self.orders.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
        Ok("deleted".into())
    }

    /// Is slow in an effect.
    #[tool]
    async fn slow(&self, cx: &Cx) -> Result<String, CallError> {
        cx.once("slow", async |_| {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(self.orders.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        self.reads.fetch_add(1, Ordering::SeqCst);
        Ok(String::new())
    }
}

async fn shop() -> (Shop, App) {
    let shop = Shop::default();
    let app = server().tools(shop.clone()).build().await.unwrap();
    (shop, app)
}

fn choose(key: &str, what: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "what": what } } })
}

#[tokio::test]
async fn a_step_is_done_once_per_run() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let one = client.call("buy", json!({})).await;
    let two = client
        .retry("buy", json!({}), &one.state(), choose("choose", "a"))
        .await;
    let three = client
        .retry("buy", json!({}), &two.state(), choose("after", "b"))
        .await;
    assert_eq!(
        three.first_text(),
        "offer 0, a, order 0, b",
        "{}",
        three.text
    );
    assert_eq!(shop.reads.load(Ordering::SeqCst), 1);
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
    // The same round again: the same text, nothing done.
    let again = client
        .retry("buy", json!({}), &two.state(), choose("after", "b"))
        .await;
    assert_eq!(again.json["result"], three.json["result"]);
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
    // Another run is another effect.
    let other = client.call("buy", json!({})).await;
    client
        .retry("buy", json!({}), &other.state(), choose("choose", "a"))
        .await;
    assert_eq!(shop.orders.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_fork_with_other_answers_is_refused() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let one = client.call("buy", json!({})).await;
    client
        .retry("buy", json!({}), &one.state(), choose("choose", "a"))
        .await;
    let fork = client
        .retry("buy", json!({}), &one.state(), choose("choose", "b"))
        .await;
    assert!(
        fork.is_error() && fork.first_text().contains("other answers"),
        "{}",
        fork.text
    );
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_same_answer_written_differently_is_the_same() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let one = client.call("buy", json!({})).await;
    client
        .retry("buy", json!({}), &one.state(), choose("choose", "a"))
        .await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "buy", "arguments": {}, "requestState": one.state(),
        "inputResponses": choose("choose", "a"), "_meta": client.meta() } });
    let body = body
        .to_string()
        .replace(r#"{"what":"a"}"#, r#"{ "what" : "\u0061" }"#);
    let again = client.raw("tools/call", Some("buy"), body).await;
    assert!(again.asks(), "{}", again.text);
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_retries_at_once_are_one_effect() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let one = client.call("buy", json!({})).await;
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let (client, state) = (client.clone(), one.state());
            tokio::spawn(async move {
                client
                    .retry("buy", json!({}), &state, choose("choose", "a"))
                    .await
            })
        })
        .collect();
    for task in tasks {
        let got = task.await.unwrap();
        assert!(got.asks(), "{}", got.text);
    }
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_effect_that_fails_may_be_tried_again_with_the_same_key() {
    let (shop, app) = shop().await;
    shop.failures.store(1, Ordering::SeqCst);
    let client = Client::new(&app, "alice");
    let one = client.call("buy", json!({})).await;
    let failed = client
        .retry("buy", json!({}), &one.state(), choose("choose", "a"))
        .await;
    assert_eq!(
        (failed.is_error(), failed.first_text()),
        (true, "the card was declined")
    );
    let good = client
        .retry("buy", json!({}), &one.state(), choose("choose", "a"))
        .await;
    assert!(good.asks());
    let keys = shop.keys.lock().unwrap();
    assert_eq!(keys.len(), 3);
    assert_eq!(keys[1], keys[2]);
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn a_large_result_goes_to_the_store() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let one = client.call("large", json!({})).await;
    assert!(one.state().len() < 1000, "{}", one.state().len());
    let two = client
        .retry("large", json!({}), &one.state(), choose("choose", "a"))
        .await;
    assert_eq!(two.first_text(), "100000");
    assert_eq!(shop.reads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_key_of_its_own_makes_an_effect_once_over_runs() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    for (invoice, n) in [("a", "0"), ("a", "0"), ("b", "1"), ("a", "0")] {
        assert_eq!(
            client
                .call("pay", json!({ "invoice": invoice }))
                .await
                .first_text(),
            n
        );
    }
    let bob = client
        .as_user("bob")
        .call("pay", json!({ "invoice": "a" }))
        .await;
    assert_eq!(bob.first_text(), "2");
    assert_eq!(shop.orders.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn an_effect_outlives_its_client_and_nothing_else_does() {
    let (shop, app) = shop().await;
    let client = Client::new(&app, "alice");
    let gone =
        tokio::time::timeout(Duration::from_millis(30), client.call("slow", json!({}))).await;
    assert!(gone.is_err());
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(shop.orders.load(Ordering::SeqCst), 1);
    assert_eq!(shop.reads.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn no_effect_comes_after_a_confirmation_that_was_not_asked() {
    let (shop, app) = shop().await;
    let got = Client::new(&app, "alice").call("unasked", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    assert_eq!(shop.orders.load(Ordering::SeqCst), 0);
}
