//! A run of six rounds at two processes that share a key and nothing else, each killed as soon as it has asked.
//!
//! Uses `server` and `mcp`, and the example `interview`, which asks by forms alone.

use std::fs;
use std::path::Path;

use super::mcp::{Call, Reply, Wire};
use super::{Bench, need};
use crate::json::quoted;
use crate::place::{self, Tried};
use crate::server::{self, Server};

const TOOL: &str = "interview";
const ROUNDS: usize = 6;
const KEY: &str = "a key that both processes have, and no third";
const OTHER_KEY: &str = "a key that no other of the processes has";

/// A process, and how a client reaches it.
#[derive(Debug)]
struct Process {
    server: Server,
    wire: Wire,
}

impl Process {
    fn start(bench: &Bench, program: &Path, name: &str, key: &'static str) -> Tried<Self> {
        let data = place::emptied(place::work()?.join("robin").join(name))?;
        let server = Server::start(program, &data, &[("INTERVIEW_KEY", key)])?;
        let wire = bench.wire.beside(server.address());
        Ok(Self { server, wire })
    }
}

/// The process that asked is gone when the answer comes, which the other one takes.
pub(super) fn run(bench: &mut Bench) -> Tried<()> {
    let program = server::build("interview")?;
    let mut asked = Process::start(bench, &program, "one", KEY)?;
    let mut other = Process::start(bench, &program, "two", KEY)?;
    let stranger = Process::start(bench, &program, "three", OTHER_KEY)?;

    let first = Call {
        capabilities: r#"{"elicitation":{"form":{}}}"#,
        ..Call::first("robin", TOOL)
    };
    let begun = asked.server.id();
    let mut reply = asked.wire.call(&first)?;
    let mut last = String::new();
    for round in 0..ROUNDS {
        asked.server.kill();
        let state = reply.needed(&["result", "requestState"])?.to_owned();
        let key = format!("reply.{round}");
        let message = reply.needed(&["result", "inputRequests", &key, "params", "message"])?;
        need(message.starts_with(&last), || {
            format!("round {round} asks `{message}`, which lacks {last}")
        })?;
        let said = format!("answer {round}");
        let answers = format!(
            r#"{{{}:{{"action":"accept","content":{{"text":{}}}}}}}"#,
            quoted(&key),
            quoted(&said)
        );
        let retry = first.retry(&answers, &state);
        stranger.wire.call(&retry)?.error(200, -32602)?;
        reply = other.wire.call(&retry)?;
        asked.server.again()?;
        last = format!("\"{said}\". ");
        std::mem::swap(&mut asked, &mut other);
    }
    finished(&reply, begun)?;
    for name in ["one", "two", "three"] {
        let path = place::work()?.join("robin").join(name);
        let mut kept = fs::read_dir(&path).map_err(|error| error.to_string())?;
        need(kept.next().is_none(), || {
            format!("something is kept in {}", path.display())
        })?;
    }
    Ok(())
}

/// All answers are there, and the step of the first round was done in that round alone.
fn finished(reply: &Reply, begun: u32) -> Tried<()> {
    let result = reply.result("complete")?;
    let texts = result.get("content").map(crate::json::Json::list);
    let text = texts
        .unwrap_or_default()
        .first()
        .and_then(|block| block.get("text")?.text())
        .unwrap_or_default();
    let said: Vec<String> = (0..ROUNDS).map(|round| format!("answer {round}")).collect();
    let wanted = format!("{}: begun by process {begun}", said.join(", "));
    need(text == wanted, || {
        format!("`{text}` where `{wanted}` should be")
    })
}
