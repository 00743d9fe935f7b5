//! What HTTP requests are refused with, before and after their body is read.

use axum::body::Body;
use axum::http::{Request, header::HeaderValue};
use mcp_elicit::prelude::*;
use mcp_elicit::{App, Limits};
use mcp_elicit_tests::{Client, Got, server};
use serde_json::{Value, json};

/// Returns the text.
#[tool]
async fn echo(text: String) -> String {
    text
}

async fn app() -> App {
    server().tools(toolset![echo]).build().await.unwrap()
}

async fn client() -> Client {
    Client::new(&app().await, "alice")
}

/// The server still answers.
async fn goes_on(client: &Client) {
    assert_eq!(
        client
            .call("echo", json!({ "text": "hi" }))
            .await
            .first_text(),
        "hi"
    );
}

fn check(got: &Got, status: u16, code: i64) {
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (status, code),
        "{}",
        got.text
    );
    assert!(!got.text.contains("null"), "{}", got.text);
}

#[tokio::test]
async fn bodies_that_are_no_message() {
    let client = client().await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","x":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{0}", -32700),
        ("true", -32600),
        ("[]", -32600),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]"#,
            -32600,
        ),
        (r#"["2.0",1,"tools/list",{}]"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":["tools/list"]}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}"#,
            -32602,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}"#,
            -32602,
        ),
        (&deep, -32600),
    ] {
        check(
            &client.raw("tools/list", None, body.to_owned()).await,
            400,
            code,
        );
    }
    check(
        &client.raw("tools/list", None, vec![0xff, 0xfe]).await,
        400,
        -32700,
    );
    goes_on(&client).await;
}

#[tokio::test]
async fn bodies_at_the_edge_of_the_limit() {
    let app = server()
        .tools(toolset![echo])
        .limits(Limits::default().body(1000))
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "alice");
    let body = |len: usize| {
        let mut body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "" }, "_meta": client.meta() } });
        let room = len - body.to_string().len();
        body["params"]["arguments"]["text"] = "x".repeat(room).into();
        body.to_string()
    };
    assert_eq!(
        client
            .raw("tools/call", Some("echo"), body(1000))
            .await
            .status,
        200
    );
    check(
        &client.raw("tools/call", Some("echo"), body(1001)).await,
        413,
        -32600,
    );
    // Without an announced length too.
    let stream = Body::new(Unannounced(Some(body(1001).into())));
    check(
        &client.raw("tools/call", Some("echo"), stream).await,
        413,
        -32600,
    );
}

/// A body that does not say how long it is.
struct Unannounced(Option<axum::body::Bytes>);

impl axum::body::HttpBody for Unannounced {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        std::task::Poll::Ready(self.0.take().map(|b| Ok(http_body::Frame::data(b))))
    }
}

#[tokio::test]
async fn what_a_request_must_say_about_itself() {
    let client = client().await;
    let send = |meta: Value| {
        let mut body =
            json!({ "jsonrpc": "2.0", "id": "a", "method": "server/discover", "params": {} });
        if !meta.is_null() {
            body["params"]["_meta"] = meta;
        }
        client.raw("server/discover", None, body.to_string())
    };
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for meta in [
        Value::Null,
        json!({}),
        json!({ version: "2026-07-28" }),
        json!({ capabilities: {} }),
        json!({ version: 7, capabilities: {} }),
        json!({ version: "2026-07-28", capabilities: [] }),
        json!({ version: "2026-07-28", capabilities: { "elicitation": true } }),
    ] {
        let got = send(meta).await;
        check(&got, 400, -32602);
        assert_eq!(got.json["id"], "a");
    }
    let got = send(json!({ version: "2026-07-28", capabilities: {} })).await;
    assert_eq!(got.status, 200);
    assert_eq!(
        got.json["result"]["supportedVersions"],
        json!(["2026-07-28"])
    );
    assert_eq!(
        got.json["result"]["capabilities"],
        json!({ "tools": { "listChanged": true }, "logging": {} })
    );
    // A different version in the body than in the header is a mismatch, known or not.
    check(
        &send(json!({ version: "v999.0.0", capabilities: {} })).await,
        400,
        -32020,
    );
}

#[tokio::test]
async fn versions_that_nobody_speaks_here() {
    let client = client().await;
    for version in ["v999.0.0", "2025-11-25"] {
        let mut meta = client.meta();
        meta["io.modelcontextprotocol/protocolVersion"] = version.into();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
        let mut request = client
            .build("tools/list", None)
            .body(Body::from(body.to_string()))
            .unwrap();
        request
            .headers_mut()
            .insert("mcp-protocol-version", version.parse().unwrap());
        let got = client.send(request).await;
        check(&got, 400, -32022);
        assert_eq!(
            got.json["error"]["data"],
            json!({ "supported": ["2026-07-28"], "requested": version })
        );
    }
    // An older client's handshake: no headers of this revision, or an older version's.
    let body = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let mut request = client
        .build("initialize", None)
        .body(Body::from(body))
        .unwrap();
    request.headers_mut().remove("mcp-protocol-version");
    let got = client.send(request).await;
    check(&got, 400, -32020);
    assert!(got.text.contains("2026-07-28"));
    let mut request = client
        .build("initialize", None)
        .body(Body::from(body))
        .unwrap();
    request.headers_mut().insert(
        "mcp-protocol-version",
        HeaderValue::from_static("2025-11-25"),
    );
    check(&client.send(request).await, 400, -32022);
}

#[tokio::test]
async fn methods_that_do_not_exist() {
    let client = client().await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "prompts/list",
        "unknown/method",
        "",
    ] {
        check(&client.request(method, None, json!({})).await, 404, -32601);
    }
    check(
        &client
            .request("tools/call", Some("nothing"), json!({ "name": "nothing" }))
            .await,
        200,
        -32602,
    );
    check(
        &client.request("tools/call", Some("x"), json!({})).await,
        400,
        -32602,
    );
    check(
        &client
            .request("tools/list", None, json!({ "cursor": "x" }))
            .await,
        200,
        -32602,
    );
    for method in ["GET", "DELETE", "PUT"] {
        let request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost");
        assert_eq!(
            client
                .send(request.body(Body::empty()).unwrap())
                .await
                .status,
            405
        );
    }
    let body = r#"{"jsonrpc":"2.0","method":"notifications/anything"}"#;
    let got = client.raw("notifications/anything", None, body).await;
    assert_eq!((got.status.as_u16(), got.text.as_str()), (202, ""));
}

#[tokio::test]
async fn foreign_pages_and_kinds_of_body() {
    let client = client().await;
    let with = |name: &'static str, value: &'static str| {
        // The body is no message: these are refused before it is read.
        let mut request = client
            .build("tools/list", None)
            .body(Body::from("{"))
            .unwrap();
        request
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
        client.send(request)
    };
    assert_eq!(with("origin", "http://evil.example.com").await.status, 403);
    assert_eq!(with("origin", "null").await.status, 403);
    assert_eq!(with("host", "evil.example.com").await.status, 403);
    assert_eq!(with("origin", "http://127.0.0.1:3000").await.status, 400);
    assert_eq!(with("content-type", "text/plain").await.status, 415);
    assert_eq!(
        with("content-type", "application/json; charset=utf-8")
            .await
            .status,
        400
    );
    assert_eq!(with("accept", "text/html").await.status, 406);
    assert_eq!(with("accept", "application/json").await.status, 406);
    assert_eq!(
        with("accept", "text/event-stream;q=0.5 , application/json")
            .await
            .status,
        400
    );
    assert_eq!(with("authorization", "Basic x").await.status, 401);
    assert_eq!(with("x-forwarded-for", "1.2.3.4").await.status, 401);
    goes_on(&client).await;
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_told_to_the_model() {
    let client = client().await;
    for arguments in [
        json!({}),
        json!({ "text": 7 }),
        json!({ "text": "a", "other": 1 }),
    ] {
        let got = client.call("echo", arguments).await;
        assert!(
            got.is_error() && !got.first_text().is_empty(),
            "{}",
            got.text
        );
        assert!(!got.text.contains("line 1"), "{}", got.text);
    }
    for arguments in [json!([]), json!("x"), json!(7)] {
        check(&client.call("echo", arguments).await, 200, -32602);
    }
    assert!(client.call("echo", Value::Null).await.is_error());
    let none = client.call_with("echo", json!({})).await;
    assert!(
        none.is_error() && none.first_text().contains("text"),
        "{}",
        none.text
    );
}

#[tokio::test]
async fn the_list_of_tools() {
    let client = client().await;
    let one = client.request("tools/list", None, json!({})).await;
    let result = &one.json["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["cacheScope"], "public");
    assert!(result["ttlMs"].is_u64());
    assert_eq!(
        result["tools"],
        json!([{ "name": "echo", "description": "Returns the text.", "inputSchema": {
            "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"],
            "additionalProperties": false } }])
    );
    assert_eq!(
        client.request("tools/list", None, json!({})).await.text,
        one.text
    );
}
