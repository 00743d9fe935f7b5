//! Servers over a byte stream: stdio as its clients see it.

mod pages;
#[cfg(unix)]
mod process;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits, LogLevel};
use mcp_elicit_tests::pipe::Pipe;
use mcp_elicit_tests::server;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// Says hello.
#[tool]
async fn hello() -> &'static str {
    "Hello!"
}

/// What a test sees of handlers.
#[derive(Clone, Default)]
struct Seen {
    begun: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct Slow {
    seen: Seen,
    gate: Arc<Semaphore>,
}

#[tools]
impl Slow {
    /// Waits for the gate.
    #[tool]
    async fn wait(&self, cx: &Cx) -> &'static str {
        let _running = Running(Arc::clone(&self.seen.dropped));
        self.seen.begun.fetch_add(1, Ordering::SeqCst);
        cx.progress(1, 2);
        let _ = self.gate.acquire().await.map(|it| it.forget());
        cx.progress(2, 2);
        "Waited."
    }
}

async fn serving(limits: Limits) -> (App, Seen, Arc<Semaphore>) {
    let (seen, gate) = (Seen::default(), Arc::new(Semaphore::new(0)));
    let slow = Slow {
        seen: seen.clone(),
        gate: Arc::clone(&gate),
    };
    let server = server().tools(slow).tools(toolset![hello]).limits(limits);
    (server.build().await.unwrap(), seen, gate)
}

async fn until(counter: &AtomicUsize, many: usize) {
    for _ in 0..500 {
        if counter.load(Ordering::SeqCst) == many {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} instead of {many}", counter.load(Ordering::SeqCst));
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test]
async fn requests_are_answered_as_they_end() {
    let (app, seen, gate) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    until(&seen.begun, 1).await;
    pipe.call("two", "hello").await;
    let got = pipe.got().await;
    assert_eq!((&got["id"], text(&got)), (&json!("two"), "Hello!"));
    gate.add_permits(1);
    let got = pipe.got().await;
    assert_eq!((&got["id"], text(&got)), (&json!(1), "Waited."));
    assert_eq!(pipe.end().await, [json!(null); 0]);
}

#[tokio::test]
async fn a_cancelled_request_is_dropped_and_nothing_more_is_said_of_it() {
    let (app, seen, gate) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    let waits = json!({ "name": "wait", "_meta": { "progressToken": "p" } });
    pipe.send("a/b", "tools/call", waits).await;
    assert_eq!(pipe.got().await["method"], "notifications/progress");
    pipe.call(2, "wait").await;
    until(&seen.begun, 2).await;
    // Another spelling of the same id.
    pipe.line(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a\/b"}}"#,
    )
    .await;
    until(&seen.dropped, 1).await;
    gate.add_permits(5);
    let got = pipe.got().await;
    assert_eq!((&got["id"], text(&got)), (&json!(2), "Waited."));
    // Its id is free again.
    pipe.call("a/b", "hello").await;
    assert_eq!(text(&pipe.got().await), "Hello!");
    assert!(pipe.is_quiet().await);
}

#[tokio::test]
async fn cancellations_that_mean_nothing_are_ignored() {
    let (app, seen, gate) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    until(&seen.begun, 1).await;
    pipe.cancel("1").await;
    pipe.cancel(7).await;
    for params in [
        r#""#,
        r#","params":null"#,
        r#","params":[]"#,
        r#","params":{}"#,
        r#","params":{"requestId":null}"#,
        r#","params":{"requestId":{}}"#,
        r#","params":{"requestId":1,"requestId":1}"#,
    ] {
        pipe.line(format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled"{params}}}"#
        ))
        .await;
    }
    assert!(pipe.is_quiet().await);
    gate.add_permits(1);
    assert_eq!(text(&pipe.got().await), "Waited.");
    // What has been answered cannot be cancelled any more.
    pipe.cancel(1).await;
    assert!(pipe.is_quiet().await);
}

#[tokio::test]
async fn bad_lines_are_told_of_and_the_next_is_read() {
    let (app, ..) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    for (line, code) in [
        ("{", -32700),
        ("hello?", -32700),
        ("\u{7f}", -32700),
        ("[]", -32600),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
            -32600,
        ),
        ("7", -32600),
        (r#"{"jsonrpc":"1.0","method":"x"}"#, -32600),
    ] {
        pipe.line(line).await;
        let got = pipe.got().await;
        assert_eq!(got["error"]["code"], code, "{line}: {got}");
        assert!(got.get("id").is_none(), "{got}");
    }
    pipe.line(b"{\"a\":\"\xff\"}").await;
    assert_eq!(pipe.got().await["error"]["code"], -32700);
    for (line, code, id) in [
        (
            r#"{"jsonrpc":"1.0","id":5,"method":"tools/list"}"#,
            -32600,
            json!(5),
        ),
        (
            r#"{"jsonrpc":"2.0","id":6,"method":"tools/list"}"#,
            -32602,
            json!(6),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"x/y","params":7}"#,
            -32602,
            json!("a"),
        ),
    ] {
        pipe.line(line).await;
        let got = pipe.got().await;
        assert_eq!(
            (&got["error"]["code"], &got["id"]),
            (&json!(code), &id),
            "{line}"
        );
    }
    // Nothing is said to what wants no answer: blank lines, notifications, responses.
    for line in [
        "",
        "\r",
        "   ",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#,
    ] {
        pipe.line(line).await;
    }
    assert!(pipe.is_quiet().await);
    pipe.send(8, "nothing/such", json!({})).await;
    assert_eq!(pipe.got().await["error"]["code"], -32601);
}

#[tokio::test]
async fn a_line_may_be_as_long_as_a_body() {
    let most = 4096;
    let (app, ..) = serving(Limits::default().body(most)).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    let message = |bytes: usize| {
        let begin = r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"a":""#;
        format!("{begin}{}\"}}}}", "a".repeat(bytes - begin.len() - 3))
    };
    pipe.line(message(most)).await;
    assert!(pipe.is_quiet().await);
    pipe.line(message(most + 1)).await;
    pipe.line("x".repeat(5 << 20)).await;
    for _ in 0..2 {
        let got = pipe.got().await;
        assert_eq!(got["error"]["code"], -32600);
        assert_eq!(
            got["error"]["message"],
            "A message may have at most 4096 bytes."
        );
    }
    pipe.call(1, "hello").await;
    assert_eq!(text(&pipe.got().await), "Hello!");
}

#[tokio::test]
async fn as_many_are_under_way_as_the_limit_says() {
    let (app, seen, gate) = serving(Limits::default().at_once(2)).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    pipe.call(2, "wait").await;
    until(&seen.begun, 2).await;
    pipe.call(3, "hello").await;
    let got = pipe.got().await;
    assert_eq!(
        (&got["id"], &got["error"]["code"]),
        (&json!(3), &json!(-32603))
    );
    assert!(
        got["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("At most 2 requests")
    );
    // One with the id of another is nobody's but its sender's mistake.
    pipe.call(2, "hello").await;
    let got = pipe.got().await;
    assert_eq!(
        (&got["id"], &got["error"]["code"]),
        (&json!(2), &json!(-32600))
    );
    pipe.cancel(1).await;
    until(&seen.dropped, 1).await;
    pipe.call(3, "hello").await;
    assert_eq!(text(&pipe.got().await), "Hello!");
    gate.add_permits(1);
    let got = pipe.got().await;
    assert_eq!((&got["id"], text(&got)), (&json!(2), "Waited."));
    // Many one after another fit, with one id too.
    for _ in 0..50 {
        pipe.call(2, "hello").await;
        assert_eq!(text(&pipe.got().await), "Hello!");
    }
}

#[tokio::test]
async fn at_the_end_of_input_what_is_under_way_is_finished() {
    let (app, seen, gate) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    until(&seen.begun, 1).await;
    let opened = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        gate.add_permits(1);
    });
    let got = pipe.end().await;
    assert_eq!(got.iter().map(text).collect::<Vec<_>>(), ["Waited."]);
    opened.await.unwrap();
    // The server is there for others.
    let mut other = Pipe::new(&app, "bob", 65536);
    other.call(1, "hello").await;
    assert_eq!(text(&other.got().await), "Hello!");
}

#[tokio::test]
async fn what_takes_longer_than_the_limit_is_dropped() {
    let limits = Limits::default().finish(Duration::from_millis(50));
    let (app, seen, _gate) = serving(limits).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    until(&seen.begun, 1).await;
    assert_eq!(pipe.end().await, [json!(null); 0]);
    until(&seen.dropped, 1).await;
}

#[tokio::test]
async fn a_last_line_need_not_be_ended() {
    use tokio::io::AsyncWriteExt as _;
    let (app, ..) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.write
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}")
        .await
        .unwrap();
    let got = pipe.end().await;
    assert_eq!((got.len(), &got[0]["id"]), (1, &json!(1)));
}

#[tokio::test]
async fn a_client_that_is_gone_ends_what_is_under_way() {
    let (app, seen, gate) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "wait").await;
    pipe.call(2, "wait").await;
    until(&seen.begun, 2).await;
    let server = pipe.leave();
    // The first thing that is said finds nobody.
    gate.add_permits(1);
    let ended = tokio::time::timeout(Duration::from_secs(4), server);
    let error = ended.await.unwrap().unwrap().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    until(&seen.dropped, 2).await;
}

#[tokio::test]
async fn older_clients_are_told_which_revision_is_spoken() {
    let (app, ..) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    let params = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}}"#;
    pipe.line(format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#
    ))
    .await;
    let got = pipe.got().await;
    assert_eq!(
        (&got["id"], &got["error"]["code"]),
        (&json!(0), &json!(-32022))
    );
    assert_eq!(
        got["error"]["data"],
        json!({ "supported": ["2026-07-28"], "requested": "2025-11-25" })
    );
    assert!(
        got["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2026-07-28")
    );
    // A newer one asks for it first.
    pipe.send("probe", "server/discover", json!({})).await;
    assert_eq!(
        pipe.got().await["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
}

/// Tells much.
#[tool]
#[expect(deprecated, reason = "it is told all the same")]
async fn chat(cx: &Cx) -> &'static str {
    cx.progress(1, 2);
    cx.log(LogLevel::Info, "Half of it");
    cx.progress(2, 2);
    "Done."
}

#[tokio::test]
async fn what_is_told_before_a_reply_names_what_it_belongs_to() {
    let app = server().tools(toolset![chat]).build().await.unwrap();
    let mut pipe = Pipe::new(&app, "ada", 65536);
    let params = json!({ "name": "chat", "_meta": { "progressToken": "t", "io.modelcontextprotocol/logLevel": "info" } });
    pipe.send(1, "tools/call", params).await;
    let mut methods = Vec::new();
    loop {
        let got = pipe.got().await;
        match got["method"].as_str() {
            Some(method) => methods.push(method.to_owned()),
            None => {
                assert_eq!(text(&got), "Done.");
                break;
            }
        }
    }
    let (progress, log) = ("notifications/progress", "notifications/message");
    assert_eq!(methods, [progress, log, progress]);
}

fn listens(what: &str) -> Value {
    json!({ "notifications": { what: true } })
}

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

#[tokio::test]
async fn streams_of_changes_share_the_pipe_and_are_cancelled_alone() {
    let (app, ..) = serving(Limits::default()).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    for id in [json!(1), json!("two")] {
        pipe.send(
            id.clone(),
            "subscriptions/listen",
            listens("toolsListChanged"),
        )
        .await;
        let got = pipe.got().await;
        assert_eq!(got["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(got["params"]["_meta"][SUBSCRIPTION], id);
    }
    app.changes().tools_changed();
    let mut told = [pipe.got().await, pipe.got().await];
    told.sort_by_key(|it| it["params"]["_meta"][SUBSCRIPTION].is_string());
    for (got, id) in told.iter().zip([json!(1), json!("two")]) {
        assert_eq!(got["method"], "notifications/tools/list_changed");
        assert_eq!(got["params"]["_meta"][SUBSCRIPTION], id);
    }
    pipe.cancel(1).await;
    pipe.call(3, "hello").await;
    assert_eq!(pipe.got().await["id"], 3);
    app.changes().tools_changed();
    let got = pipe.got().await;
    assert_eq!(got["params"]["_meta"][SUBSCRIPTION], "two");
    assert!(pipe.is_quiet().await);
}

#[tokio::test]
async fn a_stream_that_the_server_ends_is_answered_and_cancelled() {
    let limits = Limits::default().listen(Duration::from_millis(30));
    let (app, ..) = serving(limits).await;
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.send("s", "subscriptions/listen", listens("toolsListChanged"))
        .await;
    assert_eq!(
        pipe.got().await["method"],
        "notifications/subscriptions/acknowledged"
    );
    let got = pipe.got().await;
    assert_eq!(
        (&got["id"], &got["result"]["resultType"]),
        (&json!("s"), &json!("complete"))
    );
    assert_eq!(
        pipe.got().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "s" } })
    );
    // One that never began is not cancelled.
    pipe.send("t", "subscriptions/listen", json!({})).await;
    assert_eq!(pipe.got().await["error"]["code"], -32602);
    assert!(pipe.is_quiet().await);
}

#[tokio::test]
async fn a_client_that_does_not_read_makes_nothing_grow() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    /// Goes far.
    #[tool]
    async fn far(cx: &Cx) -> &'static str {
        for i in 0..20_000 {
            cx.progress(i, 20_000);
            if i % 100 == 0 {
                tokio::task::yield_now().await;
            }
        }
        DONE.fetch_add(1, Ordering::SeqCst);
        "There."
    }
    let limits = Limits::default().notices(2048).at_once(4);
    let app = server()
        .tools(toolset![far])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let mut pipe = Pipe::new(&app, "ada", 512);
    for id in 0..4 {
        let params = json!({ "name": "far", "_meta": { "progressToken": id } });
        pipe.send(id, "tools/call", params).await;
    }
    // The work goes on all the same.
    until(&DONE, 4).await;
    let (mut lines, mut last) = (0, 0);
    while last < 4 {
        let got = pipe.got().await;
        lines += 1;
        last += usize::from(text(&got) == "There.");
    }
    // Some hundred were taken as they came, before nothing went through; the rest was left out.
    assert!(lines < 400, "{lines}");
}

#[tokio::test]
async fn an_effect_that_is_under_way_outlives_its_cancellation() {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    static BEGUN: AtomicUsize = AtomicUsize::new(0);
    /// Pays.
    #[tool]
    async fn pay(cx: &Cx) -> Result<String, CallError> {
        let paid = cx.once("pay", async |_| {
            BEGUN.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(100)).await;
            DONE.fetch_add(1, Ordering::SeqCst);
            Ok("paid".to_owned())
        });
        paid.by("order").await
    }
    let app = server().tools(toolset![pay]).build().await.unwrap();
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "pay").await;
    until(&BEGUN, 1).await;
    pipe.cancel(1).await;
    until(&DONE, 1).await;
    pipe.call(2, "pay").await;
    assert_eq!(text(&pipe.got().await), "paid");
    assert_eq!(DONE.load(Ordering::SeqCst), 1);
}
