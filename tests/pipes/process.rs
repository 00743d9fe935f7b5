//! A server that is started by its client, as a process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mcp-elicit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn start(home: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_stdio-server"))
        .env_clear()
        .env("XDG_DATA_HOME", home)
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

fn call(id: u32, tool: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "url": {} } },
    });
    let params = json!({ "name": tool, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    format!("{call}\n")
}

async fn soon<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), work)
        .await
        .expect("it hangs")
}

#[tokio::test]
async fn standard_output_holds_messages_alone() {
    let home = Home::new("prints");
    let mut child = start(&home.0);
    let mut to = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    to.write_all(call(1, "print").as_bytes()).await.unwrap();
    let line = soon(out.next_line()).await.unwrap().unwrap();
    let got: Value = serde_json::from_str(&line).unwrap();
    // The process that it started found nothing in standard input, which is ours.
    assert_eq!(got["result"]["content"][0]["text"], "read 0 bytes", "{got}");
    drop(to);
    assert_eq!(soon(out.next_line()).await.unwrap(), None);
    assert!(soon(child.wait()).await.unwrap().success());
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .await
        .unwrap();
    assert!(said.contains("printed by the handler"), "{said}");
    assert!(said.contains("printed by its child"), "{said}");
    // The data is the user's, by the name of the server.
    assert!(
        home.0
            .join("mcp-elicit/my%20%53erver/store.sqlite")
            .exists()
    );
}

#[tokio::test]
async fn a_user_is_the_same_in_each_process() {
    let home = Home::new("same");
    let mut states = Vec::new();
    for id in 1..3 {
        let mut child = start(&home.0);
        let mut to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
        to.write_all(call(id, "who").as_bytes()).await.unwrap();
        let line = soon(out.next_line()).await.unwrap().unwrap();
        let got: Value = serde_json::from_str(&line).unwrap();
        states.push(got["result"]["content"][0]["text"].clone());
        let begun = Instant::now();
        drop(to);
        assert!(soon(child.wait()).await.unwrap().success());
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{:?}",
            begun.elapsed()
        );
    }
    assert_eq!(states[0], states[1]);
    let user = states[0].as_str().unwrap();
    let number = user.strip_prefix("os ").unwrap();
    assert!(number.parse::<u32>().is_ok(), "{user}");
}

#[tokio::test]
async fn a_signal_ends_it_while_the_client_keeps_its_end_open() {
    let home = Home::new("signal");
    let mut child = start(&home.0);
    let mut to = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    to.write_all(call(1, "who").as_bytes()).await.unwrap();
    soon(out.next_line()).await.unwrap().unwrap();
    let id = child.id().unwrap().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .await
            .unwrap()
            .success()
    );
    assert!(soon(child.wait()).await.unwrap().success());
}
