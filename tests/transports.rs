//! Connections: HTTP/1.1 and HTTP/2, their limits, Unix sockets, and requests without any.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::Request;
use hyper::body::Incoming;
use mcp_elicit::auth::OsUser;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, server};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};

/// Says who calls.
#[tool]
async fn who(cx: &Cx) -> String {
    cx.progress(1, 1);
    format!("{} {}", cx.principal().issuer(), cx.principal().subject())
}

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please connect your account.")]
struct Account {
    /// From the dashboard
    #[secret]
    api_key: SecretString,
}

/// Needs the account.
#[tool]
async fn connect(cx: &Cx) -> Result<&'static str, CallError> {
    cx.ask::<Account>().await?;
    Ok("Connected.")
}

struct Gated {
    begun: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

#[tools]
impl Gated {
    /// Waits for the gate.
    #[tool]
    async fn wait(&self) -> &'static str {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let _ = self.gate.acquire().await.map(|it| it.forget());
        "Waited."
    }
}

struct Served {
    address: String,
    begun: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
    stop: oneshot::Sender<()>,
    server: tokio::task::JoinHandle<mcp_elicit::Result<()>>,
}

async fn serve(limits: Limits) -> Served {
    let (begun, gate) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let gated = Gated {
        begun: Arc::clone(&begun),
        gate: Arc::clone(&gate),
    };
    let app = server().tools(gated).tools(toolset![who]).limits(limits);
    let app = app.build().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(async move {
        let stopped = async { drop(stopped.await) };
        app.serve_on(listener, stopped).await
    });
    Served {
        address,
        begun,
        gate,
        stop,
        server,
    }
}

fn message(tool: &str) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "url": {} } },
    });
    let params = json!({ "name": tool, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

/// The head of a call, without the end of the head.
fn head(tool: &str, length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {tool}\r\n\
         content-length: {length}\r\n"
    )
}

async fn call_on(stream: &mut (impl AsyncRead + AsyncWrite + Unpin), tool: &str) -> String {
    let body = message(tool);
    let text = format!("{}connection: close\r\n\r\n{body}", head(tool, body.len()));
    stream.write_all(text.as_bytes()).await.unwrap();
    rest(stream).await
}

/// What comes until the connection is closed.
async fn rest(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut all = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut all));
    // One that is reset has told all that it will.
    let _ = read.await.expect("it is closed in time");
    String::from_utf8_lossy(&all).into_owned()
}

async fn until(counter: &AtomicUsize, many: usize) {
    for _ in 0..500 {
        if counter.load(Ordering::SeqCst) == many {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} instead of {many}", counter.load(Ordering::SeqCst));
}

type Http2 = hyper::client::conn::http2::SendRequest<axum::body::Body>;

async fn http2(address: &str) -> Http2 {
    let stream = TcpStream::connect(address).await.unwrap();
    let (executor, io) = (
        hyper_util::rt::TokioExecutor::new(),
        hyper_util::rt::TokioIo::new(stream),
    );
    let (send, connection) = hyper::client::conn::http2::handshake(executor, io)
        .await
        .unwrap();
    tokio::spawn(connection);
    send
}

async fn call_by_http2(mut client: Http2, address: String, tool: &'static str) -> (u16, Value) {
    let request = Request::post(format!("http://{address}/mcp"))
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(message(tool).into());
    let response: axum::http::Response<Incoming> =
        client.send_request(request.unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let body = axum::body::Body::new(response.into_body());
    let body: Bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

#[tokio::test]
async fn one_port_speaks_both() {
    let it = serve(Limits::default()).await;
    let mut stream = TcpStream::connect(&it.address).await.unwrap();
    let got = call_on(&mut stream, "who").await;
    assert!(
        got.starts_with("HTTP/1.1 200") && got.contains("dev dev"),
        "{got}"
    );
    let (status, got) = call_by_http2(http2(&it.address).await, it.address.clone(), "who").await;
    assert_eq!((status, text(&got)), (200, "dev dev"));
    // A server that stops closes what is idle, and finishes what is not.
    let client = http2(&it.address).await;
    let call = tokio::spawn(call_by_http2(client, it.address.clone(), "wait"));
    until(&it.begun, 1).await;
    it.stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(TcpStream::connect(&it.address).await.is_err());
    it.gate.add_permits(1);
    assert_eq!(text(&call.await.unwrap().1), "Waited.");
    let ended = tokio::time::timeout(Duration::from_secs(5), it.server).await;
    ended.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn no_time_is_too_long_for_a_connection() {
    for keep_alive in [Duration::ZERO, Duration::MAX] {
        let limits = Limits::default().read(Duration::MAX);
        let it = serve(limits.keep_alive(keep_alive)).await;
        let mut stream = TcpStream::connect(&it.address).await.unwrap();
        let got = call_on(&mut stream, "who").await;
        assert!(got.starts_with("HTTP/1.1 200"), "{got}");
        let client = http2(&it.address).await;
        let (status, _) = call_by_http2(client, it.address.clone(), "who").await;
        assert_eq!(status, 200);
        it.stop.send(()).unwrap();
        it.server.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_head_may_be_as_large_as_the_limit_says() {
    let it = serve(Limits::default().head(10_000)).await;
    for (bytes, status) in [(9_000, "200"), (40_000, "431")] {
        let mut stream = TcpStream::connect(&it.address).await.unwrap();
        let body = message("who");
        let head = head("who", body.len());
        let fill = "a".repeat(bytes - head.len());
        let text = format!("{head}connection: close\r\nx-fill: {fill}\r\n\r\n{body}");
        let _ = stream.write_all(text.as_bytes()).await;
        let got = rest(&mut stream).await;
        assert!(
            got.starts_with(&format!("HTTP/1.1 {status}")),
            "{bytes}: {got}"
        );
    }
    let mut client = http2(&it.address).await;
    let request =
        Request::get(format!("http://{}/ui", it.address)).header("x-fill", "a".repeat(12_000));
    let got = client
        .send_request(request.body(axum::body::Body::empty()).unwrap())
        .await;
    assert!(got.is_err() || got.is_ok_and(|it| it.status() == 431));
}

#[tokio::test]
async fn who_sends_no_head_in_time_is_hung_up_on() {
    let it = serve(Limits::default().read(Duration::from_millis(200))).await;
    for begin in [
        "",
        "P",
        "PRI * HTTP/2.0\r\n",
        "POST /mcp HTTP/1.1\r\nhost: local",
    ] {
        let mut stream = TcpStream::connect(&it.address).await.unwrap();
        stream.write_all(begin.as_bytes()).await.unwrap();
        let got = rest(&mut stream).await;
        assert!(
            got.is_empty() || got.starts_with("HTTP/1.1 408"),
            "{begin}: {got}"
        );
    }
    // One that works takes as long as it has to.
    let mut stream = TcpStream::connect(&it.address).await.unwrap();
    let call = tokio::spawn(async move { call_on(&mut stream, "wait").await });
    tokio::time::sleep(Duration::from_millis(500)).await;
    it.gate.add_permits(1);
    assert!(call.await.unwrap().contains("Waited."));
}

#[tokio::test]
async fn as_many_connections_are_open_as_the_limit_says() {
    let it = serve(Limits::default().connections(2)).await;
    let mut first = TcpStream::connect(&it.address).await.unwrap();
    let _second = TcpStream::connect(&it.address).await.unwrap();
    let mut third = TcpStream::connect(&it.address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let mut waits = tokio::spawn(async move { call_on(&mut third, "who").await });
    let early = tokio::time::timeout(Duration::from_millis(200), &mut waits).await;
    assert!(early.is_err());
    assert!(call_on(&mut first, "who").await.contains("dev dev"));
    assert!(waits.await.unwrap().contains("dev dev"));
}

#[tokio::test]
async fn as_many_requests_share_a_connection_as_the_limit_says() {
    let it = serve(Limits::default().streams(2)).await;
    let client = http2(&it.address).await;
    // The settings of the server have come with the first reply.
    call_by_http2(client.clone(), it.address.clone(), "who").await;
    let calls =
        [0; 3].map(|_| tokio::spawn(call_by_http2(client.clone(), it.address.clone(), "wait")));
    until(&it.begun, 2).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(it.begun.load(Ordering::SeqCst), 2);
    it.gate.add_permits(3);
    for call in calls {
        assert_eq!(text(&call.await.unwrap().1), "Waited.");
    }
}

async fn os_app() -> App {
    let app = server().auth(OsUser).tools(toolset![who, connect]);
    app.build().await.unwrap()
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    use tokio::net::UnixStream;

    let directory = std::env::temp_dir().join(format!("mcp-elicit-unix-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join("mcp.sock");
    // One that an earlier process left.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let app = os_app().await;
    let serving = {
        let (app, path) = (app.clone(), path.clone());
        tokio::spawn(async move { app.serve_unix(path).await })
    };
    let connected = async {
        loop {
            match UnixStream::connect(&path).await {
                Ok(stream) => return stream,
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    };
    let mut stream = tokio::time::timeout(Duration::from_secs(5), connected)
        .await
        .unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let uid = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&path).unwrap());
    let got = call_on(&mut stream, "who").await;
    assert!(got.contains(&format!("\"os {uid}\"")), "{got}");
    // Pages have an address of their own.
    let mut stream = UnixStream::connect(&path).await.unwrap();
    let got = call_on(&mut stream, "connect").await;
    assert!(got.contains("\"url\":\"http://127.0.0.1:"), "{got}");
    // Somebody listens there, and nothing else is removed.
    let error = app.serve_unix(&path).await.unwrap_err().to_string();
    assert!(error.contains("somebody listens there already"), "{error}");
    let file = directory.join("file");
    std::fs::write(&file, "kept").unwrap();
    let error = app.serve_unix(&file).await.unwrap_err().to_string();
    assert!(error.contains("something else than a socket"), "{error}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    let left: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .flatten()
        .map(|it| it.file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
    serving.abort();
    let _ = serving.await;
    assert!(!path.exists());
    std::fs::remove_dir_all(&directory).unwrap();
}

#[tokio::test]
async fn users_of_this_machine_are_not_known_over_tcp() {
    let app = os_app().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let error = app
        .serve_on(listener, async {})
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("`OsUser`"), "{error}");
    // Nor where the router is served in another way.
    let got = Client::new(&app, "ada").call("who", json!({})).await;
    assert_eq!(got.status, 401);
    let public = server()
        .auth(OsUser)
        .base_url("https://mcp.example.com")
        .build()
        .await;
    assert!(
        public
            .unwrap_err()
            .to_string()
            .contains("`OsUser` works on this machine alone")
    );
}

#[tokio::test]
async fn a_request_can_be_handled_without_a_connection() {
    let app = server()
        .tools(toolset![who, connect])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let handle = async |method: &str, name: Option<&str>, mut params: Value| {
        params["_meta"] = client.meta();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = client
            .build(method, name)
            .body(body.to_string().into_bytes());
        let response = app.handle(request.unwrap()).await;
        let body: Value = serde_json::from_slice(response.body()).unwrap();
        (
            response.status().as_u16(),
            response.headers()["content-type"].clone(),
            body,
        )
    };
    // What would be told before is left out.
    let (status, kind, got) = handle("tools/call", Some("who"), json!({ "name": "who" })).await;
    assert_eq!(
        (status, kind.to_str().unwrap(), text(&got)),
        (200, "application/json", "dev ada")
    );
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let (status, _, got) = handle("subscriptions/listen", None, wanted).await;
    assert_eq!((status, &got["error"]["code"]), (404, &json!(-32601)));
    let (_, _, got) = handle("tools/call", Some("connect"), json!({ "name": "connect" })).await;
    let link = got["result"]["inputRequests"]["account"]["params"]["url"]
        .as_str()
        .unwrap();
    let page = Request::get(link.strip_prefix("http://127.0.0.1:3000").unwrap());
    let page = page
        .header("host", "127.0.0.1:3000")
        .body(Vec::new())
        .unwrap();
    assert_eq!(app.handle(page).await.status(), 303);
}

#[tokio::test]
async fn what_older_revisions_had_is_refused_or_ignored() {
    let app = server().tools(toolset![who]).build().await.unwrap();
    let client = Client::new(&app, "ada");
    for method in ["GET", "DELETE"] {
        let request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost");
        let got = client
            .send(
                request
                    .header("accept", "text/event-stream")
                    .body("".into())
                    .unwrap(),
            )
            .await;
        assert_eq!(got.status, 405);
        assert!(
            got.headers["allow"].to_str().unwrap().contains("POST"),
            "{got:?}"
        );
    }
    let request = client
        .build("tools/call", Some("who"))
        .header("mcp-session-id", "of another time")
        .header("last-event-id", "7");
    let got = client
        .send(request.body(message("who").into()).unwrap())
        .await;
    assert_eq!(got.first_text(), "dev ada");
    assert!(!got.headers.contains_key("mcp-session-id"));
}

#[tokio::test]
async fn pages_of_a_configured_origin_may_read_streams_too() {
    let page = "http://localhost:6274";
    let app = server()
        .allow_origin(page)
        .tools(toolset![who])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada").hears_progress();
    let post = |origin: &'static str| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "who", "_meta": client.meta() } });
        let request = client
            .build("tools/call", Some("who"))
            .header("origin", origin);
        client.send(request.body(body.to_string().into()).unwrap())
    };
    let got = post(page).await;
    assert_eq!(got.headers["content-type"], "text/event-stream");
    assert_eq!(got.headers["access-control-allow-origin"], page);
    assert_eq!(
        got.headers["access-control-expose-headers"],
        "www-authenticate, retry-after"
    );
    assert_eq!(got.headers["vary"], "origin");
    assert!(!got.headers.contains_key("access-control-allow-credentials"));
    assert_eq!((got.before.len(), got.first_text()), (1, "dev ada"));
    let got = post("http://localhost:6275").await;
    assert_eq!(got.status, 403);
    assert!(!got.headers.contains_key("access-control-allow-origin"));
}
