//! Who may see a page: its owner and nobody else, whatever is done to the link or the session.

use super::*;
use crate::auth::Principal;

const SECRET: &str = "sk-live-marker-0123456789";

#[tokio::test]
async fn a_forwarded_link_is_of_no_use_to_another() {
    let site = Site::new();
    let id = site.open("alice").await;
    let alice = site.signed_in("alice").await;
    let bob = site.signed_in("bob").await;
    let stolen = alice.token(id).await;

    let page = bob.get(&path(id)).await;
    assert_eq!(page.status, StatusCode::FORBIDDEN);
    for hidden in [
        "API key",
        "Subscribe",
        "Please provide",
        "alice",
        "name=\"api_key\"",
    ] {
        assert!(!page.text.contains(hidden), "{hidden}");
    }
    for pairs in [
        [(":token", stolen.as_str()), ("api_key", SECRET)],
        [(":token", &stolen), (":action", "decline")],
    ] {
        let answer = bob.post(&path(id), &pairs).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
    }
    assert_eq!(site.status(id).await, TicketStatus::Open);
    assert!(site.stored("alice").await.is_none() && site.stored("bob").await.is_none());

    let answer = alice
        .post(&path(id), &[(":token", &stolen), ("api_key", SECRET)])
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert!(site.stored("alice").await.is_some() && site.stored("bob").await.is_none());

    // Nor does it say later that there was something.
    assert_eq!(bob.get(&path(id)).await.text, page.text);
}

#[tokio::test]
async fn another_ones_page_looks_like_none() {
    let site = Site::new();
    let (open, expired) = (site.open("alice").await, site.open("alice").await);
    let bob = site.signed_in("bob").await;
    // Only the way back in the page is that of the link itself.
    let look = |text: String, id: TicketId| text.replace(&path(id), "PATH");
    let foreign = bob.get(&path(open)).await;
    let unknown = bob.get(&path(TicketId([1; 16]))).await;
    assert_eq!(foreign.status, unknown.status);
    let foreign = look(foreign.text, open);
    assert_eq!(foreign, look(unknown.text, TicketId([1; 16])));
    site.wait(Duration::from_secs(3601));
    assert_eq!(foreign, look(bob.get(&path(expired)).await.text, expired));
    let malformed = bob.get("/ui/set_api_key/nonsense").await;
    assert_eq!(malformed.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn an_edited_link_shows_nothing() {
    let site = Site::new();
    let id = site.open("alice").await;
    let alice = site.signed_in("alice").await;
    let text = super::super::link::text(&id);
    for edited in [
        format!("/ui/other_page/{text}"),
        format!("/ui/SET_API_KEY/{text}"),
        format!("/ui/set_api_key/{text}="),
        format!("/ui/set_api_key/{}", text.to_uppercase()),
        format!("/ui/set_api_key/%{:02x}{}", text.as_bytes()[0], &text[1..]),
    ] {
        let answer = alice.get(&edited).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{edited}");
    }
}

/// An author's own identity: the principal and the session stand in headers.
struct Portal;

impl BrowserIdentity for Portal {
    async fn identify(
        &self,
        parts: &http::request::Parts,
    ) -> Result<Option<Principal>, IdentityError> {
        let text = |name: &str| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
        match text("x-who").as_deref() {
            None => Ok(None),
            Some("down") => Err("the session store is down".into()),
            Some("nobody") => Ok(Some(Principal::anonymous())),
            Some(who) => {
                let (issuer, subject) = who.split_once('|').ok_or("malformed")?;
                let principal = Principal::new(issuer, subject);
                Ok(Some(match text("x-tenant") {
                    Some(tenant) => principal.tenant(tenant),
                    None => principal,
                }))
            }
        }
    }

    fn sign_in_redirect(&self, back_to: &str) -> String {
        format!("https://login.example.com/?back={back_to}")
    }
}

#[tokio::test]
async fn subject_issuer_and_tenant_are_all_compared() {
    let site = Site::with(|web| web.identity = Identity::new(Portal));
    let id = site.open("alice").await;
    let browser = site.browser();
    let get = || browser.request("GET", &path(id));
    let good = browser.send(get().header("x-who", "dev|alice"), "").await;
    // The page leads elsewhere to sign in, so it names that address; all else holds.
    assert_eq!(good.status, StatusCode::OK);
    assert!(good.text.contains("Sign in as somebody else"));
    for (who, tenant) in [
        ("dev|alice", Some("acme")),
        ("dev|Alice", None),
        ("dev|alice ", None),
        ("https|alice", None),
        ("devalice|", None),
        ("|devalice", None),
    ] {
        let mut request = get().header("x-who", who);
        if let Some(tenant) = tenant {
            request = request.header("x-tenant", tenant);
        }
        let answer = browser.send(request, "").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{who} {tenant:?}");
    }
}

#[tokio::test]
async fn an_authors_identity_leads_to_its_own_sign_in() {
    let site = Site::with(|web| web.identity = Identity::new(Portal));
    let id = site.open("alice").await;
    let browser = site.browser();
    let there = format!("https://login.example.com/?back={}", path(id));
    for who in [None, Some("nobody")] {
        let mut request = browser.request("GET", &path(id));
        if let Some(who) = who {
            request = request.header("x-who", who);
        }
        let answer = browser.send(request, "").await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(answer.header("location"), there);
    }
    // A form is told so on a page, since its policy forbids redirects to other sites.
    let answer = browser.post(&path(id), &[("api_key", SECRET)]).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(answer.text.contains(&there) && !answer.text.contains(SECRET));
    for path in ["/ui/sign-in", "/ui/sign-in?next=/ui"] {
        assert_eq!(browser.get(path).await.status, StatusCode::NOT_FOUND);
    }
    let answer = browser.post("/ui/sign-in", &[("name", "alice")]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let answer = browser.post("/ui/sign-out", &[]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_identity_that_fails_lets_nobody_in() {
    let site = Site::with(|web| web.identity = Identity::new(Portal));
    let id = site.open("alice").await;
    let browser = site.browser();
    let request = browser.request("GET", &path(id)).header("x-who", "down");
    let answer = browser.send(request, "").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(!answer.text.contains("session store"));
}

/// An identity that leads nowhere.
struct Broken;

impl BrowserIdentity for Broken {
    async fn identify(&self, _: &http::request::Parts) -> Result<Option<Principal>, IdentityError> {
        Ok(None)
    }

    fn sign_in_redirect(&self, _: &str) -> String {
        "/login\r\nSet-Cookie: a=b".into()
    }
}

#[tokio::test]
async fn a_sign_in_address_cannot_break_out_of_its_header() {
    let site = Site::with(|web| web.identity = Identity::new(Broken));
    let answer = site.browser().get("/ui").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.header("set-cookie"), "");
}
