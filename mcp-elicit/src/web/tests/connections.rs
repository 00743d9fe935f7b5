//! The page of what is stored.

use super::*;

async fn store(site: &Site, browser: &Browser<'_>, subject: &str) {
    let id = site.open(subject).await;
    let token = browser.token(id).await;
    let answer = browser
        .post(
            &path(id),
            &[(":token", &token), ("api_key", "sk-live-marker-0123456789")],
        )
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn everybody_sees_their_own_and_no_values() {
    let site = Site::new();
    let (alice, bob) = (site.signed_in("alice").await, site.signed_in("bob").await);
    store(&site, &alice, "alice").await;
    for path in ["/ui", "/ui/"] {
        let page = alice.get(path).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(page.text.contains("Billing key") && page.text.contains("Not used yet."));
        assert!(
            page.text
                .contains("Stored on 15 January 2027 at 08:00 UTC.")
        );
        assert!(!page.text.contains("sk-live"));
    }
    assert!(
        bob.get("/ui")
            .await
            .text
            .contains("Nothing is stored for your account.")
    );
    let nobody = site.browser().get("/ui").await;
    assert_eq!(nobody.header("location"), "/ui/sign-in?next=/ui");
}

#[tokio::test]
async fn removing_removes_ones_own_alone() {
    let site = Site::new();
    let (alice, bob) = (site.signed_in("alice").await, site.signed_in("bob").await);
    store(&site, &alice, "alice").await;
    store(&site, &bob, "bob").await;
    let token = alice.get("/ui").await.text;
    let token = token
        .split_once("action=\"/ui/remove\"")
        .unwrap()
        .1
        .to_owned();
    let token = token.split_once(":token\" value=\"").unwrap().1;
    let token = token.split_once('"').unwrap().0;

    let row = [("credential", "billing_key"), ("name", "")];
    let stolen = bob
        .post("/ui/remove", &[row[0], row[1], (":token", token)])
        .await;
    assert_eq!(stolen.status, StatusCode::FORBIDDEN);
    let missing = alice.post("/ui/remove", &row).await;
    assert_eq!(missing.status, StatusCode::FORBIDDEN);
    assert!(site.stored("alice").await.is_some());

    let done = alice
        .post("/ui/remove", &[row[0], row[1], (":token", token)])
        .await;
    assert_eq!(done.header("location"), "/ui");
    assert!(site.stored("alice").await.is_none());
    assert!(site.stored("bob").await.is_some());
    let nobody = site.browser().post("/ui/remove", &row).await;
    assert_eq!(nobody.status, StatusCode::FORBIDDEN);
}
