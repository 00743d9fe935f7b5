//! A run that goes on after the code has changed under it: each row of the table of cases.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{App, IntoTools, Server, Tool};
use mcp_elicit_tests::{Client, Got, keyring};
use serde_json::{Value, json};

/// Where to?
#[derive(Elicit)]
struct Goal {
    city: String,
}

/// When?
#[derive(Elicit)]
struct Day {
    #[elicit(min = 1, max = 366)]
    day: u16,
}

/// When, exactly?
#[derive(Elicit)]
#[elicit(key = "day")]
struct DayAndHour {
    #[elicit(min = 1, max = 366)]
    day: u16,
    hour: Option<u8>,
}

static BOOKED: AtomicUsize = AtomicUsize::new(0);

/// Plans a trip.
#[tool(name = "plan")]
async fn plan(cx: &Cx) -> Result<String, CallError> {
    let goal = cx.ask::<Goal>().await?;
    let day = cx.ask::<Day>().await?;
    Ok(format!("{} on {}", goal.city, day.day))
}

/// Plans a trip, with another message and the same questions in another order.
#[tool(name = "plan")]
async fn plan_later(cx: &Cx) -> Result<String, CallError> {
    let (day, goal) = try_join!(cx.ask::<Day>(), cx.ask::<Goal>())?;
    Ok(format!("on {} to {}", day.day, goal.city))
}

/// Plans a trip by another question.
#[tool(name = "plan")]
async fn plan_exactly(cx: &Cx) -> Result<String, CallError> {
    let goal = cx.ask::<Goal>().await?;
    let at = cx.ask::<DayAndHour>().await?;
    Ok(format!("{} on {} at {:?}", goal.city, at.day, at.hour))
}

/// Plans a trip, in other words.
#[tool(name = "plan")]
async fn plan_politely(cx: &Cx) -> Result<String, CallError> {
    let goal = cx.ask::<Goal>().message("Where to, please?").await?;
    let day = cx.ask::<Day>().await?;
    Ok(format!("{} on {}, please", goal.city, day.day))
}

/// Plans a trip by new rules.
#[tool(name = "plan", rev = 1)]
async fn plan_anew(cx: &Cx) -> Result<String, CallError> {
    let goal = cx.ask::<Goal>().await?;
    let day = cx.ask::<Day>().await?;
    Ok(format!("{} on {} by new rules", goal.city, day.day))
}

/// Reads, then asks.
#[tool(name = "read")]
async fn read(cx: &Cx) -> Result<String, CallError> {
    let offers: Vec<u32> = cx.step("offers", async |_| Ok(vec![1, 2])).await?;
    let goal = cx.ask::<Goal>().await?;
    Ok(format!("{offers:?} {}", goal.city))
}

/// Reads into another type that can be read from the same JSON.
#[tool(name = "read")]
async fn read_wider(cx: &Cx) -> Result<String, CallError> {
    let offers: Vec<i64> = cx.step("offers", async |_| Ok(vec![7])).await?;
    let goal = cx.ask::<Goal>().await?;
    Ok(format!("wide {offers:?} {}", goal.city))
}

/// Reads into another type.
#[tool(name = "read")]
async fn read_other(cx: &Cx) -> Result<String, CallError> {
    let offers: String = cx.step("offers", async |_| Ok("1, 2".to_owned())).await?;
    let goal = cx.ask::<Goal>().await?;
    Ok(format!("{offers} {}", goal.city))
}

/// Reads by new rules.
#[tool(name = "read", rev = 3)]
async fn read_anew(cx: &Cx) -> Result<String, CallError> {
    let goal = cx.ask::<Goal>().await?;
    Ok(goal.city)
}

/// Books, then asks.
#[tool(name = "book")]
async fn book(cx: &Cx) -> Result<String, CallError> {
    cx.once("book", async |_| Ok(BOOKED.fetch_add(1, Ordering::SeqCst)))
        .await?;
    let goal = cx.ask::<Goal>().await?;
    Ok(goal.city)
}

/// Books by new rules.
#[tool(name = "book", rev = 1)]
async fn book_anew(cx: &Cx) -> Result<String, CallError> {
    cx.once("book", async |_| Ok(BOOKED.fetch_add(1, Ordering::SeqCst)))
        .await?;
    let goal = cx.ask::<Goal>().await?;
    Ok(goal.city)
}

/// Instances with one store and one ring, whatever their tools.
struct Fleet(MemoryStore);

impl Fleet {
    fn new() -> Self {
        Self(MemoryStore::new())
    }

    async fn with(&self, tools: impl IntoTools) -> (App, Client) {
        let server = Server::new("test", "1.0.0")
            .store(self.0.clone())
            .keyring(keyring())
            .auth(mcp_elicit::auth::DevUsers);
        let app = server.tools(tools).build().await.unwrap();
        let client = Client::new(&app, "alice");
        (app, client)
    }
}

fn goal() -> Value {
    json!({ "goal": { "action": "accept", "content": { "city": "Ulm" } } })
}

fn day() -> Value {
    json!({ "day": { "action": "accept", "content": { "day": 7 } } })
}

/// What the old build gives: a state in which the goal is known and the day is asked.
async fn under_way(fleet: &Fleet) -> Got {
    let (_app, old) = fleet.with(toolset![plan]).await;
    let one = old.call("plan", json!({})).await;
    let two = old.retry("plan", json!({}), &one.state(), goal()).await;
    assert!(two.asked("day").is_object(), "{}", two.text);
    two
}

#[tokio::test]
async fn answers_to_what_has_not_changed_are_kept() {
    let fleet = Fleet::new();
    let two = under_way(&fleet).await;
    let (_app, new) = fleet.with(toolset![plan_later]).await;
    let got = new.retry("plan", json!({}), &two.state(), day()).await;
    assert_eq!(got.first_text(), "on 7 to Ulm", "{}", got.text);
}

#[tokio::test]
async fn a_question_that_has_changed_is_asked_again() {
    let fleet = Fleet::new();
    let two = under_way(&fleet).await;
    let (_app, new) = fleet.with(toolset![plan_exactly]).await;
    let three = new.retry("plan", json!({}), &two.state(), day()).await;
    assert!(
        three.asked("day")["requestedSchema"]["properties"]["hour"].is_object(),
        "{}",
        three.text
    );
    assert!(!three.asked("goal").is_object());
    let got = new.retry("plan", json!({}), &three.state(), day()).await;
    assert_eq!(got.first_text(), "Ulm on 7 at None", "{}", got.text);
}

#[tokio::test]
async fn an_answer_to_a_question_that_has_changed_is_not_used() {
    let fleet = Fleet::new();
    let two = under_way(&fleet).await;
    let (_app, new) = fleet.with(toolset![plan_politely]).await;
    let three = new.retry("plan", json!({}), &two.state(), day()).await;
    assert_eq!(
        three.asked("goal")["message"],
        "Where to, please?",
        "{}",
        three.text
    );
}

#[tokio::test]
async fn builds_that_follow_each_other_may_change_a_question_each_time() {
    let fleet = Fleet::new();
    let mut got = under_way(&fleet).await;
    // Each instance of another build: that is no question which changes by itself.
    for _ in 0..3 {
        let (_app, polite) = fleet.with(toolset![plan_politely]).await;
        got = polite
            .retry("plan", json!({}), &got.state(), json!({}))
            .await;
        assert_eq!(
            got.asked("goal")["message"],
            "Where to, please?",
            "{}",
            got.text
        );
        let (_app, plain) = fleet.with(toolset![plan]).await;
        got = plain
            .retry("plan", json!({}), &got.state(), json!({}))
            .await;
        assert!(got.asks(), "{}", got.text);
    }
}

#[tokio::test]
async fn a_higher_rev_begins_anew_where_nothing_was_done() {
    let fleet = Fleet::new();
    let two = under_way(&fleet).await;
    let (_app, new) = fleet.with(toolset![plan_anew]).await;
    let three = new.retry("plan", json!({}), &two.state(), day()).await;
    assert!(
        three.asked("goal").is_object() && !three.asked("day").is_object(),
        "{}",
        three.text
    );
    let four = new.retry("plan", json!({}), &three.state(), goal()).await;
    let got = new.retry("plan", json!({}), &four.state(), day()).await;
    assert_eq!(got.first_text(), "Ulm on 7 by new rules", "{}", got.text);
}

#[tokio::test]
async fn a_higher_rev_ends_a_run_that_has_done_something() {
    let fleet = Fleet::new();
    let (_app, old) = fleet.with(toolset![read, book]).await;
    let (_app, new) = fleet.with(toolset![read_anew, book_anew]).await;
    let one = old.call("read", json!({})).await;
    let got = new.retry("read", json!({}), &one.state(), goal()).await;
    assert_eq!(
        (got.is_error(), got.first_text()),
        (
            true,
            "This changed while you were answering; please start again."
        ),
    );
    let one = old.call("book", json!({})).await;
    let booked = BOOKED.load(Ordering::SeqCst);
    let got = new.retry("book", json!({}), &one.state(), goal()).await;
    assert!(
        got.is_error() && got.first_text().ends_with("Done so far: book."),
        "{}",
        got.text
    );
    assert_eq!(BOOKED.load(Ordering::SeqCst), booked);
    // The state is as good as it was, for the build that made it.
    let got = old.retry("book", json!({}), &one.state(), goal()).await;
    assert_eq!(got.first_text(), "Ulm", "{}", got.text);
}

#[tokio::test]
async fn a_recorded_step_goes_on_as_long_as_it_can_be_read() {
    let fleet = Fleet::new();
    let (_app, old) = fleet.with(toolset![read]).await;
    let one = old.call("read", json!({})).await;
    let (_app, new) = fleet.with(toolset![read_wider]).await;
    let got = new.retry("read", json!({}), &one.state(), goal()).await;
    assert_eq!(got.first_text(), "wide [1, 2] Ulm", "{}", got.text);
    let (_app, new) = fleet.with(toolset![read_other]).await;
    let got = new.retry("read", json!({}), &one.state(), goal()).await;
    assert!(
        got.is_error() && got.first_text().contains("please start again"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_state_of_a_newer_build_is_left_alone() {
    let fleet = Fleet::new();
    let (_app, new) = fleet.with(toolset![plan_anew]).await;
    let (_app, old) = fleet.with(toolset![plan]).await;
    let one = new.call("plan", json!({})).await;
    let got = old.retry("plan", json!({}), &one.state(), goal()).await;
    assert!(
        got.is_error() && got.first_text().contains("being updated"),
        "{}",
        got.text
    );
    let two = new.retry("plan", json!({}), &one.state(), goal()).await;
    assert!(two.asked("day").is_object(), "{}", two.text);
}

/// What asks by hand, and how often it has run.
fn by_hand(rev: u32, single_use: bool) -> Tool {
    let tool = Tool::new(
        "hand",
        "Asks by hand.",
        |cx: Cx, _: Option<&serde_json::value::RawValue>| {
            Ok(
                Box::pin(async move { Ok(mcp_elicit::Reply::text(cx.ask::<Goal>().await?.city)) })
                    as mcp_elicit::HandlerFuture,
            )
        },
    );
    let tool = tool.rev(rev);
    if single_use { tool.single_use() } else { tool }
}

#[tokio::test]
async fn a_state_of_a_newer_build_is_not_used_up_either() {
    let fleet = Fleet::new();
    let (_app, new) = fleet.with(by_hand(1, true)).await;
    let (_app, old) = fleet.with(by_hand(0, true)).await;
    let one = new.call("hand", json!({})).await;
    let got = old.retry("hand", json!({}), &one.state(), goal()).await;
    assert!(got.first_text().contains("being updated"), "{}", got.text);
    let got = new.retry("hand", json!({}), &one.state(), goal()).await;
    assert_eq!(got.first_text(), "Ulm", "{}", got.text);
}

static TIMES: AtomicUsize = AtomicUsize::new(0);

/// Asks with a number that is read anew.
#[tool(name = "moody")]
async fn moody(cx: &Cx) -> Result<String, CallError> {
    let n = TIMES.fetch_add(1, Ordering::SeqCst);
    cx.once("first", async |_| Ok(())).await?;
    let goal = cx
        .ask::<Goal>()
        .message(format!("Where to, guest {n}?"))
        .await?;
    Ok(goal.city)
}

/// What is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

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
async fn a_question_that_changes_each_time_ends_the_run() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    let fleet = Fleet::new();
    let (_app, client) = fleet.with(toolset![moody]).await;
    let one = client.call("moody", json!({})).await;
    assert_eq!(one.asked("goal")["message"], "Where to, guest 0?");
    let two = client.retry("moody", json!({}), &one.state(), goal()).await;
    assert_eq!(
        two.asked("goal")["message"],
        "Where to, guest 1?",
        "{}",
        two.text
    );
    let got = client.retry("moody", json!({}), &two.state(), goal()).await;
    assert!(got.is_error(), "{}", got.text);
    let text = got.first_text();
    assert!(
        text.contains("Done so far: first") && text.contains("`goal` is another one"),
        "{text}"
    );
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(
        log.contains("VolatileQuestion: the question `goal` of `moody`"),
        "{log}"
    );
    assert!(!log.contains("Where to"), "{log}");
}

static SEEN: AtomicUsize = AtomicUsize::new(1);

/// Closes what is there when it asks.
#[tool(name = "close")]
async fn close(cx: &Cx) -> Result<String, CallError> {
    let found = SEEN.load(Ordering::SeqCst);
    cx.confirm("Close them all?").about(&found).await?;
    Ok(format!("closed {found}"))
}

#[tokio::test]
async fn what_a_question_is_about_may_change_once() {
    let fleet = Fleet::new();
    let (_app, client) = fleet.with(toolset![close]).await;
    let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let one = client.call("close", json!({})).await;
    SEEN.store(2, Ordering::SeqCst);
    let two = client
        .retry("close", json!({}), &one.state(), yes.clone())
        .await;
    assert!(two.asked("confirm").is_object(), "{}", two.text);
    let got = client
        .retry("close", json!({}), &two.state(), yes.clone())
        .await;
    assert_eq!(got.first_text(), "closed 2", "{}", got.text);
    SEEN.store(3, Ordering::SeqCst);
    let got = client.retry("close", json!({}), &two.state(), yes).await;
    assert!(
        got.is_error() && got.first_text().contains("another one"),
        "{}",
        got.text
    );
}

/// Names what it makes.
#[tool]
async fn names(cx: &Cx) -> Result<String, CallError> {
    let (a, b) = (cx.uuid("a"), cx.uuid("b"));
    assert_ne!(a, b);
    cx.confirm(format!("Make {a}?")).await?;
    cx.confirm(format!("And {b}?")).key("second").await?;
    Ok(format!("{a} {b} {}", cx.now().as_millis()))
}

#[tokio::test]
async fn names_and_the_time_are_the_same_in_every_round() {
    let fleet = Fleet::new();
    let (_app, client) = fleet.with(toolset![names]).await;
    let mut all = Vec::new();
    for _ in 0..2 {
        let yes =
            |key: &str| json!({ key: { "action": "accept", "content": { "confirm": true } } });
        let one = client.call("names", json!({})).await;
        let a = one.asked("confirm")["message"].as_str().unwrap()[5..41].to_owned();
        let two = client
            .retry("names", json!({}), &one.state(), yes("confirm"))
            .await;
        let b = two.asked("second")["message"].as_str().unwrap()[4..40].to_owned();
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        let got = client
            .retry("names", json!({}), &two.state(), yes("second"))
            .await;
        let again = client
            .retry("names", json!({}), &two.state(), yes("second"))
            .await;
        assert!(
            got.first_text().starts_with(&format!("{a} {b} ")),
            "{}",
            got.text
        );
        assert_eq!(got.first_text(), again.first_text());
        for id in [&a, &b] {
            assert!(id.len() == 36 && id.as_bytes()[14] == b'8', "{id}");
        }
        all.extend([a, b]);
    }
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 4);
}
