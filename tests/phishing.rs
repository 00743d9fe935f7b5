//! The story of the specification's "Phishing" section, and what an attacker may try beside it: a link is made
//! for one person, and somebody else has it.

use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::{App, ExposeSecret, Limits};
use mcp_elicit_tests::{Browser, Client, Got, HOST, server};
use serde_json::{Value, json};

const VICTIMS: &str = "sk_live_the_key_of_bob_1";
const OWN: &str = "sk_live_the_key_of_alice";

/// Your account.
#[derive(Elicit)]
#[elicit(url = "/ui/account")]
struct Account {
    #[secret]
    api_key: SecretString,
}

/// Tells whose key it is.
#[tool(asks(Account))]
async fn whose(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    Ok(match account.api_key.expose_secret() {
        VICTIMS => "of bob".into(),
        OWN => "of alice".into(),
        _ => "of nobody".into(),
    })
}

/// Another page of the same server.
#[derive(Elicit)]
#[elicit(url = "/ui/other")]
struct Other {
    #[secret]
    other: SecretString,
}

/// Asks for something else.
#[tool(asks(Other))]
async fn other(cx: &Cx) -> Result<String, CallError> {
    drop(cx.ask::<Other>().await?.other);
    Ok(String::new())
}

/// Alice has called a tool and has a link.
struct Story {
    app: App,
    alice: Client,
    state: String,
    link: String,
}

impl Story {
    async fn begins() -> Self {
        let limits = Limits::default().hold(std::time::Duration::ZERO);
        let server = server().limits(limits).tools(toolset![whose, other]);
        let app = server.build().await.unwrap();
        let alice = Client::new(&app, "alice");
        let one = alice.call("whose", json!({})).await;
        Self {
            state: one.state(),
            link: one.link("account"),
            alice,
            app,
        }
    }

    async fn retry(&self) -> Got {
        let accept: Value = json!({ "account": { "action": "accept" } });
        self.alice
            .retry("whose", json!({}), &self.state, accept)
            .await
    }

    /// The page in a browser of its owner.
    async fn page(&self) -> (Browser, Got) {
        let mut browser = Browser::new(&self.app);
        let page = browser.sign_in(&self.link, "alice").await;
        assert!(page.text.contains("name=\"api_key\""), "{}", page.text);
        (browser, page)
    }

    /// Nothing was given so far, by nobody; and alice can still do so, once.
    async fn stays_open(self) {
        assert!(self.retry().await.asks(), "something was taken");
        let bob = self.alice.as_user("bob");
        assert!(bob.call("whose", json!({})).await.asks());
        let (mut browser, page) = self.page().await;
        let saved = browser.submit(&self.link, &page, &[("api_key", OWN)]).await;
        assert_eq!(saved.status, 303, "{}", saved.text);
        assert_eq!(self.retry().await.first_text(), "of alice");
    }
}

/// The fields of the form in `page`, with `key` typed into it.
fn typed(page: &Got, key: &str) -> Vec<(String, String)> {
    let form = page.text.split("id=\"answers\"").nth(1).unwrap();
    let token = form.split("name=\":token\" value=\"").nth(1).unwrap();
    let token = token.split('"').next().unwrap();
    [(":token", token), ("api_key", key)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

#[tokio::test]
async fn alice_starts_and_bob_clicks() {
    let story = Story::begins().await;
    let mut bob = Browser::new(&story.app);
    let page = bob.sign_in(&story.link, "bob").await;
    assert_eq!(page.status, 403, "{}", page.text);
    // He is asked for nothing, and told neither who started it nor that it is there.
    assert!(!page.text.contains("api_key") && !page.text.contains("alice"));
    let unknown = format!("http://{HOST}/ui/account/AAAAAAAAAAAAAAAAAAAAAA");
    let none = bob.open(&unknown).await;
    let same = |page: &Got| {
        page.text
            .replace(&path(&story.link), "")
            .replace(&path(&unknown), "")
    };
    assert_eq!((none.status, same(&none)), (page.status, same(&page)));
    // A form that he is given otherwise, such as by alice, is not taken from him either.
    let (_, form) = story.page().await;
    let sent = bob.post(&path(&story.link), &typed(&form, VICTIMS)).await;
    assert_eq!(sent.status, 403, "{}", sent.text);
    story.stays_open().await;
}

fn path(link: &str) -> String {
    link.strip_prefix(&format!("http://{HOST}"))
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn the_link_shows_nothing_to_whoever_is_not_signed_in() {
    let story = Story::begins().await;
    let nobody = mcp_elicit_tests::send(
        &story.app.router(),
        axum::http::Request::get(path(&story.link))
            .header("host", HOST)
            .body(axum::body::Body::empty())
            .unwrap(),
    )
    .await;
    assert_eq!(nobody.status, 303);
    assert_eq!(nobody.text, "");
    assert!(
        !nobody.headers.contains_key("set-cookie"),
        "no session is given"
    );
    let rest = path(&story.link);
    let ticket = rest.strip_prefix("/ui/account/").unwrap();
    assert_eq!(ticket.len(), 22, "page and ticket, nothing else: {rest}");
    story.stays_open().await;
}

#[tokio::test]
async fn mallory_edits_the_link() {
    let story = Story::begins().await;
    let mut mallory = Browser::new(&story.app);
    mallory.sign_in("/ui", "mallory").await;
    let own = story
        .alice
        .as_user("mallory")
        .call("whose", json!({}))
        .await;
    let own = path(&own.link("account"));
    let link = path(&story.link);
    let ticket = link.strip_prefix("/ui/account/").unwrap();
    let flipped = |at: usize| {
        let mut bytes = ticket.as_bytes().to_vec();
        bytes[at] = if bytes[at] == b'A' { b'Q' } else { b'A' };
        format!("/ui/account/{}", String::from_utf8(bytes).unwrap())
    };
    let mut edited: Vec<_> = (0..ticket.len()).map(flipped).collect();
    edited.extend([
        link.clone(),
        format!("/ui/other/{ticket}"),
        format!("{link}?user=mallory"),
        format!("{link}?principal=alice&ticket={ticket}"),
        format!("{link}=="),
        format!("{link}/"),
        link.replace("/ui/", "/ui//"),
        link.to_uppercase(),
    ]);
    for url in &edited {
        let page = mallory.open(url).await;
        assert!(
            !page.text.contains("name=\"api_key\""),
            "{url}: {}",
            page.text
        );
        assert!(
            matches!(page.status.as_u16(), 403 | 404),
            "{url}: {}",
            page.status
        );
    }
    // With the form of a page of her own, sent to that of alice.
    let form = mallory.open(&own).await;
    for url in &edited {
        let sent = mallory.post(url, &typed(&form, VICTIMS)).await;
        assert!(
            matches!(sent.status.as_u16(), 403..=405),
            "{url}: {}",
            sent.status
        );
    }
    // To alice an edited link is none of hers.
    let (mut browser, _) = story.page().await;
    for url in edited.iter().filter(|url| !url.starts_with(&link)) {
        let page = browser.open(url).await;
        assert!(
            !page.text.contains("name=\"api_key\""),
            "{url}: {}",
            page.text
        );
    }
    story.stays_open().await;
}

#[tokio::test]
async fn mallory_frames_the_page() {
    let story = Story::begins().await;
    let (_, page) = story.page().await;
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    for rule in [
        "frame-ancestors 'none'",
        "default-src 'none'",
        "form-action 'self'",
    ] {
        assert!(policy.contains(rule), "{policy}");
    }
    assert_eq!(page.headers["x-frame-options"], "DENY");
    assert_eq!(page.headers["cross-origin-opener-policy"], "same-origin");
    assert_eq!(page.headers["cross-origin-resource-policy"], "same-origin");
    story.stays_open().await;
}

#[tokio::test]
async fn mallory_posts_from_another_origin() {
    let story = Story::begins().await;
    let (mut browser, page) = story.page().await;
    // The cookies of alice go with it, and even the token of her form.
    let fields = typed(&page, VICTIMS);
    let body = fields
        .iter()
        .map(|(k, v)| format!("{}={v}", k.replace(':', "%3A")));
    let body = body.collect::<Vec<_>>().join("&");
    for headers in [
        &[][..],
        &[
            ("sec-fetch-site", "cross-site"),
            ("origin", "https://mallory.example"),
        ][..],
        &[
            ("sec-fetch-site", "same-site"),
            ("origin", "http://127.0.0.1:3001"),
        ][..],
        &[("sec-fetch-site", "none")][..],
        &[("origin", "null")][..],
        &[("origin", "https://mallory.example")][..],
    ] {
        let mut request = axum::http::Request::post(path(&story.link))
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.clone().into()).unwrap();
        let sent = browser.go(request).await;
        assert_eq!(sent.status, 403, "{headers:?}");
    }
    // And without the token, from the right place.
    let without = [("api_key".to_owned(), VICTIMS.to_owned())];
    let sent = browser.post(&path(&story.link), &without).await;
    assert_eq!(sent.status, 403);
    story.stays_open().await;
}

#[tokio::test]
async fn mallory_replays_the_post() {
    let story = Story::begins().await;
    let (mut browser, page) = story.page().await;
    let link = path(&story.link);
    let sent = browser.post(&link, &typed(&page, OWN)).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    // From the same browser, and as it was recorded, from another one.
    for _ in 0..2 {
        let again = browser.post(&link, &typed(&page, VICTIMS)).await;
        assert_eq!(again.status, 409, "{}", again.text);
    }
    let mut mallory = Browser::new(&story.app);
    mallory.sign_in("/ui", "mallory").await;
    let replayed = mallory.post(&link, &typed(&page, VICTIMS)).await;
    assert_eq!(replayed.status, 403);
    assert_eq!(story.retry().await.first_text(), "of alice");
    // Another page of alice does not take it either.
    let next = story.alice.call("other", json!({})).await;
    let next = path(&next.link("other"));
    let mut fields = typed(&page, VICTIMS);
    fields[1].0 = "other".to_owned();
    let elsewhere = browser.post(&next, &fields).await;
    assert_eq!(elsewhere.status, 403, "{}", elsewhere.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_posts_that_race_one_counts() {
    for _ in 0..10 {
        let story = Story::begins().await;
        let (mut one, page) = story.page().await;
        let (mut two, other) = story.page().await;
        let link = path(&story.link);
        let (mine, theirs) = (typed(&page, OWN), typed(&other, VICTIMS));
        let (to, too) = (link.clone(), link);
        let posts = [
            tokio::spawn(async move { one.post(&to, &mine).await.status.as_u16() }),
            tokio::spawn(async move { two.post(&too, &theirs).await.status.as_u16() }),
        ];
        let mut got = Vec::new();
        for post in posts {
            got.push(post.await.unwrap());
        }
        let told = story.retry().await.first_text().to_owned();
        match got[..] {
            [303, 409] => assert_eq!(told, "of alice"),
            [409, 303] => assert_eq!(told, "of bob"),
            _ => panic!("{got:?}"),
        }
    }
}

#[tokio::test]
async fn what_a_client_says_of_itself_decides_nothing() {
    let story = Story::begins().await;
    let (mut browser, page) = story.page().await;
    browser
        .submit(&story.link, &page, &[("api_key", OWN)])
        .await;
    assert_eq!(story.retry().await.first_text(), "of alice");
    // Bob's client calls itself and its user alice, in every place it can think of.
    let bob = story.alice.as_user("bob");
    let mut meta = bob.meta();
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "alice", "version": "1" });
    for name in ["user", "sub", "principal", "io.modelcontextprotocol/user"] {
        meta[name] = "alice".into();
    }
    let params = json!({
        "name": "whose", "arguments": {}, "user": "alice", "principal": "alice", "_meta": meta,
    });
    let body = json!({ "jsonrpc": "2.0", "id": "alice", "method": "tools/call", "params": params });
    let request = bob
        .build("tools/call", Some("whose"))
        .header("x-user", "alice")
        .header("remote-user", "alice")
        .body(body.to_string().into())
        .unwrap();
    let got = bob.send(request).await;
    assert!(got.asks(), "{}", got.text);
    // Neither does an argument or an answer.
    let user = json!({ "arguments": { "user": "alice" } });
    let got = bob.call_with("whose", user).await;
    assert!(!got.text.contains("of alice"), "{}", got.text);
    let answers = json!({ "account": { "action": "accept", "content": { "api_key": OWN } } });
    let params = json!({ "arguments": {}, "inputResponses": answers });
    assert!(bob.call_with("whose", params).await.asks());
}

const TOKEN: &str = "tok_4eC39HqLyjWDarjtT1zdp7dc";

/// Knows one token.
struct Tokens;

impl Authenticator for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        match parts.headers.get("authorization") {
            Some(it) if it == &format!("Bearer {TOKEN}") => Ok(Principal::new("own", "ada")),
            _ => Err(AuthError::Invalid),
        }
    }
}

/// Shows all that it is given.
#[tool]
async fn given(cx: &Cx) -> Result<String, CallError> {
    Ok(format!("{cx:?} {cx:#?}"))
}

#[tokio::test]
async fn the_clients_own_token_is_out_of_reach() {
    let app = server()
        .auth(Tokens)
        .tools(toolset![given])
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, TOKEN);
    let got = client.call("given", json!({})).await;
    assert!(got.first_text().contains("given"), "{}", got.text);
    assert!(!got.text.contains("tok_"), "{}", got.text);
    let other = client.as_user("tok_guess").call("given", json!({})).await;
    assert_eq!(other.status, 401);
}
