//! How often pages are answered.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;

use super::*;

const SECRET: &str = "sk-live-marker-0123456789";

fn limited(limits: &Limits, proxies: &[&str]) -> Site {
    let proxies: Vec<String> = proxies.iter().map(|&p| p.into()).collect();
    let proxies = Proxies::check(&proxies, &mut Vec::new());
    Site::with(|web| web.rates = Rates::new(limits, proxies).into())
}

/// Asks for a path as somebody at `peer`.
async fn from(site: &Site, peer: &str, path: &str, forwarded: Option<&str>) -> Answer {
    let mut request = Request::get(path).header("host", HOST);
    if let Some(forwarded) = forwarded {
        request = request.header("x-forwarded-for", forwarded);
    }
    let peer: SocketAddr = peer.parse().unwrap();
    let request = request.extension(ConnectInfo(peer));
    site.browser().send(request, "").await
}

#[tokio::test]
async fn one_person_is_limited_and_nobody_else() {
    let site = limited(&Limits::default().page_rate(3), &[]);
    let (ada, bob) = (site.signed_in("ada").await, site.signed_in("bob").await);
    let ticket = link::link("/ui", "set_api_key", &site.open("ada").await);
    let token = ada.get(&ticket).await.token("answers");
    for _ in 1..3 {
        assert_eq!(ada.get(&ticket).await.status, StatusCode::OK);
    }
    // A post counts too, and is not looked at.
    let answers = [(":token", &*token), ("api_key", SECRET)];
    let refused = ada.post(&ticket, &answers).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "20");
    assert!(site.stored("ada").await.is_none());
    // Whether there is such a page makes no difference, nor does what it is.
    let unknown = ada.get("/ui/set_api_key/AAAAAAAAAAAAAAAAAAAAAA").await;
    let list = ada.get("/ui").await;
    assert_eq!((&refused.text, &refused.text), (&unknown.text, &list.text));
    assert_eq!(bob.get("/ui").await.status, StatusCode::OK);
    // The looks of the page that says so are there.
    assert_eq!(ada.get("/ui/style.css").await.status, StatusCode::OK);
    site.wait(Duration::from_secs(20));
    assert_eq!(
        ada.post(&ticket, &answers).await.status,
        StatusCode::SEE_OTHER
    );
}

#[tokio::test]
async fn one_address_is_limited_whoever_is_there() {
    let site = limited(&Limits::default().address_rate(2), &[]);
    let get = |peer| from(&site, peer, "/ui/nothing/at/all", None);
    for _ in 0..2 {
        assert_eq!(get("192.0.2.7:1").await.status, StatusCode::NOT_FOUND);
    }
    let refused = get("192.0.2.7:2").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "30");
    assert_eq!(get("192.0.2.8:1").await.status, StatusCode::NOT_FOUND);
    // People behind a proxy of this machine would all be one.
    for _ in 0..5 {
        assert_eq!(get("127.0.0.1:1").await.status, StatusCode::NOT_FOUND);
    }
    let style = from(&site, "192.0.2.7:1", "/ui/style.css", None).await;
    assert_eq!(style.status, StatusCode::OK);
}

#[tokio::test]
async fn what_is_forwarded_counts_if_the_proxy_was_named() {
    let limits = Limits::default().address_rate(1);
    let site = limited(&limits, &["127.0.0.1"]);
    let get = |who| from(&site, "127.0.0.1:1", "/ui/nothing/at/all", Some(who));
    assert_eq!(get("192.0.2.7").await.status, StatusCode::NOT_FOUND);
    let refused = get("1.1.1.1, 192.0.2.7").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(get("192.0.2.8").await.status, StatusCode::NOT_FOUND);
    // Of others it does not.
    let site = limited(&limits, &[]);
    let get = |who| from(&site, "192.0.2.9:1", "/ui/nothing/at/all", Some(who));
    assert_eq!(get("192.0.2.7").await.status, StatusCode::NOT_FOUND);
    let refused = get("192.0.2.8").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn sign_ins_are_limited_also_on_this_machine() {
    let site = limited(&Limits::default().sign_in_rate(2), &[]);
    for name in ["ada", "bob"] {
        let answer = site.browser().post("/ui/sign-in", &[("name", name)]).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
    }
    let refused = site.browser().post("/ui/sign-in", &[("name", "eve")]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("set-cookie"), "");
    site.wait(Duration::from_secs(30));
    let answer = site.browser().post("/ui/sign-in", &[("name", "eve")]).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn zero_is_no_limit() {
    let limits = Limits::default()
        .page_rate(0)
        .address_rate(0)
        .sign_in_rate(0);
    let site = limited(&limits, &[]);
    let ada = site.signed_in("ada").await;
    for _ in 0..300 {
        assert_eq!(ada.get("/ui").await.status, StatusCode::OK);
    }
}
