//! P: a state is good for what it was made for, and for nothing else.

use std::time::Duration;

use mcp_elicit::testing::TestApp;

use crate::operate::listen::Log;

use super::*;

/// Which one?
#[derive(Elicit)]
struct Which {
    name: String,
}

/// Counts how often its handlers run, and what they have done.
#[derive(Clone, Default)]
struct Shelf {
    runs: Arc<AtomicUsize>,
    done: Arc<AtomicUsize>,
}

impl Shelf {
    fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }
}

#[tools]
impl Shelf {
    /// Shows one.
    #[tool]
    async fn show(&self, cx: &Cx, row: u8, side: Option<String>) -> Result<String, CallError> {
        let _ = side;
        self.runs.fetch_add(1, Ordering::SeqCst);
        Ok(format!("{} of {row}", cx.ask::<Which>().await?.name))
    }

    /// Burns one.
    #[tool]
    async fn burn(&self, cx: &Cx, row: u8, side: Option<String>) -> Result<String, CallError> {
        self.show(cx, row, side).await
    }

    /// Takes one away, once.
    #[tool(single_use)]
    async fn take(&self, cx: &Cx) -> Result<String, CallError> {
        let name = cx.ask::<Which>().await?.name;
        self.done.fetch_add(1, Ordering::SeqCst);
        Ok(name)
    }

    /// Counts one, as often as it is told to.
    #[tool]
    async fn count(&self, cx: &Cx) -> Result<String, CallError> {
        let name = cx.ask::<Which>().await?.name;
        self.done.fetch_add(1, Ordering::SeqCst);
        Ok(name)
    }

    /// Keeps a long text.
    #[tool]
    async fn keep(&self, cx: &Cx, bytes: usize) -> Result<String, CallError> {
        for at in 0..bytes / 1000 {
            cx.step("text", async |_| Ok("x".repeat(1000)))
                .at(at)
                .await?;
        }
        Ok(cx.ask::<Which>().await?.name)
    }

    /// Tells of one.
    #[prompt]
    async fn show_prompt(&self, cx: &Cx, row: String) -> Result<String, CallError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Ok(format!("{} of {row}", cx.ask::<Which>().await?.name))
    }
}

fn answer() -> Value {
    json!({ "which": accept(json!({ "name": "a" })) })
}

fn row() -> Value {
    json!({ "row": 1, "side": "left" })
}

async fn begin(limits: Limits) -> (Shelf, App, Client) {
    let shelf = Shelf::default();
    let app = server()
        .limits(limits)
        .tools(shelf.clone())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    (shelf, app, client)
}

/// One text, whatever was wrong.
#[track_caller]
fn no_good(got: &Got) {
    let error = json!({ "code": -32602, "message": "requestState is invalid or expired" });
    assert_eq!(got.json["error"], error, "{}", got.text);
}

#[tokio::test]
async fn p_070_a_state_that_was_changed_is_none() {
    let (shelf, _app, client) = begin(Limits::default()).await;
    let state = client.call("show", row()).await.state();
    shelf.runs.store(0, Ordering::SeqCst);
    let mut states = vec![
        String::new(),
        "hello".into(),
        "e1.".into(),
        "e2.AAAA".into(),
        "null".into(),
    ];
    for at in 0..state.len() {
        let mut changed = state.clone().into_bytes();
        changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
        states.push(String::from_utf8(changed).unwrap());
        states.push(state[..at].to_owned());
    }
    for more in ["=", "==", "A", " ", "\n", ".", "%00", "é"] {
        states.push(format!("{state}{more}"));
        states.push(format!("{more}{state}"));
    }
    for state in states {
        no_good(&client.retry("show", row(), &state, answer()).await);
    }
    assert_eq!(shelf.runs(), 0);
}

#[tokio::test]
async fn p_071_a_state_is_for_its_user() {
    let (shelf, _app, alice) = begin(Limits::default()).await;
    let state = alice.call("show", row()).await.state();
    shelf.runs.store(0, Ordering::SeqCst);
    for user in ["bob", "Alice", "alice2", "alic", "a", "alice,bob"] {
        no_good(
            &alice
                .as_user(user)
                .retry("show", row(), &state, answer())
                .await,
        );
    }
    assert_eq!(shelf.runs(), 0);
    // And still for its own.
    let got = alice.retry("show", row(), &state, answer()).await;
    assert_eq!(got.first_text(), "a of 1", "{}", got.text);
}

#[tokio::test]
async fn p_072_a_state_is_for_its_request() {
    let (shelf, _app, client) = begin(Limits::default()).await;
    let state = client.call("show", row()).await.state();
    shelf.runs.store(0, Ordering::SeqCst);
    no_good(&client.retry("burn", row(), &state, answer()).await);
    for arguments in [
        json!({ "row": 2, "side": "left" }),
        json!({ "row": 1, "side": "right" }),
        json!({ "row": 1, "side": "left " }),
        json!({ "row": 1 }),
        json!({ "row": "1", "side": "left" }),
        json!({ "row": 1, "side": "left", "more": null }),
        json!({}),
    ] {
        no_good(&client.retry("show", arguments, &state, answer()).await);
    }
    let params = json!({ "name": "show_prompt", "arguments": row(), "requestState": state,
        "inputResponses": answer() });
    no_good(
        &client
            .request("prompts/get", Some("show_prompt"), params)
            .await,
    );
    assert_eq!(shelf.runs(), 0);
    // The order of members and the blanks between them say nothing.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "show",
        "arguments": "ROW", "requestState": state, "inputResponses": answer(), "_meta": client.meta() } });
    for other in [
        r#"{"row":2,"row":1,"side":"left"}"#,
        r#"{"row":1,"row":1,"side":"left"}"#,
        r#"{"row":1,"r\u006fw":2,"side":"left"}"#,
        r#"{"row":1.0,"side":"left"}"#,
    ] {
        let body = body.to_string().replace("\"ROW\"", other);
        no_good(&client.raw("tools/call", Some("show"), body).await);
    }
    for other in [
        r#"{ "side" : "left", "row":1 }"#,
        r#"{"side":"left","row":1}"#,
    ] {
        let body = body.to_string().replace("\"ROW\"", other);
        let got = client.raw("tools/call", Some("show"), body).await;
        assert_eq!(got.first_text(), "a of 1", "{}", got.text);
    }
}

#[tokio::test]
async fn p_073_a_state_is_for_its_time() {
    for lifetime in [60, 3600, 86_400] {
        let limits = Limits::default()
            .lifetime(Duration::from_secs(lifetime))
            .run(Duration::from_secs(lifetime));
        for (seconds, is_good) in [
            (lifetime - 1, true),
            (lifetime, false),
            (lifetime + 1, false),
        ] {
            let server = server().limits(limits.clone()).tools(Shelf::default());
            let test = TestApp::new(server).await;
            let client = Client::new(test.app(), "alice");
            let state = client.call("show", row()).await.state();
            test.clock().advance(Duration::from_secs(seconds));
            let got = client.retry("show", row(), &state, answer()).await;
            if is_good {
                assert_eq!(got.first_text(), "a of 1", "{}", got.text);
            } else {
                no_good(&got);
            }
        }
    }
    // From the future it is not good either; two machines may differ by a minute.
    for (seconds, is_good) in [(60, true), (61, false), (7200, false)] {
        let test = TestApp::new(server().tools(Shelf::default())).await;
        let begun = test.clock().now();
        test.clock().advance(Duration::from_secs(seconds));
        let client = Client::new(test.app(), "alice");
        let state = client.call("show", row()).await.state();
        test.clock().set(begun);
        let got = client.retry("show", row(), &state, answer()).await;
        assert_eq!(got.code() == 0, is_good, "{seconds}: {}", got.text);
    }
}

#[tokio::test]
async fn p_074_a_state_for_one_use_is_used_once() {
    let (shelf, app, client) = begin(Limits::default()).await;
    let state = client.call("take", json!({})).await.state();
    let got = client.retry("take", json!({}), &state, answer()).await;
    assert_eq!((got.first_text(), shelf.done()), ("a", 1), "{}", got.text);
    for answers in [
        answer(),
        json!({}),
        json!({ "which": { "action": "decline" } }),
    ] {
        no_good(&client.retry("take", json!({}), &state, answers).await);
    }
    assert_eq!(shelf.done(), 1);
    // Of many at once, one counts.
    let state = client.call("take", json!({})).await.state();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let (client, state) = (client.on(&app), state.clone());
        let retry = async move { client.retry("take", json!({}), &state, answer()).await };
        tasks.push(tokio::spawn(retry));
    }
    let mut taken = 0;
    for task in tasks {
        taken += usize::from(task.await.unwrap().code() == 0);
    }
    assert_eq!((taken, shelf.done()), (1, 2));
    // A state without that mark is good for as many as come, as the guide says.
    let state = client.call("count", json!({})).await.state();
    for n in 3..6 {
        client.retry("count", json!({}), &state, answer()).await;
        assert_eq!(shelf.done(), n);
    }
}

#[tokio::test]
async fn p_075_states_and_answers_have_a_size() {
    let limits = Limits::default().body(16 << 20).state(10_000).answers(3);
    let (shelf, _app, client) = begin(limits).await;
    let state = client.call("show", row()).await.state();
    shelf.runs.store(0, Ordering::SeqCst);
    for bytes in [10_001, 10 << 20] {
        no_good(
            &client
                .retry("show", row(), &"e1.".repeat(bytes / 3 + 1), answer())
                .await,
        );
    }
    let mut many = answer();
    for i in 0..3 {
        many[format!("more.{i}")] = accept(json!({}));
    }
    let got = client.retry("show", row(), &state, many).await;
    assert_eq!(got.code(), -32602, "{}", got.text);
    assert_eq!(shelf.runs(), 0);
    // What a handler keeps in its state has a size too; the client learns that much and no more.
    assert!(client.call("keep", json!({ "bytes": 5000 })).await.asks());
    let (log, _guard) = Log::listen();
    let got = client.call("keep", json!({ "bytes": 50_000 })).await;
    assert!(got.code() == -32603 || got.is_error(), "{}", got.text);
    assert!(!got.text.contains("xxx"), "{}", got.text);
    let said = log.lines("ERROR");
    assert!(said.iter().any(|it| it.contains("state")), "{}", log.text());
    // A message that is larger than all of that is not read.
    let (_, _app, client) = begin(Limits::default()).await;
    let got = client
        .retry("show", row(), &"A".repeat(10 << 20), answer())
        .await;
    assert_eq!(got.status, 413, "{}", got.text);
}
