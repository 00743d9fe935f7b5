//! A server without a socket: each request is a call with bytes, as function platforms make it.
//!
//! Run it with `cargo run --example function`. It plays a client that books a table: the answer comes with a
//! second request, which any other process with the same keys could have taken.

use std::time::Duration;

use mcp_elicit::auth::Anonymous;
use mcp_elicit::http::Request;
use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;
use mcp_elicit::{App, Keyring, Limits};
use serde_json::{Value, json};

/// For how many, and what name is it under?
#[derive(Elicit)]
struct Table {
    #[elicit(min = 1, max = 12)]
    seats: u8,
    #[elicit(max_length = 40)]
    name: String,
}

/// Reserves a table.
#[tool(asks(Table))]
async fn reserve(cx: &Cx) -> Result<String, CallError> {
    let table = cx.ask::<Table>().await?;
    Ok(format!("A table for {}, for {}.", table.seats, table.name))
}

/// What a process makes once and keeps for all its calls.
async fn app() -> mcp_elicit::Result<App> {
    // Of a real one the key comes from the platform's secrets, and is the same everywhere.
    let keys = Keyring::new([7; 32]).map_err(|e| e.to_string());
    let server = Server::new("tables", env!("CARGO_PKG_VERSION"))
        .tools(toolset![reserve])
        .auth(Anonymous)
        .store(MemoryStore::new())
        .limits(Limits::default().hold(Duration::ZERO));
    match keys {
        Ok(keys) => server.keyring(keys).build().await,
        Err(_) => server.build().await,
    }
}

/// One call of the platform: what came in, and what goes back.
async fn call(app: &App, params: Value) -> Value {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "reserve")
        .body(body.to_string().into_bytes());
    let request = request.expect("it is well-formed");
    let response = app.handle(request).await;
    serde_json::from_slice(response.body()).unwrap_or_default()
}

#[tokio::main]
async fn main() -> mcp_elicit::Result<()> {
    let app = app().await?;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let asked = call(&app, json!({ "name": "reserve", "_meta": meta })).await;
    eprintln!("asked: {:#}", asked["result"]["inputRequests"]);
    let answer = json!({ "action": "accept", "content": { "seats": 4, "name": "Ada" } });
    let params = json!({
        "name": "reserve",
        "_meta": meta,
        "requestState": asked["result"]["requestState"],
        "inputResponses": { "table": answer },
    });
    let done = call(&app, params).await;
    eprintln!("done: {}", done["result"]["content"][0]["text"]);
    Ok(())
}
