//! Bad input on the wire: each gets its own error and status, and the server goes on.
//!
//! Uses `mcp` for what is right, and spoils one thing at a time.

use super::mcp::{BOTH, REVISION, Reply, Wire, headers, meta, request};
use super::{Bench, need};
use crate::http::{self, Request};
use crate::json::Json;
use crate::place::Tried;

/// One spoiled request and what it deserves.
#[derive(Debug)]
struct Case<'a> {
    what: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    body: Vec<u8>,
    status: u16,
    /// Any of these; none where the answer need not be JSON-RPC.
    codes: &'a [i64],
}

/// Where the id of the request can be read, errors carry it; `id` is 1 in all of these.
const READABLE: &str = r#""id":1,"#;

/// Sends all of them.
pub(super) fn run(bench: &mut Bench) -> Tried<()> {
    let mut faults = Vec::new();
    let cases = bodies()
        .into_iter()
        .chain(members())
        .chain(metas())
        .chain(mismatches())
        .chain(places());
    for case in cases {
        if let Err(fault) = tried(&bench.wire, &case) {
            faults.push(format!("{}: {fault}", case.what));
        }
        if !bench.server.alive() {
            return Err(format!("{}: the server ended", case.what));
        }
    }
    faults.extend(versions(&bench.wire).err());
    faults.extend(methods(&bench.wire).err());
    faults.extend(deep(&bench.wire).err());
    faults.extend(
        listed(&bench.wire)
            .err()
            .map(|fault| format!("a good request afterwards: {fault}")),
    );
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n    "))
    }
}

fn tried(wire: &Wire, case: &Case<'_>) -> Tried<()> {
    let answer = wire.post(&case.headers, &case.body)?;
    if case.codes.is_empty() {
        return need(answer.status == case.status, || {
            format!("HTTP {} instead of {}", answer.status, case.status)
        });
    }
    let reply = Reply::read(&answer)?;
    let right =
        reply.status == case.status && reply.code().is_some_and(|code| case.codes.contains(&code));
    need(right, || {
        format!(
            "expected HTTP {} and {:?}, got {}: {:?}",
            case.status, case.codes, reply.status, reply.json
        )
    })?;
    let id = reply.json.get("id");
    let readable = std::str::from_utf8(&case.body)
        .is_ok_and(|body| body.starts_with('{') && body.contains(READABLE));
    let fits = if readable {
        id.and_then(Json::integer) == Some(1)
    } else {
        id.is_none()
    };
    need(fits, || format!("the id of the error is {id:?}"))
}

/// What is not one JSON-RPC request at all.
fn bodies() -> Vec<Case<'static>> {
    let list = request("tools/list", "", BOTH);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let large = request(
        "tools/list",
        &format!("\"x\":\"{}\"", "x".repeat(16 << 20)),
        BOTH,
    );
    let case = |what, body: &[u8], status, codes| Case {
        what,
        headers: headers("tools/list", None),
        body: body.to_vec(),
        status,
        codes,
    };
    let mut spoiled = list.clone().into_bytes();
    spoiled.insert(3, 0xFF);
    vec![
        case("an empty body", b"", 400, &[-32700]),
        case("half an object", b"{\"jsonrpc\":", 400, &[-32700]),
        case(
            "text after the object",
            format!(" {list} x").as_bytes(),
            400,
            &[-32700],
        ),
        case("bytes that are no text", &spoiled, 400, &[-32700]),
        case("a string", b"\"x\"", 400, &[-32600]),
        case("a number", b"1", 400, &[-32600]),
        case("null", b"null", 400, &[-32600]),
        case("an empty batch", b"[]", 400, &[-32600]),
        case("a batch", format!("[{list}]").as_bytes(), 400, &[-32600]),
        case("a deep body", deep.as_bytes(), 400, &[-32600, -32700]),
        case("a large body", large.as_bytes(), 413, &[]),
    ]
}

/// Members of a type or value that is not allowed.
fn members() -> Vec<Case<'static>> {
    let list = request("tools/list", "", BOTH);
    let case = |what, from: &str, to: &str, codes| Case {
        what,
        headers: headers("tools/list", None),
        body: list.replacen(from, to, 1).into_bytes(),
        status: 400,
        codes,
    };
    let call = |what, params: &str| Case {
        what,
        headers: headers("tools/call", Some("connect_billing")),
        body: request("tools/call", params, BOTH).into_bytes(),
        status: 200,
        codes: &[-32602],
    };
    vec![
        case("jsonrpc 1.0", "\"2.0\"", "\"1.0\"", &[-32600]),
        case("no jsonrpc", r#""jsonrpc":"2.0","#, "", &[-32600]),
        case(
            "an id that is an object",
            READABLE,
            r#""id":{},"#,
            &[-32600],
        ),
        case("an id that is null", READABLE, r#""id":null,"#, &[-32600]),
        case("an id with a fraction", READABLE, r#""id":1.5,"#, &[-32600]),
        case("no method", r#""method":"tools/list","#, "", &[-32600]),
        case(
            "a method that is a number",
            r#""method":"tools/list""#,
            r#""method":7"#,
            &[-32600],
        ),
        Case {
            what: "params that are a list",
            body: br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#.to_vec(),
            ..case("", "", "", &[-32600, -32602])
        },
        call(
            "arguments that are a number",
            r#""name":"connect_billing","arguments":5"#,
        ),
        call(
            "answers that are a number",
            r#""name":"connect_billing","arguments":{},"inputResponses":5"#,
        ),
        call(
            "an answer that is a number",
            r#""name":"connect_billing","arguments":{},"inputResponses":{"billing_key":5}"#,
        ),
        call(
            "an unknown action",
            r#""name":"connect_billing","arguments":{},"inputResponses":{"billing_key":{"action":"maybe"}}"#,
        ),
        call(
            "state that is a number",
            r#""name":"connect_billing","arguments":{},"requestState":5"#,
        ),
        Case {
            headers: headers("tools/call", Some("no_such_tool")),
            ..call("an unknown tool", r#""name":"no_such_tool","arguments":{}"#)
        },
    ]
}

/// `_meta` without what it must have.
fn metas() -> Vec<Case<'static>> {
    let full = request("tools/list", "", BOTH);
    let own = meta(REVISION, BOTH);
    let case = |what, to: &str| Case {
        what,
        headers: headers("tools/list", None),
        body: full.replacen(&own, to, 1).into_bytes(),
        status: 400,
        codes: &[-32602],
    };
    vec![
        Case {
            body: br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_vec(),
            ..case("no params", "")
        },
        Case {
            body: br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#.to_vec(),
            ..case("no _meta", "")
        },
        case("an empty _meta", "{}"),
        case("a _meta that is a number", "5"),
        case(
            "no protocolVersion",
            r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#,
        ),
        case(
            "no clientCapabilities",
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        ),
        case("capabilities that are a list", &meta(REVISION, "[]")),
    ]
}

/// Headers that do not say what the body says.
fn mismatches() -> Vec<Case<'static>> {
    let list = request("tools/list", "", BOTH);
    let call = request(
        "tools/call",
        r#""name":"connect_billing","arguments":{}"#,
        BOTH,
    );
    let case = |what, headers: Vec<(&'static str, &'static str)>, body: &str| Case {
        what,
        headers,
        body: body.as_bytes().to_vec(),
        status: 400,
        codes: &[-32020],
    };
    let without = |name: &str, mut headers: Vec<(&'static str, &'static str)>| {
        headers.retain(|(known, _)| *known != name);
        headers
    };
    let both = || headers("tools/call", Some("connect_billing"));
    let mut other_version = without("MCP-Protocol-Version", headers("tools/list", None));
    other_version.push(("MCP-Protocol-Version", "2026-07-29"));
    vec![
        case(
            "another method in the header",
            headers("prompts/list", None),
            &list,
        ),
        case("the method in capitals", headers("TOOLS/LIST", None), &list),
        case(
            "no method in the headers",
            without("Mcp-Method", headers("tools/list", None)),
            &list,
        ),
        case(
            "another name in the header",
            headers("tools/call", Some("other")),
            &call,
        ),
        case("no name in the headers", without("Mcp-Name", both()), &call),
        case(
            "a name in bad base64",
            headers("tools/call", Some("=?base64?!!?=")),
            &call,
        ),
        case(
            "no version in the headers",
            without("MCP-Protocol-Version", headers("tools/list", None)),
            &list,
        ),
        case("another version in the header", other_version, &list),
    ]
}

/// Requests from somewhere else, or of another type.
fn places() -> Vec<Case<'static>> {
    let list = request("tools/list", "", BOTH);
    let case = |what, extra: &[(&'static str, &'static str)], status| {
        let mut headers = headers("tools/list", None);
        headers.retain(|(known, _)| !extra.iter().any(|(name, _)| name == known));
        headers.extend_from_slice(extra);
        Case {
            what,
            headers,
            body: list.as_bytes().to_vec(),
            status,
            codes: &[],
        }
    };
    vec![
        case(
            "a foreign origin",
            &[("Origin", "http://evil.example.com")],
            403,
        ),
        case(
            "an origin of another port",
            &[("Origin", "http://127.0.0.1:1")],
            403,
        ),
        case("a null origin", &[("Origin", "null")], 403),
        case("a foreign host", &[("Host", "evil.example.com")], 403),
        case(
            "a foreign host and origin",
            &[
                ("Host", "evil.example.com"),
                ("Origin", "http://evil.example.com"),
            ],
            403,
        ),
        case("plain text", &[("Content-Type", "text/plain")], 415),
    ]
}

/// A version that nobody knows: the answer says which are known.
fn versions(wire: &Wire) -> Tried<()> {
    let body = request("tools/list", "", BOTH).replacen(REVISION, "v999", 1);
    let mut headers = headers("tools/list", None);
    headers.retain(|(name, _)| *name != "MCP-Protocol-Version");
    headers.push(("MCP-Protocol-Version", "v999"));
    let reply = Reply::read(&wire.post(&headers, body.as_bytes())?)?;
    reply.error(400, -32022)?;
    let supported = reply
        .json
        .at(&["error", "data", "supported"])
        .map(Json::list)
        .unwrap_or_default();
    need(
        supported
            .iter()
            .any(|version| version.text() == Some(REVISION)),
        || format!("{REVISION} is not among {supported:?}"),
    )?;
    need(
        reply.needed(&["error", "data", "requested"])? == "v999",
        || "another version is named".to_owned(),
    )
}

/// Methods that are not served, of JSON-RPC and of HTTP.
fn methods(wire: &Wire) -> Tried<()> {
    for method in ["no/such", "initialize", "ping", "tools/List"] {
        let body = request(method, "", BOTH);
        Reply::read(&wire.post(&headers(method, None), body.as_bytes())?)?.error(404, -32601)?;
    }
    for method in ["GET", "DELETE", "PUT"] {
        let answer = http::send(
            wire.address(),
            &Request {
                method,
                target: "/mcp",
                headers: Vec::new(),
                body: b"",
            },
        )?;
        need(answer.status == 405, || {
            format!("{method} gets HTTP {}", answer.status)
        })?;
    }
    Ok(())
}

/// Arguments nested deeper than any parser's stack: refused by whichever part meets them first.
fn deep(wire: &Wire) -> Tried<()> {
    let arguments = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let params = format!(r#""name":"connect_billing","arguments":{{"x":{arguments}}}"#);
    let body = request("tools/call", &params, BOTH);
    let reply = Reply::read(&wire.post(
        &headers("tools/call", Some("connect_billing")),
        body.as_bytes(),
    )?)?;
    let refused = reply
        .code()
        .is_some_and(|code| [-32700, -32600, -32602].contains(&code));
    let told = reply.json.at(&["result", "isError"]) == Some(&Json::Bool(true));
    need(refused || told, || {
        format!("deep arguments get HTTP {}: {:?}", reply.status, reply.json)
    })
}

/// A good request.
fn listed(wire: &Wire) -> Tried<()> {
    let body = request("tools/list", "", BOTH);
    Reply::read(&wire.post(&headers("tools/list", None), body.as_bytes())?)?
        .result("complete")
        .map(drop)
}
