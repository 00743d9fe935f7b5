//! The address of a page without a ticket.

use super::*;

const SECRET: &str = "sk-live-marker-0123456789";

#[tokio::test]
async fn it_leads_to_a_page_of_ones_own() {
    let site = Site::new();
    let nobody = site.browser().get("/ui/set_api_key").await;
    assert_eq!(
        nobody.header("location"),
        "/ui/sign-in?next=/ui/set_api_key"
    );
    let alice = site.signed_in("alice").await;
    let page = alice.get("/ui/set_api_key").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("Please provide your API key"));
    assert!(!page.text.contains("type=\"password\""));

    let token = page.token("start");
    let opened = alice.post("/ui/set_api_key", &[(":token", &token)]).await;
    assert_eq!(opened.status, StatusCode::SEE_OTHER);
    let path = opened.header("location").to_owned();
    let bob = site.signed_in("bob").await;
    assert_eq!(bob.get(&path).await.status, StatusCode::FORBIDDEN);
    let form = alice.get(&path).await;
    assert!(!form.text.contains("</bdi> of <bdi>") && !form.text.contains("not verified"));
    let token = form.token("answers");
    let saved = alice
        .post(&path, &[(":token", &token), ("api_key", SECRET)])
        .await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    assert!(site.stored("alice").await.is_some());

    // And again, from the list, to replace it.
    let list = alice.get("/ui").await;
    let form = list
        .text
        .split_once("action=\"/ui/set_api_key\"")
        .unwrap()
        .1;
    let token = form.split_once("value=\"").unwrap().1;
    let token = token.split_once('"').unwrap().0;
    let again = alice
        .post("/ui/set_api_key", &[(":token", token), ("name", "")])
        .await;
    assert_eq!(again.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn nothing_is_opened_by_a_stranger_or_by_accident() {
    let site = Site::new();
    let (alice, bob) = (site.signed_in("alice").await, site.signed_in("bob").await);
    let token = alice.get("/ui/set_api_key").await.token("start");
    for token in ["", "x"] {
        let answer = alice.post("/ui/set_api_key", &[(":token", token)]).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
    }
    let stolen = bob.post("/ui/set_api_key", &[(":token", &token)]).await;
    assert_eq!(stolen.status, StatusCode::FORBIDDEN);
    let request = alice
        .request("POST", "/ui/set_api_key")
        .header("sec-fetch-site", "cross-site")
        .header("content-type", "application/x-www-form-urlencoded");
    let other = alice.send(request, encode(&[(":token", &token)])).await;
    assert_eq!(other.status, StatusCode::FORBIDDEN);
    let long = "n".repeat(200);
    let answer = alice
        .post("/ui/set_api_key", &[(":token", &token), ("name", &long)])
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(alice.get("/ui/other").await.status, StatusCode::NOT_FOUND);
    let answer = alice.post("/ui/other", &[(":token", &token)]).await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn nobody_opens_too_many() {
    let site = Site::new();
    let alice = site.signed_in("alice").await;
    let token = alice.get("/ui/set_api_key").await.token("start");
    let pairs = [(":token", token.as_str())];
    for _ in 0..limits::STARTED_MOST {
        let opened = alice.post("/ui/set_api_key", &pairs).await;
        assert_eq!(opened.status, StatusCode::SEE_OTHER);
    }
    let more = alice.post("/ui/set_api_key", &pairs).await;
    assert_eq!(more.status, StatusCode::TOO_MANY_REQUESTS);
}
