//! The module `testing`: scripts that pass, and what it says of those that must not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::testing::{Fixture, Replay, TestApp, TestCall, TestClock, Until};
use mcp_elicit::web::{BrowserIdentity, IdentityError};
use serde_json::{Value, json};

/// Where do you want to sit?
#[derive(Elicit)]
struct Seat {
    #[elicit(min = 1, max = 30)]
    row: u8,
    window: bool,
}

/// Who travels?
#[derive(Elicit)]
struct Guest {
    name: String,
}

/// Where shall it go?
#[derive(Elicit)]
struct Route {
    title: Option<String>,
    #[select]
    repo: Select<u64>,
    #[select]
    labels: Vec<Select>,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    key: SecretString,
    #[elicit(min = 18)]
    age: u8,
    news: bool,
    label: Option<String>,
}

#[derive(Clone, Default)]
struct Train {
    /// What was done, in order.
    done: Arc<Mutex<Vec<String>>>,
    counter: Arc<AtomicUsize>,
    clock: Option<TestClock>,
}

impl Train {
    fn did(&self, what: impl Into<String>) {
        self.done.lock().unwrap().push(what.into());
    }

    fn count(&self) -> usize {
        self.counter.fetch_add(1, Ordering::Relaxed)
    }

    fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }
}

#[tools]
impl Train {
    /// Reserves a seat.
    #[tool]
    async fn reserve(&self, cx: &Cx, train: String) -> Result<String, CallError> {
        let seat = cx.ask::<Seat>().await?;
        cx.confirm(format!("Reserve row {}?", seat.row)).await?;
        let id = cx
            .once("reserve", async |_| {
                self.did(format!("{train} {}", seat.row));
                Ok(format!("R{}", self.done().len()))
            })
            .await?;
        Ok(format!(
            "{id}: {train}, row {}, window {}",
            seat.row, seat.window
        ))
    }

    /// Names some guests, two at once.
    #[tool]
    async fn guests(&self, cx: &Cx) -> Result<Json<Value>, CallError> {
        let (a, b) = try_join!(cx.ask::<Guest>().at(0), cx.ask::<Guest>().at(1))?;
        let c = cx.ask::<Guest>().key("other").optional().await?;
        Ok(Json(json!([a.name, b.name, c.map(|it| it.name)])))
    }

    /// Routes something.
    #[tool]
    async fn route(&self, cx: &Cx) -> Result<String, CallError> {
        let repo = [(17, "core"), (23, "web")];
        let labels = ["bug", "wish", "docs"].map(|it| (it.to_owned(), it));
        let options = RouteOptions {
            repo: repo.into(),
            labels: labels.into(),
        };
        let route = cx.ask_with::<Route>(options).await?;
        let labels: Vec<_> = route.labels.iter().map(|it| it.key().as_str()).collect();
        Ok(format!(
            "{:?} {} {}",
            route.title,
            route.repo.key(),
            labels.join("+")
        ))
    }

    /// Shows an account.
    #[tool]
    async fn account(&self, cx: &Cx) -> Result<String, CallError> {
        let it = cx.ask::<Account>().await?;
        let _ = it.key;
        Ok(format!("{} {} {:?}", it.age, it.news, it.label))
    }

    /// Asks in words that change each time it runs.
    #[tool]
    async fn volatile(&self, cx: &Cx) -> Result<String, CallError> {
        let message = format!("Guest number {}?", self.count());
        Ok(cx.ask::<Guest>().message(message).await?.name)
    }

    /// Asks in words that change with the time.
    #[tool]
    async fn timely(&self, cx: &Cx) -> Result<String, CallError> {
        let now = self.clock.as_ref().map(|it| it.now().as_millis());
        let guest = cx
            .ask::<Guest>()
            .message(format!("Who, at {now:?}?"))
            .await?;
        let options = RouteOptions {
            repo: [(17, "core")].into(),
            labels: [("bug".to_owned(), "bug")].into(),
        };
        let route = cx.ask_with::<Route>(options).await?;
        Ok(format!("{} {}", guest.name, route.repo.key()))
    }

    /// Asks about something else each time it runs.
    #[tool]
    async fn about(&self, cx: &Cx) -> Result<String, CallError> {
        Ok(cx.ask::<Guest>().about(&self.count()).await?.name)
    }

    /// Asks something else each time it runs.
    #[tool]
    async fn other(&self, cx: &Cx) -> Result<String, CallError> {
        Ok(cx.ask::<Guest>().at(self.count()).await?.name)
    }

    /// Does two steps in an order that changes.
    #[tool]
    async fn unordered(&self, cx: &Cx) -> Result<String, CallError> {
        let names = if self.count().is_multiple_of(2) {
            ["a", "b"]
        } else {
            ["b", "a"]
        };
        for name in names {
            cx.step(name, async |_| Ok(())).await?;
        }
        Ok(cx.ask::<Guest>().await?.name)
    }

    /// Does a step or not.
    #[tool]
    async fn moody(&self, cx: &Cx) -> Result<String, CallError> {
        if self.count().is_multiple_of(2) {
            cx.step("mood", async |_| Ok(())).await?;
        }
        Ok(cx.ask::<Guest>().await?.name)
    }

    /// Does an effect without `once`.
    #[tool]
    async fn careless(&self, cx: &Cx) -> Result<String, CallError> {
        let name = cx.ask::<Guest>().await?.name;
        if self.count() > 0 {
            return Err("This name is taken".into());
        }
        Ok(name)
    }

    /// Asks nothing.
    #[tool]
    async fn plain(&self) -> String {
        self.did("plain");
        "plain".to_owned()
    }

    /// Fails inside.
    #[tool]
    async fn broken(&self, cx: &Cx) -> Result<String, CallError> {
        cx.ask::<Guest>().await?;
        Err(std::io::Error::other("the disk is full").into())
    }
}

fn server(train: &Train) -> Server {
    Server::new("train", "1").tools(train.clone())
}

async fn app() -> (TestApp, Train) {
    let train = Train::default();
    (TestApp::new(server(&train)).await, train)
}

fn seat() -> Seat {
    Seat {
        row: 7,
        window: true,
    }
}

fn guest(name: &str) -> Guest {
    Guest { name: name.into() }
}

fn reserve(app: &TestApp) -> TestCall {
    app.user("ada")
        .tool("reserve")
        .args(json!({ "train": "ICE" }))
}

/// What a test that must fail says.
async fn failure(call: TestCall) -> String {
    said(
        tokio::spawn(call.into_future())
            .await
            .map(|run| run.text().to_owned()),
    )
}

async fn failure_until(until: Until) -> String {
    said(
        tokio::spawn(until.into_future())
            .await
            .map(|_| String::new()),
    )
}

fn said(ended: Result<String, tokio::task::JoinError>) -> String {
    let panic = ended.expect_err("it must fail").into_panic();
    let text = panic.downcast::<String>().expect("a text");
    println!("{text}\n----");
    *text
}

#[tokio::test]
async fn a_script_answers_by_type_in_any_order() {
    let (app, train) = app().await;
    let run = reserve(&app).confirm(true).accept(seat()).await;
    assert_eq!(run.text(), "R1: ICE, row 7, window true");
    assert_eq!((run.rounds(), run.is_error()), (3, false));
    let keys: Vec<_> = run
        .asked()
        .iter()
        .map(|it| (it.key(), it.round()))
        .collect();
    assert_eq!(keys, [("seat", 1), ("confirm", 2)]);
    assert_eq!(run.asked()[1].message(), "Reserve row 7?");
    assert!(run.asked()[0].schema().is_some() && run.asked()[0].link().is_none());
    assert_eq!(
        train.done(),
        ["ICE 7"],
        "each round is done twice, the effect once"
    );
}

#[tokio::test]
async fn both_ways_of_asking_come_to_one_end() {
    let (app, train) = app().await;
    let scripts = [
        reserve(&app).accept(seat()).confirm(true),
        reserve(&app).accept(seat()).confirm(false),
        reserve(&app).cancel::<Seat>(),
        // What does not fit is asked again, as is what is not answered.
        reserve(&app)
            .accept::<Seat>(json!({ "row": 31 }))
            .skip::<Seat>()
            .accept(seat())
            .decline::<Seat>()
            .key("confirm"),
        app.user("ada")
            .tool("guests")
            .accept(guest("a"))
            .accept(guest("b"))
            .decline::<Guest>()
            .key("other"),
        app.user("ada")
            .tool("account")
            .consent::<Account>()
            .fill(account()),
    ];
    for script in scripts {
        let sealed = script.clone().as_user("sealed").await;
        let live = script.as_user("live").live().await;
        let end = |run: &mcp_elicit::testing::Run| {
            let text = run.text().replace(['1', '2'], "n");
            (text, run.is_error(), run.rounds())
        };
        assert_eq!(end(&sealed), end(&live));
        let asked = |run: &mcp_elicit::testing::Run| {
            let asked = run.asked().iter();
            asked
                .map(|it| (it.key().to_owned(), it.message().to_owned()))
                .collect::<Vec<_>>()
        };
        assert_eq!(asked(&sealed), asked(&live));
    }
    assert_eq!(train.done(), ["ICE 7", "ICE 7"]);
}

#[tokio::test]
async fn too_many_rounds_end_a_live_call_too() {
    let train = Train::default();
    let limits = mcp_elicit::Limits::default().rounds(1);
    let app = TestApp::new(server(&train).limits(limits)).await;
    for call in [reserve(&app), reserve(&app).live()] {
        let run = call.accept(seat()).await;
        assert!(
            run.is_error() && run.text().contains("too many times"),
            "{}",
            run.text()
        );
    }
    let form_only = json!({ "elicitation": {} });
    let account = app.user("ada").tool("account").capabilities(form_only);
    for call in [account.clone(), account.live()] {
        let run = call.await;
        assert_eq!(run.refused().map(|it| it.code()), Some(-32021));
        assert!(run.refused().unwrap().data().is_some() && !run.is_error());
    }
}

#[tokio::test]
async fn lines_for_one_of_several() {
    let (app, _) = app().await;
    let guests = || app.user("ada").tool("guests");
    let run = guests()
        .accept(guest("x"))
        .key("other")
        .accept_at(1, guest("b"))
        .accept_at(0, guest("a"))
        .await;
    assert_eq!(run.json::<[String; 3]>(), ["a", "b", "x"]);
    assert_eq!(run.rounds(), 2 + 1);
    let run = guests()
        .accept(guest("a"))
        .accept(guest("b"))
        .decline::<Guest>()
        .key("other")
        .await;
    assert_eq!(run.result()["structuredContent"], json!(["a", "b", null]));
    let run = guests().accept(guest("a")).cancel::<Guest>().at(1).await;
    assert!(run.is_error(), "{}", run.text());
}

#[tokio::test]
async fn offers_are_picked_when_they_are_known() {
    let (app, _) = app().await;
    let route = || app.user("ada").tool("route");
    let run = route()
        .accept::<Route>(json!({ "title": "Hi" }))
        .pick::<Route>("repo", |offers| offers.titled("web"))
        .pick::<Route>("labels", |offers| offers.all_titled(["docs", "bug"]))
        .await;
    assert_eq!(run.text(), "Some(\"Hi\") 23 docs+bug");
    let run = route()
        .pick::<Route>("labels", |offers| offers.first())
        .pick::<Route>("repo", |offers| offers[0].value.as_str().into())
        .await;
    assert_eq!(run.text(), "None 17 bug");
    // A field that was picked already begins the next answer.
    let run = route()
        .accept::<Route>(json!({ "labels": [] }))
        .pick::<Route>("repo", |_| "99".into())
        .pick::<Route>("repo", |offers| offers.first())
        .pick::<Route>("labels", |offers| offers.all())
        .await;
    assert_eq!(run.text(), "None 17 bug+wish+docs");
    let text = failure(route().pick::<Route>("repo", |offers| offers.titled("none"))).await;
    assert!(
        text.contains("nothing offered is titled \"none\"") && text.contains("core"),
        "{text}"
    );
    let text = failure(route().pick::<Route>("title", |offers| offers.first())).await;
    assert!(text.contains("nothing to choose from"), "{text}");
}

#[tokio::test]
async fn a_question_without_a_line_fails_and_is_shown() {
    let (app, _) = app().await;
    let text = failure(reserve(&app).accept(seat())).await;
    for part in [
        "the call of `reserve` at tests/testing.rs:",
        "by \"ada\"",
        "no line for this question",
        "`confirm` in round 2: Reserve row 7?",
        "\"properties\":{\"confirm\"",
        "`seat` \"Where do you want to sit?\": .accept::<Seat>(..) (tests/testing.rs:",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let live = failure(reserve(&app).accept(seat()).live()).await;
    assert!(
        live.contains("`confirm` in round 2: Reserve row 7?"),
        "{live}"
    );
    let wrong = failure(reserve(&app).accept(guest("a"))).await;
    assert!(
        wrong.contains("Lines left: \n  .accept::<Guest>(..) (tests/testing.rs:"),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_line_without_a_question_fails_and_is_shown() {
    let (app, _) = app().await;
    for call in [reserve(&app), reserve(&app).live()] {
        let text = failure(call.accept(seat()).confirm(false).accept(guest("a")).at(3)).await;
        for part in [
            "answered nothing:\n\n  .accept::<Guest>(..) for `guest.3` (tests/testing.rs:",
            "The call ended in the error: The request for input was declined",
            "round 2: `confirm` \"Reserve row 7?\": .confirm(false) (",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
    }
    let text = failure(app.user("ada").tool("none").accept(seat())).await;
    assert!(
        text.contains("The call was refused (-32602): There is no tool of this name."),
        "{text}"
    );
    let text = failure_until(reserve(&app).accept(seat()).confirm(true).until::<Guest>()).await;
    assert!(
        text.contains("The question `guest` was not asked.\n\nThe call ended with: R1: ICE"),
        "{text}"
    );
    let text = failure_until(
        reserve(&app)
            .accept(seat())
            .accept(guest("a"))
            .until_confirm(),
    )
    .await;
    assert!(
        text.contains("When `confirm` was asked, these lines"),
        "{text}"
    );
}

#[tokio::test]
async fn a_question_that_changes_is_found_and_told_apart() {
    for (tool, parts) in [
        (
            "volatile",
            &[
                "`guest` has another text",
                "\n- Guest number 0?\n+ Guest number 1?",
                "`cx.now()`",
                "`step`",
            ][..],
        ),
        ("about", &["`guest` was another one", ".about"]),
        (
            "other",
            &["came to the question `guest.1`, which it had not"],
        ),
        (
            "unordered",
            &["in another order: the step `", "Go through lists"],
        ),
        (
            "moody",
            &["Sometimes the handler comes to the step `mood`, and sometimes not."],
        ),
        (
            "careless",
            &[
                "The handler ended well. When it ran again, it failed: This name is taken.",
                "`once`",
            ],
        ),
    ] {
        for live in [false, true] {
            let (app, _) = app().await;
            let call = app.user("ada").tool(tool).accept(guest("a"));
            let text = failure(if live { call.live() } else { call }).await;
            for part in parts {
                assert!(text.contains(part), "{part:?} is not in:\n{text}");
            }
        }
    }
    // Who knows better can have it so.
    let (app, _) = app().await;
    let careless = app.user("ada").tool("careless").accept(guest("a"));
    assert_eq!(careless.once_per_round().await.text(), "a");
}

#[tokio::test]
async fn a_question_that_changes_between_rounds_is_found_too() {
    let first = TestApp::new(server(&Train::default())).await;
    let train = Train {
        clock: Some(first.clock().clone()),
        ..Train::default()
    };
    let app = first.another(server(&train)).await;
    let call = |late: bool| {
        let clock = app.clock().clone();
        let answer = app.user("ada").tool("timely").accept(guest("a"));
        answer.pick::<Route>("repo", move |offers| {
            if late {
                clock.advance(Duration::from_secs(7));
            }
            offers.first()
        })
    };
    let all = |call: TestCall| call.pick::<Route>("labels", |offers| offers.all());
    assert_eq!(all(call(false)).await.text(), "a 17");
    let text = failure(all(call(true))).await;
    assert!(
        text.contains("VolatileQuestion: the question `guest` has another text")
            && text.contains("\n- Who, at"),
        "{text}"
    );
}

#[tokio::test]
async fn a_call_that_asks_nothing_is_made_once() {
    let (app, train) = app().await;
    let run = app.user("ada").tool("plain").await;
    assert_eq!(
        (run.text(), run.rounds(), train.done().len()),
        ("plain", 1, 1)
    );
}

#[tokio::test]
async fn a_lost_response_doubles_no_effect() {
    let (app, train) = app().await;
    let parked = reserve(&app).accept(seat()).until_confirm().await;
    app.drop_next_response();
    let run = parked.resend().confirm(true).await;
    assert_eq!(run.text(), "R1: ICE, row 7, window true");
    assert_eq!(train.done(), ["ICE 7"]);
    // A client that comes back much later gets the same.
    let run = parked.resend().confirm(true).await;
    assert_eq!(run.text(), "R1: ICE, row 7, window true");
    let run = parked.resend().confirm(false).await;
    assert!(run.is_error());
    assert_eq!(train.done(), ["ICE 7"]);
    // Only the next one is lost.
    app.drop_next_response();
    let run = app.user("ada").tool("plain").await;
    assert_eq!(run.text(), "plain");
    assert_eq!(
        train.done(),
        ["ICE 7", "plain", "plain"],
        "nothing guards this one"
    );
    assert_eq!(app.user("ada").tool("plain").await.rounds(), 1);
    assert_eq!(train.done().len(), 4);
}

#[tokio::test]
async fn states_of_others_changed_and_old_ones_are_refused() {
    let (app, train) = app().await;
    let parked = reserve(&app).accept(seat()).until_confirm().await;
    assert!(parked.state().starts_with("e1."));
    for call in [
        parked.tampered(),
        parked.as_user("eve"),
        parked.as_user("eve").confirm(true),
        parked.resend().args(json!({ "train": "RE" })).confirm(true),
    ] {
        let run = call.await;
        let refused = run.refused().expect("it is refused");
        assert_eq!(
            (refused.code(), refused.message()),
            (-32602, "requestState is invalid or expired")
        );
    }
    let text = failure(parked.tampered().confirm(true).confirm(true)).await;
    assert!(text.contains("The call was refused (-32602)"), "{text}");
    app.clock().advance(Duration::from_secs(3599));
    assert!(!parked.resend().confirm(true).await.is_error());
    app.clock().advance(Duration::from_secs(1));
    let run = parked.resend().confirm(true).await;
    assert!(run.refused().is_some());
    assert_eq!(train.done(), ["ICE 7"]);
}

#[tokio::test]
async fn another_machine_goes_on() {
    let (one, train) = app().await;
    let two = one.another(server(&train)).await;
    let parked = reserve(&one).until::<Seat>().await;
    let (a, b) = tokio::join!(
        parked.on(&two).accept(seat()).confirm(true),
        parked.resend().accept(seat()).confirm(true)
    );
    assert_eq!(a.text(), b.text());
    assert_eq!(train.done(), ["ICE 7"]);
    // One with another store does not know of it, and does it anew.
    let (three, _) = app().await;
    assert!(
        !parked
            .on(&three)
            .accept(seat())
            .confirm(true)
            .await
            .is_error()
    );
}

fn account() -> Account {
    Account {
        key: "sk-0123456789abcdef".into(),
        age: 36,
        news: true,
        label: None,
    }
}

#[tokio::test]
async fn pages_are_filled_and_others_do_not_see_them() {
    let (app, _) = app().await;
    let parked = app.user("ada").tool("account").until::<Account>().await;
    let eve = app.browser("eve").open(parked.link()).await;
    assert_eq!(
        (eve.status(), eve.is_form()),
        (403, false),
        "{}",
        eve.text()
    );
    let browser = app.browser("ada");
    let page = browser.open(parked.link()).await;
    assert!(
        page.is_form() && page.text().contains("Your account."),
        "{}",
        page.html()
    );
    let wrong = page
        .fill(Account {
            age: 17,
            ..account()
        })
        .await;
    assert_eq!(wrong.status(), 422);
    assert!(
        wrong.is_form() && wrong.text().contains("must be at least 18"),
        "{}",
        wrong.text()
    );
    let saved = page
        .fill(Account {
            label: Some("mine & yours".into()),
            ..account()
        })
        .await;
    assert_eq!((saved.status(), saved.is_form()), (200, false));
    let run = parked.resend().consent::<Account>().await;
    assert_eq!(run.text(), "36 true Some(\"mine & yours\")");
    // It is known from then on; for others it is not.
    assert_eq!(app.user("ada").tool("account").await.rounds(), 1);
    let run = app
        .user("bob")
        .tool("account")
        .fill(Account {
            news: false,
            ..account()
        })
        .await;
    assert_eq!((run.text(), run.rounds()), ("36 false None", 2));
    let text = failure(app.user("eve").tool("account").fill(Account {
        age: 3,
        ..account()
    }))
    .await;
    assert!(
        text.contains(".fill::<Account>(..)") && text.contains("must be at least 18"),
        "{text}"
    );
    assert!(!text.contains("sk-0123456789abcdef"), "{text}");
    let parked = app.user("joe").tool("account").until::<Account>().await;
    let declined = app.browser("joe").open(parked.link()).await.decline().await;
    assert_eq!(declined.status(), 200);
    assert!(parked.resend().consent::<Account>().await.is_error());
    let parked = app.user("amy").tool("account").until::<Account>().await;
    app.clock().advance(Duration::from_secs(3601));
    let page = app.browser("amy").open(parked.link()).await;
    assert!(
        !page.is_form() && page.text().contains("expired"),
        "{}",
        page.text()
    );
}

#[tokio::test]
async fn a_test_sees_what_the_client_does_not() {
    let (app, _) = app().await;
    let run = app.user("ada").tool("broken").accept(guest("a")).await;
    assert!(
        run.is_error() && run.text().starts_with("Internal error"),
        "{}",
        run.text()
    );
    assert!(
        run.cause()
            .is_some_and(|it| it.contains("the disk is full"))
    );
    let ended = tokio::spawn(async move { run.json::<u8>() }).await;
    let text = said(ended.map(|it| it.to_string()));
    assert!(text.contains("the disk is full"), "{text}");
}

/// Where do you want to sit, and how?
#[derive(Elicit)]
#[elicit(key = "seat")]
struct Berth {
    row: u8,
}

struct Newer;

#[tools]
impl Newer {
    /// Reserves a berth.
    #[tool]
    async fn reserve(&self, cx: &Cx, train: String) -> Result<String, CallError> {
        let guest = cx.ask::<Guest>().await?;
        let seat = cx.ask::<Berth>().await?;
        cx.confirm(format!("Reserve row {}?", seat.row)).await?;
        Ok(format!("{train} {}", guest.name))
    }
}

struct Newest;

#[tools]
impl Newest {
    /// Reserves nothing.
    #[tool(rev = 1)]
    async fn reserve(&self, cx: &Cx, train: String) -> Result<String, CallError> {
        let seat = cx.ask::<Seat>().await?;
        let _ = seat.row;
        Ok(train)
    }

    /// Plans with what was found.
    #[tool(rev = 1)]
    async fn plan(&self) -> String {
        String::new()
    }
}

/// Finds much.
#[tool]
async fn plan(cx: &Cx) -> Result<String, CallError> {
    let found = cx.step("search", async |_| Ok("x".repeat(9000))).await?;
    cx.confirm(format!("Take {}?", found.len())).await?;
    Ok("taken".to_owned())
}

#[tokio::test]
async fn a_saved_run_tells_what_a_deploy_does_to_it() {
    let (app, train) = app().await;
    let fixture = reserve(&app).accept(seat()).until_confirm().await.fixture();
    let text = fixture.to_string();
    assert!(text.contains("Reserve row 7?"), "{text}");
    let fixture: Fixture = text.parse().expect("it reads what it wrote");
    // Years later, in another process.
    let later = TestApp::new(server(&train)).await;
    later.clock().advance(Duration::from_secs(100_000_000));
    assert_eq!(later.replay(&fixture).await, Replay::Same);
    let newer = TestApp::new(Server::new("train", "2").tools(Newer)).await;
    assert_eq!(
        newer.replay(&fixture).await,
        Replay::AsksAgain(vec!["guest".into()])
    );
    let newest = TestApp::new(Server::new("train", "3").tools(Newest)).await;
    assert_eq!(
        newest.replay(&fixture).await,
        Replay::AsksAgain(vec!["seat".into()])
    );
    let none = TestApp::new(Server::new("train", "4").tools(toolset![plan])).await;
    assert!(matches!(none.replay(&fixture).await, Replay::Ends(text) if text.contains("no tool")));

    // A large result is in the file, as no other store has it.
    let fixture = none
        .user("ada")
        .tool("plan")
        .until_confirm()
        .await
        .fixture();
    let other = TestApp::new(Server::new("train", "4").tools(toolset![plan])).await;
    assert_eq!(other.replay(&fixture).await, Replay::Same);
    assert!(
        matches!(newest.replay(&fixture).await, Replay::Ends(text) if text.contains("start again"))
    );
    assert!("{}".parse::<Fixture>().is_err() && "".parse::<Fixture>().is_err());
    assert_eq!(train.done(), [""; 0]);
}

/// Counts what is in store.
#[tool(read_only)]
async fn count(
    #[arg(header = "Region")] region: String,
    #[arg(header = "Shelf")] shelf: Option<u32>,
) -> String {
    format!("{region} {shelf:?}")
}

#[tokio::test]
async fn arguments_are_repeated_in_their_headers() {
    let app = TestApp::new(Server::new("stock", "1").tools(toolset![count])).await;
    for region in ["eu", " Zürich ", "=?base64?x?=", ""] {
        let run = app.user("ada").tool("count");
        let run = run.args(json!({ "region": region, "shelf": 7 })).await;
        assert_eq!(run.text(), format!("{region} Some(7)"));
    }
    let run = app.user("ada").tool("count");
    let run = run.args(json!({ "region": "eu", "shelf": null })).await;
    assert_eq!(run.text(), "eu None");
}

/// Knows people by a header that a proxy of theirs sets.
struct Proxy;

fn person(parts: &Parts) -> Option<Principal> {
    let name = parts.headers.get("x-person")?.to_str().ok()?;
    Some(Principal::new("https://people.example.com", name))
}

impl Authenticator for Proxy {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        person(parts).ok_or(AuthError::Missing)
    }
}

impl BrowserIdentity for Proxy {
    async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
        Ok(person(parts))
    }

    fn sign_in_redirect(&self, _: &str) -> String {
        "/elsewhere".to_owned()
    }
}

#[tokio::test]
async fn a_server_keeps_its_own_address_and_its_own_people() {
    let server = || {
        let server = server(&Train::default())
            .base_url("https://mcp.example.com")
            .path("/api");
        server.auth(Proxy).browser_identity(Proxy)
    };
    let app = TestApp::new(server()).await;
    let refused = app.user("ada").tool("plain").await;
    assert_eq!(
        refused.refused().map(|it| it.message()),
        Some("Credentials are required.")
    );
    let app = app.identify(|name, parts| {
        parts
            .headers
            .insert("x-person", name.parse().expect("a header"));
    });
    let parked = app.user("ada").tool("account").until::<Account>().await;
    assert!(
        parked
            .link()
            .starts_with("https://mcp.example.com/ui/account/"),
        "{}",
        parked.link()
    );
    assert!(!app.browser("eve").open(parked.link()).await.is_form());
    let two = app.another(server()).await;
    let run = parked.on(&two).fill(account()).await;
    assert_eq!(run.text(), "36 true None");
}

/// Welcomes somebody.
#[prompt]
async fn welcome(cx: &Cx, to: String) -> Result<String, CallError> {
    let guest = cx.ask::<Guest>().await?;
    Ok(format!("Welcome to {to}, {}", guest.name))
}

/// The seat of a train.
#[resource("train://{train}/seat", mime = "text/plain")]
async fn seat_of(cx: &Cx, train: String) -> Result<String, CallError> {
    let seat = cx.ask::<Seat>().await?;
    Ok(format!("{train}: {}", seat.row))
}

#[tokio::test]
async fn prompts_and_resources_are_scripted_as_tools_are() {
    let server = Server::new("train", "1").tools(toolset![welcome, seat_of]);
    let app = TestApp::new(server).await;
    let ada = app.user("ada");
    let greeting = ada.prompt("welcome").args(json!({ "to": "Oslo" }));
    for call in [greeting.clone(), greeting.clone().live()] {
        let run = call.accept(guest("Ada")).await;
        assert_eq!((run.text(), run.rounds()), ("Welcome to Oslo, Ada", 2));
    }
    let run = greeting.clone().decline::<Guest>().await;
    assert_eq!(
        run.refused()
            .and_then(|it| it.data())
            .map(|it| &it["action"]),
        Some(&json!("decline"))
    );
    let run = ada.read("train://ICE/seat").accept(seat()).await;
    assert_eq!((run.text(), run.rounds()), ("ICE: 7", 2));
    let parked = greeting.until::<Guest>().await;
    assert!(
        parked
            .as_user("eve")
            .accept(guest("Eve"))
            .await
            .refused()
            .is_some()
    );
    assert_eq!(app.replay(&parked.fixture()).await, Replay::Same);
}

#[test]
fn no_other_feature_has_it() {
    let manifest = include_str!("../mcp-elicit/Cargo.toml");
    let (_, features) = manifest.split_once("[features]").expect("there are some");
    let (features, _) = features.split_once("[dependencies]").expect("they end");
    let mut lines = features.lines().filter(|line| !line.starts_with('#'));
    assert!(features.contains("\ntesting = ["));
    assert!(lines.all(|line| line.starts_with("testing = ") || !line.contains("testing")));
}

#[tokio::test]
async fn live_and_parked_do_not_go_together() {
    let (app, _) = app().await;
    let text = failure_until(reserve(&app).live().until::<Seat>()).await;
    assert!(text.contains("leave out `.live()` or `.until`"), "{text}");
    let parked = reserve(&app).until::<Seat>().await;
    let text = failure(parked.resend().live()).await;
    assert!(text.contains("leave out `.live()`"), "{text}");
}

#[tokio::test]
async fn a_server_that_does_not_start_fails_the_test() {
    let start = TestApp::new(Server::new("train", "1").tools(Newer).tools(Newest));
    let text = said(tokio::spawn(start).await.map(|_| String::new()));
    assert!(
        text.contains("the server does not start") && text.contains("reserve"),
        "{text}"
    );
}
