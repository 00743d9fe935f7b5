//! What becomes of a credential: checked when it is given, rejected when it is of no use, forgotten.

#[path = "vault/external.rs"]
mod external;
#[path = "vault/keys.rs"]
mod keys;
#[path = "vault/reject.rs"]
mod reject;
#[path = "vault/tabs.rs"]
mod tabs;
#[path = "vault/verify.rs"]
mod verify;

use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret};
use mcp_elicit_tests::{Browser, Client, Got};
use serde_json::{Value, json};

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please give the key of your account.")]
struct Account {
    /// Secret key from the dashboard
    #[secret]
    api_key: SecretString,
    #[elicit(max_length = 40)]
    label: Option<String>,
}

/// Tells which account is in use, by its last four characters and its label.
#[tool(asks(Account))]
async fn whose(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(tail(&account))
}

fn tail(account: &Account) -> String {
    let key = account.api_key.expose_secret();
    let tail = key.get(key.len() - 4..).unwrap_or_default();
    format!("{tail} {}", account.label.as_deref().unwrap_or("-"))
}

fn accept() -> Value {
    json!({ "account": { "action": "accept" } })
}

/// Opens the link as `user`, types a key and a label, and sends it.
async fn give(app: &App, user: &str, link: &str, key: &str) -> Got {
    let mut browser = Browser::new(app);
    let page = browser.sign_in(link, user).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let fields = [("api_key", key), ("label", "main")];
    browser.submit(link, &page, &fields).await
}

/// Gives a key on the page that a call of `tool` opens; returns what the retry brings.
async fn with_key(app: &App, client: &Client, tool: &str, key: &str) -> Got {
    let one = client.call(tool, json!({})).await;
    assert!(one.asks(), "{}", one.text);
    let saved = give(app, "alice", &one.link("account"), key).await;
    assert_eq!(saved.status, 303, "{}", saved.text);
    client.retry(tool, json!({}), &one.state(), accept()).await
}
