//! What an operator sees: log, metrics and audit events; and what is in none of them.

mod audit;
pub(crate) mod listen;
mod log;
mod measured;

use mcp_elicit::client::Sample;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits};
use mcp_elicit_tests::{Browser, Client, Got};
use serde_json::{Value, json};
use std::time::Duration;

/// Where do you want to go?
#[derive(Elicit)]
struct Trip {
    #[elicit(max_length = 40)]
    place: String,
    #[elicit(format = "email")]
    email: String,
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please give your key.")]
struct Account {
    #[secret]
    key: SecretString,
    label: Option<String>,
}

const KEY: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";

/// Asks in all ways, and then ends as it is told.
#[tool]
async fn travel(cx: &Cx, who: String, end: String) -> Result<String, CallError> {
    let seen = cx.step("look", async |_| Ok(STEP.to_owned())).await?;
    let trip = cx.ask::<Trip>().await?;
    let account = cx.ask::<Account>().named(&who).await?;
    let secret = account.key.expose_secret();
    let label = account.label.unwrap_or_default();
    let said = format!("{who} {seen} to {} by {}", trip.place, trip.email);
    match &*end {
        "error" => Err(std::io::Error::other(said))?,
        "told" => Err(CallError::from(std::io::Error::other(said)).tell("Not today"))?,
        "source" => Err(CallError::from(std::io::Error::other(said)).tell_source())?,
        "text" => Err("No seats left")?,
        "secret" => Err(std::io::Error::other(format!("{secret} of {label}")))?,
        "leak" => Ok(format!("the key is {secret}")),
        "journal" => {
            cx.step("copy", async |_| Ok(secret.to_owned())).await?;
            cx.confirm("Go on?").await?;
            Ok(String::new())
        }
        "panic" => panic!("what to do with {said}?"),
        "panic with the secret" => panic!("what to do with {secret}?"),
        _ => Ok("gone".into()),
    }
}

/// What the step of [`travel`] finds.
const STEP: &str = "marker-step";

/// Asks for a form and nothing else.
#[tool]
async fn ask(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Trip>().await?.place)
}

/// Needs the account.
#[tool]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<Account>().await?.key);
    Ok("connected".into())
}

/// Finds the account of no use, or forgets it.
#[tool]
async fn drop_it(cx: &Cx, how: String) -> Result<String, CallError> {
    drop(cx.ask::<Account>().await?.key);
    if how == "reject" {
        drop(cx.reject::<Account>("It was revoked.").await?.key);
    } else {
        cx.forget::<Account>().await?;
    }
    Ok("dropped".into())
}

/// Takes a state once.
#[tool(single_use)]
async fn once_only(cx: &Cx) -> Result<String, CallError> {
    Ok(cx.ask::<Trip>().await?.place)
}

/// Says how many it is given.
#[tool(asks(Trip))]
async fn count(cx: &Cx, many: u8) -> Result<String, CallError> {
    let _ = cx;
    Ok(many.to_string())
}

/// Plan a trip.
#[prompt]
async fn plan(cx: &Cx, who: String) -> Result<String, CallError> {
    let trip = cx.ask::<Trip>().await?;
    Err(std::io::Error::other(format!(
        "{who} cannot go to {}",
        trip.place
    )))?
}

/// What is known of somebody.
#[resource("people://{who}")]
async fn person(who: String) -> Result<String, CallError> {
    Err(std::io::Error::other(format!("nobody is called {who}")))?
}

/// Asks the client itself, and quotes its answers in an error.
#[tool]
#[expect(deprecated, reason = "what is tested here is deprecated")]
async fn of_client(cx: &Cx) -> Result<String, CallError> {
    let sample = Sample::new(5).user("Say something");
    let (said, roots) = try_join!(cx.sample(sample), cx.roots())?;
    cx.confirm("Go on?").await?;
    Err(std::io::Error::other(format!(
        "{} in {roots:?}",
        said.text()
    )))?
}

/// Has an effect.
#[tool]
async fn pay(cx: &Cx, number: u8) -> Result<String, CallError> {
    cx.once("pay", async |_| Ok(())).by(number).await?;
    Ok("paid".into())
}

fn server() -> Server {
    mcp_elicit_tests::server().tools(toolset![
        travel, ask, connect, drop_it, once_only, count, pay, of_client, plan, person
    ])
}

fn quick() -> Limits {
    Limits::default().hold(Duration::ZERO)
}

fn trip() -> Value {
    json!({ "trip": { "action": "accept", "content": { "place": "Oslo", "email": "ada@example.com" } } })
}

fn accept(key: &str) -> Value {
    json!({ key: { "action": "accept" } })
}

/// What a client answers for its model and its roots.
fn of_client_says(text: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    json!({
        "sample": { "role": "assistant", "content": content, "model": "test" },
        "roots": { "roots": [{ "uri": "file:///home/marker-root" }] },
    })
}

/// A client of `name` that can be asked for everything.
fn able(app: &App, name: &str) -> Client {
    Client::new(app, name).can(json!({ "elicitation": {}, "sampling": {}, "roots": {} }))
}

/// Opens the link as `name` and gives the key.
async fn give(app: &App, name: &str, link: &str) -> Got {
    let mut browser = Browser::new(app);
    let page = browser.sign_in(link, name).await;
    assert_eq!(page.status, 200, "{}", page.text);
    browser
        .submit(link, &page, &[("key", KEY), ("label", "main")])
        .await
}

/// A prompt that asks, with a place as its answer, and a resource; neither goes well.
async fn plan_and_read(client: &Client, who: &str, place: &str) -> (Got, Got) {
    let mut params = json!({ "name": "plan", "arguments": { "who": who } });
    let one = client
        .request("prompts/get", Some("plan"), params.clone())
        .await;
    assert!(one.asks(), "{}", one.text);
    params["requestState"] = one.state().into();
    params["inputResponses"] = json!({ "trip": { "action": "accept", "content": {
        "place": place, "email": "ada@example.com" } } });
    let two = client.request("prompts/get", Some("plan"), params).await;
    let uri = format!("people://{who}");
    let read = client.request("resources/read", Some(&uri), json!({ "uri": uri }));
    let read = read.await;
    (two, read)
}

/// Calls a tool of a client that has no state.
async fn first(client: &Client, tool: &str) -> Got {
    let got = client.call(tool, json!({})).await;
    assert!(got.asks(), "{}", got.text);
    got
}
