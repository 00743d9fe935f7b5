//! What is told before a reply: progress, log messages, that a retry still waits; and streams of changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits, LogLevel, Progress};
use mcp_elicit_tests::{Browser, Client, HOST, server};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// How many?
#[derive(Elicit)]
struct HowMany {
    many: u8,
}

/// Counts before and after it asks.
#[tool]
async fn count(cx: &Cx) -> Result<String, CallError> {
    cx.progress(1, 10);
    cx.report(Progress::new(2).message("Two"));
    let answer = cx.ask::<HowMany>().await?;
    cx.progress(f64::from(answer.many), 10);
    // Less than before, no number: not told.
    cx.progress(1, 10);
    cx.report(Progress::new(f64::NAN));
    Ok("Counted".into())
}

fn told(message: &Value) -> (&str, f64) {
    assert_eq!(message["method"], "notifications/progress", "{message}");
    let params = &message["params"];
    let token = params["progressToken"].as_str().unwrap();
    (token, params["progress"].as_f64().unwrap())
}

#[tokio::test]
async fn progress_goes_before_the_reply_and_is_not_told_twice() {
    let app = server().tools(toolset![count]).build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let first = client.call("count", json!({})).await;
    assert_eq!(first.headers["content-type"], "text/event-stream");
    assert_eq!(first.headers["x-accel-buffering"], "no");
    let all: Vec<_> = first.before.iter().map(told).collect();
    assert_eq!(all, [("token", 1.0), ("token", 2.0)]);
    assert_eq!(
        first.before[0]["params"],
        json!({ "progressToken": "token", "progress": 1, "total": 10 })
    );
    assert_eq!(first.before[1]["params"]["message"], "Two");
    assert!(first.asks());
    let answers = json!({ "how_many": { "action": "accept", "content": { "many": 7 } } });
    let second = client
        .retry("count", json!({}), &first.state(), answers)
        .await;
    let all: Vec<_> = second.before.iter().map(told).collect();
    assert_eq!(all, [("token", 7.0)]);
    assert_eq!(second.first_text(), "Counted");
}

#[tokio::test]
async fn who_wants_to_hear_nothing_gets_plain_json() {
    let app = server().tools(toolset![count]).build().await.unwrap();
    let got = Client::new(&app, "ada").call("count", json!({})).await;
    assert_eq!(got.headers["content-type"], "application/json");
    assert!(got.before.is_empty() && got.asks());
}

#[tokio::test]
async fn a_token_is_a_string_or_an_integer() {
    let app = server().tools(toolset![count]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    for (token, fits) in [
        (json!(7), true),
        (json!("a\"b"), true),
        (Value::Null, true),
        (json!(1.5), false),
        (json!([]), false),
    ] {
        let got = client
            .clone()
            .says("progressToken", token.clone())
            .call("count", json!({}))
            .await;
        assert_eq!(
            got.code(),
            if fits { 0 } else { -32602 },
            "{token}: {}",
            got.text
        );
        let echoed = got
            .before
            .first()
            .map(|it| it["params"]["progressToken"].clone());
        assert_eq!(echoed, (fits && !token.is_null()).then_some(token));
    }
}

/// Says what goes on.
#[tool]
#[expect(deprecated, reason = "log messages still exist")]
async fn chat(cx: &Cx) -> &'static str {
    cx.log(LogLevel::Debug, "details");
    cx.log(LogLevel::Warning, json!({ "left": 3 }));
    "Done"
}

#[tokio::test]
async fn log_messages_come_as_severe_as_they_are_wanted() {
    let app = server().tools(toolset![chat]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    assert!(client.call("chat", json!({})).await.before.is_empty());
    let level = |level: &str| {
        let client = client
            .clone()
            .says("io.modelcontextprotocol/logLevel", level);
        async move { client.call("chat", json!({})).await }
    };
    let got = level("warning").await;
    let expected = json!([{
        "jsonrpc": "2.0",
        "method": "notifications/message",
        "params": { "level": "warning", "logger": "chat", "data": { "left": 3 } },
    }]);
    assert_eq!(Value::from(got.before), expected);
    assert_eq!(level("debug").await.before.len(), 2);
    assert!(level("error").await.before.is_empty());
    assert_eq!(level("loud").await.code(), -32602);
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Says a secret aloud.
#[tool(asks(Account))]
async fn leak(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let text = format!("Using {}", account.api_key.expose_secret());
    cx.report(Progress::new(1).message(text));
    Ok("Done".into())
}

#[tokio::test]
async fn no_secret_is_told_as_progress() {
    let app = server().tools(toolset![leak]).build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let asked = client.call("leak", json!({})).await;
    let mut browser = Browser::new(&app);
    let link = asked.link("account");
    let page = browser.sign_in(&link, "ada").await;
    browser
        .submit(&link, &page, &[("api_key", "sk-live-0123456789abcdef")])
        .await;
    let answers = json!({ "account": { "action": "accept" } });
    let got = client
        .retry("leak", json!({}), &asked.state(), answers)
        .await;
    assert_eq!(got.code(), -32603);
    assert!(
        got.before.is_empty() && !got.text.contains("0123456789"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_held_retry_tells_that_it_still_waits() {
    let limits = Limits::default().hold(Duration::from_millis(10));
    let limits = limits.hold_with_progress(Duration::from_secs(30));
    let app = server()
        .tools(toolset![leak])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada");
    let asked = client.call("leak", json!({})).await;
    let params = json!({
        "name": "leak",
        "arguments": {},
        "requestState": asked.state(),
        "inputResponses": { "account": { "action": "accept" } },
    });
    tokio::time::pause();
    let hears = client.clone().hears_progress();
    let mut stream = hears.stream("tools/call", Some("leak"), params).await;
    let (first, second) = (stream.next().await.unwrap(), stream.next().await.unwrap());
    assert!(told(&first).1 < told(&second).1);
    // Longer than `hold`, and not longer than `hold_with_progress`.
    let mut last = second;
    while let Some(next) = stream.next().await {
        last = next;
    }
    assert_eq!(last["result"]["resultType"], "input_required", "{last}");
}

/// Counts for ever, and says when it was stopped.
struct Endless(Arc<Stopped>);

#[derive(Default)]
struct Stopped {
    began: AtomicUsize,
    gone: AtomicUsize,
    told: Notify,
}

struct Gone<'a>(&'a Stopped);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        self.0.gone.fetch_add(1, Ordering::SeqCst);
        self.0.told.notify_one();
    }
}

#[tools]
impl Endless {
    /// Counts for ever.
    #[tool]
    async fn endless(&self, cx: &Cx) -> &'static str {
        self.0.began.fetch_add(1, Ordering::SeqCst);
        let _gone = Gone(&self.0);
        for i in 0_u32.. {
            cx.progress(i, u32::MAX);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        "Never"
    }
}

#[tokio::test]
async fn a_client_that_goes_away_stops_its_call() {
    let stopped = Arc::new(Stopped::default());
    let app = server()
        .tools(Endless(Arc::clone(&stopped)))
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let params = json!({ "name": "endless", "arguments": {} });
    let mut stream = client.stream("tools/call", Some("endless"), params).await;
    stream.next().await.unwrap();
    assert_eq!(stopped.gone.load(Ordering::SeqCst), 0);
    drop(stream);
    let gone = tokio::time::timeout(Duration::from_secs(5), stopped.told.notified());
    gone.await.expect("the handler is dropped");
    assert_eq!(stopped.began.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_client_that_reads_nothing_makes_nothing_grow() {
    static FAR: Notify = Notify::const_new();
    /// Counts far.
    #[tool]
    async fn far(cx: &Cx) -> &'static str {
        for i in 0..100_000_u32 {
            cx.progress(i, 100_000);
            if i % 1000 == 0 {
                tokio::task::yield_now().await;
            }
        }
        FAR.notify_one();
        "Far"
    }
    let limits = Limits::default().notices(1000);
    let app = server()
        .tools(toolset![far])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let params = json!({ "name": "far", "arguments": {} });
    let mut stream = client.stream("tools/call", Some("far"), params).await;
    FAR.notified().await;
    let mut all = Vec::new();
    while let Some(message) = stream.next().await {
        all.push(message);
    }
    let reply = all.pop().unwrap();
    assert_eq!(reply["result"]["content"][0]["text"], "Far");
    assert!(all.len() <= 11, "{} messages waited", all.len());
    // The newest is among them.
    assert_eq!(told(all.last().unwrap()).1, 99_999.0);
}

#[tokio::test]
async fn work_in_a_task_of_its_own_reports_until_the_round_ends() {
    /// Works elsewhere.
    #[tool]
    async fn elsewhere(cx: &Cx) -> Result<String, CallError> {
        let reporter = cx.reporter();
        let work = move || {
            for i in 1..=3 {
                reporter.progress(i, 3);
            }
            reporter
        };
        let reporter = tokio::task::spawn_blocking(work).await?;
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            reporter.progress(4, 3);
        });
        Ok("Done".into())
    }
    let app = server().tools(toolset![elsewhere]).build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let got = client.call("elsewhere", json!({})).await;
    assert_eq!(got.before.len(), 3, "{}", got.text);
    assert_eq!(got.first_text(), "Done");
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn progress_of_many_threads_only_grows() {
    /// Works on several threads.
    #[tool]
    async fn threads(cx: &Cx) -> Result<String, CallError> {
        let done = Arc::new(AtomicUsize::new(0));
        let work = |_| {
            let (reporter, done) = (cx.reporter(), Arc::clone(&done));
            std::thread::spawn(move || {
                for _ in 0..2000 {
                    reporter.progress(done.fetch_add(1, Ordering::SeqCst) + 1, 8000);
                }
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        while !threads.iter().all(std::thread::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok("Done".into())
    }
    let limits = Limits::default().notices(usize::MAX);
    let tools = server().tools(toolset![threads]).limits(limits);
    let app = tools.build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    for _ in 0..3 {
        let got = client.call("threads", json!({})).await;
        let all: Vec<_> = got.before.iter().map(|it| told(it).1).collect();
        assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
        assert_eq!((all.last(), got.first_text()), (Some(&8000.0), "Done"));
    }
}

/// What a handler keeps, and cannot be dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the bomb says sk-live-0123456789abcdef");
        }
    }
}

/// An error that cannot be shown.
struct Unspeakable;

impl std::fmt::Debug for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("unspeakable")
    }
}

impl std::fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("unspeakable")
    }
}

impl std::error::Error for Unspeakable {}

#[tokio::test]
async fn who_waits_is_told_of_every_panic() {
    /// Asks, and cannot be suspended.
    #[tool]
    async fn dropped(cx: &Cx) -> Result<&'static str, CallError> {
        let _bomb = Bomb;
        cx.progress(1, 2);
        tokio::time::sleep(Duration::from_millis(1)).await;
        cx.confirm("Sure?").await?;
        Ok("Done")
    }
    /// Panics.
    #[tool]
    async fn panics(cx: &Cx) -> Result<&'static str, CallError> {
        cx.progress(1, 2);
        tokio::time::sleep(Duration::from_millis(1)).await;
        panic!("out of order")
    }
    /// Fails.
    #[tool]
    async fn fails(cx: &Cx) -> Result<&'static str, CallError> {
        cx.progress(1, 2);
        tokio::time::sleep(Duration::from_millis(1)).await;
        Err(Unspeakable.into())
    }
    // An error is shown only to who reads the log.
    let log = tracing_subscriber::fmt().with_writer(std::io::sink);
    let _log = tracing::subscriber::set_default(log.finish());
    let tools = toolset![dropped, panics, fails];
    let app = server().tools(tools).build().await.unwrap();
    let client = Client::new(&app, "ada");
    for tool in ["dropped", "panics", "fails"] {
        let hears = client.clone().hears_progress();
        let got = hears.call(tool, json!({})).await;
        assert_eq!((got.before.len(), got.code()), (1, -32603), "{}", got.text);
        assert_eq!(got.json["id"], 1);
        let got = client.call(tool, json!({})).await;
        assert_eq!((got.before.len(), got.code()), (0, -32603), "{}", got.text);
        assert!(!got.text.contains("sk-live"), "{}", got.text);
    }
}

/// Lets everybody in, and gives each something to keep.
struct Gives(Arc<Stopped>);

/// Counts as gone when it is dropped.
struct Kept(Arc<Stopped>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.gone.fetch_add(1, Ordering::SeqCst);
    }
}

impl Authenticator for Gives {
    async fn authenticate(&self, _: &Parts) -> Result<Principal, AuthError> {
        Ok(Principal::new("test", "ada").with(Kept(Arc::clone(&self.0))))
    }
}

#[tokio::test]
async fn a_reporter_that_is_kept_keeps_nothing_of_its_request() {
    static REPORTERS: std::sync::Mutex<Vec<mcp_elicit::Reporter>> =
        std::sync::Mutex::new(Vec::new());
    /// Keeps its reporter for ever.
    #[tool]
    async fn keeps(cx: &Cx) -> &'static str {
        let reporter = cx.reporter();
        reporter.progress(1, 1);
        REPORTERS.lock().unwrap().push(reporter);
        "Kept"
    }
    let stopped = Arc::new(Stopped::default());
    let app = server()
        .tools(toolset![keeps])
        .auth(Gives(Arc::clone(&stopped)));
    let app = app.allow_host(HOST).build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let got = client.call("keeps", json!({})).await;
    assert_eq!((got.before.len(), got.first_text()), (1, "Kept"));
    let reporters = REPORTERS.lock().unwrap();
    reporters.iter().for_each(|it| it.progress(2, 2));
    assert_eq!(stopped.gone.load(Ordering::SeqCst), reporters.len());
}

#[tokio::test]
async fn ids_and_tokens_come_back_as_they_were_written() {
    let app = server().tools(toolset![chat, count]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    let meta = client.meta().to_string();
    let long = "9".repeat(300);
    for (written, is_taken) in [
        ("-0", true),
        ("-7", true),
        ("18446744073709551616", true),
        (&*long, true),
        (r#""""#, true),
        (r#""\u0000\u2028\ud83e\udd80 🦀 data: \r\n\n""#, true),
        (r#""\ud83e""#, false),
        ("1e5", false),
        ("1.0", false),
        ("true", false),
        ("{}", false),
    ] {
        let meta = meta.replacen('{', &format!(r#"{{"progressToken":{written},"#), 1);
        let params = format!(r#"{{"name":"count","_meta":{meta}}}"#);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{written},"method":"tools/call","params":{params}}}"#
        );
        let got = client.raw("tools/call", Some("count"), body).await;
        assert_eq!(got.code() == 0, is_taken, "{written}: {}", got.text);
        let token = format!(r#""progressToken":{written},"#);
        assert_eq!(got.text.contains(&token), is_taken, "{}", got.text);
        let id = format!(r#""id":{written},"#);
        assert_eq!(got.text.contains(&id), is_taken, "{}", got.text);
        assert_eq!(got.before.len(), if is_taken { 2 } else { 0 });
    }
}

/// A text.
#[resource("test://text/{name}")]
async fn text(name: String) -> String {
    name
}

async fn changing(limits: Limits) -> App {
    server()
        .tools(toolset![count, text])
        .limits(limits)
        .build()
        .await
        .unwrap()
}

fn kind(message: &Value) -> &str {
    let method = message["method"].as_str().unwrap_or_default();
    method.strip_prefix("notifications/").unwrap_or("reply")
}

#[tokio::test]
async fn a_stream_of_changes_tells_what_was_asked_for() {
    let app = changing(Limits::default()).await;
    let client = Client::new(&app, "ada");
    let wanted = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": false,
        "resourceSubscriptions": ["test://text/a", "test://none"],
    });
    let mut stream = client.listen(wanted).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    // What this server has: no prompts, and no such other resource.
    let first = stream.next().await.unwrap();
    assert_eq!(
        first,
        json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": { "io.modelcontextprotocol/subscriptionId": 1 },
                "notifications": {
                    "toolsListChanged": true,
                    "resourceSubscriptions": ["test://text/a"],
                },
            },
        })
    );
    let changes = app.changes();
    changes.prompts_changed();
    changes.resources_changed();
    changes.resource_updated("test://text/b");
    assert!(stream.is_quiet().await);
    changes.tools_changed();
    changes.tools_changed();
    let tools = stream.next().await.unwrap();
    assert_eq!(kind(&tools), "tools/list_changed");
    changes.resource_updated("test://text/a");
    let updated = stream.next().await.unwrap();
    assert_eq!(kind(&updated), "resources/updated");
    assert_eq!(updated["params"]["uri"], "test://text/a");
    for message in [tools, updated] {
        assert_eq!(
            message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            1
        );
    }
}

#[tokio::test]
async fn a_stream_of_changes_ends_in_good_order() {
    let app = changing(Limits::default().listen(Duration::from_millis(100))).await;
    let mut stream = Client::new(&app, "ada").listen(json!({})).await;
    assert_eq!(
        kind(&stream.next().await.unwrap()),
        "subscriptions/acknowledged"
    );
    let reply = stream.next().await.unwrap();
    assert_eq!(
        (&reply["id"], &reply["result"]["resultType"]),
        (&json!(1), &json!("complete"))
    );
    let meta = &reply["result"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], 1);
    assert_eq!(meta["io.modelcontextprotocol/serverInfo"]["name"], "test");
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn streams_of_changes_have_a_number() {
    let app = changing(Limits::default().listeners(3).listeners_of_one(2)).await;
    let (ada, bob) = (Client::new(&app, "ada"), Client::new(&app, "bob"));
    let open = async |client: &Client| client.listen(json!({})).await;
    let mut held = vec![open(&ada).await, open(&ada).await];
    let refused = open(&ada).await.next_event().await.unwrap_or_default();
    assert!(refused.is_empty(), "{refused}");
    held.push(open(&bob).await);
    for stream in &mut held {
        assert_eq!(
            kind(&stream.next().await.unwrap()),
            "subscriptions/acknowledged"
        );
    }
    let refused = bob
        .request("subscriptions/listen", None, json!({ "notifications": {} }))
        .await;
    assert_eq!(refused.code(), -32603);
    // One that has gone makes room.
    held.pop();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(
        kind(&open(&bob).await.next().await.unwrap()),
        "subscriptions/acknowledged"
    );
}

#[tokio::test]
async fn a_filter_is_an_object_of_its_members() {
    let app = changing(Limits::default().subscribed(1)).await;
    let client = Client::new(&app, "ada");
    for wanted in [
        Value::Null,
        json!([]),
        json!({ "toolsListChanged": 1 }),
        json!({ "resourceSubscriptions": "test://text/a" }),
        json!({ "resourceSubscriptions": ["test://text/a", "test://text/b"] }),
    ] {
        let params = json!({ "notifications": wanted });
        let got = client.request("subscriptions/listen", None, params).await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
}

#[tokio::test]
async fn many_changes_at_once_reach_a_stream_with_little_room() {
    let app = changing(Limits::default().notices(2000)).await;
    let uri = |i: usize| format!("test://text/{i}{}", "x".repeat(100));
    let uris = |n: usize| (0..n).map(uri).collect::<Vec<_>>();
    let client = Client::new(&app, "ada");
    let too_long = json!({ "notifications": { "resourceSubscriptions": uris(20) } });
    let refused = client.request("subscriptions/listen", None, too_long).await;
    assert_eq!(refused.code(), -32602, "{}", refused.text);
    let mut stream = client
        .listen(json!({ "resourceSubscriptions": uris(12) }))
        .await;
    stream.next().await.unwrap();
    for uri in uris(12) {
        app.changes().resource_updated(&uri);
    }
    let mut told = Vec::new();
    for _ in 0..12 {
        let message = stream.next().await.unwrap();
        told.push(message["params"]["uri"].as_str().unwrap().to_owned());
    }
    let mut expected = uris(12);
    expected.sort();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_quiet_stream_is_kept_alive() {
    let app = changing(Limits::default().keep_alive(Duration::from_millis(20))).await;
    let mut stream = Client::new(&app, "ada").listen(json!({})).await;
    stream.next().await.unwrap();
    let comment = stream.next_event().await.unwrap();
    assert!(comment.starts_with(':'), "{comment}");
}

#[tokio::test]
async fn signs_of_life_can_be_left_out() {
    for never in [Duration::ZERO, Duration::MAX] {
        let app = changing(Limits::default().keep_alive(never)).await;
        let mut stream = Client::new(&app, "ada").listen(json!({})).await;
        stream.next().await.unwrap();
        app.changes().tools_changed();
        let next = tokio::time::timeout(Duration::from_millis(100), stream.next_event());
        assert!(next.await.is_err(), "{never:?}");
    }
}

#[tokio::test]
async fn lists_and_discovery_say_that_changes_are_told() {
    let app = changing(Limits::default()).await;
    let got = Client::new(&app, "ada")
        .request("server/discover", None, json!({}))
        .await;
    let capabilities = &got.json["result"]["capabilities"];
    assert_eq!(
        *capabilities,
        json!({
            "tools": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "logging": {},
        })
    );
}

/// A request on a socket, as its client sends it.
fn on_socket(
    address: std::net::SocketAddr,
    client: &Client,
    (method, name): (&str, Option<&str>),
    mut params: Value,
) -> std::net::TcpStream {
    use std::io::Write as _;
    params["_meta"] = client.meta();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let body = body.to_string();
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    let request = client.build(method, name).body(()).unwrap();
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream
}

/// All that comes until the server hangs up.
async fn all_of(mut stream: std::net::TcpStream) -> String {
    use std::io::Read as _;
    let read = move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).map(|_| text)
    };
    tokio::task::spawn_blocking(read).await.unwrap().unwrap()
}

/// Reports, then has an effect that takes a while, and says when it began and ended.
struct Slow(Arc<Phases>);

#[derive(Default)]
struct Phases {
    begun: AtomicUsize,
    done: AtomicUsize,
}

#[tools]
impl Slow {
    /// Does something once.
    #[tool]
    async fn slow(&self, cx: &Cx, report: bool) -> Result<&'static str, CallError> {
        if report {
            cx.progress(1, 3);
        }
        cx.once("slow", async |_| {
            self.0.begun.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(300)).await;
            self.0.done.fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .await?;
        cx.progress(2, 3);
        Ok("Done")
    }
}

#[tokio::test]
async fn a_server_that_stops_finishes_streams_and_their_effects() {
    let phases = Arc::new(Phases::default());
    let slow = Slow(Arc::clone(&phases));
    let app = server().tools(slow).build().await.unwrap();
    let (address, stop, served) = listening(&app).await;
    let client = Client::new(&app, "ada").hears_progress();
    let call = |report: bool| {
        let params = json!({ "name": "slow", "arguments": { "report": report } });
        on_socket(address, &client, ("tools/call", Some("slow")), params)
    };
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let listens = on_socket(address, &client, ("subscriptions/listen", None), listen);
    let (reports, late) = (call(true), call(false));
    // One goes in its effect with a stream, one without.
    let gone = [call(true), call(false)];
    while phases.begun.load(Ordering::SeqCst) < 4 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(gone);
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.send(()).unwrap();
    let ended = all_of(listens).await;
    assert!(
        ended.contains("acknowledged") && ended.contains("complete"),
        "{ended}"
    );
    for text in [all_of(reports).await, all_of(late).await] {
        assert!(
            text.contains("\"progress\":2") && text.contains("Done"),
            "{text}"
        );
    }
    served.await.unwrap();
    assert_eq!(phases.done.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn who_reads_nothing_does_not_keep_a_server_from_stopping() {
    /// Tells much.
    #[tool]
    async fn tells(cx: &Cx) -> &'static str {
        for i in 0..20_000_u32 {
            cx.report(Progress::new(i).message("x".repeat(500)));
            if i % 100 == 0 {
                tokio::task::yield_now().await;
            }
        }
        "Told"
    }
    let limits = Limits::default().notices(8 << 20);
    let app = server()
        .tools(toolset![tells])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let (address, stop, served) = listening(&app).await;
    let client = Client::new(&app, "ada").hears_progress();
    let params = json!({ "name": "tells", "arguments": {} });
    let deaf = on_socket(address, &client, ("tools/call", Some("tells")), params);
    tokio::time::sleep(Duration::from_millis(300)).await;
    stop.send(()).unwrap();
    let stopped = tokio::time::timeout(Duration::from_secs(10), served);
    stopped.await.expect("it stops").unwrap();
    drop(deaf);
}

/// Waits until it is so.
async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), wait)
        .await
        .expect("it comes to that");
}

#[tokio::test]
async fn who_hangs_up_stops_a_stream_and_gives_its_place_back() {
    let stopped = Arc::new(Stopped::default());
    let limits = Limits::default().hold(Duration::from_secs(60));
    let limits = limits.held_by_one(1).listeners_of_one(1);
    let app = server()
        .tools(Endless(Arc::clone(&stopped)))
        .tools(toolset![leak])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let (address, stop, served) = listening(&app).await;
    let client = Client::new(&app, "ada").hears_progress();
    let params = json!({ "name": "endless", "arguments": {} });
    let endless = on_socket(address, &client, ("tools/call", Some("endless")), params);
    until(|| stopped.began.load(Ordering::SeqCst) == 1).await;
    drop(endless);
    until(|| stopped.gone.load(Ordering::SeqCst) == 1).await;
    // A retry that is held, and a stream of changes: of each there is one place.
    let asked = client.call("leak", json!({})).await;
    let retry = json!({
        "name": "leak",
        "arguments": {},
        "requestState": asked.state(),
        "inputResponses": { "account": { "action": "accept" } },
    });
    for (method, name, params) in [
        ("tools/call", Some("leak"), retry),
        ("subscriptions/listen", None, json!({ "notifications": {} })),
    ] {
        for _ in 0..3 {
            let held = on_socket(address, &client, (method, name), params.clone());
            tokio::time::sleep(Duration::from_millis(100)).await;
            // There is no room beside it.
            let mut second = client.stream(method, name, params.clone()).await;
            let refused = second.next_event().await;
            assert!(refused.is_none(), "{refused:?}");
            drop(held);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    stop.send(()).unwrap();
    served.await.unwrap();
}

/// A server on a socket: its address, how to stop it, and when it has stopped.
async fn listening(
    app: &App,
) -> (
    std::net::SocketAddr,
    tokio::sync::oneshot::Sender<()>,
    tokio::task::JoinHandle<()>,
) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let app = app.clone();
    let served = tokio::spawn(async move {
        let stop = async move { drop(stopped.await) };
        app.serve_on(listener, stop).await.unwrap();
    });
    (address, stop, served)
}
