//! What is wrong with a server is said at its start, all at once.

use mcp_elicit::Server;
use mcp_elicit::auth::{Anonymous, AuthError, Authenticator, DevUsers, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit_tests::{keyring, server};

/// Does nothing.
#[tool]
async fn nothing() {}

/// A token.
#[derive(Elicit)]
#[elicit(url = "/ui/token")]
struct Token {
    #[secret]
    token: SecretString,
}

/// Another token on the same page.
#[derive(Elicit)]
#[elicit(url = "/ui/token")]
struct OtherToken {
    #[secret]
    token: SecretString,
}

/// Asks for a token.
#[tool(asks(Token))]
async fn with_token(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<Token>().await?.token);
    Ok(())
}

/// Asks for another token.
#[tool(asks(OtherToken))]
async fn with_other(cx: &Cx) -> Result<(), CallError> {
    drop(cx.ask::<OtherToken>().await?.token);
    Ok(())
}

struct Own;

impl Authenticator for Own {
    async fn authenticate(&self, _: &Parts) -> Result<Principal, AuthError> {
        Ok(Principal::new("own", "ada"))
    }
}

async fn problems(server: Server) -> Vec<String> {
    match server.build().await {
        Ok(_) => Vec::new(),
        Err(error) => error.problems().map(str::to_owned).collect(),
    }
}

#[tokio::test]
async fn every_mistake_is_named() {
    let all = problems(
        Server::new("x", "1")
            .tools(toolset![nothing, nothing])
            .tools(toolset![with_token, with_other])
            .path("mcp")
            .base_url("http://mcp.example.com")
            .store(mcp_elicit::store::MemoryStore::new())
            .keyring(keyring()),
    )
    .await;
    for what in [
        "`nothing`",
        "`mcp`",
        "must be https",
        "`.auth(",
        "/ui/token",
    ] {
        assert!(
            all.iter().any(|p| p.contains(what)),
            "{what} is not in {all:#?}"
        );
    }
}

#[tokio::test]
async fn base_urls() {
    for (url, good) in [
        ("https://mcp.example.com", true),
        ("https://mcp.example.com:443/", true),
        ("https://mcp.example.com/billing/", true),
        ("https://mcp.example.com/a/b-c.d_e", true),
        ("https://mcp.example.com//billing", false),
        ("https://mcp.example.com/billing//", false),
        ("https://mcp.example.com/a/../b", false),
        ("https://mcp.example.com/%62", false),
        ("https://mcp.example.com/a b", false),
        ("https://mcp.example.com/{*x}", false),
        ("http://localhost:3000", true),
        ("http://[::1]:3000", true),
        ("http://mcp.example.com", false),
        ("ftp://localhost", false),
        ("mcp.example.com", false),
        ("https://user@mcp.example.com", false),
        ("https://mcp.example.com?x", false),
        ("https://mcp.example.com#x", false),
        ("", false),
    ] {
        let found = problems(server().auth(Own).base_url(url)).await;
        assert_eq!(found.is_empty(), good, "{url}: {found:?}");
    }
}

#[tokio::test]
async fn hosts_and_origins_are_names() {
    for host in [
        "",
        "*",
        "https://localhost:3215",
        "a.b:x",
        "a.b/",
        "a b",
        "u@h",
        "h:99999",
    ] {
        let found = problems(server().allow_host(host)).await;
        assert!(
            found.iter().any(|p| p.contains("the host")),
            "{host}: {found:?}"
        );
    }
    for origin in [
        "",
        "*",
        "localhost:6274",
        "http://localhost:6275/",
        "ftp://localhost",
        "http://",
    ] {
        let found = problems(server().allow_origin(origin)).await;
        assert!(
            found.iter().any(|p| p.contains("the origin")),
            "{origin}: {found:?}"
        );
    }
    let good = server()
        .allow_host("a.example.com")
        .allow_host("[::1]:80")
        .allow_origin("https://b.example.com:8443");
    assert!(problems(good).await.is_empty());
    assert!(
        !problems(server().base_url("https://example.com:99999"))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn identities_that_cannot_work_together() {
    let found = problems(server().base_url("https://mcp.example.com")).await;
    assert!(
        found
            .iter()
            .any(|p| p.contains("`DevUsers` works on this machine alone")),
        "{found:?}"
    );
    let own = server()
        .auth(Own)
        .browser_identity(mcp_elicit::web::DevSignIn);
    let found = problems(own).await;
    assert!(found.iter().any(|p| p.contains("`DevSignIn`")), "{found:?}");
    let found = problems(server().auth(Anonymous).tools(toolset![with_token])).await;
    assert!(
        found.iter().any(|p| p.contains("with `Anonymous`")),
        "{found:?}"
    );
}

#[tokio::test]
async fn pages_need_to_know_who_is_at_the_browser() {
    assert!(
        problems(server().tools(toolset![with_token]))
            .await
            .is_empty()
    );
    let found = problems(server().auth(Own).tools(toolset![with_token])).await;
    assert!(
        found.iter().any(|p| p.contains("browser_identity")),
        "{found:?}"
    );
    assert!(
        problems(server().auth(Anonymous).tools(toolset![nothing]))
            .await
            .is_empty()
    );
    assert!(problems(server().auth(DevUsers)).await.is_empty());
}

#[tokio::test]
async fn a_public_server_needs_lasting_keys() {
    let random = mcp_elicit::Keyring::random().unwrap();
    let found = problems(
        server()
            .auth(Own)
            .keyring(random)
            .base_url("https://mcp.example.com"),
    )
    .await;
    assert!(found.iter().any(|p| p.contains("outlive")), "{found:?}");
}
