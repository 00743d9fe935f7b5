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

/// A place where data is.
#[derive(mcp_elicit::serde::Deserialize, mcp_elicit::schemars::JsonSchema)]
#[serde(crate = "mcp_elicit::serde", rename_all = "lowercase")]
#[schemars(crate = "mcp_elicit::schemars")]
enum Region {
    Eu,
    Us,
}

/// Runs a query.
#[tool]
async fn query(
    #[arg(header = "Region")] region: Region,
    #[arg(header = "Rows")] rows: Option<i64>,
    #[arg(header = "Dry-Run")] dry: Option<bool>,
    #[arg(header = "Note")] note: Option<String>,
) -> String {
    let region = match region {
        Region::Eu => "eu",
        Region::Us => "us",
    };
    format!("{region} {rows:?} {dry:?} {note:?}")
}

/// A query with these arguments and these headers of arguments.
async fn queried(client: &Client, headers: &[(&str, &str)], arguments: &str) -> Got {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "query", "arguments": "ARGUMENTS", "_meta": client.meta() } });
    let body = body.to_string().replace("\"ARGUMENTS\"", arguments);
    let mut request = client.build("tools/call", Some("query"));
    for (name, value) in headers {
        request = request.header(format!("mcp-param-{name}"), *value);
    }
    client.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn s_088_an_argument_that_no_header_can_repeat_is_told_when_it_is_written() {
    for (case, token) in [
        ("header_of_a_number", "Option<f64>"),
        ("header_of_a_list", "Vec<String>"),
        ("header_no_token", "\"my region\""),
        ("header_twice", "\"REGION\""),
        ("header_of_a_form", "header"),
    ] {
        refused(&format!("tools/{case}"), token, &["elicit::11"]);
    }
    // An empty one too, which stands in the same line.
    let said = fs::read_to_string("ui/tools/header_no_token.stderr").unwrap();
    assert_eq!(said.matches("error:").count(), 2, "{said}");
    // What hides behind another name is found at the start.
    type Share = f64;
    type Shares = Vec<String>;
    /// Takes a share.
    #[tool]
    async fn share(#[arg(header = "Share")] share: Share) {
        let _ = share;
    }
    /// Takes shares.
    #[tool]
    async fn shares(#[arg(header = "Shares")] shares: Shares) {
        drop(shares);
    }
    for tools in [toolset![share], toolset![shares]] {
        let problems = server().tools(tools).build().await.unwrap_err().to_string();
        assert!(problems.contains("share"), "{problems}");
    }
}

#[tokio::test]
async fn s_090_a_bad_tool_harms_no_other() {
    let app = server().tools(toolset![echo]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    for (property, why) in [
        (
            json!({ "type": "number", "x-mcp-header": "A" }),
            "must be string, integer or boolean",
        ),
        (
            json!({ "type": "array", "x-mcp-header": "A" }),
            "must be string, integer or boolean",
        ),
        (json!({ "x-mcp-header": "A" }), "`type` must be"),
        (
            json!({ "type": "string", "x-mcp-header": "" }),
            "x-mcp-header",
        ),
        (
            json!({ "type": "string", "x-mcp-header": "a b" }),
            "x-mcp-header",
        ),
        (
            json!({ "type": "string", "x-mcp-header": 7 }),
            "x-mcp-header",
        ),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": property } });
        let tool = mcp_elicit::Tool::raw("bad", "Bad.", schema.to_string(), async |_, _| "bad");
        let refused = app.register(tool).unwrap_err().to_string();
        assert!(
            refused.contains("bad") && refused.contains(why),
            "{refused}"
        );
        let list = client.request("tools/list", None, json!({})).await;
        assert_eq!(list.json["result"]["tools"].as_array().unwrap().len(), 1);
        assert_eq!(with(&client, "x-none", None).await.first_text(), "a");
    }
}

#[tokio::test]
async fn s_091_a_number_in_a_header_is_a_number() {
    let app = server().tools(toolset![query]).build().await.unwrap();
    let client = Client::new(&app, "alice");
    for (rows, header, fits) in [
        ("42", Some("42"), true),
        ("42", Some("42.0"), true),
        ("42", Some("4.2e1"), true),
        ("42.0", Some("42"), true),
        ("-7", Some("-7.00"), true),
        ("0", Some("-0"), true),
        ("9007199254740991", Some("9007199254740991"), true),
        ("null", None, true),
        ("42", None, false),
        ("42", Some("43"), false),
        ("42", Some("42.1"), false),
        ("42", Some("4 2"), false),
        ("42", Some("0x2a"), false),
        ("42", Some(""), false),
        ("42", Some("NaN"), false),
        ("9007199254740991", Some("9007199254740990"), false),
        ("null", Some("42"), false),
        ("null", Some("null"), false),
    ] {
        let arguments = format!(r#"{{"region":"eu","rows":{rows}}}"#);
        let headers = [Some(("region", "eu")), header.map(|it| ("rows", it))];
        let headers: Vec<_> = headers.into_iter().flatten().collect();
        let got = queried(&client, &headers, &arguments).await;
        if fits {
            assert!(
                got.first_text().starts_with("eu "),
                "{rows} {header:?}: {}",
                got.text
            );
        } else {
            mismatch(&got);
        }
    }
    // Texts and booleans are what they are.
    for (headers, arguments, fits) in [
        (
            &[("region", "eu"), ("dry-run", "true")][..],
            r#"{"region":"eu","dry":true}"#,
            true,
        ),
        (
            &[("region", "eu"), ("dry-run", "True")],
            r#"{"region":"eu","dry":true}"#,
            false,
        ),
        (
            &[("region", "eu"), ("dry-run", "1")],
            r#"{"region":"eu","dry":true}"#,
            false,
        ),
        (&[("region", "EU")], r#"{"region":"eu"}"#, false),
        (&[("region", "us")], r#"{"region":"eu"}"#, false),
        (&[], r#"{"region":"eu"}"#, false),
        (
            &[("region", "eu"), ("region", "eu")],
            r#"{"region":"eu"}"#,
            false,
        ),
        (
            &[("region", "eu"), ("note", "=?base64?w6k=?=")],
            r#"{"region":"eu","note":"é"}"#,
            true,
        ),
        (
            &[("region", "eu"), ("note", "=?base64?w6k=?=")],
            r#"{"region":"eu","note":"e"}"#,
            false,
        ),
        (
            &[("region", "eu"), ("note", "42.0")],
            r#"{"region":"eu","note":"42"}"#,
            false,
        ),
    ] {
        let got = queried(&client, headers, arguments).await;
        assert_eq!(
            got.code() == 0,
            fits,
            "{headers:?} {arguments}: {}",
            got.text
        );
    }
}

#[test]
fn s_092_no_header_repeats_a_secret() {
    refused(
        "tools/header_of_a_credential",
        "header",
        &["seen by every proxy", "elicit::11"],
    );
    // A secret is no argument in the first place.
    refused("tools/secret_argument", "SecretString", &["elicit::11"]);
}
