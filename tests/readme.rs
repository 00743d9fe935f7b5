//! The first test that the README shows, run as it stands there.

use mcp_elicit::prelude::*;
use mcp_elicit::testing::TestApp;
use serde_json::json;

/// Where do you want to sit?
#[derive(Elicit)]
struct Seat {
    #[elicit(min = 1, max = 30)]
    row: u8,
    /// A seat at the window
    window: Option<bool>,
}

/// Reserve a seat on a train.
#[tool(asks(Seat))]
async fn reserve(
    cx: &Cx,
    /** Number of the train */
    train: String,
) -> Result<String, CallError> {
    let seat = cx.ask::<Seat>().await?;
    let side = if seat.window == Some(true) {
        "at the window"
    } else {
        "anywhere"
    };
    cx.confirm(format!("Reserve row {}, {side}, on {train}?", seat.row))
        .await?;
    let number = cx
        .once("reserve", async |s| {
            Ok(book(&train, seat.row, s.key()).await?)
        })
        .await?;
    Ok(format!("Reserved as {number}"))
}

async fn book(train: &str, row: u8, key: &str) -> std::io::Result<String> {
    Ok(format!("{train}-{row}-{key}"))
}

#[tokio::test]
async fn the_first_test_passes() {
    let app = TestApp::new(Server::new("trains", "1.0.0").tools(toolset![reserve])).await;
    let call = app
        .user("ada")
        .tool("reserve")
        .args(json!({ "train": "ICE 5" }));
    let run = call
        .accept(Seat {
            row: 7,
            window: Some(true),
        })
        .confirm(true)
        .await;
    assert!(run.text().starts_with("Reserved as ICE 5-7-"));
}

/// Without what a formatter may change.
fn bare(code: &str) -> String {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    code.replace(",}", "}").replace(",)", ")")
}

#[test]
fn this_is_what_the_readme_shows() {
    let here = bare(include_str!("readme.rs"));
    let readme = include_str!("../README.md");
    let (_, rest) = readme.split_once("```text\nlet app").unwrap();
    let code = bare(rest.split("\n```").next().unwrap());
    assert!(here.contains(&code), "{code}");
}

/// The judge `clients` compiles the file; the page shows it.
#[test]
fn the_tool_with_rmcp_is_the_one_that_is_compiled() {
    let page = include_str!("../docs/guide/from-rmcp.md");
    let file = include_str!("../xtask/verify/clients/rmcp/src/lib.rs");
    let (_, code) = file.split_once("\n\n").unwrap();
    assert!(page.contains(&format!("```rust,ignore\n{code}```")));
}
