//! Requests to a server in this process, and what comes back.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use http::{HeaderValue, Request, header};
use serde_json::{Value, json};
use tower_service::Service;

use super::app::TestApp;
use super::fail::fail;
use crate::runtime::probe::{PROBE, Probe};
use crate::wire::REVISION;

/// The host that requests name where the server has none of its own.
const HOST: &str = "127.0.0.1:3000";

/// Most bytes of a response.
const MOST: usize = 64 << 20;

/// What a server sent back.
#[derive(Debug)]
pub(super) struct Got {
    pub(super) status: u16,
    pub(super) text: String,
    pub(super) location: Option<String>,
    pub(super) cookies: Vec<String>,
}

/// Where a server is, such as `http://127.0.0.1:3000`.
pub(super) fn place(app: &TestApp) -> String {
    let origins = &app.app.0.origins;
    let scheme = if origins.secure { "https" } else { "http" };
    format!("{scheme}://{}", host(app))
}

fn host(app: &TestApp) -> &str {
    app.app.0.origins.hosts.first().map_or(HOST, String::as_str)
}

/// Sends a request of this user, and reads the whole response.
pub(super) async fn send(
    app: &TestApp,
    user: &str,
    request: http::request::Builder,
    body: Body,
    probe: Option<Arc<Probe>>,
) -> Got {
    let request = request.header(header::HOST, host(app)).body(body);
    let request = match request {
        Ok(request) => request,
        Err(error) => fail(&format!("a request cannot be made: {error}")),
    };
    let (mut parts, body) = request.into_parts();
    match &app.identify {
        Some(identify) => identify(user, &mut parts),
        // A browser has no token: it signs in.
        None if probe.is_some() => match HeaderValue::try_from(format!("Bearer {user}")) {
            Ok(value) => {
                parts.headers.insert(header::AUTHORIZATION, value);
            }
            Err(_) => fail(&format!("{user:?} cannot be the name of a user")),
        },
        None => {}
    }
    let mut router = app.app.router();
    let answered = async move {
        // Both never fail, as their types say.
        let ready =
            std::future::poll_fn(|cx| Service::<Request<Body>>::poll_ready(&mut router, cx));
        let Ok(()) = ready.await;
        let Ok(response) = router.call(Request::from_parts(parts, body)).await;
        response
    };
    let response = match probe {
        Some(probe) => PROBE.scope(probe, answered).await,
        None => answered.await,
    };
    let (parts, body) = response.into_parts();
    let text = |name| {
        let all = parts.headers.get_all(name).iter();
        all.filter_map(|value| value.to_str().ok())
            .map(str::to_owned)
    };
    let bytes = match to_bytes(body, MOST).await {
        Ok(bytes) => bytes,
        Err(error) => fail(&format!("a response cannot be read: {error}")),
    };
    Got {
        status: parts.status.as_u16(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        location: text(header::LOCATION)
            .next()
            .filter(|_| parts.status.is_redirection()),
        cookies: text(header::SET_COOKIE).collect(),
    }
}

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Tool,
    Prompt,
    Resource,
}

impl Method {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tools/call",
            Self::Prompt => "prompts/get",
            Self::Resource => "resources/read",
        }
    }

    /// The one of this name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut all = [Self::Tool, Self::Prompt, Self::Resource].into_iter();
        all.find(|it| it.as_str() == name)
    }
}

/// One request of a call.
#[derive(Debug, Clone)]
pub(super) struct Round {
    pub(super) user: String,
    pub(super) method: Method,
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) capabilities: Value,
    pub(super) state: Option<String>,
    pub(super) answers: Option<Value>,
}

/// Sends it as a client does, with the headers that repeat parts of its body.
pub(super) async fn call(app: &TestApp, round: &Round, probe: &Arc<Probe>) -> Value {
    let mut params = json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": round.capabilities,
        },
    });
    if let Some(params) = params.as_object_mut() {
        let state = round
            .state
            .as_ref()
            .map(|it| ("requestState", it.as_str().into()));
        let answers = round
            .answers
            .as_ref()
            .map(|it| ("inputResponses", it.clone()));
        let name = ("name", Value::from(round.tool.as_str()));
        let what = match round.method {
            Method::Resource => vec![("uri", name.1)],
            _ => vec![name, ("arguments", round.arguments.clone())],
        };
        for (name, value) in what.into_iter().chain(state).chain(answers) {
            params.insert(name.into(), value);
        }
    }
    let method = round.method.as_str();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let repeated = match round.method {
        Method::Tool => app
            .app
            .0
            .registry
            .load()
            .headers(&round.tool, &round.arguments),
        _ => Vec::new(),
    };
    let path = app.app.0.paths.first().map_or("/mcp", String::as_str);
    let mut request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", REVISION)
        .header("mcp-method", method)
        .header("mcp-name", mirrored(&round.tool));
    for (name, value) in repeated {
        request = request.header(name, mirrored(&value));
    }
    let body = Body::from(body.to_string());
    let got = send(app, &round.user, request, body, Some(Arc::clone(probe))).await;
    match serde_json::from_str(&got.text) {
        Ok(json) => json,
        Err(_) => fail(&format!(
            "the server's answer is no JSON ({}): {:?}; if it does not know the user, give `TestApp::identify`",
            got.status, got.text
        )),
    }
}

/// A value as its header has it (streamable-http, "Value Encoding").
fn mirrored(value: &str) -> String {
    use base64::Engine;
    let plain = value.bytes().all(|b| (b' '..=b'~').contains(&b)) && value.trim() == value;
    if plain && !value.starts_with("=?") {
        return value.to_owned();
    }
    let encoded = base64::engine::general_purpose::STANDARD.encode(value);
    format!("=?base64?{encoded}?=")
}
