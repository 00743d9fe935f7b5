//! What hostile clients and careless authors have tried: each of these was wrong once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Invalid, Limits, Tool};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::{Value, json};

/// Which one?
#[derive(Elicit)]
struct Left {
    what: String,
}

/// And which other one?
#[derive(Elicit)]
struct Right {
    #[elicit(max_length = 3)]
    what: String,
}

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please connect your account.")]
struct Account {
    /// From the dashboard
    #[secret]
    api_key: SecretString,
}

/// A call must end: nothing may wait for ever.
async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(5), work)
        .await
        .expect("it hangs")
}

fn accept(what: &str) -> Value {
    json!({ "action": "accept", "content": { "what": what } })
}

fn internal(got: &Got) {
    assert_eq!(got.code(), -32603, "{}", got.text);
}

/// Opens the link as `name` and gives `key`.
async fn give(app: &App, name: &str, link: &str, key: &str) {
    let mut browser = Browser::new(app);
    let page = browser.sign_in(link, name).await;
    let got = browser.submit(link, &page, &[("api_key", key)]).await;
    assert!(
        got.status.is_success() || got.status.is_redirection(),
        "{}",
        got.text
    );
}

/// Does in a step or effect what must not be done there.
#[tool]
async fn nested(cx: &Cx, outer: String, inner: String) -> Result<String, CallError> {
    let work = async |_: &mcp_elicit::Step| {
        match &*inner {
            "ask" => drop(cx.ask::<Left>().await?),
            "page" => drop(cx.ask::<Account>().await?),
            "step" => cx.step("inner", async |_| Ok(())).await?,
            _ => cx.once("inner", async |_| Ok(())).await?,
        }
        Ok(())
    };
    if outer == "step" {
        cx.step("outer", work).await?;
    } else {
        cx.once("outer", work).await?;
    }
    Ok("done".into())
}

#[tokio::test]
async fn nothing_is_asked_or_done_inside_of_a_step_or_effect() {
    let app = server().tools(toolset![nested]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    for outer in ["step", "once"] {
        for inner in ["ask", "page", "step", "once"] {
            let arguments = json!({ "outer": outer, "inner": inner });
            internal(&soon(client.call("nested", arguments)).await);
        }
    }
}

#[derive(Clone, Default)]
struct Counts {
    left: Arc<AtomicUsize>,
    right: Arc<AtomicUsize>,
}

#[tools]
impl Counts {
    /// Asks and does two things beside each other.
    #[tool]
    async fn beside(&self, cx: &Cx) -> Result<String, CallError> {
        let left = async {
            let it = cx.ask::<Left>().await?;
            cx.once("left", async |_| {
                Ok(self.left.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
            Ok::<_, CallError>(it.what)
        };
        let right = async {
            let it = cx.ask::<Right>().await?;
            cx.once("right", async |_| {
                Ok(self.right.fetch_add(1, Ordering::SeqCst))
            })
            .await?;
            Ok(it.what)
        };
        let (left, right) = try_join!(left, right)?;
        cx.confirm("Done?").await?;
        Ok(format!("{left} {right}"))
    }

    /// Does two things, one after the other.
    #[tool]
    async fn two(&self, cx: &Cx) -> Result<String, CallError> {
        cx.once("left", async |_| {
            tokio::time::sleep(Duration::from_millis(60)).await;
            Ok(self.left.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
        cx.once("right", async |_| {
            Ok(self.right.fetch_add(1, Ordering::SeqCst))
        })
        .await?;
        Ok(String::new())
    }

    /// Does something slow beside a question.
    #[tool]
    async fn half(&self, cx: &Cx) -> Result<String, CallError> {
        let slow = cx
            .once("slow", async |_| {
                tokio::time::sleep(Duration::from_millis(60)).await;
                Ok(self.left.fetch_add(1, Ordering::SeqCst))
            })
            .by("it");
        let ask = async { Ok(cx.ask::<Left>().await?) };
        let (_, left) = try_join!(slow, ask)?;
        Ok(left.what)
    }
}

async fn counts() -> (Counts, Client) {
    let counts = Counts::default();
    let app = server().tools(counts.clone()).build().await.unwrap();
    (counts, Client::new(&app, "alice"))
}

#[tokio::test]
async fn an_effect_stays_done_when_a_question_beside_it_is_answered_later() {
    let (counts, client) = counts().await;
    let one = client.call("beside", json!({})).await;
    let answers = json!({ "left": { "action": "accept" }, "right": accept("b") });
    let two = client
        .retry("beside", json!({}), &one.state(), answers)
        .await;
    assert!(two.asks(), "{}", two.text);
    assert_eq!(counts.right.load(Ordering::SeqCst), 1);
    let three = client
        .retry(
            "beside",
            json!({}),
            &two.state(),
            json!({ "left": accept("a") }),
        )
        .await;
    assert!(three.asks(), "{}", three.text);
    let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let four = client.retry("beside", json!({}), &three.state(), yes).await;
    assert_eq!(four.first_text(), "a b", "{}", four.text);
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
    assert_eq!(counts.right.load(Ordering::SeqCst), 1);
    // What it did depend on may still not change.
    let answers = json!({ "left": { "action": "accept" }, "right": accept("c") });
    let fork = client
        .retry("beside", json!({}), &one.state(), answers)
        .await;
    assert!(fork.first_text().contains("other answers"), "{}", fork.text);
}

#[tokio::test]
async fn nothing_more_is_begun_for_a_client_that_has_gone() {
    let (counts, client) = counts().await;
    let gone = tokio::time::timeout(Duration::from_millis(20), client.call("two", json!({}))).await;
    assert!(gone.is_err());
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
    assert_eq!(counts.right.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_effect_outlives_the_failure_of_its_run() {
    let (counts, client) = counts().await;
    let answers = json!({ "inputResponses": { "left": { "action": "reject" } } });
    let got = client.call_with("half", answers).await;
    assert_eq!(got.code(), -32602, "{}", got.text);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
    let got = client.call("half", json!({})).await;
    assert!(got.asks(), "{}", got.text);
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
}

static OPEN: AtomicBool = AtomicBool::new(true);

/// When do you come?
#[derive(Elicit)]
#[elicit(check = still_open)]
struct Visit {
    what: String,
}

fn still_open(visit: &Visit) -> Result<(), Invalid> {
    if visit.what == "today" && !OPEN.load(Ordering::SeqCst) {
        return Err(Invalid::field("what", "it has closed"));
    }
    Ok(())
}

/// Plans a visit.
#[tool]
async fn visit(cx: &Cx) -> Result<String, CallError> {
    let visit = cx.ask::<Visit>().await?;
    cx.confirm("Really?").await?;
    Ok(visit.what)
}

#[tokio::test]
async fn an_answer_that_does_not_fit_any_more_gives_way_to_a_new_one() {
    let app = server().tools(toolset![visit]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("visit", json!({})).await;
    let answers = json!({ "visit": accept("today") });
    let two = client
        .retry("visit", json!({}), &one.state(), answers)
        .await;
    assert!(two.asked("confirm").is_object(), "{}", two.text);
    OPEN.store(false, Ordering::SeqCst);
    let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let three = client
        .retry("visit", json!({}), &two.state(), yes.clone())
        .await;
    assert!(three.asked("visit").is_object(), "{}", three.text);
    let answers = json!({ "visit": accept("tomorrow") });
    let four = client
        .retry("visit", json!({}), &three.state(), answers)
        .await;
    assert!(four.asked("confirm").is_object(), "{}", four.text);
    let five = client.retry("visit", json!({}), &four.state(), yes).await;
    assert_eq!(five.first_text(), "tomorrow", "{}", five.text);
}

/// Connects an account, and each state counts once.
#[tool(single_use)]
async fn connect_once(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(account.api_key.expose_secret().len().to_string())
}

#[tokio::test]
async fn a_single_use_tool_may_wait_for_its_page() {
    let app = server()
        .tools(toolset![connect_once])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let opened = json!({ "account": { "action": "accept" } });
    let mut states = vec![client.call("connect_once", json!({})).await];
    for _ in 0..3 {
        let state = states.last().unwrap().state();
        let got = client
            .retry("connect_once", json!({}), &state, opened.clone())
            .await;
        assert!(got.asks(), "{}", got.text);
        states.push(got);
    }
    give(&app, "alice", &states[0].link("account"), KEY).await;
    let last = states.last().unwrap().state();
    let done = client
        .retry("connect_once", json!({}), &last, opened.clone())
        .await;
    assert_eq!(done.first_text(), KEY.len().to_string(), "{}", done.text);
    for used in &states {
        let got = client
            .retry("connect_once", json!({}), &used.state(), opened.clone())
            .await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
}

static OLD: AtomicBool = AtomicBool::new(false);

/// Your account, by the rules of today.
#[derive(Elicit)]
#[elicit(url = "/ui/strict", message = "Please connect.", check = by_todays_rules)]
struct Strict {
    /// From the dashboard
    #[secret]
    api_key: SecretString,
}

fn by_todays_rules(strict: &Strict) -> Result<(), Invalid> {
    if OLD.load(Ordering::SeqCst) && strict.api_key.expose_secret() == KEY {
        return Err(Invalid::field("api_key", "is of the old kind"));
    }
    Ok(())
}

/// Uses the account.
#[tool]
async fn strict(cx: &Cx) -> Result<String, CallError> {
    let it = cx.ask::<Strict>().await?;
    Ok(it.api_key.expose_secret().len().to_string())
}

#[tokio::test]
async fn a_credential_that_does_not_fit_any_more_has_one_page() {
    let app = server().tools(toolset![strict]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let first = client.call("strict", json!({})).await;
    give(&app, "alice", &first.link("strict"), KEY).await;
    OLD.store(true, Ordering::SeqCst);
    let one = client.call("strict", json!({})).await;
    let link = one.link("strict");
    let opened = json!({ "strict": { "action": "accept" } });
    let mut state = one.state();
    for _ in 0..25 {
        let got = client
            .retry("strict", json!({}), &state, opened.clone())
            .await;
        assert!(got.asks(), "{}", got.text);
        assert_eq!(got.link("strict"), link);
        state = got.state();
    }
    give(&app, "alice", &link, "a key of the new kind").await;
    let got = client.retry("strict", json!({}), &state, opened).await;
    assert_eq!(got.first_text(), "21", "{}", got.text);
}

/// Awaits one question twice.
#[tool]
async fn again(cx: &Cx) -> Result<String, CallError> {
    let mut ask = std::pin::pin!(cx.ask::<Left>());
    ask.as_mut().await?;
    Ok(ask.as_mut().await?.what)
}

/// Lets a question go without dropping it.
#[tool]
async fn forgets(cx: &Cx) -> Result<String, CallError> {
    let mut ask = Box::pin(cx.ask::<Left>());
    std::future::poll_fn(|c| {
        let _ = ask.as_mut().poll(c);
        std::task::Poll::Ready(())
    })
    .await;
    std::mem::forget(ask);
    Ok("done".into())
}

#[tokio::test]
async fn a_question_is_awaited_once_and_to_its_end() {
    let app = server()
        .tools(toolset![again, forgets])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let answers = json!({ "inputResponses": { "left": accept("a") } });
    internal(&soon(client.call_with("again", answers)).await);
    internal(&soon(client.call("forgets", json!({}))).await);
}

/// Tells the key in ways that a careless author finds.
#[tool]
async fn tells(cx: &Cx, how: String) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let key = account.api_key.expose_secret();
    match &*how {
        "key" => drop(cx.ask::<Left>().key(key).await?),
        "name" => {
            cx.step(key, async |_| Ok(())).await?;
            cx.confirm("Go on?").await?;
        }
        "effect" => {
            cx.once(key, async |_| Ok(())).await?;
            cx.confirm("Go on?").await?;
        }
        "source" => Err(std::io::Error::other(format!("cannot use {key}")))?,
        "told" => Err(CallError::from(format!("cannot use {key}")).tell("no"))?,
        _ => panic!("cannot use {key}"),
    }
    Ok(String::new())
}

/// What is logged, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// A log of this thread, until the guard is dropped.
    fn begin() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_secret_is_neither_sent_nor_logged() {
    let (log, guard) = Log::begin();
    let limits = Limits::default().rounds(1).hold(Duration::ZERO);
    let app = server()
        .limits(limits)
        .tools(toolset![tells])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let first = client.call("tells", json!({ "how": "key" })).await;
    give(&app, "alice", &first.link("account"), KEY).await;
    for how in ["key", "name", "effect", "source", "told", "panic"] {
        let got = client.call("tells", json!({ "how": how })).await;
        assert!(!got.text.contains(KEY), "{how}: {}", got.text);
        assert!(!got.asks() || how == "effect", "{how}: {}", got.text);
    }
    // After the last round.
    let got = client
        .retry(
            "tells",
            json!({ "how": "key" }),
            &first.state(),
            json!({ "account": { "action": "accept" } }),
        )
        .await;
    assert!(!got.text.contains(KEY), "{}", got.text);
    // With a client that cannot be asked.
    let mute = client.clone().can(json!({}));
    for how in ["key", "effect"] {
        let got = mute.call("tells", json!({ "how": how })).await;
        assert!(!got.text.contains(KEY), "{how}: {}", got.text);
    }
    drop(guard);
    let log = log.text();
    assert!(log.contains("a tool failed"), "{log}");
    let line = log.lines().find(|line| line.contains(KEY));
    assert_eq!(line, None);
}

/// Go where the text says.
#[tool]
async fn go(cx: &Cx, to: String) -> Result<(), CallError> {
    cx.confirm(format!("Go to {to}?")).await?;
    Ok(())
}

/// Where to?
#[derive(Elicit)]
struct Place {
    #[select]
    to: Select,
}

/// Choose where to go.
#[tool]
async fn choose(cx: &Cx, to: String) -> Result<String, CallError> {
    let options = PlaceOptions {
        to: [("1".to_owned(), to)].into(),
    };
    Ok(cx.ask_with::<Place>(options).await?.to.into_key())
}

#[tokio::test]
async fn a_link_in_a_text_of_run_time_is_told_to_the_author() {
    let app = server().tools(toolset![go, choose]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    for tool in ["go", "choose"] {
        for (to, is_link) in [("https://evil.example/", true), ("Rome", false)] {
            let (log, guard) = Log::begin();
            let got = client.call(tool, json!({ "to": to })).await;
            assert!(got.asks(), "{}", got.text);
            drop(guard);
            let log = log.text();
            assert_eq!(log.contains("holds a link"), is_link, "{tool} {to}: {log}");
            assert!(!log.contains("evil.example"), "{log}");
        }
    }
}

#[tokio::test]
async fn limits_at_their_ends_are_limits() {
    for limits in [
        Limits::default().held(usize::MAX).body(usize::MAX),
        Limits::default()
            .hold(Duration::MAX)
            .lifetime(Duration::MAX)
            .run(Duration::MAX)
            .remember(Duration::MAX),
        Limits::default().hold(Duration::ZERO).held(0).tickets(0),
    ] {
        let app = server()
            .limits(limits)
            .tools(toolset![visit])
            .build()
            .await
            .unwrap();
        let got = Client::new(&app, "alice").call("visit", json!({})).await;
        assert!(got.asks(), "{}", got.text);
    }
}

#[tokio::test]
async fn a_long_name_of_a_client_is_not_kept_whole() {
    let app = server()
        .tools(toolset![strict, connect_once])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let name = "n".repeat(900_000);
    let mut meta = client.meta();
    meta["io.modelcontextprotocol/clientInfo"]["name"] = name.into();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "connect_once", "_meta": meta } });
    let got = client
        .raw("tools/call", Some("connect_once"), body.to_string())
        .await;
    let page = Browser::new(&app)
        .sign_in(&got.link("account"), "alice")
        .await;
    assert!(page.text.len() < 100_000, "{}", page.text.len());
}

#[tokio::test]
async fn an_id_comes_back_however_large_it_is() {
    let app = server().tools(toolset![visit]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let id = "9".repeat(40);
    for params in ["[]", r#"{"name":1}"#, "{}"] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
        let got = client.raw("tools/call", Some("visit"), body).await;
        assert_eq!(got.status, 400);
        assert!(got.text.contains(&format!("\"id\":{id},")), "{}", got.text);
    }
}

#[tokio::test]
async fn arguments_that_make_their_type_panic_are_an_internal_error() {
    let tool = Tool::new(
        "bad",
        "Panics as it starts.",
        |_: Cx, _: Option<&serde_json::value::RawValue>| panic!("at the start"),
    );
    let app = server().tools(vec![tool]).build().await.unwrap();
    internal(&Client::new(&app, "alice").call("bad", json!({})).await);
}
/// A second account.
#[derive(Elicit)]
#[elicit(url = "/ui/other", message = "And the other account.")]
struct Other {
    /// From the other dashboard
    #[secret]
    api_key: SecretString,
}

/// Asks in many ways at once: each branch must make its way.
#[tool]
async fn crowd(cx: &Cx) -> Result<String, CallError> {
    let (send, receive) = tokio::sync::oneshot::channel();
    let first = async {
        let left = cx.ask::<Left>().await?;
        let _ = send.send(left.what.clone());
        Ok::<_, CallError>(left.what)
    };
    let second = async {
        tokio::task::yield_now().await;
        let account = cx.ask::<Account>().await?;
        Ok(account.api_key.expose_secret().len())
    };
    let third = async {
        let told = receive.await.map_err(|_| "the sender has gone")?;
        let right = cx.ask::<Right>().message(told).await?;
        Ok(right.what)
    };
    let fourth = async {
        let n = cx.step("n", async |_| {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(7)
        });
        let n = n.await?;
        cx.ask::<Left>().at(n).await?;
        Ok(n)
    };
    let fifth = async { Ok(cx.ask::<Other>().await?.api_key.expose_secret().len()) };
    let (a, b, c, d, e) = try_join!(first, second, third, fourth, fifth)?;
    Ok(format!("{a} {b} {c} {d} {e}"))
}

/// A run of `crowd` over a store in files, where look-ups take time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn branches_beside_each_other_all_make_their_way() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-crowd-{}", std::process::id()));
    let app = mcp_elicit::Server::new("test", "1")
        .auth(mcp_elicit::auth::DevUsers)
        .data_dir(&dir)
        .limits(Limits::default().hold(Duration::from_millis(300)))
        .tools(toolset![crowd])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let mut got = soon(client.call("crowd", json!({}))).await;
    for _ in 0..8 {
        if !got.asks() {
            break;
        }
        let asked = got.json["result"]["inputRequests"].as_object().unwrap();
        let mut answers = serde_json::Map::new();
        for (key, request) in asked {
            let answer = match request["params"]["url"].as_str() {
                Some(link) => {
                    give(&app, "alice", link, KEY).await;
                    json!({ "action": "accept" })
                }
                None => accept("a"),
            };
            answers.insert(key.clone(), answer);
        }
        got = soon(client.retry("crowd", json!({}), &got.state(), answers.into())).await;
    }
    let n = KEY.len();
    assert_eq!(got.first_text(), format!("a {n} a 7 {n}"), "{}", got.text);
    drop((app, client));
    std::fs::remove_dir_all(&dir).unwrap();
}

/// Waits for its page by way of other wakers than the request's.
#[tool]
async fn moved(cx: &Cx) -> Result<String, CallError> {
    let mut ask = Box::pin(cx.ask::<Account>());
    // Polled once with a waker that wakes nobody.
    let first = {
        let mut nobody = std::task::Context::from_waker(std::task::Waker::noop());
        ask.as_mut().poll(&mut nobody)
    };
    if let std::task::Poll::Ready(account) = first {
        return Ok(account?.api_key.expose_secret().len().to_string());
    }
    let mut set = tokio::task::JoinSet::new();
    set.spawn(async {});
    let (account, _) = tokio::join!(ask, set.join_next());
    Ok(account?.api_key.expose_secret().len().to_string())
}

#[tokio::test]
async fn a_held_question_is_found_by_whoever_awaits_it_now() {
    let limits = Limits::default().hold(Duration::from_secs(20));
    let app = server()
        .limits(limits)
        .tools(toolset![moved])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let one = soon(client.call("moved", json!({}))).await;
    let (held, state) = (client.clone(), one.state());
    let opened = json!({ "account": { "action": "accept" } });
    let held = tokio::spawn(async move { held.retry("moved", json!({}), &state, opened).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    give(&app, "alice", &one.link("account"), KEY).await;
    let got = soon(held).await.unwrap();
    assert_eq!(got.first_text(), KEY.len().to_string(), "{}", got.text);
}

/// A body of which nothing comes.
struct Silent;

impl http_body::Body for Silent {
    type Data = axum::body::Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        std::task::Poll::Pending
    }
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let limits = Limits::default().read(Duration::from_millis(50));
    let app = server()
        .limits(limits)
        .tools(toolset![visit])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let body = axum::body::Body::new(Silent);
    let got = soon(client.raw("tools/list", None, body)).await;
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (408, -32600),
        "{}",
        got.text
    );
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

#[tokio::test]
async fn requests_that_never_end_do_not_keep_a_server_from_stopping() {
    use std::io::Write as _;
    let app = server().tools(toolset![visit]).build().await.unwrap();
    let (address, stop, served) = listening(&app).await;
    let half = "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n\
                content-length: 100\r\n\r\n{";
    let mut open = Vec::new();
    for end in [0, 10, half.len()] {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(&half.as_bytes()[..end]).unwrap();
        open.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.send(()).unwrap();
    soon(served).await.unwrap();
}

#[tokio::test]
async fn a_server_that_stops_waits_for_an_effect_whose_client_has_gone() {
    use std::io::Write as _;
    let counts = Counts::default();
    let app = server().tools(counts.clone()).build().await.unwrap();
    let (address, stop, served) = listening(&app).await;
    let client = Client::new(&app, "alice");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "half", "_meta": client.meta() } });
    let body = body.to_string();
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    let request = client.build("tools/call", Some("half")).body(()).unwrap();
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    drop(stream);
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(counts.left.load(Ordering::SeqCst), 0);
    stop.send(()).unwrap();
    soon(served).await.unwrap();
    assert_eq!(counts.left.load(Ordering::SeqCst), 1);
}

/// Connects an account.
#[tool]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(account.api_key.expose_secret().len().to_string())
}

#[tokio::test]
async fn a_credential_that_another_run_brought_is_found_when_the_wait_ends() {
    let limits = Limits::default().hold(Duration::from_millis(400));
    let app = server()
        .limits(limits)
        .tools(toolset![connect])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let one = client.call("connect", json!({})).await;
    let other = client.call("connect", json!({})).await;
    let (held, state) = (client.clone(), one.state());
    let opened = json!({ "account": { "action": "accept" } });
    let held = tokio::spawn(async move { held.retry("connect", json!({}), &state, opened).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    give(&app, "alice", &other.link("account"), KEY).await;
    let got = soon(held).await.unwrap();
    assert_eq!(got.first_text(), KEY.len().to_string(), "{}", got.text);
}

const NAME: &str = "a\"b\\c\n\u{1f980}\u{0}";

/// Gives a question, a step and an effect a strange name.
#[tool]
async fn strange(cx: &Cx, much: usize) -> Result<String, CallError> {
    cx.step(NAME, async |_| Ok("x".repeat(much))).await?;
    cx.once(NAME, async |_| Ok(())).await?;
    Ok(cx.ask::<Left>().key(NAME).await?.what)
}

#[tokio::test]
async fn names_and_sizes_at_their_ends() {
    let limits = Limits::default().step(60_000).answers(3);
    let app = server()
        .limits(limits)
        .tools(toolset![strange])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let arguments = json!({ "much": 0 });
    let one = client.call("strange", arguments.clone()).await;
    assert_eq!(one.asked(NAME)["message"], "Which one?", "{}", one.text);
    for (others, ends) in [(0, true), (2, true), (3, false)] {
        let mut answers = json!({ NAME: accept("a\u{0}b") });
        for i in 0..others {
            answers[format!("other{i}")] = json!(7);
        }
        let got = client
            .retry("strange", arguments.clone(), &one.state(), answers)
            .await;
        assert_eq!(got.first_text() == "a\u{0}b", ends, "{}", got.text);
        assert_eq!(got.code() == -32602, !ends, "{}", got.text);
    }
    // The largest state that is given is taken as well.
    let (mut low, mut high) = (1_000, 60_000);
    while low + 1 < high {
        let much = usize::midpoint(low, high);
        let got = client.call("strange", json!({ "much": much })).await;
        if got.asks() {
            let answers = json!({ NAME: accept("b") });
            let state = got.state();
            assert!(state.len() <= 48 * 1024);
            let got = client
                .retry("strange", json!({ "much": much }), &state, answers)
                .await;
            assert_eq!(got.first_text(), "b", "{much}: {}", got.text);
            low = much;
        } else {
            internal(&got);
            high = much;
        }
    }
    assert!(low > 36_000, "{low}");
}

/// Never has enough.
#[tool]
async fn endless(cx: &Cx) -> Result<String, CallError> {
    for i in 0.. {
        cx.ask::<Left>().at(i).await?;
    }
    Ok(String::new())
}

#[tokio::test]
async fn the_largest_number_of_rounds_is_a_number() {
    let limits = Limits::default().rounds(u8::MAX).state(1 << 20);
    let app = server()
        .limits(limits)
        .tools(toolset![endless])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let mut got = client.call("endless", json!({})).await;
    let mut rounds = 0;
    while got.asks() {
        let answers = json!({ format!("left.{rounds}"): accept("") });
        got = client
            .retry("endless", json!({}), &got.state(), answers)
            .await;
        rounds += 1;
        assert!(rounds < 300);
    }
    assert_eq!(rounds, 255);
    assert!(got.first_text().contains("too many times"), "{}", got.text);
}

/// Takes a number.
#[tool]
async fn number(n: u8) -> String {
    n.to_string()
}

#[tokio::test]
async fn an_answer_does_not_grow_with_what_is_wrong_in_a_request() {
    let app = server().tools(toolset![number]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let many = vec![r#""n":1"#; 100_000].join(",");
    let meta = client.meta();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"number","arguments":{{{many}}},"_meta":{meta}}}}}"#
    );
    let got = client.raw("tools/call", Some("number"), body).await;
    assert!(got.first_text().contains("`n`: given more than once"));
    assert!(got.text.len() < 1000, "{}", got.text.len());
}

#[tokio::test]
async fn what_is_no_unicode_is_no_message_wherever_it_stands() {
    let app = server().tools(toolset![number]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let meta = client.meta();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","x":"@","params":{{"name":"number","arguments":{{"n":1}},"_meta":{meta}}}}}"#
    );
    let got = client.raw("tools/call", Some("number"), body.clone()).await;
    assert_eq!(got.first_text(), "1", "{}", got.text);
    let body: Vec<u8> = body
        .bytes()
        .map(|b| if b == b'@' { 0xff } else { b })
        .collect();
    let got = client.raw("tools/call", Some("number"), body).await;
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (400, -32700),
        "{}",
        got.text
    );
}

/// Knows everybody as one who carries a value.
struct Carrier(Arc<()>);

impl mcp_elicit::auth::Authenticator for Carrier {
    async fn authenticate(
        &self,
        _: &mcp_elicit::http::request::Parts,
    ) -> Result<mcp_elicit::auth::Principal, mcp_elicit::auth::AuthError> {
        let principal = mcp_elicit::auth::Principal::new("test", "ada");
        Ok(principal.with(Arc::clone(&self.0)))
    }
}

/// Nobody is at a browser here.
struct NoBrowser;

impl mcp_elicit::web::BrowserIdentity for NoBrowser {
    async fn identify(
        &self,
        _: &mcp_elicit::http::request::Parts,
    ) -> Result<Option<mcp_elicit::auth::Principal>, mcp_elicit::web::IdentityError> {
        Ok(None)
    }

    fn sign_in_redirect(&self, _: &str) -> String {
        "/sign-in".into()
    }
}

#[tokio::test]
async fn nothing_stays_of_a_run_that_is_over() {
    let carried = Arc::new(());
    let app = server()
        .auth(Carrier(Arc::clone(&carried)))
        .browser_identity(NoBrowser)
        .tools(Counts::default())
        .tools(toolset![visit, connect, forgets, nested])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let none = json!({});
    for tool in ["visit", "connect", "beside", "half", "forgets"] {
        let one = client.call(tool, none.clone()).await;
        for action in ["accept", "decline", "reject"] {
            let answers = json!({ "visit": { "action": action }, "account": { "action": action },
                "left": { "action": action } });
            client
                .retry(tool, none.clone(), &one.state(), answers)
                .await;
        }
        let gone = client.call(tool, none.clone());
        let _ = tokio::time::timeout(Duration::from_millis(1), gone).await;
    }
    client
        .call("nested", json!({ "outer": "once", "inner": "step" }))
        .await;
    for _ in 0..100 {
        if Arc::strong_count(&carried) == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{} runs are still there", Arc::strong_count(&carried) - 2);
}

#[tokio::test]
async fn times_at_their_ends_go_into_files() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-ends-{}", std::process::id()));
    let limits = Limits::default()
        .hold(Duration::ZERO)
        .lifetime(Duration::MAX)
        .run(Duration::MAX)
        .remember(Duration::MAX);
    let app = mcp_elicit::Server::new("test", "1")
        .auth(mcp_elicit::auth::DevUsers)
        .data_dir(&dir)
        .limits(limits)
        .tools(Counts::default())
        .tools(toolset![connect])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    for _ in 0..2 {
        let got = client.call("half", json!({})).await;
        assert!(got.asks(), "{}", got.text);
    }
    let one = client.call("connect", json!({})).await;
    give(&app, "alice", &one.link("account"), KEY).await;
    let opened = json!({ "account": { "action": "accept" } });
    let got = client
        .retry("connect", json!({}), &one.state(), opened)
        .await;
    assert_eq!(got.first_text(), KEY.len().to_string(), "{}", got.text);
    drop(app);
    std::fs::remove_dir_all(&dir).unwrap();
}

#[tokio::test]
async fn a_foreign_revision_is_named_before_what_it_lacks() {
    let app = server().tools(toolset![number]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2027-01-01" });
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let mut request = client.build("tools/list", None);
    let headers = request.headers_mut().unwrap();
    headers.insert("mcp-protocol-version", "2027-01-01".parse().unwrap());
    let body = axum::body::Body::from(body.to_string());
    let got = client.send(request.body(body).unwrap()).await;
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (400, -32022),
        "{}",
        got.text
    );
}

/// Asks four things at once.
#[tool]
async fn four(cx: &Cx) -> Result<String, CallError> {
    let ask = |i| cx.ask::<Left>().at(i);
    try_join!(ask(0), ask(1), ask(2), ask(3))?;
    Ok("done".into())
}

#[tokio::test]
async fn no_more_is_asked_than_answers_are_taken() {
    for most in [3, 4] {
        let limits = Limits::default().answers(most);
        let app = server()
            .limits(limits)
            .tools(toolset![four])
            .build()
            .await
            .unwrap();
        let client = Client::new(&app, "alice");
        let one = client.call("four", json!({})).await;
        if most == 3 {
            internal(&one);
            continue;
        }
        let answers: serde_json::Map<_, _> =
            (0..4).map(|i| (format!("left.{i}"), accept("a"))).collect();
        let got = client
            .retry("four", json!({}), &one.state(), answers.into())
            .await;
        assert_eq!(got.first_text(), "done", "{}", got.text);
    }
}
