//! Sign-in by name: where it works, where it leads, and what its cookie is worth.

use super::*;

#[tokio::test]
async fn the_cookie_on_this_machine() {
    let site = Site::new();
    let answer = site
        .browser()
        .post("/ui/sign-in", &[("name", " alice ")])
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header("location"), "/ui");
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("mcp_elicit_3000="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; Max-Age=28800; HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    assert!(!cookie.contains("alice"));

    let mut plain = site.browser();
    plain.host = "127.0.0.1";
    let answer = plain.post("/ui/sign-in", &[("name", "alice")]).await;
    assert!(answer.header("set-cookie").starts_with("mcp_elicit_80="));
}

#[tokio::test]
async fn servers_of_one_host_have_cookies_of_their_own() {
    for (secure, prefix, name) in [
        (true, "/billing/ui", "__Host-mcp_elicit.billing="),
        (true, "/a/b-c/ui", "__Host-mcp_elicit.a.b-c="),
        (false, "/billing/ui", "mcp_elicit_3000.billing="),
    ] {
        let site = Site::with(|web| {
            web.secure = secure;
            web.prefix = prefix.into();
        });
        let answer = site.browser().post("/ui/sign-in", &[("name", "ada")]).await;
        assert_eq!(answer.header("location"), prefix);
        let cookie = answer.header("set-cookie");
        assert!(
            cookie.starts_with(name) && cookie.contains("; Path=/;"),
            "{cookie}"
        );
    }
}

#[tokio::test]
async fn the_cookie_over_https() {
    let site = Site::with(|web| web.secure = true);
    let answer = site
        .browser()
        .post("/ui/sign-in", &[("name", "alice")])
        .await;
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-mcp_elicit="), "{cookie}");
    assert!(
        cookie.ends_with("; Path=/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure"),
        "{cookie}"
    );
}

#[tokio::test]
async fn every_sign_in_is_a_new_session() {
    let site = Site::new();
    let first = site.signed_in("alice").await;
    let mut second = site.browser();
    second.cookie.clone_from(&first.cookie);
    second.sign_in("alice").await;
    assert_ne!(first.cookie, second.cookie);
}

#[tokio::test]
async fn names_that_are_none() {
    let site = Site::new();
    for name in ["", "   ", "a\nb", "a\u{0}b", &"n".repeat(129)] {
        let answer = site
            .browser()
            .post("/ui/sign-in", &[("name", name), ("next", "/ui/x/y")])
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{name:?}");
        assert_eq!(answer.header("set-cookie"), "");
        assert!(answer.text.contains("value=\"/ui/x/y\""));
    }
}

#[tokio::test]
async fn sign_in_leads_nowhere_else() {
    let site = Site::new();
    for next in [
        "https://evil.example/",
        "//evil.example/ui/x",
        "/ui//evil.example",
        "/ui/..//evil.example",
        "/\\evil.example",
        "/ui\\..\\evil",
        "/other",
        "javascript:alert(1)",
        "/ui/x\r\nLocation: https://evil.example",
        "/ui/%2e%2e/x",
        "/ui/\"><b>",
    ] {
        let answer = site
            .browser()
            .post("/ui/sign-in", &[("name", "alice"), ("next", next)])
            .await;
        assert_eq!(answer.header("location"), "/ui", "{next}");
        let query = encode(&[("next", next)]);
        let page = site.browser().get(&format!("/ui/sign-in?{query}")).await;
        assert!(page.text.contains("name=\"next\" value=\"/ui\""), "{next}");
    }
    let twice = site
        .browser()
        .post(
            "/ui/sign-in",
            &[("name", "a"), ("next", "/ui/x/y"), ("next", "/ui/z/z")],
        )
        .await;
    assert_eq!(twice.header("location"), "/ui");
}

#[tokio::test]
async fn other_sites_cannot_sign_a_browser_in() {
    let site = Site::new();
    let browser = site.browser();
    for site in ["cross-site", "same-site", "none"] {
        let request = browser
            .request("POST", "/ui/sign-in")
            .header("sec-fetch-site", site)
            .header("content-type", "application/x-www-form-urlencoded");
        let answer = browser.send(request, "name=mallory").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{site}");
        assert_eq!(answer.header("set-cookie"), "");
    }
}

#[tokio::test]
async fn sign_in_by_name_works_on_this_machine_only() {
    let site = Site::with(|web| web.hosts = Hosts::new(["localhost", "mcp.example.com"]));
    let id = site.open("alice").await;
    let mut browser = site.signed_in("alice").await;
    for header in ["x-forwarded-for", "forwarded", "via", "x-forwarded-host"] {
        let request = browser
            .request("GET", "/ui/sign-in")
            .header(header, "1.1.1.1");
        assert_eq!(
            browser.send(request, "").await.status,
            StatusCode::FORBIDDEN,
            "{header}"
        );
        let request = browser.form("/ui/sign-in").header(header, "1.1.1.1");
        let answer = browser.send(request, "name=alice").await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{header}");
        // A session that was started here does not count there either.
        let request = browser.request("GET", &path(id)).header(header, "1.1.1.1");
        assert_eq!(
            browser.send(request, "").await.status,
            StatusCode::SEE_OTHER,
            "{header}"
        );
    }
    browser.host = "mcp.example.com";
    assert_eq!(
        browser.get("/ui/sign-in").await.status,
        StatusCode::FORBIDDEN
    );
    assert_eq!(browser.get(&path(id)).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_changed_cookie_is_no_session() {
    let site = Site::new();
    let good = site.signed_in("alice").await.cookie.unwrap();
    let (name, value) = good.split_once('=').unwrap();
    let signed_in = async |cookie: &str| {
        let mut browser = site.browser();
        browser.cookie = Some(cookie.to_owned());
        browser.get("/ui").await.status == StatusCode::OK
    };
    assert!(signed_in(&good).await);
    for i in 0..value.len() {
        let mut bytes = value.as_bytes().to_vec();
        bytes[i] = if bytes[i] == b'A' { b'B' } else { b'A' };
        let changed = format!("{name}={}", String::from_utf8(bytes).unwrap());
        assert!(!signed_in(&changed).await, "{changed}");
    }
    for other in [
        format!("{name}="),
        format!("{name}={}", &value[..value.len() - 1]),
        format!("{name}={value}A"),
        format!("mcp_elicit_3001={value}"),
        format!("__Host-mcp_elicit={value}"),
        "nonsense".to_owned(),
    ] {
        assert!(!signed_in(&other).await, "{other}");
    }
    // Another server's key, or another server of the same key.
    let other_key = Arc::new(Keys::derive(&Keyring::new([8; 32]).unwrap(), "billing"));
    let other_name = Arc::new(Keys::derive(&Keyring::new([7; 32]).unwrap(), "other"));
    for keys in [other_key, other_name] {
        let site = Site::with(|web| web.keys = keys);
        let mut browser = site.browser();
        browser.cookie = Some(good.clone());
        assert_eq!(browser.get("/ui").await.status, StatusCode::SEE_OTHER);
    }
}

#[tokio::test]
async fn sessions_end_after_eight_hours() {
    let site = Site::new();
    let browser = site.signed_in("alice").await;
    site.wait(Duration::from_secs(8 * 3600 - 1));
    assert_eq!(browser.get("/ui").await.status, StatusCode::OK);
    site.wait(Duration::from_secs(1));
    assert_eq!(browser.get("/ui").await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn signing_out_needs_our_page_and_leads_back() {
    let site = Site::new();
    let id = site.open("alice").await;
    let alice = site.signed_in("alice").await;
    let page = alice.get(&path(id)).await;
    let token = page.token("");
    let forged = alice.post("/ui/sign-out", &[(":token", "x")]).await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let out = alice
        .post("/ui/sign-out", &[(":token", &token), ("next", &path(id))])
        .await;
    assert_eq!(out.status, StatusCode::SEE_OTHER);
    assert_eq!(
        out.header("location"),
        format!("/ui/sign-in?next={}", path(id))
    );
    let cookie = out.header("set-cookie");
    assert!(
        cookie.starts_with("mcp_elicit_3000=; Path=/; Max-Age=0;"),
        "{cookie}"
    );
    assert_eq!(site.status(id).await, TicketStatus::Open);
}
