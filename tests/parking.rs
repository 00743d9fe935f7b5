//! When a run parks and when it does not, whatever a handler makes of its questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, HandlerFuture, Limits, Reply, Tool};
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
    what: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please connect your account.")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Asks by `join!`, with a yield in between.
#[tool]
async fn joined(cx: &Cx) -> Result<String, CallError> {
    let later = async {
        tokio::task::yield_now().await;
        cx.ask::<Right>().await
    };
    let (left, right) = tokio::join!(cx.ask::<Left>(), later);
    Ok(format!("{} {}", left?.what, right?.what))
}

/// Asks by `try_join!`, and one "no" is enough.
#[tool]
async fn either(cx: &Cx) -> Result<String, CallError> {
    let (left, right) = try_join!(cx.ask::<Left>(), cx.ask::<Right>())?;
    Ok(format!("{} {}", left.what, right.what))
}

/// Asks one thing after the other, with a yield in between.
#[tool]
async fn one_by_one(cx: &Cx) -> Result<String, CallError> {
    let left = cx.ask::<Left>().await?;
    tokio::task::yield_now().await;
    let right = cx.ask::<Right>().await?;
    Ok(format!("{} {}", left.what, right.what))
}

/// Takes whichever answer is first.
#[tool]
async fn race(cx: &Cx) -> Result<String, CallError> {
    tokio::select! {
        biased;
        left = cx.ask::<Left>() => Ok(left?.what),
        right = cx.ask::<Right>() => Ok(right?.what),
    }
}

/// Gives the user no time at all.
#[tool]
async fn impatient(cx: &Cx, is_error: bool) -> Result<String, CallError> {
    tokio::select! {
        biased;
        left = cx.ask::<Left>() => Ok(left?.what),
        () = std::future::ready(()) => match is_error {
            true => Err("no time".into()),
            false => Ok("no time".into()),
        },
    }
}

/// Gives the user a second, as it seems.
#[tool]
async fn limited(cx: &Cx) -> Result<String, CallError> {
    let limit = Duration::from_secs(1);
    match tokio::time::timeout(limit, cx.ask::<Left>()).await {
        Ok(left) => Ok(left?.what),
        Err(_) => Ok("too late".into()),
    }
}

/// Looks for a credential beside a form.
#[tool(asks(Account, Left))]
async fn beside(cx: &Cx) -> Result<String, CallError> {
    let (left, account) = try_join!(cx.ask::<Left>(), cx.ask::<Account>())?;
    Ok(format!(
        "{} {}",
        left.what,
        account.api_key.expose_secret().len()
    ))
}

static PANICS: AtomicBool = AtomicBool::new(true);

/// Panics after an answer, once.
#[tool]
async fn nervous(cx: &Cx) -> Result<String, CallError> {
    let left = cx.ask::<Left>().await?;
    assert!(!PANICS.swap(false, Ordering::SeqCst), "as it does");
    Ok(left.what)
}

/// Keeps a thread busy.
#[tool]
async fn busy() -> String {
    let end = Instant::now() + Duration::from_millis(700);
    while Instant::now() < end {
        std::hint::spin_loop();
    }
    "done".into()
}

/// Returns at once.
#[tool]
async fn quick() -> &'static str {
    "quick"
}

/// Never comes to an end.
#[tool]
async fn endless() -> String {
    std::future::pending().await
}

/// Polls something once and then asks beside it, without dropping it.
#[tool]
async fn lets_go(cx: &Cx, what: String) -> Result<String, CallError> {
    let mut page = std::pin::pin!(cx.ask::<Account>());
    let mut step = std::pin::pin!(cx.step("slow", async |_| {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(1)
    }));
    std::future::poll_fn(|c| {
        let _ = match &*what {
            "page" => page.as_mut().poll(c).map(|_| ()),
            _ => step.as_mut().poll(c).map(|_| ()),
        };
        Poll::Ready(())
    })
    .await;
    Ok(cx.ask::<Left>().await?.what)
}

fn accept(keys: &[&str]) -> Value {
    let answer = |key: &&str| {
        let it = json!({ "action": "accept", "content": { "what": "a" } });
        ((*key).to_owned(), it)
    };
    Value::Object(keys.iter().map(answer).collect())
}

async fn app(limits: Limits) -> (App, Client) {
    let tools = toolset![
        joined, either, one_by_one, race, impatient, limited, beside, nervous, busy, quick,
        endless, lets_go
    ];
    let app = server().limits(limits).tools(tools).build().await.unwrap();
    let client = Client::new(&app, "alice");
    (app, client)
}

fn limits() -> Limits {
    Limits::default().hold(Duration::ZERO)
}

fn asked(got: &Got) -> Vec<&str> {
    let asked = got.json["result"]["inputRequests"].as_object();
    asked
        .map(|it| it.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

#[tokio::test]
async fn what_is_asked_together_is_one_round() {
    let (_, client) = app(limits()).await;
    for tool in ["joined", "either"] {
        let one = client.call(tool, json!({})).await;
        assert_eq!(asked(&one), ["left", "right"], "{}", one.text);
        let got = client
            .retry(tool, json!({}), &one.state(), accept(&["left", "right"]))
            .await;
        assert_eq!(got.first_text(), "a a", "{}", got.text);
        // Half an answer leaves the other half.
        let two = client
            .retry(tool, json!({}), &one.state(), accept(&["right"]))
            .await;
        assert_eq!(asked(&two), ["left"], "{}", two.text);
        let got = client
            .retry(tool, json!({}), &two.state(), accept(&["left"]))
            .await;
        assert_eq!(got.first_text(), "a a", "{}", got.text);
    }
}

#[tokio::test]
async fn a_no_ends_a_batch_in_which_something_is_open() {
    let (_, client) = app(limits()).await;
    let one = client.call("either", json!({})).await;
    let no = json!({ "right": { "action": "decline" } });
    let got = client.retry("either", json!({}), &one.state(), no).await;
    assert!(
        got.is_error() && got.first_text().contains("declined"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_yield_between_two_questions_is_nothing() {
    let (_, client) = app(limits()).await;
    let one = client.call("one_by_one", json!({})).await;
    assert_eq!(asked(&one), ["left"]);
    let two = client
        .retry("one_by_one", json!({}), &one.state(), accept(&["left"]))
        .await;
    assert_eq!(asked(&two), ["right"], "{}", two.text);
    let got = client
        .retry("one_by_one", json!({}), &two.state(), accept(&["right"]))
        .await;
    assert_eq!(got.first_text(), "a a", "{}", got.text);
}

#[tokio::test]
async fn a_race_between_questions_is_a_mistake() {
    let (_, client) = app(limits()).await;
    let one = client.call("race", json!({})).await;
    assert_eq!(asked(&one), ["left", "right"], "{}", one.text);
    // The second is answered, and the first was open until then.
    let got = client
        .retry("race", json!({}), &one.state(), accept(&["right"]))
        .await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    // Whatever the mistake, the state is as good as before.
    let got = client
        .retry("race", json!({}), &one.state(), accept(&["left"]))
        .await;
    assert_eq!(got.first_text(), "a", "{}", got.text);
}

#[tokio::test]
async fn no_result_comes_while_a_question_is_open_but_an_error() {
    let (_, client) = app(limits()).await;
    let got = client.call("impatient", json!({ "is_error": false })).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    let got = client.call("impatient", json!({ "is_error": true })).await;
    assert_eq!(
        (got.is_error(), got.first_text()),
        (true, "no time"),
        "{}",
        got.text
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_around_a_question_is_as_if_it_were_not_there() {
    let (_, client) = app(limits()).await;
    let one = client.call("limited", json!({})).await;
    assert_eq!(asked(&one), ["left"], "{}", one.text);
    tokio::time::advance(Duration::from_secs(60)).await;
    let got = client
        .retry("limited", json!({}), &one.state(), accept(&["left"]))
        .await;
    assert_eq!(got.first_text(), "a", "{}", got.text);
}

#[tokio::test]
async fn a_look_up_beside_an_open_form_comes_to_its_end() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-parking-{}", std::process::id()));
    let files = mcp_elicit::Server::new("test", "1")
        .auth(mcp_elicit::auth::DevUsers)
        .data_dir(&dir)
        .limits(limits())
        .tools(toolset![beside]);
    for app in [files.build().await.unwrap(), app(limits()).await.0] {
        let client = Client::new(&app, "alice");
        let one = client.call("beside", json!({})).await;
        assert_eq!(asked(&one), ["account", "left"], "{}", one.text);
        let link = one.link("account");
        let mut browser = Browser::new(&app);
        let page = browser.sign_in(&link, "alice").await;
        browser.submit(&link, &page, &[("api_key", "secret")]).await;
        // The credential is there, and the form is what is left.
        let two = client.call("beside", json!({})).await;
        assert_eq!(asked(&two), ["left"], "{}", two.text);
        let got = client
            .retry("beside", json!({}), &two.state(), accept(&["left"]))
            .await;
        assert_eq!(got.first_text(), "a 6", "{}", got.text);
    }
    std::fs::remove_dir_all(&dir).unwrap();
}

#[tokio::test]
async fn a_panic_is_an_error_and_the_state_stays_good() {
    let (_, client) = app(limits()).await;
    let one = client.call("nervous", json!({})).await;
    let got = client
        .retry("nervous", json!({}), &one.state(), accept(&["left"]))
        .await;
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (200, -32603),
        "{}",
        got.text
    );
    assert!(!got.text.contains("as it does"), "{}", got.text);
    let got = client
        .retry("nervous", json!({}), &one.state(), accept(&["left"]))
        .await;
    assert_eq!(got.first_text(), "a", "{}", got.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_never_yields_keeps_one_thread_and_no_other() {
    let (_, client) = app(limits()).await;
    let other = client.clone();
    let slow = tokio::spawn(async move { other.call("busy", json!({})).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let other = client.clone();
    let quick = tokio::spawn(async move { other.call("quick", json!({})).await });
    assert_eq!(quick.await.unwrap().first_text(), "quick");
    assert!(!slow.is_finished());
    assert_eq!(slow.await.unwrap().first_text(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_end_is_ended() {
    let limit = Duration::from_secs(600);
    let (_, client) = app(limits().handler(limit)).await;
    let begun = tokio::time::Instant::now();
    let got = client.call("endless", json!({})).await;
    assert!(
        got.is_error() && got.first_text().contains("too long"),
        "{}",
        got.text
    );
    let took = begun.elapsed();
    assert!(
        took >= limit && took < limit + Duration::from_secs(1),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_lets_go_of_does_not_keep_a_call_for_ever() {
    let (_, client) = app(limits()
        .handler(Duration::from_secs(5))
        .effect(Duration::from_secs(5)))
    .await;
    for what in ["page", "step"] {
        let got = client.call("lets_go", json!({ "what": what })).await;
        // A look-up in memory is over in its first poll; nothing is let go of then.
        if what == "page" && got.asks() {
            continue;
        }
        assert!(
            got.is_error() && got.first_text().contains("too long"),
            "{what}: {}",
            got.text
        );
    }
}

#[tokio::test]
async fn a_look_up_that_a_handler_lets_go_of_is_ended_as_well() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-let-go-{}", std::process::id()));
    let app = mcp_elicit::Server::new("test", "1")
        .auth(mcp_elicit::auth::DevUsers)
        .data_dir(&dir)
        .limits(limits().handler(Duration::from_millis(200)))
        .tools(toolset![lets_go])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let got = client.call("lets_go", json!({ "what": "page" })).await;
    assert!(
        got.is_error() && got.first_text().contains("too long"),
        "{}",
        got.text
    );
    drop((app, client));
    std::fs::remove_dir_all(&dir).unwrap();
}

/// How tasks that ask for themselves have ended.
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// A handler that sends its context into a task.
fn off_task(waits: bool, steps: bool) -> Tool {
    let handler = move |cx: Cx, _: Option<&serde_json::value::RawValue>| {
        let work = async move {
            let cx = Arc::new(cx);
            let own = Arc::clone(&cx);
            let task = tokio::spawn(async move {
                let said = if steps {
                    own.step("s", async |_| Ok(())).await.is_err()
                } else {
                    own.ask::<Left>().await.is_err()
                };
                ENDED.fetch_add(usize::from(said), Ordering::SeqCst);
            });
            if waits {
                task.await?;
            }
            Ok(Reply::text("done"))
        };
        Ok(Box::pin(work) as HandlerFuture)
    };
    Tool::new(
        format!("off_{waits}_{steps}"),
        "Asks in a task of its own.",
        handler,
    )
}

#[tokio::test]
async fn what_is_asked_in_a_task_of_its_own_ends() {
    let tools = [(true, true), (true, false), (false, true), (false, false)];
    let tools: Vec<_> = tools.map(|(waits, steps)| off_task(waits, steps)).into();
    let app = server().tools(tools).build().await.unwrap();
    let client = Client::new(&app, "alice");
    for tool in ["off_true_true", "off_true_false"] {
        let got = client.call(tool, json!({})).await;
        assert_eq!(got.code(), -32603, "{}", got.text);
    }
    // Where nobody waits for the task the run may be over by then.
    for tool in ["off_false_true", "off_false_false"] {
        assert_eq!(client.call(tool, json!({})).await.first_text(), "done");
    }
    for _ in 0..100 {
        if ENDED.load(Ordering::SeqCst) == 4 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} of 4 tasks have ended", ENDED.load(Ordering::SeqCst));
}
