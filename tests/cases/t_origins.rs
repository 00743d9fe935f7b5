//! T: pages of other sites do not call.

use axum::body::Body;
use axum::http::{HeaderValue, Request};
use mcp_elicit_tests::HOST;

use super::*;

/// Returns the text.
#[tool]
async fn echo(text: String) -> String {
    text
}

const PAGE: &str = "http://localhost:6274";

async fn client() -> Client {
    let server = server().allow_origin(PAGE).tools(toolset![echo]);
    Client::new(&server.build().await.unwrap(), "alice")
}

fn call(client: &Client, body: &str, origins: &[&'static str]) -> Request<Body> {
    let request = client.build("tools/call", Some("echo"));
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    for origin in origins {
        request
            .headers_mut()
            .append("origin", HeaderValue::from_static(origin));
    }
    request
}

/// A body that must not be asked for anything.
struct Unread;

impl axum::body::HttpBody for Unread {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        panic!("the body was read");
    }
}

#[tokio::test]
async fn t_093_a_foreign_page_is_refused_before_its_body_is_read() {
    let client = client().await;
    let whole = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "text": "a" }, "_meta": client.meta() } });
    for origins in [
        &["http://evil.example.com"][..],
        &["null"],
        &[""],
        &["http://localhost:6275"],
        &["https://localhost:6274"],
        &["http://localhost:6274.evil.example"],
        &["http://localhost:6274@evil.example"],
        &["http://evil.example#http://localhost:6274"],
        &[PAGE, "http://evil.example.com"],
        &["http://evil.example.com", PAGE],
        &[PAGE, PAGE],
        &["http://localhost:6274, http://localhost:6274"],
    ] {
        for body in [&*whole.to_string(), "{", ""] {
            let got = client.send(call(&client, body, origins)).await;
            assert_eq!(got.status, 403, "{origins:?}: {}", got.text);
        }
        let request = call(&client, "", origins).map(|_| Body::new(Unread));
        assert_eq!(client.send(request).await.status, 403, "{origins:?}");
    }
    let got = client.send(call(&client, &whole.to_string(), &[])).await;
    assert_eq!(got.first_text(), "a", "{}", got.text);
}

#[tokio::test]
async fn t_094_a_page_that_may_call_gets_through() {
    let client = client().await;
    let whole = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "echo", "arguments": { "text": "a" }, "_meta": client.meta() } });
    // Without an origin it is no preflight.
    let request = Request::options("/mcp").header("host", HOST);
    let got = client.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!(got.status, 405);
    for (origin, may) in [
        (PAGE, true),
        ("http://evil.example.com", false),
        ("http://localhost:1", false),
    ] {
        let preflight = Request::options("/mcp")
            .header("host", HOST)
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version",
            );
        let asked = client.send(preflight.body(Body::empty()).unwrap()).await;
        let sent = client
            .send(call(&client, &whole.to_string(), &[origin]))
            .await;
        for got in [&asked, &sent] {
            let allowed = got.headers.get("access-control-allow-origin");
            assert_eq!(
                allowed.is_some_and(|it| it == origin),
                may,
                "{origin}: {}",
                got.text
            );
            assert_eq!(got.status.is_success(), may, "{origin}: {}", got.text);
        }
        assert_eq!(sent.first_text() == "a", may);
        assert!(
            !asked
                .headers
                .contains_key("access-control-allow-credentials")
        );
        if may {
            assert_eq!(asked.status, 204);
            assert_eq!(asked.headers["access-control-allow-methods"], "POST");
            let headers = asked.headers["access-control-allow-headers"]
                .to_str()
                .unwrap();
            for name in [
                "authorization",
                "mcp-method",
                "mcp-name",
                "mcp-protocol-version",
            ] {
                assert!(headers.contains(name), "{headers}");
            }
        }
    }
}
