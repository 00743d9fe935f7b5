//! Metrics: each is in the guide, with its labels and their values, and each is measured.

use std::collections::BTreeSet;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};

use super::listen::Metrics;
use super::*;

#[tokio::test]
async fn a_run_is_counted_from_question_to_end() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let app = server().build().await.unwrap();
    let client = Client::new(&app, "ada");
    let one = first(&client, "ask").await;
    let wrong =
        json!({ "trip": { "action": "accept", "content": { "place": "Oslo", "email": "x" } } });
    let two = client.retry("ask", json!({}), &one.state(), wrong).await;
    let three = client
        .retry("ask", json!({}), &two.state(), json!({}))
        .await;
    let done = client.retry("ask", json!({}), &three.state(), trip()).await;
    assert_eq!(done.first_text(), "Oslo", "{}", done.text);
    for (series, count) in [
        (
            r#"mcp_elicit_runs_begun_total{feature="tool",name="ask"}"#,
            1,
        ),
        (
            r#"mcp_elicit_asks_total{feature="tool",name="ask",mode="form",why="new"}"#,
            1,
        ),
        (
            r#"mcp_elicit_asks_total{feature="tool",name="ask",mode="form",why="invalid"}"#,
            1,
        ),
        (
            r#"mcp_elicit_asks_total{feature="tool",name="ask",mode="form",why="open"}"#,
            1,
        ),
        (
            r#"mcp_elicit_answers_total{feature="tool",name="ask",mode="form",outcome="invalid"}"#,
            1,
        ),
        (
            r#"mcp_elicit_answers_total{feature="tool",name="ask",mode="form",outcome="accepted"}"#,
            1,
        ),
        (
            r#"mcp_elicit_runs_total{feature="tool",name="ask",result="ok"}"#,
            1,
        ),
    ] {
        assert_eq!(
            metrics.count(series),
            count,
            "{series}: {:?}",
            metrics.series()
        );
    }
    assert_eq!(
        metrics.values(r#"mcp_elicit_run_rounds{feature="tool",name="ask"}"#),
        [4.0]
    );
}

#[tokio::test]
async fn a_decline_of_a_program_is_quicker_than_one_of_a_person() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let app = server().build().await.unwrap();
    let client = Client::new(&app, "ada");
    let no = json!({ "trip": { "action": "decline" } });
    for wait in [0, 300] {
        let one = first(&client, "ask").await;
        tokio::time::sleep(Duration::from_millis(wait)).await;
        let got = client
            .retry("ask", json!({}), &one.state(), no.clone())
            .await;
        assert!(got.is_error(), "{}", got.text);
    }
    let series =
        r#"mcp_elicit_answer_seconds{feature="tool",name="ask",mode="form",outcome="declined"}"#;
    let [program, person] = metrics.values(series)[..] else {
        panic!("{:?}", metrics.series());
    };
    assert!(program < 0.3 && person >= 0.3, "{program} {person}");
    let ended = r#"mcp_elicit_runs_total{feature="tool",name="ask",result="unanswered"}"#;
    assert_eq!(metrics.count(ended), 2);
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_has_no_time() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let app = server().build().await.unwrap();
    let client = Client::new(&app, "ada");
    let got = client
        .call_with("ask", json!({ "arguments": {}, "inputResponses": trip() }))
        .await;
    assert_eq!(got.first_text(), "Oslo", "{}", got.text);
    assert_eq!(
        metrics.count(
            r#"mcp_elicit_answers_total{feature="tool",name="ask",mode="form",outcome="accepted"}"#
        ),
        1
    );
    assert!(
        !metrics
            .series()
            .iter()
            .any(|s| s.contains("answer_seconds"))
    );
}

#[tokio::test]
async fn what_the_vault_had_all_along_is_no_answer() {
    let metrics = Metrics::default();
    let app = server().build().await.unwrap();
    let client = Client::new(&app, "ada");
    let one = first(&client, "connect").await;
    give(&app, "ada", &one.link("account")).await;
    let _recorder = metrics::set_default_local_recorder(&metrics);
    client.call("connect", json!({})).await;
    assert!(!metrics.series().iter().any(|s| s.contains("answer")));
    let state = one.state();
    let done = client
        .retry("connect", json!({}), &state, accept("account"))
        .await;
    assert_eq!(done.first_text(), "connected");
    let series =
        r#"mcp_elicit_answers_total{feature="tool",name="connect",mode="url",outcome="accepted"}"#;
    assert_eq!(metrics.count(series), 1);
}

/// Ends of all kinds, refusals of all kinds that can be had by a client, and all that can happen to
/// a page.
async fn everything(metrics: &Metrics) {
    let app = server().limits(quick()).build().await.unwrap();
    let (ada, bob) = (Client::new(&app, "ada"), Client::new(&app, "bob"));
    // Ends.
    for end in ["error", "leak", "journal", "secret", "text", ""] {
        let arguments = json!({ "who": "me", "end": end });
        let one = ada.call("travel", arguments.clone()).await;
        let two = ada
            .retry("travel", arguments.clone(), &one.state(), trip())
            .await;
        if two.asks() {
            give(&app, "ada", &two.link("account.me")).await;
            let answers = accept("account.me");
            ada.retry("travel", arguments, &two.state(), answers).await;
        }
    }
    ada.call("count", json!({ "many": "x" })).await;
    ada.clone()
        .can(json!({}))
        .call("count", json!({ "many": 1 }))
        .await;
    let one = first(&ada, "ask").await;
    let malformed = json!({ "trip": { "action": "perhaps" } });
    ada.retry("ask", json!({}), &one.state(), malformed).await;
    let closed = json!({ "trip": { "action": "cancel" } });
    ada.retry("ask", json!({}), &one.state(), closed).await;
    plan_and_read(&ada, "Eve", "Rome").await;
    // States.
    let state = one.state();
    for state in [
        "e1.!".to_owned(),
        format!("e2.{state}"),
        "e".repeat(50_000),
        tampered(&state),
    ] {
        let got = ada.retry("ask", json!({}), &state, trip()).await;
        assert_eq!(got.code(), -32602, "{}", got.text);
    }
    bob.retry("ask", json!({}), &state, trip()).await;
    ada.retry("connect", json!({}), &state, trip()).await;
    let once = first(&ada, "once_only").await;
    for _ in 0..2 {
        ada.retry("once_only", json!({}), &once.state(), trip())
            .await;
    }
    let ring = mcp_elicit::Keyring::new([8; 32]).unwrap();
    let other = server().keyring(ring).build().await.unwrap();
    ada.on(&other).retry("ask", json!({}), &state, trip()).await;
    let limits = quick().lifetime(Duration::from_millis(1));
    let late = server().limits(limits).build().await.unwrap();
    let one = first(&ada.on(&late), "ask").await;
    first(&ada.on(&late), "connect").await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    ada.on(&late)
        .retry("ask", json!({}), &one.state(), trip())
        .await;
    first(&ada.on(&late), "connect").await;
    // Pages.
    let one = first(&ada, "connect").await;
    let link = one.link("account");
    Browser::new(&app).sign_in(&link, "bob").await;
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "ada").await;
    browser.open("/ui/account/AAAAAAAAAAAAAAAAAAAAAA").await;
    browser.submit(&link, &page, &[("key", "")]).await;
    let forged = [(":token".to_owned(), "x".to_owned())];
    let path = link.split("3000").nth(1).unwrap();
    browser.post(path, &forged).await;
    browser.decline(&link, &page).await;
    browser.decline(&link, &page).await;
    ada.retry("connect", json!({}), &one.state(), accept("account"))
        .await;
    let one = first(&ada, "connect").await;
    let no = json!({ "account": { "action": "decline" } });
    ada.retry("connect", json!({}), &one.state(), no).await;
    // Limits.
    let limits = quick()
        .rounds(1)
        .claims(1)
        .tickets(1)
        .answers(1)
        .body(4096)
        .read(Duration::from_millis(1));
    let small = server().limits(limits).build().await.unwrap();
    let ada = Client::new(&small, "ada");
    let one = first(&ada, "ask").await;
    ada.retry("ask", json!({}), &one.state(), json!({})).await;
    let two = json!({ "a": { "action": "cancel" }, "b": { "action": "cancel" } });
    ada.retry("ask", json!({}), &one.state(), two).await;
    for _ in 0..2 {
        ada.call("connect", json!({})).await;
    }
    ada.call("count", json!({ "many": "x".repeat(5000) })).await;
    ada.raw("tools/call", Some("count"), Body::new(Never)).await;
    for number in [1, 2] {
        ada.call("pay", json!({ "number": number })).await;
    }
    // What the client itself is asked for.
    let limits = Limits::default().sampled(10_000).sampled_kept(0);
    let strict = server().limits(limits).build().await.unwrap();
    let ada = able(&strict, "ada");
    let one = first(&ada, "of_client").await;
    for size in [10, 5_000, 10_000] {
        let answers = of_client_says(&"x".repeat(size));
        ada.retry("of_client", json!({}), &one.state(), answers)
            .await;
    }
    // Held retries.
    let limits = Limits::default().hold(Duration::from_millis(100)).held(1);
    let holding = server().limits(limits).build().await.unwrap();
    let ada = Client::new(&holding, "ada");
    let one = first(&ada, "connect").await;
    let state = one.state();
    let held = || ada.retry("connect", json!({}), &state, accept("account"));
    let _ = tokio::join!(held(), held());
    assert_eq!(
        metrics.count("mcp_elicit_held{}"),
        0,
        "none is held any more"
    );
    let _ = tokio::time::timeout(Duration::from_millis(20), held()).await;
    let link = one.link("account");
    // In this order: it is held when the page is finished.
    let (done, _) = tokio::join!(held(), give(&holding, "ada", &link));
    assert_eq!(done.first_text(), "connected");
}

/// The state with another character in its middle.
fn tampered(state: &str) -> String {
    let (start, end) = state.split_at(state.len() / 2);
    let other = if end.starts_with('A') { "B" } else { "A" };
    format!("{start}{other}{}", &end[1..])
}

/// A body that never comes.
struct Never;

impl http_body::Body for Never {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }
}

/// What the server offers.
const NAMES: [&str; 9] = [
    "travel",
    "ask",
    "connect",
    "once_only",
    "count",
    "pay",
    "of_client",
    "plan",
    "people://{who}",
];

/// Labels with their values, of which those that are names have none.
type Labels = Vec<(String, BTreeSet<String>)>;

/// Each metric of the guide with its labels.
fn guide() -> Vec<(String, Labels)> {
    let guide = include_str!("../../docs/guide/operating.md");
    let quoted = |text: &str| -> Vec<String> {
        let words = text.split('`').skip(1).step_by(2);
        words.map(str::to_owned).collect()
    };
    let rows = guide
        .lines()
        .filter(|line| line.starts_with("| `mcp_elicit_"));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').collect();
        let labels = cells[4].split(';').filter(|label| !label.trim().is_empty());
        let labels = labels.map(|label| {
            let mut words = quoted(label);
            let name = words.remove(0);
            (name, words.into_iter().collect())
        });
        (quoted(cells[1]).remove(0), labels.collect())
    })
    .collect()
}

#[tokio::test]
async fn what_is_measured_is_what_the_guide_says() {
    // What nobody reads is not written, and so not looked at for secrets.
    let log = tracing_subscriber::fmt()
        .with_writer(std::io::sink)
        .finish();
    let _log = tracing::subscriber::set_default(log);
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    everything(&metrics).await;
    let guide = guide();
    let mut seen = BTreeSet::new();
    for series in metrics.series() {
        let (name, labels) = series.strip_suffix('}').unwrap().split_once('{').unwrap();
        let row = guide.iter().find(|(known, _)| known == name);
        let (_, known) = row.unwrap_or_else(|| panic!("{series} is not in the guide"));
        seen.insert(name.to_owned());
        let labels: Vec<_> = labels
            .split(',')
            .filter(|label| !label.is_empty())
            .collect();
        assert_eq!(labels.len(), known.len(), "{series}");
        for (label, (known, values)) in labels.into_iter().zip(known) {
            let (label, value) = label.split_once('=').unwrap();
            let value = value.trim_matches('"');
            assert_eq!(label, known, "{series}");
            let named = match label {
                "name" => NAMES.contains(&value),
                "page" => ["account", "-"].contains(&value),
                _ => values.contains(value),
            };
            assert!(named, "{series}");
            seen.insert(format!("{name} {label} {value}"));
        }
    }
    // What needs a clock, another build or a failure is not made here, nor what other tests show.
    let elsewhere = [
        "reason from_the_future",
        "reason newer_version",
        "outcome unverified",
        "reason run_deadline",
        "reason newer_revision",
        "reason older_revision",
        "outcome shutdown",
        "outcome failed",
        "outcome timed_out",
        "mcp_elicit_answers_total outcome invalid",
        "mcp_elicit_answer_seconds outcome invalid",
        "mcp_elicit_asks_total why invalid",
        "limit at_once",
        "limit held_by_one",
        "limit call_rate",
        "limit anonymous_rate",
        "limit page_rate",
        "limit address_rate",
        "limit sign_in_rate",
        "limit notices",
        "limit listeners",
        "limit listeners_of_one",
        "limit anonymous_listeners",
        "limit subscribed",
        "place notice",
    ];
    for feature in ["tool", "prompt", "resource"] {
        let what = format!("mcp_elicit_runs_total feature {feature}");
        assert!(seen.contains(&what), "{what}");
    }
    for (name, labels) in &guide {
        assert!(seen.contains(name), "{name} was never measured");
        // Not everything happens to prompts and resources here.
        let labels = labels.iter().filter(|(label, _)| label != "feature");
        for (label, values) in labels {
            for value in values {
                let what = format!("{name} {label} {value}");
                let is_elsewhere = elsewhere.iter().any(|e| what.ends_with(e));
                assert_ne!(seen.contains(&what), is_elsewhere, "{what}");
            }
        }
    }
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/speaker")]
struct Speaker {
    #[secret]
    api_key: SecretString,
}

/// Says what it must not.
#[tool]
async fn speak(cx: &Cx) -> Result<&'static str, CallError> {
    let speaker = cx.ask::<Speaker>().await?;
    let text = speaker.api_key.expose_secret();
    cx.report(mcp_elicit::Progress::new(1).message(text));
    Ok("Done")
}

/// Says more than there is room for.
#[tool]
async fn babble(cx: &Cx) -> &'static str {
    cx.report(mcp_elicit::Progress::new(1).message("x".repeat(2000)));
    "Done"
}

#[tokio::test]
async fn what_streams_meet_is_counted() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let limits = quick()
        .notices(1000)
        .listeners(2)
        .listeners_of_one(1)
        .subscribed(1);
    let app = mcp_elicit_tests::server().tools(toolset![speak, babble]);
    let app = app.limits(limits).build().await.unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    assert_eq!(client.call("babble", json!({})).await.first_text(), "Done");
    let asked = client.call("speak", json!({})).await;
    let (mut browser, link) = (Browser::new(&app), asked.link("speaker"));
    let page = browser.sign_in(&link, "ada").await;
    browser
        .submit(&link, &page, &[("api_key", "sk-live-0123456789abcdef")])
        .await;
    let answers = json!({ "speaker": { "action": "accept" } });
    let got = client
        .retry("speak", json!({}), &asked.state(), answers)
        .await;
    assert_eq!(got.code(), -32603);
    let refused = async |user: &str| {
        let params = json!({ "notifications": {} });
        let client = client.as_user(user);
        let got = client.request("subscriptions/listen", None, params).await;
        assert_eq!(got.code(), -32603, "{}", got.text);
    };
    let hers = client.listen(json!({})).await;
    refused("ada").await;
    let his = client.as_user("bob").listen(json!({})).await;
    refused("cyd").await;
    let params = json!({ "notifications": { "resourceSubscriptions": ["a:b", "a:c"] } });
    client.request("subscriptions/listen", None, params).await;
    drop((hers, his));
    for limit in ["notices", "listeners", "listeners_of_one", "subscribed"] {
        let counted = metrics.count(&format!("mcp_elicit_limits_total{{limit={limit:?}}}"));
        assert_eq!(counted, 1, "{limit}: {:?}", metrics.series());
    }
    let leak = r#"mcp_elicit_leaks_total{feature="tool",name="speak",place="notice"}"#;
    assert_eq!(metrics.count(leak), 1);
}

/// Whoever the header names.
struct Named;

impl mcp_elicit::auth::Authenticator for Named {
    async fn authenticate(
        &self,
        parts: &mcp_elicit::http::request::Parts,
    ) -> Result<mcp_elicit::auth::Principal, mcp_elicit::auth::AuthError> {
        let name = parts.headers["authorization"].to_str().unwrap();
        Ok(mcp_elicit::auth::Principal::new("test", name))
    }
}

fn from(address: &str) -> axum::extract::ConnectInfo<std::net::SocketAddr> {
    axum::extract::ConnectInfo(address.parse().unwrap())
}

#[tokio::test]
async fn one_address_cannot_take_all_streams_of_changes() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let limits = quick()
        .listeners(5)
        .listeners_of_one(1)
        .anonymous_listeners(2);
    let open = mcp_elicit_tests::server().auth(mcp_elicit::auth::Anonymous);
    let open = open.tools(toolset![count]).limits(limits);
    let app = open.build().await.unwrap();
    let client = Client::new(&app, "ada");
    let listen = async |peer: &str| {
        let request = client.build("subscriptions/listen", None);
        let params = json!({ "notifications": {}, "_meta": client.meta() });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params });
        let request = request.extension(from(peer));
        let request = request.body(Body::from(body.to_string())).unwrap();
        let response = tower::ServiceExt::oneshot(app.router(), request);
        let response = response.await.unwrap();
        let kind = response.headers()["content-type"].clone();
        (kind == "text/event-stream").then_some(response)
    };
    let first = listen("192.0.2.1:9").await.unwrap();
    let _second = listen("192.0.2.1:8").await.unwrap();
    assert!(listen("192.0.2.1:7").await.is_none());
    // Another one, and this machine, which may stand for anybody.
    let mut others = Vec::new();
    for peer in ["[2001:db8::1]:9", "[2001:db8::2]:9", "127.0.0.1:9"] {
        others.push(listen(peer).await.unwrap());
    }
    others.pop();
    tokio::task::yield_now().await;
    assert!(listen("[2001:db8::3]:9").await.is_none());
    drop(first);
    tokio::task::yield_now().await;
    assert!(listen("192.0.2.1:7").await.is_some());
    let counted = metrics.count(r#"mcp_elicit_limits_total{limit="anonymous_listeners"}"#);
    assert_eq!(counted, 2, "{:?}", metrics.series());
}

#[tokio::test]
async fn each_limit_of_rates_is_counted() {
    let metrics = Metrics::default();
    let _recorder = metrics::set_default_local_recorder(&metrics);
    let limits = quick().call_rate(1).anonymous_rate(1);
    // MCP requests: of somebody, and of nobody from one address.
    let known = server()
        .auth(Named)
        .limits(limits.clone())
        .allow_host("127.0.0.1:3000");
    let known = known.build().await.unwrap();
    for expected in [200, 429] {
        let got = Client::new(&known, "ada")
            .call("count", json!({ "many": 1 }))
            .await;
        assert_eq!(got.status, expected, "{}", got.text);
    }
    let open = toolset![count];
    let open = mcp_elicit_tests::server()
        .tools(open)
        .auth(mcp_elicit::auth::Anonymous);
    let open = open.limits(limits).build().await.unwrap();
    for (peer, expected) in [
        ("192.0.2.1:9", 200),
        ("192.0.2.1:8", 429),
        ("192.0.2.2:9", 200),
        // This machine may stand for anybody.
        ("127.0.0.1:9", 200),
        ("127.0.0.1:9", 200),
    ] {
        let client = Client::new(&open, "ada");
        let meta = json!({ "_meta": client.meta() });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": meta });
        let request = client.build("tools/list", None).extension(from(peer));
        let request = request.body(Body::from(body.to_string())).unwrap();
        let got = client.send(request).await;
        assert_eq!(got.status, expected, "{peer}: {}", got.text);
    }
    // Pages: of one address, of one person, and the sign-ins of one address.
    let one = server()
        .limits(quick().address_rate(1))
        .build()
        .await
        .unwrap();
    for expected in [303, 429] {
        let request = axum::http::Request::get("/ui").extension(from("192.0.2.1:9"));
        let got = Browser::new(&one)
            .go(request.body(Body::empty()).unwrap())
            .await;
        assert_eq!((got.status == 429), (expected == 429), "{}", got.status);
    }
    let one = server().limits(quick().page_rate(2)).build().await.unwrap();
    let mut browser = Browser::new(&one);
    browser.sign_in("/ui", "ada").await;
    let mut last = 200;
    for _ in 0..3 {
        last = browser.open("/ui").await.status.as_u16();
    }
    assert_eq!(last, 429);
    let one = server()
        .limits(quick().sign_in_rate(1))
        .build()
        .await
        .unwrap();
    Browser::new(&one).sign_in("/ui", "ada").await;
    assert_eq!(Browser::new(&one).sign_in("/ui", "bob").await.status, 429);
    for limit in [
        "call_rate",
        "anonymous_rate",
        "address_rate",
        "page_rate",
        "sign_in_rate",
    ] {
        let counted = metrics.count(&format!("mcp_elicit_limits_total{{limit={limit:?}}}"));
        assert!(counted > 0, "{limit}: {:?}", metrics.series());
    }
}
