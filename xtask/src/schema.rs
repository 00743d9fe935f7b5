//! Holds what was sent against the published JSON Schema of the revision.
//!
//! Uses `npm` for the validator and `recorder` for the messages. The rules are in `verify/schema/check.mjs`.

use std::io::Write as _;
use std::process::Stdio;

use crate::json::quoted;
use crate::npm::Packages;
use crate::place::{self, Tried};
use crate::recorder::Exchange;

/// Whose messages are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of both sides.
    Both,
    /// The server's alone, where the client sends wrong ones on purpose.
    Server,
}

/// A result with a member that the schema does not know. The check has to find it, or it finds nothing.
const WRONG: &str =
    r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[],"isErorr":true}}"#;

/// How many messages were looked at, and all that is wrong with them.
pub(crate) fn check(
    packages: &Packages,
    exchanges: &[Exchange],
    whose: Whose,
) -> Tried<(usize, Vec<String>)> {
    let mut lines = line("server", "tools/call", WRONG);
    for exchange in exchanges {
        if whose == Whose::Both && !exchange.request.is_empty() {
            lines.push_str(&line("client", &exchange.method, &exchange.request));
        }
        for answer in &exchange.answers {
            lines.push_str(&line("server", &exchange.method, answer));
        }
    }
    let said = run(packages, &lines)?;
    let mut said: Vec<&str> = said.lines().collect();
    let read: Option<usize> = said.pop().and_then(|count| count.parse().ok());
    let count = read.ok_or("the check did not end")?;
    let (found, faults): (Vec<&str>, Vec<&str>) =
        said.into_iter().partition(|fault| fault.ends_with(WRONG));
    if found.is_empty() || count != lines.lines().count() {
        return Err("the check overlooks what is wrong".to_owned());
    }
    Ok((count - 1, faults.into_iter().map(str::to_owned).collect()))
}

fn line(from: &str, method: &str, text: &str) -> String {
    let (method, text) = (quoted(method), quoted(text));
    format!("{{\"from\":\"{from}\",\"method\":{method},\"text\":{text}}}\n")
}

fn run(packages: &Packages, lines: &str) -> Tried<String> {
    let folder = place::root().join("xtask").join("verify").join("schema");
    let mut check = packages.script(&folder.join("check.mjs"));
    let mut child = check
        .arg(folder.join("2026-07-28.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run {check:?}: {error}"))?;
    let input = child.stdin.take().ok_or("no standard input")?;
    let lines = lines.to_owned();
    // At once with reading, so that neither side waits for the other.
    let written = std::thread::spawn(move || { input }.write_all(lines.as_bytes()));
    let output = child
        .wait_with_output()
        .map_err(|error| format!("{check:?}: {error}"))?;
    let written = written.join().map_err(|_| "writing ended".to_owned())?;
    written.map_err(|error| format!("cannot write to {check:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{check:?} ended with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("{check:?} wrote no text"))
}
