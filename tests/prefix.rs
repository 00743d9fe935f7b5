//! A server below a path of its host, behind a proxy that passes the path on or takes it away.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::web::{BrowserIdentity, IdentityError};
use mcp_elicit::{App, ExposeSecret};
use mcp_elicit_tests::{Browser, Client, HOST, send, server};
use serde_json::json;

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account", fallback = "address")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Connects your account.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<&'static str, CallError> {
    let account = cx.ask::<Account>().await?;
    assert!(!account.api_key.expose_secret().is_empty());
    Ok("connected")
}

async fn below(path: &str) -> App {
    let server = server().base_url(format!("http://{HOST}{path}"));
    server
        .tools(toolset![connect])
        .build()
        .await
        .expect("a server")
}

#[tokio::test]
async fn a_proxy_that_passes_the_path_on() {
    let app = below("/billing").await;
    whole_story(&app, app.router()).await;
}

#[tokio::test]
async fn a_proxy_that_takes_the_path_away() {
    let app = below("/billing").await;
    // A nested router sees its paths without the prefix, as behind such a proxy.
    whole_story(&app, Router::new().nest("/billing", app.router())).await;
}

#[tokio::test]
async fn deeper_paths_and_a_slash_at_the_end() {
    let app = below("/a/b-c.d/").await;
    let asked = Client::new(&app, "ada").call("connect", json!({})).await;
    let link = asked.link("account");
    assert!(
        link.starts_with(&format!("http://{HOST}/a/b-c.d/ui/account/")),
        "{link}"
    );
}

/// Every address that a browser is given begins with the path, and all of them work.
async fn whole_story(app: &App, router: Router) {
    let client = Client::new(app, "ada");
    let asked = client.call("connect", json!({})).await;
    let link = asked.link("account");
    assert!(
        link.starts_with(&format!("http://{HOST}/billing/ui/account/")),
        "{link}"
    );

    let mut browser = Browser::to(router.clone());
    let page = browser.sign_in(&link, "ada").await;
    assert_eq!(page.status, StatusCode::OK);
    for address in addresses(&page.text) {
        assert!(address.starts_with("/billing/ui"), "{address}");
    }
    assert_eq!(browser.cookies(), ["mcp_elicit_3000.billing"]);
    for file in ["style.css", "reveal.js"] {
        let got = browser.open(&format!("/billing/ui/{file}")).await;
        assert_eq!(got.status, StatusCode::OK, "{file}");
    }
    let saved = browser
        .submit(&link, &page, &[("api_key", "sk_live_1234567890")])
        .await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    let to = saved.headers["location"].to_str().unwrap().to_owned();
    assert!(link.ends_with(&to), "{to}");
    assert!(browser.open(&to).await.text.contains("Saved"));

    let answers = json!({ "account": { "action": "accept" } });
    let done = client
        .retry("connect", json!({}), &asked.state(), answers)
        .await;
    assert_eq!(done.first_text(), "connected");

    let list = browser.open("/billing/ui").await;
    assert!(list.text.contains("Stored credentials"));
    for address in addresses(&list.text) {
        assert!(address.starts_with("/billing/ui"), "{address}");
    }
    // The endpoint, too.
    let request = Request::post("/billing/mcp").header("host", HOST);
    let got = send(&router, request.body(Body::empty()).unwrap()).await;
    assert_eq!(got.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let got = send(
        &router,
        Request::get("/billing/nothing")
            .body(Body::empty())
            .unwrap(),
    )
    .await;
    assert_eq!(got.status, StatusCode::NOT_FOUND);
}

/// What stands in a page as an address.
fn addresses(html: &str) -> Vec<&str> {
    ["href=\"", "action=\"", "src=\""]
        .iter()
        .flat_map(|name| html.split(name).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .filter(|address| !address.starts_with('#'))
        .collect()
}

#[tokio::test]
async fn the_plain_address_has_the_path_too() {
    let app = below("/billing").await;
    let client = Client::new(&app, "ada").can(json!({ "elicitation": {} }));
    let told = client.call("connect", json!({})).await;
    let address = format!("http://{HOST}/billing/ui/account");
    assert!(
        told.first_text().contains(&address),
        "{}",
        told.first_text()
    );
}

/// Everybody is Ada.
struct Ada;

impl Authenticator for Ada {
    async fn authenticate(&self, _: &Parts) -> Result<Principal, AuthError> {
        Ok(Principal::new("https://login.example.com", "ada"))
    }
}

impl BrowserIdentity for Ada {
    async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
        let known = parts.headers.contains_key("x-test-session");
        Ok(known.then(|| Principal::new("https://login.example.com", "ada")))
    }

    fn sign_in_redirect(&self, back_to: &str) -> String {
        format!("https://login.example.com/?back={back_to}")
    }
}

#[tokio::test]
async fn over_https_with_an_identity_of_ones_own() {
    let base = "https://example.com/billing";
    let server = server().base_url(base).auth(Ada).browser_identity(Ada);
    let app = server.tools(toolset![connect]).build().await.unwrap();
    let get = |path: &str| Request::get(path).header("host", "example.com");
    let router = app.router();
    for path in ["/billing/ui/account", "/ui/account"] {
        let nobody = send(&router, get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(
            nobody.headers["location"],
            "https://login.example.com/?back=/billing/ui/account"
        );
        let hsts = &nobody.headers["strict-transport-security"];
        assert_eq!(hsts, "max-age=31536000");
        let somebody = get(path).header("x-test-session", "1");
        let page = send(&router, somebody.body(Body::empty()).unwrap()).await;
        assert!(page.text.contains("Your account."));
    }
    // A page of the same host is the same origin, whatever the path; another scheme is not.
    for (origin, status) in [
        ("https://example.com", StatusCode::UNSUPPORTED_MEDIA_TYPE),
        ("http://example.com", StatusCode::FORBIDDEN),
        ("https://example.com/billing", StatusCode::FORBIDDEN),
    ] {
        let request = Request::post("/billing/mcp").header("host", "example.com");
        let request = request
            .header("origin", origin)
            .body(Body::empty())
            .unwrap();
        assert_eq!(send(&router, request).await.status, status, "{origin}");
    }
}

#[tokio::test]
async fn what_was_forwarded_names_no_host_and_no_scheme() {
    let app = below("/billing").await;
    let client = Client::new(&app, "ada");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "connect", "arguments": {}, "_meta": client.meta() } });
    // `DevUsers` takes nothing that was forwarded, so these come from nobody.
    for (name, value) in [
        ("x-forwarded-host", "evil.example"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-prefix", "/evil"),
        ("forwarded", "host=evil.example;proto=https"),
    ] {
        let request = client
            .build("tools/call", Some("connect"))
            .header(name, value);
        let got = client
            .send(request.body(body.to_string().into()).unwrap())
            .await;
        assert_eq!(got.status, StatusCode::UNAUTHORIZED, "{name}");
    }
    let server = server()
        .base_url("https://example.com/billing")
        .auth(Ada)
        .browser_identity(Ada);
    let app = server.tools(toolset![connect]).build().await.unwrap();
    let request = Client::new(&app, "ada")
        .on(&app)
        .build("tools/call", Some("connect"));
    let mut request = request
        .header("x-forwarded-host", "evil.example")
        .body(Body::from(body.to_string()))
        .unwrap();
    request
        .headers_mut()
        .insert("host", "example.com".parse().unwrap());
    let link = send(&app.router(), request).await.link("account");
    assert!(
        link.starts_with("https://example.com/billing/ui/account/"),
        "{link}"
    );
}
