//! Secrets that did not come from a page: once named, they leave no more than those that did.

use mcp_elicit::prelude::*;
use mcp_elicit::{ExposeSecret, NotFound};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::json;

const TOKEN: &str = "tok_5f0c9b7e21aa";
/// The same in base64.
const ENCODED: &str = "dG9rXzVmMGM5YjdlMjFhYQ==";

/// Which one?
#[derive(Elicit)]
struct Pick {
    name: String,
}

/// Leak a token in one of many ways.
#[tool]
async fn leak(cx: &Cx, how: String) -> Result<String, CallError> {
    let token = SecretString::from(TOKEN);
    cx.keep_secret(&token);
    cx.keep_secret(&token);
    cx.keep_secret(&SecretString::from(""));
    let token = token.expose_secret().to_owned();
    match how.as_str() {
        "result" => Ok(format!("it is {token}")),
        "encoded" => Ok(ENCODED.to_owned()),
        "error" => Err(format!("not {token}").into()),
        "question" => Ok(cx.ask::<Pick>().message(token).await?.name),
        "step" => {
            cx.step("it", async |_| Ok(token.clone())).await?;
            Ok(cx.ask::<Pick>().await?.name)
        }
        _ => Ok("nothing of it".to_owned()),
    }
}

/// Leak a token in a prompt.
#[prompt]
async fn told(cx: &Cx) -> Result<String, CallError> {
    cx.keep_secret(&SecretString::from(TOKEN));
    Err(format!("not {TOKEN}").into())
}

/// Leak a token in a resource.
#[resource("test://{name}")]
async fn read(cx: &Cx, name: String) -> Result<String, CallError> {
    cx.keep_secret(&SecretString::from(TOKEN));
    match name.as_str() {
        "text" => Ok(TOKEN.to_owned()),
        _ => Err(NotFound.into()),
    }
}

async fn client() -> Client {
    let app = server()
        .tools(toolset![leak, told, read])
        .build()
        .await
        .unwrap();
    Client::new(&app, "ada")
}

fn withheld(got: &Got, what: &str) {
    assert_eq!(got.code(), -32603, "{what}: {}", got.text);
    assert!(
        !got.text.contains(TOKEN) && !got.text.contains(ENCODED),
        "{what}"
    );
}

#[tokio::test]
async fn a_secret_that_was_named_does_not_leave() {
    let client = client().await;
    for how in ["result", "encoded", "error", "question", "step"] {
        withheld(&client.call("leak", json!({ "how": how })).await, how);
    }
    let got = client.call("leak", json!({ "how": "not at all" })).await;
    assert_eq!(got.first_text(), "nothing of it");
}

#[tokio::test]
async fn neither_does_it_in_a_prompt_or_a_resource() {
    let client = client().await;
    let params = json!({ "name": "told" });
    withheld(
        &client.request("prompts/get", Some("told"), params).await,
        "prompt",
    );
    // The URI is the client's own word, but nobody knows that it is not an echo.
    for name in ["text".to_owned(), TOKEN.to_owned()] {
        let uri = format!("test://{name}");
        let got = client
            .request("resources/read", Some(&uri), json!({ "uri": uri }))
            .await;
        withheld(&got, &uri);
    }
}
