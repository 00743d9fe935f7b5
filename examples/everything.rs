//! Every feature in its smallest form, under the names that the official conformance suite calls.
//!
//! Run it with `cargo run --example everything`; `cargo xtask verify` judges it.

mod common;

use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;

/// Returns a fixed text.
#[tool]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Fails on purpose.
#[tool]
async fn test_error_handling() -> Result<String, CallError> {
    Err("This tool intentionally returns an error for testing.".into())
}

/// What is your name?
#[derive(Elicit)]
#[elicit(key = "user_name")]
struct UserName {
    name: String,
}

/// Greets the user by the name that the user gives.
#[tool]
async fn test_input_required_result_elicitation(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserName>().await?;
    Ok(format!("Hello, {}!", user.name))
}

/// Is everything all right?
#[derive(Elicit)]
#[elicit(key = "confirm")]
struct AllRight {
    ok: bool,
}

/// Asks once and carries its state through the client.
#[tool]
async fn test_input_required_result_request_state(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.ask::<AllRight>().await?;
    Ok(format!("state-ok: {}", answer.ok))
}

/// Asks once; a state that was changed is refused.
#[tool]
async fn test_input_required_result_tampered_state(cx: &Cx) -> Result<String, CallError> {
    let answer = cx.ask::<AllRight>().await?;
    Ok(format!("state-ok: {}", answer.ok))
}

/// First: what is your name?
#[derive(Elicit)]
#[elicit(key = "step1")]
struct FirstStep {
    name: String,
}

/// Second: what is your favourite colour?
#[derive(Elicit)]
#[elicit(key = "step2")]
struct SecondStep {
    color: String,
}

/// Asks two questions, one after the other.
#[tool]
async fn test_input_required_result_multi_round(cx: &Cx) -> Result<String, CallError> {
    let first = cx.ask::<FirstStep>().await?;
    let second = cx.ask::<SecondStep>().await?;
    Ok(format!("{} likes {}.", first.name, second.color))
}

/// Asks once; the answer never travels on the stream of the call.
#[tool]
async fn test_streaming_elicitation(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserName>().await?;
    Ok(format!("Hello, {}!", user.name))
}

/// Works without a word in the client's log, as long as the client asks for none.
#[tool]
async fn test_logging_tool() -> &'static str {
    "Done."
}

/// Needs what the caller may not have declared.
#[tool(asks(UserName))]
async fn test_missing_capability(cx: &Cx) -> Result<String, CallError> {
    let user = cx.ask::<UserName>().await?;
    Ok(format!("Hello, {}!", user.name))
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    common::log();
    let address = common::address();
    let app = Server::new("everything", env!("CARGO_PKG_VERSION"))
        .tools(toolset![
            test_simple_text,
            test_error_handling,
            test_input_required_result_elicitation,
            test_input_required_result_request_state,
            test_input_required_result_tampered_state,
            test_input_required_result_multi_round,
            test_streaming_elicitation,
            test_logging_tool,
            test_missing_capability,
        ])
        .auth(DevUsers)
        .limits(common::limits())
        .build()
        .await?;
    eprintln!("everything: an MCP server (revision 2026-07-28) at http://{address}/mcp");
    app.serve(&address).await
}
