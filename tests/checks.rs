//! `.check(..)`: the author's own look at an answer, which may take time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::{Value, json};

/// Who shall review it?
#[derive(Elicit)]
struct Reviewer {
    #[elicit(max_length = 10)]
    login: String,
}

/// Where is it?
#[derive(Elicit)]
struct Place {
    city: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please connect your account.")]
struct Account {
    #[secret]
    api_key: SecretString,
}

#[derive(Clone, Default)]
struct Forge {
    /// What was looked up, in order.
    looked: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
}

impl Forge {
    async fn exists(&self, login: &str) -> bool {
        self.looked.lock().unwrap().push(login.to_owned());
        tokio::time::sleep(Duration::from_millis(5)).await;
        login.starts_with("ada")
    }

    fn looked(&self) -> Vec<String> {
        self.looked.lock().unwrap().clone()
    }
}

#[tools]
impl Forge {
    /// Asks for a reviewer, and then for a yes.
    #[tool(asks(Reviewer))]
    async fn review(&self, cx: &Cx, repo: String) -> Result<String, CallError> {
        let what = format!("on {repo}");
        let reviewer = cx
            .ask::<Reviewer>()
            .check(async |it: &Reviewer| match self.exists(&it.login).await {
                true => Ok(()),
                false => Err(Invalid::field("login", format!("has no account {what}"))),
            })
            .await?;
        cx.confirm("Really?").await?;
        Ok(reviewer.login)
    }

    /// Takes a "no", and checks all the same.
    #[tool]
    async fn perhaps(&self, cx: &Cx) -> Result<String, CallError> {
        let check = async |it: &Reviewer| match self.exists(&it.login).await {
            true => Ok(()),
            false => Err(Invalid::new("there is no such account")),
        };
        let one = cx.ask::<Reviewer>().attempts(1).check(check).optional();
        let two = cx.ask::<Reviewer>().at(1).check(check).outcome();
        let (one, two) = try_join!(one, two)?;
        Ok(format!(
            "{} {}",
            one.is_some(),
            matches!(two, Answer::Declined)
        ))
    }

    /// Checks beside another question.
    #[tool]
    async fn beside(&self, cx: &Cx) -> Result<String, CallError> {
        let reviewer =
            cx.ask::<Reviewer>()
                .check(async |it: &Reviewer| match self.exists(&it.login).await {
                    true => Ok(()),
                    false => Err(Invalid::new("there is no such account")),
                });
        let place = async {
            self.asked.fetch_add(1, Ordering::SeqCst);
            cx.ask::<Place>().await
        };
        let (reviewer, place) = try_join!(reviewer, place)?;
        Ok(format!("{} in {}", reviewer.login, place.city))
    }

    /// Checks a credential.
    #[tool(asks(Account))]
    async fn connect(&self, cx: &Cx) -> Result<String, CallError> {
        let account = cx
            .ask::<Account>()
            .check(
                async |it: &Account| match self.exists(it.api_key.expose_secret()).await {
                    true => Ok(()),
                    false => Err(Invalid::new("the provider does not know it")),
                },
            )
            .await?;
        cx.confirm("Go on?").await?;
        cx.confirm("Really?").key("really").await?;
        Ok(account.api_key.expose_secret().len().to_string())
    }

    /// Tells the key in its reason.
    #[tool(asks(Account))]
    async fn tells(&self, cx: &Cx) -> Result<String, CallError> {
        let it = cx
            .ask::<Account>()
            .check(async |it: &Account| {
                Err(Invalid::new(format!(
                    "{} is revoked",
                    it.api_key.expose_secret()
                )))
            })
            .await?;
        Ok(it.api_key.expose_secret().len().to_string())
    }

    /// Asks inside of a check.
    #[tool]
    async fn nested(&self, cx: &Cx) -> Result<String, CallError> {
        let it = cx
            .ask::<Reviewer>()
            .check(async |_: &Reviewer| match cx.ask::<Place>().await {
                Ok(_) => Ok(()),
                Err(no) => Err(Invalid::new(no.to_string())),
            })
            .await?;
        Ok(it.login)
    }
}

async fn forge() -> (Forge, App, Client) {
    let forge = Forge::default();
    let app = server().tools(forge.clone()).build().await.unwrap();
    let client = Client::new(&app, "alice");
    (forge, app, client)
}

fn login(key: &str, login: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "login": login } } })
}

fn yes(key: &str) -> Value {
    json!({ key: { "action": "accept", "content": { "confirm": true } } })
}

#[tokio::test]
async fn what_the_check_refuses_is_asked_again_and_counted() {
    let (forge, _, client) = forge().await;
    let arguments = json!({ "repo": "core" });
    let one = client.call("review", arguments.clone()).await;
    let retry = async |state: String, answers: Value| {
        client
            .retry("review", arguments.clone(), &state, answers)
            .await
    };
    let two = retry(one.state(), login("reviewer", "bob")).await;
    let message = two.asked("reviewer")["message"].as_str().unwrap();
    assert!(
        message.ends_with("login: has no account on core"),
        "{}",
        two.text
    );
    // What does not fit its form is not looked at, and counts all the same.
    let three = retry(two.state(), login("reviewer", "much too long")).await;
    assert!(three.asks(), "{}", three.text);
    let four = retry(three.state(), login("reviewer", "eve")).await;
    assert!(
        four.is_error() && four.first_text().contains("has no account"),
        "{}",
        four.text
    );
    assert_eq!(forge.looked(), ["bob", "eve"]);
    // From the state before, another answer may still come.
    let four = retry(three.state(), login("reviewer", "ada")).await;
    assert!(four.asked("confirm").is_object(), "{}", four.text);
}

#[tokio::test]
async fn an_answer_is_checked_once() {
    let (forge, _, client) = forge().await;
    let arguments = json!({ "repo": "core" });
    let one = client.call("review", arguments.clone()).await;
    let two = client
        .retry(
            "review",
            arguments.clone(),
            &one.state(),
            login("reviewer", "ada"),
        )
        .await;
    let three = client
        .retry("review", arguments.clone(), &two.state(), json!({}))
        .await;
    let four = client
        .retry("review", arguments, &three.state(), yes("confirm"))
        .await;
    assert_eq!(four.first_text(), "ada", "{}", four.text);
    assert_eq!(forge.looked(), ["ada"]);
}

#[tokio::test]
async fn a_check_goes_with_optional_and_outcome() {
    let (_, _, client) = forge().await;
    let one = client.call("perhaps", json!({})).await;
    let declined =
        json!({ "reviewer": { "action": "decline" }, "reviewer.1": { "action": "decline" } });
    let got = client
        .retry("perhaps", json!({}), &one.state(), declined)
        .await;
    assert_eq!(got.first_text(), "false true", "{}", got.text);
    let got = client
        .retry("perhaps", json!({}), &one.state(), login("reviewer", "bob"))
        .await;
    assert!(
        got.is_error() && got.first_text().contains("no such account"),
        "{}",
        got.text
    );
}

#[tokio::test]
async fn a_run_is_not_parked_while_a_check_runs() {
    let (forge, _, client) = forge().await;
    let one = client.call("beside", json!({})).await;
    let two = client
        .retry("beside", json!({}), &one.state(), login("reviewer", "ada"))
        .await;
    // The check came to its end, although the other question was open all the time.
    assert!(
        two.asked("place").is_object() && !two.asked("reviewer").is_object(),
        "{}",
        two.text
    );
    let place = json!({ "place": { "action": "accept", "content": { "city": "Ulm" } } });
    let three = client.retry("beside", json!({}), &two.state(), place).await;
    assert_eq!(three.first_text(), "ada in Ulm", "{}", three.text);
    assert_eq!(forge.looked(), ["ada"]);
    assert_eq!(forge.asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn nothing_is_asked_inside_of_a_check() {
    let (_, _, client) = forge().await;
    let one = client.call("nested", json!({})).await;
    let (state, answers) = (one.state(), login("reviewer", "ada"));
    let answered = client.retry("nested", json!({}), &state, answers);
    let got = tokio::time::timeout(Duration::from_secs(5), answered)
        .await
        .expect("it hangs");
    assert_eq!(got.code(), -32603, "{}", got.text);
}

async fn give(app: &App, got: &Got, key: &str) {
    let link = got.link("account");
    let mut browser = Browser::new(app);
    let page = browser.sign_in(&link, "alice").await;
    browser.submit(&link, &page, &[("api_key", key)]).await;
}

#[tokio::test]
async fn a_credential_that_the_check_refuses_is_removed_and_asked_again() {
    let (forge, app, client) = forge().await;
    let opened = json!({ "account": { "action": "accept" } });
    let mut got = client.call("connect", json!({})).await;
    for key in ["bob's key", "eve's key"] {
        let before = got.link("account");
        give(&app, &got, key).await;
        got = client
            .retry("connect", json!({}), &got.state(), opened.clone())
            .await;
        let message = got.asked("account")["message"].as_str().unwrap();
        assert!(
            message.ends_with("the provider does not know it"),
            "{}",
            got.text
        );
        assert_ne!(got.link("account"), before);
        // Nothing of it is left: without a new one there is only the page.
        got = client
            .retry("connect", json!({}), &got.state(), opened.clone())
            .await;
        assert!(got.asked("account").is_object(), "{}", got.text);
    }
    give(&app, &got, "ada's key").await;
    let got = client
        .retry("connect", json!({}), &got.state(), opened.clone())
        .await;
    assert!(got.asked("confirm").is_object(), "{}", got.text);
    let got = client
        .retry("connect", json!({}), &got.state(), yes("confirm"))
        .await;
    let got = client
        .retry("connect", json!({}), &got.state(), yes("really"))
        .await;
    assert_eq!(got.first_text(), "9", "{}", got.text);
    assert_eq!(forge.looked(), ["bob's key", "eve's key", "ada's key"]);
    // Another run checks it for itself.
    client.call("connect", json!({})).await;
    assert_eq!(forge.looked().len(), 4);
}

#[tokio::test]
async fn a_credential_is_refused_as_often_as_an_answer() {
    let (_, app, client) = forge().await;
    let opened = json!({ "account": { "action": "accept" } });
    let mut got = client.call("connect", json!({})).await;
    for _ in 0..3 {
        give(&app, &got, "bob's key").await;
        got = client
            .retry("connect", json!({}), &got.state(), opened.clone())
            .await;
    }
    assert!(
        got.is_error() && got.first_text().contains("does not know it"),
        "{}",
        got.text
    );
    // The last one is gone as well.
    assert!(
        client
            .call("connect", json!({}))
            .await
            .asked("account")
            .is_object()
    );
}

#[tokio::test]
async fn a_secret_in_the_reason_of_a_check_is_not_sent() {
    let (_, app, client) = forge().await;
    let one = client.call("tells", json!({})).await;
    give(&app, &one, "a key of some length").await;
    let got = client.call("tells", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    assert!(!got.text.contains("some length"), "{}", got.text);
}

/// Where are you?
#[derive(Elicit)]
struct Site {
    name: String,
}

/// Connect an account that nobody knows, and ask for a place beside it.
#[tool]
async fn connect_nobody(cx: &Cx) -> Result<String, CallError> {
    let account = cx
        .ask::<Account>()
        .check(async |_: &Account| Err(Invalid::new("nobody knows it")));
    let (_account, site) = tokio::try_join!(account, cx.ask::<Site>())?;
    Ok(site.name)
}

/// A store on a disk takes time to remove a row, in which only the other question is open.
#[tokio::test]
async fn a_refused_credential_is_asked_again_beside_another_question() {
    let dir = std::env::temp_dir().join(format!("mcp-elicit-checks-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let store = mcp_elicit::store::SqliteStore::open(dir.join("test.db"));
    let app = server()
        .store(store.await.unwrap())
        .tools(toolset![connect_nobody])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let opened = json!({ "account": { "action": "accept" } });
    let mut got = client.call("connect_nobody", json!({})).await;
    for _ in 0..2 {
        give(&app, &got, "a-key-of-nobody").await;
        let state = got.state();
        got = client
            .retry("connect_nobody", json!({}), &state, opened.clone())
            .await;
        let message = got.asked("account")["message"].as_str().unwrap_or_default();
        assert!(message.contains("nobody knows it"), "{}", got.text);
        assert!(got.asked("site").is_object());
    }
    give(&app, &got, "a-key-of-nobody").await;
    let state = got.state();
    let got = client
        .retry("connect_nobody", json!({}), &state, opened)
        .await;
    assert!(
        got.is_error() && got.first_text().contains("nobody knows it"),
        "{}",
        got.text
    );
    std::fs::remove_dir_all(&dir).unwrap();
}

/// The server at whose page another credential is given while the first is checked.
static MEANWHILE: Mutex<Option<App>> = Mutex::new(None);

/// Refuses a credential that is replaced while it is looked at.
#[tool]
async fn slow(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().check(async |it: &Account| {
        if it.api_key.expose_secret() != "first-key-of-ada" {
            return Ok(());
        }
        let app = MEANWHILE.lock().unwrap().take().unwrap();
        // In a task of its own, as requests of a browser are.
        tokio::spawn(replace(app)).await.unwrap();
        Err(Invalid::field("api_key", "is revoked"))
    });
    let account = account.await?;
    Ok(account.api_key.expose_secret().len().to_string())
}

/// Gives another one at the plain address of the page.
async fn replace(app: App) {
    let mut browser = Browser::new(&app);
    let start = browser.sign_in("/ui/account", "ada").await;
    let form = start.text.split("id=\"start\"").nth(1).unwrap();
    let token = form.split("value=\"").nth(1).unwrap().split('"').next();
    let token = [(":token".to_owned(), token.unwrap().to_owned())];
    let to = browser.post("/ui/account", &token).await;
    let link = to.headers["location"].to_str().unwrap().to_owned();
    let page = browser.open(&link).await;
    let key = [("api_key", "second-key-of-ada")];
    let saved = browser.submit(&link, &page, &key).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
}

#[tokio::test]
async fn a_credential_that_is_replaced_while_it_is_checked_is_for_the_next_call() {
    let app = server().tools(toolset![slow]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    let one = client.call("slow", json!({})).await;
    let link = one.link("account");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "ada").await;
    let key = [("api_key", "first-key-of-ada")];
    assert_eq!(browser.submit(&link, &page, &key).await.status, 303);
    *MEANWHILE.lock().unwrap() = Some(app.clone());
    let accepted = json!({ "account": { "action": "accept" } });
    let two = client
        .retry("slow", json!({}), &one.state(), accepted)
        .await;
    assert!(two.is_error(), "{}", two.text);
    let text = "What was asked for was replaced while it was checked. Call this again.";
    assert_eq!(two.first_text(), text);
    // The new one is kept, and used.
    assert_eq!(client.call("slow", json!({})).await.first_text(), "17");
}
