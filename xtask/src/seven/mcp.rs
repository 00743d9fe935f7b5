//! The client's side of the wire: requests of revision 2026-07-28 as a client writes them.
//!
//! Uses `http` and `json`. Keeps every byte that came back, for the check that no secret is among them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::need;
use crate::http::{self, Answer, Request};
use crate::json::{Json, quoted};
use crate::place::Tried;

/// The revision that is spoken.
pub(crate) const REVISION: &str = "2026-07-28";
/// Capabilities of a client that can open a link.
pub(crate) const BOTH: &str = r#"{"elicitation":{"form":{},"url":{}}}"#;

/// One server as its clients reach it.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<u8>>>,
}

/// One `tools/call`. The parts that are JSON are written as JSON text.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    pub(crate) user: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) capabilities: &'a str,
    pub(crate) responses: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
}

/// A JSON-RPC answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) json: Json,
}

impl Wire {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            seen: Arc::default(),
        }
    }

    /// The same record, for another process.
    pub(crate) fn beside(&self, address: SocketAddr) -> Self {
        Self {
            address,
            seen: Arc::clone(&self.seen),
        }
    }

    /// Where it goes.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every byte that any server sent to a client.
    pub(crate) fn seen(&self) -> Vec<u8> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// A POST with headers and body exactly as given.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Tried<Answer> {
        let request = Request {
            method: "POST",
            target: "/mcp",
            headers: headers.to_vec(),
            body,
        };
        let answer = http::send(self.address, &request)?;
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(&answer.bytes);
        Ok(answer)
    }

    /// One well-formed call.
    pub(crate) fn call(&self, call: &Call<'_>) -> Tried<Reply> {
        let bearer = format!("Bearer {}", call.user);
        let mut headers = headers("tools/call", Some(call.tool));
        headers.push(("Authorization", &bearer));
        Reply::read(&self.post(&headers, call.body().as_bytes())?)
    }
}

/// The headers that go with a request.
pub(crate) fn headers<'a>(method: &'a str, name: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", REVISION),
        ("Mcp-Method", method),
    ];
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    headers
}

/// The text of a request with id 1. `params` are members without braces, and may be empty.
pub(crate) fn request(method: &str, params: &str, capabilities: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":{},"params":{{{params}{comma}"_meta":{}}}}}"#,
        quoted(method),
        meta(REVISION, capabilities)
    )
}

/// The `_meta` that every request carries.
pub(crate) fn meta(revision: &str, capabilities: &str) -> String {
    format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{revision}","io.modelcontextprotocol/clientCapabilities":{capabilities}}}"#
    )
}

impl<'a> Call<'a> {
    /// A first call of a tool without arguments.
    pub(crate) fn first(user: &'a str, tool: &'a str) -> Self {
        Self {
            user,
            tool,
            arguments: "{}",
            capabilities: BOTH,
            responses: None,
            state: None,
        }
    }

    /// The text of the request.
    pub(crate) fn body(&self) -> String {
        let mut params = format!(
            "\"name\":{},\"arguments\":{}",
            quoted(self.tool),
            self.arguments
        );
        if let Some(responses) = self.responses {
            params.push_str(&format!(",\"inputResponses\":{responses}"));
        }
        if let Some(state) = self.state {
            params.push_str(&format!(",\"requestState\":{}", quoted(state)));
        }
        request("tools/call", &params, self.capabilities)
    }

    /// The same call once more, with answers and state.
    pub(crate) fn retry(&self, responses: &'a str, state: &'a str) -> Self {
        Self {
            responses: Some(responses),
            state: Some(state),
            ..self.clone()
        }
    }
}

impl Reply {
    /// Reads an answer, whether it came as JSON or as the last event of a stream.
    pub(crate) fn read(answer: &Answer) -> Tried<Self> {
        let kind = answer.header("content-type").unwrap_or_default();
        let text = if kind.starts_with("text/event-stream") {
            answer
                .body
                .lines()
                .rev()
                .find_map(|line| line.strip_prefix("data:"))
                .unwrap_or_default()
        } else {
            need(kind.starts_with("application/json"), || {
                format!("HTTP {} with content type `{kind}`", answer.status)
            })?;
            &answer.body
        };
        let json = Json::read(text).map_err(|fault| format!("HTTP {}: {fault}", answer.status))?;
        need(
            json.get("jsonrpc").and_then(Json::text) == Some("2.0"),
            || format!("not JSON-RPC: {text}"),
        )?;
        Ok(Self {
            status: answer.status,
            json,
        })
    }

    /// The string at a path.
    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        self.json.at(path).and_then(Json::text)
    }

    /// The string at a path, which must be there.
    pub(crate) fn needed(&self, path: &[&str]) -> Tried<&str> {
        self.text(path)
            .ok_or_else(|| format!("no string at {} in {:?}", path.join("."), self.json))
    }

    /// The error's code, if it is one.
    pub(crate) fn code(&self) -> Option<i64> {
        self.json.at(&["error", "code"]).and_then(Json::integer)
    }

    /// Requires a result of this type, with HTTP 200 and the id of the request.
    pub(crate) fn result(&self, kind: &str) -> Tried<&Json> {
        let right = self.status == 200
            && self.json.get("id").and_then(Json::integer) == Some(1)
            && self.text(&["result", "resultType"]) == Some(kind);
        need(right, || {
            format!(
                "expected a result `{kind}`, got HTTP {}: {:?}",
                self.status, self.json
            )
        })?;
        self.json
            .get("result")
            .ok_or_else(|| "no result".to_owned())
    }

    /// Requires an error of this code with this status.
    pub(crate) fn error(&self, status: u16, code: i64) -> Tried<()> {
        need(self.status == status && self.code() == Some(code), || {
            format!(
                "expected HTTP {status} and error {code}, got HTTP {}: {:?}",
                self.status, self.json
            )
        })?;
        self.needed(&["error", "message"]).map(drop)
    }
}
