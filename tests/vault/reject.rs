//! `Cx::reject` and `Cx::forget`: a credential that is of no use any more.

use std::sync::Arc;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret};
use mcp_elicit_tests::{Browser, Client, Got, server};
use serde_json::json;
use tokio::sync::Notify;

use super::{Account, accept, give, tail, whose, with_key};

const OLD: &str = "sk_revoked_4eC39HqLyjWD0";
const NEW: &str = "sk_good_4eC39HqLyjWDarj1";

/// Uses the account; a key that begins with `sk_revoked` is of no use.
#[tool(asks(Account))]
async fn balance(cx: &Cx) -> Result<String, CallError> {
    let mut account = cx.ask::<Account>().await?;
    while account.api_key.expose_secret().starts_with("sk_revoked") {
        account = cx.reject::<Account>("The provider has revoked it.").await?;
    }
    Ok(format!("7 cents at {}", tail(&account)))
}

async fn app() -> App {
    server()
        .tools(toolset![whose, balance])
        .build()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_rejected_credential_is_asked_for_again_with_the_reason() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    // It was good when it was given.
    with_key(&app, &client, "whose", OLD).await;
    let one = client.call("balance", json!({})).await;
    assert!(one.asks(), "{}", one.text);
    let reason = "could not be used: The provider has revoked it.";
    let link = one.link("account");
    assert!(one.text.contains(reason), "{}", one.text);
    // It is gone for everybody, and while its page waits it is the same ask.
    assert!(client.call("whose", json!({})).await.asks());
    let state = one.state();
    let again = client.retry("balance", json!({}), &state, accept()).await;
    assert_eq!(again.link("account"), link);
    assert!(again.text.contains(reason), "{}", again.text);
    let page = Browser::new(&app).sign_in(&link, "alice").await;
    assert!(page.text.contains(reason), "{}", page.text);

    give(&app, "alice", &link, NEW).await;
    let done = client.retry("balance", json!({}), &state, accept()).await;
    assert_eq!(done.first_text(), "7 cents at arj1 main", "{}", done.text);
    // A later call needs no round.
    let later = client.call("balance", json!({})).await;
    assert_eq!(later.first_text(), "7 cents at arj1 main");
}

#[tokio::test]
async fn rejections_of_one_run_are_limited() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    let mut got = client.call("balance", json!({})).await;
    for attempt in 1..3 {
        assert!(got.asks(), "{attempt}: {}", got.text);
        give(&app, "alice", &got.link("account"), OLD).await;
        let state = got.state();
        got = client.retry("balance", json!({}), &state, accept()).await;
    }
    assert!(got.is_error(), "{}", got.text);
    assert!(
        got.first_text().contains("The provider has revoked it."),
        "{}",
        got.text
    );
    // The last one was rejected too.
    assert!(client.call("whose", json!({})).await.asks());
}

#[tokio::test]
async fn a_page_that_asks_again_can_be_declined() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    let one = client.call("balance", json!({})).await;
    let link = one.link("account");
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "alice").await;
    browser.decline(&link, &page).await;
    let no = client
        .retry("balance", json!({}), &one.state(), accept())
        .await;
    assert!(
        no.is_error() && no.first_text().contains("declined"),
        "{}",
        no.text
    );
}

#[tokio::test]
async fn a_client_that_opens_no_pages_is_told_so_after_a_rejection() {
    let app = app().await;
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    let forms = client.clone().can(json!({ "elicitation": {} }));
    let got = forms.call("balance", json!({})).await;
    assert_eq!(got.code(), -32021, "{}", got.text);
}

/// Where a tool waits, for the test to do something meanwhile.
#[derive(Default, Clone)]
struct Slow {
    began: Arc<Notify>,
    go_on: Arc<Notify>,
}

#[tools]
impl Slow {
    /// Finds out that the key is of no use, and takes its time for it.
    #[tool(asks(Account))]
    async fn slow(&self, cx: &Cx) -> Result<String, CallError> {
        let mut account = cx.ask::<Account>().await?;
        if account.api_key.expose_secret() == OLD {
            cx.step("use", async |_| {
                self.began.notify_one();
                self.go_on.notified().await;
                Ok(())
            })
            .await?;
            account = cx.reject::<Account>("It was revoked.").await?;
        }
        Ok(tail(&account))
    }
}

#[tokio::test]
async fn a_newer_credential_is_not_rejected_with_the_old_one() {
    let slow = Slow::default();
    let app = server()
        .tools(toolset![whose])
        .tools(slow.clone())
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call("slow", json!({})).await });
    slow.began.notified().await;
    // Meanwhile the user replaces it at the page of what is stored.
    let mut browser = Browser::new(&app);
    let start = browser.sign_in("/ui/account", "alice").await;
    let token = start
        .text
        .split("id=\"start\"")
        .nth(1)
        .and_then(|form| form.split("value=\"").nth(1))
        .and_then(|rest| rest.split('"').next())
        .unwrap();
    let fields = [(":token".to_owned(), token.to_owned())];
    let to = browser.post("/ui/account", &fields).await;
    let link = to.headers["location"].to_str().unwrap().to_owned();
    let page = browser.open(&link).await;
    let saved = browser.submit(&link, &page, &[("api_key", NEW)]).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    slow.go_on.notify_one();
    // In the same round.
    assert_eq!(call.await.unwrap().first_text(), "arj1 -");
}

/// Rejects what it has not asked for.
#[tool]
async fn hasty(cx: &Cx) -> Result<String, CallError> {
    let account = cx.reject::<Account>("never seen").await?;
    Ok(tail(&account))
}

/// Quotes the secret in the reason.
#[tool]
async fn chatty(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    let why = format!("{} is revoked", account.api_key.expose_secret());
    Ok(tail(&cx.reject::<Account>(why).await?))
}

#[tokio::test]
async fn to_reject_wrongly_is_an_error_of_the_author() {
    let app = server()
        .tools(toolset![whose, hasty, chatty])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    assert_eq!(client.call("hasty", json!({})).await.code(), -32603);
    let got = client.call("chatty", json!({})).await;
    assert_eq!(got.code(), -32603, "{}", got.text);
    assert!(!got.text.contains(OLD));
}

/// Rejects the account `prod` alone.
#[tool]
async fn of_two(cx: &Cx) -> Result<String, CallError> {
    let test = cx.ask::<Account>().named("test").await?;
    let mut prod = cx.ask::<Account>().named("prod").await?;
    if prod.api_key.expose_secret() == OLD {
        prod = cx
            .reject::<Account>("It was revoked.")
            .named("prod")
            .await?;
    }
    Ok(format!("{}, {}", tail(&test), tail(&prod)))
}

/// Forgets the account of that name; without one, the one without a name.
#[tool]
async fn disconnect(cx: &Cx, name: Option<String>) -> Result<String, CallError> {
    let forget = cx.forget::<Account>();
    let was_there = match name {
        Some(name) => forget.named(name).await?,
        None => forget.await?,
    };
    Ok(format!("was there: {was_there}"))
}

/// Gives a key for a named account and goes on.
async fn give_named(app: &App, client: &Client, got: Got, name: &str, key: &str) -> Got {
    let wire = format!("account.{name}");
    give(app, "alice", &got.link(&wire), key).await;
    let answers = json!({ wire: { "action": "accept" } });
    client
        .retry("of_two", json!({}), &got.state(), answers)
        .await
}

#[tokio::test]
async fn only_the_named_credential_is_rejected_or_forgotten() {
    let app = server()
        .tools(toolset![whose, of_two, disconnect])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", NEW).await;
    let got = client.call("of_two", json!({})).await;
    let got = give_named(&app, &client, got, "test", OLD).await;
    let got = give_named(&app, &client, got, "prod", OLD).await;
    // `prod` was rejected, `test` with the same key was not.
    assert!(
        got.asks() && got.link("account.test").is_empty(),
        "{}",
        got.text
    );
    let got = give_named(&app, &client, got, "prod", NEW).await;
    assert_eq!(got.first_text(), "jWD0 main, arj1 main", "{}", got.text);

    let first = client.call("disconnect", json!({ "name": "prod" })).await;
    assert_eq!(first.first_text(), "was there: true");
    assert!(!client.call("whose", json!({})).await.asks());
    let got = client.call("of_two", json!({})).await;
    assert!(!got.link("account.prod").is_empty(), "{}", got.text);
    let unnamed = client.call("disconnect", json!({})).await;
    assert_eq!(unnamed.first_text(), "was there: true");
    assert!(client.call("whose", json!({})).await.asks());
    let none = client.call("disconnect", json!({})).await;
    assert_eq!(none.first_text(), "was there: false");
    // Nobody else's is touched.
    let bob = client
        .as_user("bob")
        .call("disconnect", json!({ "name": "test" }))
        .await;
    assert_eq!(bob.first_text(), "was there: false");
}

/// Forgets the account that was used so far, and asks for another.
#[tool(asks(Account))]
async fn switch(cx: &Cx) -> Result<String, CallError> {
    cx.forget::<Account>().await?;
    let account = cx.ask::<Account>().await?;
    cx.confirm("Use it from now on?").await?;
    Ok(tail(&account))
}

#[tokio::test]
async fn a_later_round_does_not_forget_again() {
    let app = server()
        .tools(toolset![whose, switch])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    with_key(&app, &client, "whose", OLD).await;
    let confirm = with_key(&app, &client, "switch", NEW).await;
    assert!(confirm.asks(), "{}", confirm.text);
    let yes = json!({ "confirm": { "action": "accept", "content": { "confirm": true } } });
    let done = client
        .retry("switch", json!({}), &confirm.state(), yes)
        .await;
    assert_eq!(done.first_text(), "arj1 main", "{}", done.text);
}

/// A form.
#[derive(Elicit)]
struct Plain {
    name: String,
}

/// Forgets what is never kept.
#[tool]
async fn forget_form(cx: &Cx) -> Result<(), CallError> {
    let plain = cx.ask::<Plain>().optional().await?;
    drop(plain.map(|it| it.name));
    cx.forget::<Plain>().await?;
    Ok(())
}

#[tokio::test]
async fn to_forget_a_form_is_an_error_of_the_author() {
    let app = server().tools(toolset![forget_form]).build().await.unwrap();
    let answers = json!({ "plain": { "action": "decline" } });
    let params = json!({ "arguments": {}, "inputResponses": answers });
    let got = Client::new(&app, "alice")
        .call_with("forget_form", params)
        .await;
    assert_eq!(got.code(), -32603, "{}", got.text);
}
