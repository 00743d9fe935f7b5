//! The pages of a client without HTTP.

use mcp_elicit::ExposeSecret;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::pipe::{Page, Pipe, visit};
use mcp_elicit_tests::server;
use serde_json::{Value, json};

use super::text;

/// Your account.
#[derive(Elicit)]
#[elicit(
    url = "/ui/account",
    message = "Please connect your account.",
    fallback = "address"
)]
struct Account {
    /// From the dashboard
    #[secret]
    api_key: SecretString,
}

/// Uses the account.
#[tool]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(format!("{} bytes", account.api_key.expose_secret().len()))
}

async fn pipe() -> Pipe {
    let app = server().tools(toolset![connect]).build().await.unwrap();
    Pipe::new(&app, "ada", 65536)
}

fn link(message: &Value) -> &str {
    let asked = &message["result"]["inputRequests"]["account"]["params"];
    asked["url"].as_str().unwrap_or_else(|| panic!("{message}"))
}

/// The address and the path of a link.
fn parts(link: &str) -> (&str, &str) {
    let rest = link.strip_prefix("http://").unwrap();
    rest.split_at(rest.find('/').unwrap())
}

fn token(page: &Page) -> &str {
    let rest = page.html.split("name=\":token\" value=\"").nth(1).unwrap();
    rest.split('"').next().unwrap()
}

async fn post(address: &str, path: &str, cookie: Option<&str>, body: &str) -> Page {
    let mut headers = vec![
        ("content-type", "application/x-www-form-urlencoded"),
        ("sec-fetch-site", "same-origin"),
    ];
    headers.extend(cookie.map(|it| ("cookie", it)));
    visit(address, &format!("POST {path}"), &headers, body).await
}

#[tokio::test]
async fn a_link_is_all_that_is_needed_and_nothing_goes_without_it() {
    let mut pipe = pipe().await;
    pipe.call(1, "connect").await;
    let asked = pipe.got().await;
    let (address, path) = parts(link(&asked));
    assert!(address.starts_with("127.0.0.1:"), "{address}");

    // Without the link nothing is shown, whatever is asked for.
    for path in [
        "/ui",
        "/ui/account",
        "/ui/account/AAAAAAAAAAAAAAAAAAAAAA",
        "/ui/sign-in",
    ] {
        let page = visit(address, &format!("GET {path}"), &[], "").await;
        let is_sent_on = page.status == 303 && page.head.contains("location: /ui/sign-in");
        assert!(is_sent_on || page.status == 403, "{path}: {page:?}");
        assert!(
            page.cookie().is_none() && !page.html.contains("Your account"),
            "{page:?}"
        );
    }
    let page = visit(address, "GET /ui/sign-in", &[], "").await;
    assert!(
        page.html.contains("Open the link that your app shows"),
        "{}",
        page.html
    );
    let page = visit(
        address,
        &format!("GET {path}"),
        &[("host", "rebound.example")],
        "",
    )
    .await;
    assert_eq!((page.status, page.cookie()), (403, None));
    // The endpoint is not there.
    let page = visit(address, "POST /mcp", &[], "{}").await;
    assert_eq!(page.status, 404);

    // With it, the page needs no cookie.
    let page = visit(address, &format!("GET {path}"), &[], "").await;
    assert!(
        page.html.contains("Please connect your account."),
        "{}",
        page.html
    );
    assert!(!page.html.contains("Not you?"), "{}", page.html);
    let cookie = page.cookie().unwrap().to_owned();
    assert!(page.head.contains("HttpOnly; SameSite=Lax"));
    let body = format!(
        "%3Atoken={}&api_key=sk-0123456789ab&%3Aaction=save",
        token(&page)
    );
    let request = format!("POST {path}");
    let other_site = visit(
        address,
        &request,
        &[
            ("content-type", "application/x-www-form-urlencoded"),
            ("sec-fetch-site", "cross-site"),
        ],
        &body,
    );
    assert_eq!(other_site.await.status, 403);
    assert_eq!(post(address, path, None, &body).await.status, 303);

    let state = asked["result"]["requestState"].clone();
    let params = json!({ "name": "connect", "requestState": state, "inputResponses": { "account": { "action": "accept" } } });
    pipe.send(2, "tools/call", params).await;
    assert_eq!(text(&pipe.got().await), "15 bytes");

    // Whoever came by the link can see and remove what is stored; others cannot.
    let page = visit(address, "GET /ui", &[("cookie", &cookie)], "").await;
    assert!(
        page.status == 200 && page.html.contains("Account"),
        "{page:?}"
    );
    let forged = format!(
        "{}=AAAAAAAAAAAAAAAAAAAAAA",
        cookie.split('=').next().unwrap()
    );
    let refused = visit(address, "GET /ui", &[("cookie", &forged)], "").await;
    assert_eq!(refused.status, 303);
    let remove = page.html.split("/ui/remove").nth(1).unwrap();
    let token = remove.split("name=\":token\" value=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap();
    let body = format!("%3Atoken={token}&credential=account&name=");
    assert_eq!(
        post(address, "/ui/remove", Some(&cookie), &body)
            .await
            .status,
        303
    );
    pipe.call(3, "connect").await;
    assert!(link(&pipe.got().await).starts_with(&format!("http://{address}/")));

    // With the pipe the listener ends.
    let address = address.to_owned();
    pipe.end().await;
    for _ in 0..100 {
        if tokio::net::TcpStream::connect(&address).await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("somebody still listens at {address}");
}

#[tokio::test]
async fn a_client_that_goes_when_the_form_is_sent_leaves_the_last_page_a_moment() {
    let mut pipe = pipe().await;
    pipe.call(1, "connect").await;
    let asked = pipe.got().await;
    let (address, path) = parts(link(&asked));
    let page = visit(address, &format!("GET {path}"), &[], "").await;
    let (cookie, token) = (page.cookie(), token(&page));
    let body = format!("%3Atoken={token}&api_key=sk-0123456789ab&%3Aaction=save");
    assert_eq!(post(address, path, cookie, &body).await.status, 303);
    let ending = tokio::spawn(pipe.end());
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let page = visit(address, &format!("GET {path}"), &[], "").await;
    assert_eq!(page.status, 200, "{page:?}");
    // And no longer than for that.
    let ended = std::time::Instant::now();
    assert!(ending.await.unwrap().is_empty());
    let waited = ended.elapsed();
    assert!(waited < std::time::Duration::from_millis(500), "{waited:?}");
}

#[tokio::test]
async fn the_links_of_others_open_nothing() {
    let app = server().tools(toolset![connect]).build().await.unwrap();
    let (mut ada, mut bob) = (Pipe::new(&app, "ada", 65536), Pipe::new(&app, "bob", 65536));
    ada.call(1, "connect").await;
    bob.call(1, "connect").await;
    let (asked_ada, asked_bob) = (ada.got().await, bob.got().await);
    let ((address, path), (other, _)) = (parts(link(&asked_ada)), parts(link(&asked_bob)));
    assert_ne!(address, other);
    let page = visit(other, &format!("GET {path}"), &[], "").await;
    assert_ne!(page.status, 200);
    assert!(page.cookie().is_none());
    // Nor does a session of one listener mean anything to another.
    let page = visit(address, &format!("GET {path}"), &[], "").await;
    let value = page.cookie().unwrap().split('=').nth(1).unwrap().to_owned();
    let port = other.rsplit(':').next().unwrap();
    let forged = format!("mcp_elicit_{port}={value}");
    let page = visit(other, "GET /ui", &[("cookie", &forged)], "").await;
    assert_eq!(page.status, 303);
}

#[tokio::test]
async fn where_links_are_not_opened_a_text_has_one() {
    let mut pipe = pipe().await.can(json!({}));
    pipe.call(1, "connect").await;
    let got = pipe.got().await;
    assert_eq!(got["result"]["isError"], true);
    let said = text(&got).to_owned();
    let link = said
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let (address, path) = parts(link.unwrap());
    let page = visit(address, &format!("GET {path}"), &[], "").await;
    let body = format!("%3Atoken={}&api_key=sk-0123456789ab", token(&page));
    assert_eq!(post(address, path, None, &body).await.status, 303);
    pipe.call(2, "connect").await;
    assert_eq!(text(&pipe.got().await), "15 bytes");
}

#[tokio::test]
async fn a_base_url_is_where_links_lead() {
    let app = server()
        .base_url("http://localhost:3000/x")
        .tools(toolset![connect])
        .build()
        .await
        .unwrap();
    let mut pipe = Pipe::new(&app, "ada", 65536);
    pipe.call(1, "connect").await;
    let asked = pipe.got().await;
    assert!(link(&asked).starts_with("http://localhost:3000/x/ui/account/"));
}
