//! A client that talks to a server over a pipe, and a browser that needs a socket.

use std::time::Duration;

use mcp_elicit::App;
use mcp_elicit::auth::Principal;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines,
    ReadHalf, WriteHalf,
};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

/// How long a message may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// A client that can show forms and open links.
pub struct Pipe {
    pub write: WriteHalf<DuplexStream>,
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub server: JoinHandle<std::io::Result<()>>,
    capabilities: Value,
}

impl Pipe {
    /// Starts to serve `user`. `size` is how many bytes may be on their way each way.
    pub fn new(app: &App, user: &str, size: usize) -> Self {
        let (client, server) = tokio::io::duplex(size);
        let (app, user) = (app.clone(), Principal::new("https://example.com", user));
        let server = tokio::spawn(async move {
            let (read, write) = tokio::io::split(server);
            app.serve_pipe(read, write, user).await
        });
        let (read, write) = tokio::io::split(client);
        Self {
            write,
            read: BufReader::new(read).lines(),
            server,
            capabilities: json!({ "elicitation": { "form": {}, "url": {} } }),
        }
    }

    pub fn can(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sends any line.
    pub async fn line(&mut self, line: impl AsRef<[u8]>) {
        self.write.write_all(line.as_ref()).await.expect("it reads");
        self.write.write_all(b"\n").await.expect("it reads");
    }

    pub async fn send(&mut self, id: impl Into<Value>, method: &str, mut params: Value) {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        let id: Value = id.into();
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.line(message.to_string()).await;
    }

    pub async fn call(&mut self, id: impl Into<Value>, tool: &str) {
        self.send(id, "tools/call", json!({ "name": tool })).await;
    }

    pub async fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({ "requestId": id.into(), "reason": "not needed" });
        let message =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        self.line(message.to_string()).await;
    }

    /// The next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.read.next_line()).await;
        let line = line
            .expect("a message comes in time")
            .expect("it is whole")?;
        Some(serde_json::from_str(&line).expect("a line is one message"))
    }

    /// The next message, which there is.
    pub async fn got(&mut self) -> Value {
        self.next().await.expect("there is one more")
    }

    /// Whether nothing comes for a while.
    pub async fn is_quiet(&mut self) -> bool {
        let next = tokio::time::timeout(Duration::from_millis(100), self.read.next_line());
        next.await.is_err()
    }

    /// Goes, without a word.
    pub fn leave(self) -> JoinHandle<std::io::Result<()>> {
        self.server
    }

    /// Closes the client's end, and gives what still comes.
    pub async fn end(mut self) -> Vec<Value> {
        self.write.shutdown().await.expect("it reads");
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        let ended = tokio::time::timeout(PATIENCE, self.server).await;
        ended
            .expect("it ends")
            .expect("no panic")
            .expect("no error");
        all
    }
}

/// What a page answered.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    pub head: String,
    pub html: String,
}

impl Page {
    /// The cookie that was set.
    pub fn cookie(&self) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find(|l| l.to_ascii_lowercase().starts_with("set-cookie: "));
        line?.split_once(": ")?.1.split(';').next()
    }
}

/// Sends one request to a listener of this machine.
pub async fn visit(address: &str, request: &str, headers: &[(&str, &str)], body: &str) -> Page {
    let mut stream = TcpStream::connect(address).await.expect("somebody listens");
    let mut text = format!("{request} HTTP/1.1\r\nconnection: close\r\n");
    let has_host = headers.iter().any(|(name, _)| *name == "host");
    if !has_host {
        text.push_str(&format!("host: {address}\r\n"));
    }
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    stream.write_all(text.as_bytes()).await.expect("it reads");
    let mut got = String::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut got)).await;
    read.expect("it answers").expect("it is text");
    let (head, html) = got.split_once("\r\n\r\n").expect("a head");
    Page {
        status: head
            .split(' ')
            .nth(1)
            .and_then(|s| s.parse().ok())
            .expect("a status"),
        head: head.to_owned(),
        html: html.to_owned(),
    }
}
