//! Retries that wait for their page: who may hold how many, and what ends the wait.

use std::time::{Duration, Instant};

use mcp_elicit::ExposeSecret;
use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, Got, HOST, server};
use serde_json::json;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Connects your account.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(account.api_key.expose_secret().len().to_string())
}

const LONG: Duration = Duration::from_secs(20);

async fn app(limits: Limits) -> App {
    server()
        .tools(toolset![connect])
        .limits(limits)
        .build()
        .await
        .unwrap()
}

/// A retry that says the user has been at the page; it waits in a task of its own.
fn retry(client: &Client, state: &str) -> tokio::task::JoinHandle<Got> {
    let (client, state) = (client.clone(), state.to_owned());
    let answers = json!({ "account": { "action": "accept" } });
    tokio::spawn(async move { client.retry("connect", json!({}), &state, answers).await })
}

async fn is_held(task: &tokio::task::JoinHandle<Got>) -> bool {
    tokio::time::sleep(Duration::from_millis(50)).await;
    !task.is_finished()
}

#[tokio::test]
async fn one_user_cannot_take_all_places() {
    let app = app(Limits::default().hold(LONG).held(3).held_by_one(2)).await;
    let (ada, bob) = (Client::new(&app, "ada"), Client::new(&app, "bob"));
    let state = ada.call("connect", json!({})).await.state();
    let held = [retry(&ada, &state), retry(&ada, &state)];
    assert!(is_held(&held[0]).await && is_held(&held[1]).await);
    // One too many is answered at once, and asked the same.
    let start = Instant::now();
    let third = retry(&ada, &state).await.unwrap();
    assert!(third.asks() && start.elapsed() < Duration::from_secs(5));
    // There is room for somebody else, until all places are taken.
    let his = bob.call("connect", json!({})).await.state();
    let his_held = retry(&bob, &his);
    assert!(is_held(&his_held).await);
    assert!(retry(&bob, &his).await.unwrap().asks());
    // A client that goes away gives its place back.
    his_held.abort();
    assert!(his_held.await.unwrap_err().is_cancelled());
    let again = retry(&bob, &his);
    assert!(is_held(&again).await);
    for task in held.into_iter().chain([again]) {
        task.abort();
    }
}

#[tokio::test]
async fn a_server_that_stops_gives_the_same_ask_at_once() {
    use std::io::{Read as _, Write as _};
    let app = app(Limits::default().hold(LONG)).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = app.clone();
    let served = tokio::spawn(async move {
        let stop = async move { drop(stopped.await) };
        serving.serve_on(listener, stop).await.unwrap();
    });
    let client = Client::new(&app, "ada");
    let asked = client.call("connect", json!({})).await;
    let params = json!({ "name": "connect", "arguments": {}, "requestState": asked.state(),
        "inputResponses": { "account": { "action": "accept" } }, "_meta": client.meta() });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let body = body.to_string();
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    let request = client
        .build("tools/call", Some("connect"))
        .body(())
        .unwrap();
    for (name, value) in request.headers() {
        head += &format!("{name}: {}\r\n", value.to_str().unwrap());
    }
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let start = Instant::now();
    stop.send(()).unwrap();
    let read = tokio::task::spawn_blocking(move || {
        stream.set_read_timeout(Some(LONG)).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    });
    let text = read.await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(
        text.contains("input_required") && text.contains(&asked.link("account")),
        "{text}"
    );
    served.await.unwrap();
}

/// Whoever the header names.
struct Named;

impl Authenticator for Named {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        let name = parts
            .headers
            .get("authorization")
            .ok_or(AuthError::Missing)?;
        Ok(Principal::new(
            "test",
            name.to_str().map_err(|_| AuthError::Invalid)?,
        ))
    }
}

/// Says hello.
#[tool]
async fn hello() -> &'static str {
    "hello"
}

/// Does not think of all headers.
struct Careless;

impl Authenticator for Careless {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        let name = parts.headers["authorization"].to_str().unwrap();
        tokio::task::yield_now().await;
        Ok(Principal::new(
            "test",
            name.strip_prefix("Bearer ").unwrap(),
        ))
    }
}

#[tokio::test]
async fn a_check_of_credentials_that_panics_refuses() {
    let app = server().tools(toolset![hello]).auth(Careless);
    let app = app.allow_host(HOST).build().await.unwrap();
    let client = Client::new(&app, "ada");
    assert_eq!(client.call("hello", json!({})).await.first_text(), "hello");
    for bad in [&b"\xff"[..], b"Basic x"] {
        let request = client.build("tools/list", None);
        let mut request = request.body(axum::body::Body::from("{}")).unwrap();
        let value = axum::http::HeaderValue::from_bytes(bad).unwrap();
        request.headers_mut().insert("authorization", value);
        let got = client.send(request).await;
        assert_eq!(got.status, 503, "{}", got.text);
    }
}

#[tokio::test]
async fn requests_of_one_principal_are_limited() {
    let limits = Limits::default().call_rate(3);
    let app = server().tools(toolset![hello]).auth(Named).limits(limits);
    let app = app.allow_host(HOST).build().await.unwrap();
    let (ada, bob) = (Client::new(&app, "ada"), Client::new(&app, "bob"));
    for _ in 0..3 {
        assert_eq!(ada.call("hello", json!({})).await.first_text(), "hello");
    }
    let refused = ada.call("hello", json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, -32600));
    let wait: u64 = refused.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    // It is refused before its body is read, so any other request is, too.
    assert_eq!(ada.raw("tools/list", None, "{").await.status.as_u16(), 429);
    assert_eq!(bob.call("hello", json!({})).await.first_text(), "hello");
}

#[tokio::test]
async fn development_users_are_not_counted() {
    let limits = Limits::default().call_rate(1);
    let app = server()
        .tools(toolset![hello])
        .limits(limits)
        .build()
        .await
        .unwrap();
    let ada = Client::new(&app, "ada");
    for _ in 0..5 {
        assert_eq!(ada.call("hello", json!({})).await.first_text(), "hello");
    }
}
