//! A client and a browser that talk to a server without sockets.

pub mod fuzz;
pub mod pipe;
mod stream;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use mcp_elicit::{App, Keyring, Limits, Server, store::MemoryStore};
use serde_json::{Value, json};
use tower::ServiceExt;

pub use self::stream::Stream;

/// The host that all requests name.
pub const HOST: &str = "127.0.0.1:3000";

/// A server with a store and keys of its own that live as long as the test, and no held retries.
pub fn server() -> Server {
    Server::new("test", "1.0.0")
        .store(MemoryStore::new())
        .keyring(keyring())
        .auth(mcp_elicit::auth::DevUsers)
        .limits(Limits::default().hold(std::time::Duration::ZERO))
}

/// The same keys each time.
pub fn keyring() -> Keyring {
    Keyring::new([7; 32]).expect("32 bytes are enough")
}

/// What a server sent back.
#[derive(Debug)]
pub struct Got {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    /// The message; of a stream the last.
    pub json: Value,
    /// What came before it.
    pub before: Vec<Value>,
}

impl Got {
    /// The error's code, or 0.
    pub fn code(&self) -> i64 {
        self.json["error"]["code"].as_i64().unwrap_or(0)
    }

    /// The result's first text.
    pub fn first_text(&self) -> &str {
        self.json["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
    }

    pub fn is_error(&self) -> bool {
        self.json["result"]["isError"] == true
    }

    pub fn asks(&self) -> bool {
        self.json["result"]["resultType"] == "input_required"
    }

    /// The parameters of the request with this key.
    pub fn asked(&self, key: &str) -> &Value {
        &self.json["result"]["inputRequests"][key]["params"]
    }

    pub fn state(&self) -> String {
        self.json["result"]["requestState"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// The link of the page with this key.
    pub fn link(&self, key: &str) -> String {
        self.asked(key)["url"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// Sends one request.
pub async fn send(router: &Router, request: Request<Body>) -> Got {
    let response = router
        .clone()
        .oneshot(request)
        .await
        .expect("a router never fails");
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 4 << 20).await.expect("the body ends");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut before = if stream::is_one(&parts.headers) {
        stream::messages(&text)
    } else {
        Vec::from_iter(serde_json::from_str(&text))
    };
    Got {
        status: parts.status,
        headers: parts.headers,
        json: before.pop().unwrap_or(Value::Null),
        before,
        text,
    }
}

/// An MCP client of one user.
#[derive(Clone)]
pub struct Client {
    router: Router,
    user: String,
    capabilities: Value,
    meta: Value,
}

impl Client {
    /// A client that can show forms and open links.
    pub fn new(app: &App, user: &str) -> Self {
        Self {
            router: app.router(),
            user: user.to_owned(),
            capabilities: json!({ "elicitation": { "form": {}, "url": {} } }),
            meta: json!({}),
        }
    }

    pub fn can(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Says one thing more in `_meta`.
    pub fn says(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.meta[name] = value.into();
        self
    }

    /// Wants to hear of progress.
    pub fn hears_progress(self) -> Self {
        self.says("progressToken", "token")
    }

    pub fn on(&self, app: &App) -> Self {
        Self {
            router: app.router(),
            ..self.clone()
        }
    }

    pub fn as_user(&self, user: &str) -> Self {
        Self {
            user: user.to_owned(),
            ..self.clone()
        }
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Got {
        self.call_with(tool, json!({ "arguments": arguments }))
            .await
    }

    /// A call with further members of `params`.
    pub async fn call_with(&self, tool: &str, mut params: Value) -> Got {
        params["name"] = tool.into();
        self.request("tools/call", Some(tool), params).await
    }

    /// A retry with answers.
    pub async fn retry(&self, tool: &str, arguments: Value, state: &str, answers: Value) -> Got {
        let params =
            json!({ "arguments": arguments, "requestState": state, "inputResponses": answers });
        self.call_with(tool, params).await
    }

    pub async fn request(&self, method: &str, name: Option<&str>, mut params: Value) -> Got {
        params["_meta"] = self.meta();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.raw(method, name, body.to_string()).await
    }

    pub fn meta(&self) -> Value {
        let mut meta = self.meta.clone();
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        meta["io.modelcontextprotocol/clientInfo"] =
            json!({ "name": "test-client", "version": "1" });
        meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        meta
    }

    /// Sends a request, and reads what comes back message by message.
    pub async fn stream(&self, method: &str, name: Option<&str>, mut params: Value) -> Stream {
        params["_meta"] = self.meta();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self.build(method, name).body(Body::from(body.to_string()));
        let request = request.expect("it is well-formed");
        let response = self.router.clone().oneshot(request).await;
        Stream::new(response.expect("a router never fails"))
    }

    /// Listens for changes.
    pub async fn listen(&self, wanted: Value) -> Stream {
        let params = json!({ "notifications": wanted });
        self.stream("subscriptions/listen", None, params).await
    }

    /// Sends any body with the right headers.
    pub async fn raw(&self, method: &str, name: Option<&str>, body: impl Into<Body>) -> Got {
        send(
            &self.router,
            self.build(method, name)
                .body(body.into())
                .expect("it is well-formed"),
        )
        .await
    }

    /// The right headers of a request.
    pub fn build(&self, method: &str, name: Option<&str>) -> axum::http::request::Builder {
        let mut request = Request::post("/mcp")
            .header("host", HOST)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .header("authorization", format!("Bearer {}", self.user));
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        request
    }

    pub async fn send(&self, request: Request<Body>) -> Got {
        send(&self.router, request).await
    }
}

/// A browser with cookies.
pub struct Browser {
    router: Router,
    cookies: Vec<(String, String)>,
}

impl Browser {
    pub fn new(app: &App) -> Self {
        Self::to(app.router())
    }

    /// A browser that reaches a server by way of something else.
    pub fn to(router: Router) -> Self {
        Self {
            router,
            cookies: Vec::new(),
        }
    }

    /// The names of its cookies.
    pub fn cookies(&self) -> Vec<&str> {
        self.cookies.iter().map(|(name, _)| &**name).collect()
    }

    /// The same browser after the server was started anew.
    pub fn on(self, app: &App) -> Self {
        Self {
            router: app.router(),
            ..self
        }
    }

    /// Opens a path or link and follows redirects.
    pub async fn open(&mut self, link: &str) -> Got {
        let mut path = self.path(link);
        for _ in 0..5 {
            let got = self
                .go(Request::get(&path).body(Body::empty()).expect("a path"))
                .await;
            match got.headers.get("location") {
                Some(to) if got.status.is_redirection() => {
                    path = self.path(to.to_str().expect("text"));
                }
                _ => return got,
            }
        }
        panic!("too many redirects from {link}");
    }

    /// Signs in on the page that a link leads to; returns what comes after.
    pub async fn sign_in(&mut self, link: &str, name: &str) -> Got {
        let page = self.open(link).await;
        assert!(
            page.text.contains("name=\"name\""),
            "no sign-in page: {}",
            page.text
        );
        let action =
            attribute(&page.text, "<form", "action").unwrap_or_else(|| "/ui/sign-in".into());
        let mut fields = hidden(&page.text);
        fields.push(("name".into(), name.into()));
        let got = self.post(&action, &fields).await;
        match got.headers.get("location") {
            Some(to) => self.open(to.to_str().expect("text")).await,
            None => got,
        }
    }

    /// Fills the form of `page`, which was opened at `link`, and saves it.
    pub async fn submit(&mut self, link: &str, page: &Got, fields: &[(&str, &str)]) -> Got {
        let mut all = hidden(form(&page.text, "answers"));
        all.extend(
            fields
                .iter()
                .map(|(k, v)| ((*k).to_owned(), (*v).to_owned())),
        );
        self.post(&self.path(link), &all).await
    }

    /// Presses the button that declines.
    pub async fn decline(&mut self, link: &str, page: &Got) -> Got {
        self.post(&self.path(link), &hidden(form(&page.text, "decline")))
            .await
    }

    pub async fn post(&mut self, path: &str, fields: &[(String, String)]) -> Got {
        let body: Vec<_> = fields
            .iter()
            .map(|(k, v)| format!("{}={}", encode(k), encode(v)))
            .collect();
        let request = Request::post(path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header("origin", format!("http://{HOST}"))
            .body(Body::from(body.join("&")))
            .expect("well-formed");
        self.go(request).await
    }

    pub async fn go(&mut self, mut request: Request<Body>) -> Got {
        let headers = request.headers_mut();
        headers.insert("host", HOST.parse().expect("a host"));
        if !self.cookies.is_empty() {
            let all: Vec<_> = self
                .cookies
                .iter()
                .map(|(k, v)| format!("{k}={v}"))
                .collect();
            headers.insert("cookie", all.join("; ").parse().expect("cookies"));
        }
        let got = send(&self.router, request).await;
        for set in got.headers.get_all("set-cookie") {
            let pair = set
                .to_str()
                .expect("text")
                .split(';')
                .next()
                .unwrap_or_default();
            let (name, value) = pair.split_once('=').expect("a pair");
            self.cookies.retain(|(n, _)| n != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        got
    }

    fn path(&self, link: &str) -> String {
        link.strip_prefix(&format!("http://{HOST}"))
            .unwrap_or(link)
            .to_owned()
    }
}

/// The form with this id; empty if there is none.
fn form<'a>(html: &'a str, id: &str) -> &'a str {
    let rest = html
        .split(&format!("id=\"{id}\""))
        .nth(1)
        .unwrap_or_default();
    rest.split("</form>").next().unwrap_or_default()
}

/// The hidden fields of a form.
fn hidden(html: &str) -> Vec<(String, String)> {
    let inputs = html
        .split("<input")
        .skip(1)
        .filter_map(|rest| rest.split('>').next());
    inputs
        .filter(|tag| tag.contains("type=\"hidden\""))
        .filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?)))
        .collect()
}

fn attribute(html: &str, tag: &str, name: &str) -> Option<String> {
    let rest = html.split(tag).nth(1)?.split('>').next()?;
    value(rest, name)
}

fn value(tag: &str, name: &str) -> Option<String> {
    let text = tag.split(&format!("{name}=\"")).nth(1)?.split('"').next()?;
    Some(
        text.replace("&amp;", "&")
            .replace("&#x2f;", "/")
            .replace("&#47;", "/"),
    )
}

fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        if b.is_ascii_alphanumeric() {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
        out
    })
}
