//! S: what headers repeat of the body is the same as in the body.

use axum::body::Body;

use super::*;

/// Shows a file.
#[resource("test://files/{name}")]
async fn file(name: String) -> String {
    name
}

/// Returns the text.
#[tool]
async fn echo(text: String) -> String {
    text
}

async fn client() -> Client {
    Client::new(
        &server().tools(toolset![file, echo]).build().await.unwrap(),
        "alice",
    )
}

/// A whole request in which a header has another value, or none.
async fn with(client: &Client, header: &'static str, value: Option<&[u8]>) -> Got {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "text": "a" }, "_meta": client.meta() } });
    let request = client.build("tools/call", Some("echo"));
    let mut request = request.body(Body::from(body.to_string())).unwrap();
    request.headers_mut().remove(header);
    if let Some(value) = value {
        let value = axum::http::HeaderValue::from_bytes(value).unwrap();
        request.headers_mut().insert(header, value);
    }
    client.send(request).await
}

#[track_caller]
fn mismatch(got: &Got) {
    assert_eq!(
        (got.status.as_u16(), got.code()),
        (400, -32020),
        "{}",
        got.text
    );
    assert_eq!(got.json["id"], 1, "{}", got.text);
}

#[tokio::test]
async fn s_086_a_name_in_base64_is_the_name() {
    let client = client().await;
    for (name, encoded) in [
        ("é", "dGVzdDovL2ZpbGVzL8Op"),
        ("日本", "dGVzdDovL2ZpbGVzL+aXpeacrA=="),
        ("a", "dGVzdDovL2ZpbGVzL2E="),
    ] {
        let uri = format!("test://files/{name}");
        let header = format!("=?base64?{encoded}?=");
        let got = client
            .request("resources/read", Some(&header), json!({ "uri": uri }))
            .await;
        let text = &got.json["result"]["contents"][0]["text"];
        assert!(*text == name, "{}", got.text);
        // Of another name it is not taken.
        let other = json!({ "uri": "test://files/other" });
        mismatch(&client.request("resources/read", Some(&header), other).await);
    }
    for header in [
        "=?base64?ZWNobw?=",
        "=?base64?!!!!?=",
        "=?base64?ZWNobw==",
        "=?BASE64?=",
        "=?base64??=",
        "=?utf-8?ZWNobw==?=",
        "=?base64?//79?=",
        "ECHO",
    ] {
        mismatch(&with(&client, "mcp-name", Some(header.as_bytes())).await);
    }
}

#[tokio::test]
async fn s_087_the_revision_stands_in_the_header() {
    let client = client().await;
    for value in [
        None,
        Some("2025-11-25"),
        Some("2025-06-18"),
        Some(""),
        Some("2026-07-28, 2026-07-28"),
        Some("v2026-07-28"),
        Some("latest"),
    ] {
        mismatch(&with(&client, "mcp-protocol-version", value.map(str::as_bytes)).await);
    }
    mismatch(&with(&client, "mcp-protocol-version", Some(b"\xff")).await);
    assert_eq!(with(&client, "x-none", None).await.first_text(), "a");
}

#[tokio::test]
async fn s_089_method_and_name_stand_in_the_headers() {
    let client = client().await;
    for (header, values) in [
        (
            "mcp-method",
            [
                None,
                Some("tools/list"),
                Some("TOOLS/CALL"),
                Some(""),
                Some("tools/call,"),
            ],
        ),
        (
            "mcp-name",
            [
                None,
                Some("other"),
                Some("Echo"),
                Some(""),
                Some("echo,echo"),
            ],
        ),
    ] {
        for value in values {
            mismatch(&with(&client, header, value.map(str::as_bytes)).await);
        }
        mismatch(&with(&client, header, Some(b"\xff\xfe")).await);
    }
    // Twice, be it twice the same.
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "text": "a" }, "_meta": client.meta() } });
    for header in ["mcp-protocol-version", "mcp-method", "mcp-name"] {
        let request = client.build("tools/call", Some("echo"));
        let mut request = request.body(Body::from(body.to_string())).unwrap();
        let value = request.headers()[header].clone();
        request.headers_mut().append(header, value);
        mismatch(&client.send(request).await);
    }
    let encoded = Some(&b"=?base64?ZWNobw==?="[..]);
    assert_eq!(with(&client, "mcp-name", encoded).await.first_text(), "a");
}
