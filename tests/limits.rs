//! Every limit of a run at its edge: what it allows goes through, and one more does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits, UnixTime};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

/// Which one?
#[derive(Elicit)]
struct Which {
    #[elicit(max_length = 1)]
    what: String,
}

/// Asks so many times.
#[tool]
async fn times(cx: &Cx, n: usize) -> Result<String, CallError> {
    for i in 0..n {
        cx.ask::<Which>().at(i).await?;
    }
    Ok("done".into())
}

/// Does something, and then asks without an end.
#[tool]
async fn insatiable(cx: &Cx) -> Result<String, CallError> {
    cx.once("pay", async |_| Ok(())).await?;
    for i in 0.. {
        cx.ask::<Which>().at(i).await?;
    }
    Ok("done".into())
}

/// Asks once, with so many attempts of its own, if any.
#[tool]
async fn patient(cx: &Cx, own: Option<u8>) -> Result<String, CallError> {
    let ask = cx.ask::<Which>();
    Ok(match own {
        Some(own) => ask.attempts(own).await?.what,
        None => ask.await?.what,
    })
}

/// Records so many bytes, as JSON.
#[tool]
async fn records(cx: &Cx, bytes: usize, once: bool) -> Result<String, CallError> {
    // Two of them are the quotes.
    let text = "x".repeat(bytes - 2);
    let got: String = if once {
        cx.once("it", async |_| Ok(text)).await?
    } else {
        cx.step("it", async |_| Ok(text)).await?
    };
    cx.confirm("Go on?").await?;
    Ok(got.len().to_string())
}

/// Does one of many things.
#[tool]
async fn effect(cx: &Cx, n: u32) -> Result<String, CallError> {
    cx.once("it", async |_| Ok(())).by(n).await?;
    Ok("done".into())
}

async fn app(limits: Limits) -> (App, Client) {
    let tools = toolset![times, insatiable, patient, records, effect];
    let app = server().limits(limits).tools(tools).build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

fn accept(key: &str, what: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "what": what } } })
}

fn yes() -> Value {
    json!({ "confirm": { "action": "accept", "content": { "confirm": true } } })
}

#[tokio::test]
async fn rounds() {
    let (_, client) = app(Limits::default().rounds(3)).await;
    for (n, ends) in [(3, true), (4, false)] {
        let arguments = json!({ "n": n });
        let mut got = client.call("times", arguments.clone()).await;
        for i in 0..n.min(3) {
            assert!(got.asks(), "{}", got.text);
            got = client
                .retry(
                    "times",
                    arguments.clone(),
                    &got.state(),
                    accept(&format!("which.{i}"), "a"),
                )
                .await;
        }
        assert_eq!(got.first_text() == "done", ends, "{}", got.text);
        assert_eq!(got.is_error(), !ends, "{}", got.text);
    }
}

#[tokio::test]
async fn what_was_done_before_the_last_round_is_told() {
    let (_, client) = app(Limits::default().rounds(1)).await;
    let one = client.call("insatiable", json!({})).await;
    let got = client
        .retry(
            "insatiable",
            json!({}),
            &one.state(),
            accept("which.0", "a"),
        )
        .await;
    let text = got.first_text();
    assert!(
        got.is_error() && text.starts_with("Done so far: pay. Then: This was asked"),
        "{text}"
    );
}

#[tokio::test]
async fn attempts() {
    for (limit, own, most) in [(3, None, 3), (1, None, 1), (3, Some(5), 5), (3, Some(0), 1)] {
        let (_, client) = app(Limits::default().attempts(limit)).await;
        let arguments = json!({ "own": own });
        let mut got = client.call("patient", arguments.clone()).await;
        for _ in 0..most {
            assert!(got.asks(), "{}", got.text);
            got = client
                .retry(
                    "patient",
                    arguments.clone(),
                    &got.state(),
                    accept("which", "ab"),
                )
                .await;
        }
        assert!(
            got.is_error() && got.first_text().contains("what: "),
            "{}",
            got.text
        );
    }
}

#[tokio::test]
async fn sizes_of_results() {
    let (_, client) = app(Limits::default().step(500).result(2000)).await;
    for once in [false, true] {
        for (bytes, fits) in [(500, true), (501, true), (2000, true), (2001, false)] {
            let arguments = json!({ "bytes": bytes, "once": once });
            let one = client.call("records", arguments.clone()).await;
            assert_eq!(one.asks(), fits, "{}", one.text);
            if !fits {
                assert!(
                    one.is_error() && one.first_text().contains("Internal error"),
                    "{}",
                    one.text
                );
                continue;
            }
            // Up to the limit a step travels in the state; what an effect returns never does.
            let travels = one.state().len() > 500;
            assert_eq!(
                travels,
                !once && bytes <= 500,
                "{bytes} {}",
                one.state().len()
            );
            let got = client
                .retry("records", arguments, &one.state(), yes())
                .await;
            assert_eq!(got.first_text(), (bytes - 2).to_string(), "{}", got.text);
        }
    }
}

#[tokio::test]
async fn claims_of_one_principal() {
    let (_, client) = app(Limits::default().claims(3)).await;
    for n in 0..3 {
        assert_eq!(
            client.call("effect", json!({ "n": n })).await.first_text(),
            "done"
        );
    }
    let got = client.call("effect", json!({ "n": 3 })).await;
    assert!(
        got.is_error() && got.first_text().contains("Too many"),
        "{}",
        got.text
    );
    // What was done is still known, and somebody else has a limit of their own.
    assert_eq!(
        client.call("effect", json!({ "n": 2 })).await.first_text(),
        "done"
    );
    let other = client.as_user("bob");
    assert_eq!(
        other.call("effect", json!({ "n": 3 })).await.first_text(),
        "done"
    );
}

#[tokio::test]
async fn depth_of_a_message() {
    // The arguments stand at the third level: the message, its `params`, they themselves.
    let tools = || toolset![times];
    for (most, fits) in [(6, true), (5, false)] {
        let limits = Limits::default().depth(most);
        let app = server()
            .limits(limits)
            .tools(tools())
            .build()
            .await
            .unwrap();
        let client = Client::new(&app, "alice");
        let got = client
            .call("times", json!({ "n": 0, "more": [[[]]] }))
            .await;
        assert_eq!(got.code() == 0, fits, "{}", got.text);
        assert_eq!(got.status == 400, !fits, "{}", got.text);
    }
}

fn refused(got: &Got) -> bool {
    got.code() == -32602 && got.text.contains("invalid or expired")
}

/// A server whose clock is ahead by so many milliseconds.
async fn at_time(limits: Limits) -> (Arc<AtomicU64>, Client) {
    let start = UnixTime::now();
    let ahead = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&ahead);
    let now = move || start.after(Duration::from_millis(clock.load(Ordering::SeqCst)));
    let server = server().limits(limits).tools(toolset![times, patient]);
    let app = mcp_elicit::__private::test::clock(server, now)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    (ahead, client)
}

#[tokio::test]
async fn the_lifetime_of_a_state() {
    let limits = Limits::default().lifetime(Duration::from_secs(600));
    let (ahead, client) = at_time(limits).await;
    let one = client.call("patient", json!({})).await;
    for (at, fits) in [
        (0, true),
        (599_999, true),
        (600_000, false),
        (u64::MAX / 4, false),
    ] {
        ahead.store(at, Ordering::SeqCst);
        let got = client
            .retry("patient", json!({}), &one.state(), accept("which", "a"))
            .await;
        assert_eq!(got.first_text() == "a", fits, "{}", got.text);
        assert_eq!(refused(&got), !fits, "{}", got.text);
    }
}

#[tokio::test]
async fn the_lifetime_of_a_run() {
    let limits = Limits::default().run(Duration::from_secs(5_000));
    let (ahead, client) = at_time(limits).await;
    let arguments = json!({ "n": 3 });
    let one = client.call("times", arguments.clone()).await;
    ahead.store(3_000_000, Ordering::SeqCst);
    let two = client
        .retry(
            "times",
            arguments.clone(),
            &one.state(),
            accept("which.0", "a"),
        )
        .await;
    // The second round began late, and the run ends all the same.
    for (at, fits) in [(4_999_999, true), (5_000_000, false)] {
        ahead.store(at, Ordering::SeqCst);
        let got = client
            .retry(
                "times",
                arguments.clone(),
                &two.state(),
                accept("which.1", "a"),
            )
            .await;
        assert_eq!(got.asks(), fits, "{}", got.text);
        assert_eq!(refused(&got), !fits, "{}", got.text);
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back() {
    let (ahead, client) = at_time(Limits::default()).await;
    ahead.store(3_600_000, Ordering::SeqCst);
    let one = client.call("patient", json!({})).await;
    // Two machines may differ by a minute.
    for (at, fits) in [(3_540_000, true), (3_539_999, false)] {
        ahead.store(at, Ordering::SeqCst);
        let got = client
            .retry("patient", json!({}), &one.state(), accept("which", "a"))
            .await;
        assert_eq!(got.first_text() == "a", fits, "{}", got.text);
    }
}

/// Your key.
#[derive(Elicit)]
#[elicit(url = "/ui/key", message = "Please give your key.")]
struct PageKey {
    #[secret]
    key: SecretString,
}

/// Does all that has a time.
#[tool]
async fn timed(cx: &Cx) -> Result<String, CallError> {
    let lifetime = Duration::MAX;
    let which = cx.ask::<Which>().lifetime(lifetime).await?;
    drop(cx.ask::<PageKey>().lifetime(lifetime).await?.key);
    cx.step("look", async |_| {
        tokio::task::yield_now().await;
        Ok(())
    })
    .await?;
    cx.once("pay", async |_| Ok(())).await?;
    cx.once("pay more", async |_| Ok(()))
        .by(which.what.clone())
        .await?;
    Ok(which.what)
}

/// The longest times there are add up to no time that a clock has.
#[tokio::test]
async fn no_time_is_too_long() {
    let all = Duration::MAX;
    let limits = Limits::default().read(all).lifetime(all).run(all).hold(all);
    let limits = limits.verify(all).effect(all).handler(all).remember(all);
    let verified = async |_: &PageKey, _: &mcp_elicit::auth::Principal| Ok(());
    let directory = std::env::temp_dir().join(format!("mcp-elicit-times-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    let stored = mcp_elicit::store::SqliteStore::open(directory.join("times.db"))
        .await
        .unwrap();
    let in_memory = server()
        .tools(toolset![timed])
        .limits(limits.clone())
        .verify::<PageKey>(verified);
    let on_disk = server()
        .tools(toolset![timed])
        .limits(limits)
        .verify::<PageKey>(verified);
    for server in [in_memory, on_disk.store(stored)] {
        let app = server.build().await.unwrap();
        let client = Client::new(&app, "ada");
        let one = client.call("timed", json!({})).await;
        let answer = json!({ "which": { "action": "accept", "content": { "what": "a" } } });
        let two = client.retry("timed", json!({}), &one.state(), answer).await;
        let (link, state) = (two.link("page_key"), two.state());
        let accepted = json!({ "page_key": { "action": "accept" } });
        let held = client.retry("timed", json!({}), &state, accepted);
        let page = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let mut browser = mcp_elicit_tests::Browser::new(&app);
            let page = browser.sign_in(&link, "ada").await;
            browser
                .submit(&link, &page, &[("key", "sk_live_4eC39HqLyjWD")])
                .await
        };
        let (done, saved) = tokio::join!(held, page);
        assert_eq!(saved.status, 303, "{}", saved.text);
        assert_eq!(done.first_text(), "a", "{}", done.text);
    }
    let _ = std::fs::remove_dir_all(&directory);
}
