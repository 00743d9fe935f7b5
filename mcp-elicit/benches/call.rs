//! What one call of a tool costs in this process, without a socket: `cargo bench --bench call`.
//!
//! Nobody listens to spans, events and metrics here, so a difference between two builds is what
//! listening for them costs everybody. For the number of instructions instead of a time, which
//! does not depend on what else the machine does, give it how many calls to make:
//!
//! ```text
//! valgrind --tool=callgrind target/release/deps/call-<hash> 2000
//! ```
//!
//! The difference between two counts of calls leaves the start out.

#![expect(clippy::print_stdout, reason = "it is what this program is for")]

use std::future::poll_fn;
use std::hint::black_box;
use std::time::Instant;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::http::Request;
use mcp_elicit::Keyring;
use mcp_elicit::auth::DevUsers;
use mcp_elicit::prelude::*;
use mcp_elicit::store::MemoryStore;
use tower_service::Service as _;

/// Give the text back.
#[tool]
async fn echo(
    /** The text to return */
    text: String,
) -> String {
    text
}

/// Who is it for?
#[derive(Elicit)]
struct Guest {
    name: String,
    nights: u8,
}

/// Book a room.
#[tool]
async fn book(cx: &Cx) -> Result<String, CallError> {
    let guest = cx.ask::<Guest>().await?;
    Ok(format!("{} nights for {}", guest.nights, guest.name))
}

/// A report of so many bytes, in a run that has opened a secret if it is told to.
#[tool]
async fn report(cx: &Cx, bytes: usize, secret: bool) -> String {
    if secret {
        cx.keep_secret(&"sk_live_4eC39HqLyjWDarjtT1zdp7dc".into());
    }
    let line = "The invoice of March, \"paid\", is at https://example.com/invoices?id=20%2F26.\n";
    let mut text = line.repeat(bytes / line.len() + 1);
    text.truncate(bytes);
    text
}

fn call(tool: &str, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}",{members}
        "_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{"form":{{}}}}}}}}}}}}"#
    )
}

async fn send(router: &mut Router, tool: &str, body: &str) -> Vec<u8> {
    let request = Request::post("/mcp")
        .header("host", "127.0.0.1:3000")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(Body::from(body.to_owned()));
    let Ok(request) = request else {
        return Vec::new();
    };
    let Ok(response) = router.call(request).await;
    let mut body = std::pin::pin!(response.into_body());
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        bytes.extend(frame.into_data().unwrap_or_default());
    }
    bytes
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let turns = std::env::args().find_map(|arg| arg.parse::<u32>().ok());
    let only =
        std::env::args().find(|arg| ["echo", "ask", "resume", "guard"].contains(&arg.as_str()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let app = Server::new("bench", "1")
            .store(MemoryStore::new())
            .keyring(Keyring::new([7; 32])?)
            .auth(DevUsers)
            .tools(toolset![echo, book, report])
            .build()
            .await?;
        let mut router = app.router();
        let ask = call("book", "");
        let asked = String::from_utf8(send(&mut router, "book", &ask).await)?;
        let (_, state) = asked.split_once(r#""requestState":""#).ok_or("no state")?;
        let (state, _) = state.split_once('"').ok_or("no end")?;
        let answer = format!(
            r#""requestState":"{state}","inputResponses":{{"guest":{{"action":"accept",
            "content":{{"name":"Ada","nights":2}}}}}},"#
        );
        let echo = call("echo", r#""arguments":{"text":"hello"},"#);
        let mut cases = vec![
            ("echo".to_owned(), "echo", echo),
            ("ask".to_owned(), "book", ask),
            ("resume".to_owned(), "book", call("book", &answer)),
        ];
        // What it costs to look for a secret in a reply of that size.
        for kib in [1, 64, 1024] {
            for (secret, what) in [(false, "plain"), (true, "guard")] {
                let arguments = format!(
                    r#""arguments":{{"bytes":{},"secret":{secret}}},"#,
                    kib * 1024
                );
                cases.push((
                    format!("{what} {kib} KiB"),
                    "report",
                    call("report", &arguments),
                ));
            }
        }
        for (what, tool, body) in cases {
            let is_meant = |only: &str| match only {
                "guard" => tool == "report",
                _ => only == what,
            };
            if only.as_deref().is_some_and(|only| !is_meant(only)) {
                continue;
            }
            let reply = send(&mut router, tool, &body).await;
            assert!(!reply.is_empty() && !reply.windows(7).any(|w| w == b"\"error\""));
            let few = if tool == "report" { 200 } else { 5_000 };
            let (rounds, turns) = turns.map_or((15, few), |turns| (1, turns));
            let mut best = None;
            for _ in 0..rounds {
                let start = Instant::now();
                for _ in 0..turns {
                    black_box(send(&mut router, tool, black_box(&body)).await);
                }
                let each = start.elapsed() / turns;
                best = Some(best.map_or(each, |best| each.min(best)));
            }
            println!("{what:<16}{:>9} ns", best.unwrap_or_default().as_nanos());
        }
        Ok(())
    })
}
