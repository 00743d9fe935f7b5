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

