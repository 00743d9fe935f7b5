//! Posting the page: what is stored, and all that is refused.

use super::*;

const SECRET: &str = "sk-live-marker-0123456789";

#[tokio::test]
async fn saving_stores_the_row_and_ends_the_ticket() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let answer = browser
        .post(
            &path(id),
            &[
                (":token", &token),
                ("api_key", SECRET),
                ("label", "work"),
                (":action", "save"),
            ],
        )
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header("location"), path(id));
    assert_eq!(site.status(id).await, TicketStatus::Done);
    let json: serde_json::Value =
        serde_json::from_slice(&site.stored("alice").await.unwrap()).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"api_key": SECRET, "label": "work"})
    );

    let page = browser.get(&path(id)).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("go back to your app"));
    assert!(!page.text.contains(SECRET));
}

#[tokio::test]
async fn declining_ends_the_ticket_and_stores_nothing() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let answer = browser
        .post(&path(id), &[(":token", &token), (":action", "decline")])
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(site.status(id).await, TicketStatus::Declined);
    assert!(site.stored("alice").await.is_none());
    let page = browser.get(&path(id)).await.text;
    assert!(page.contains("Declined") && page.contains("go back to your app"));

    let late = browser
        .post(&path(id), &[(":token", &token), ("api_key", SECRET)])
        .await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn problems_stand_beside_their_fields_and_secrets_never_come_back() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let label = "l".repeat(41);
    let answer = browser
        .post(
            &path(id),
            &[(":token", &token), ("api_key", SECRET), ("label", &label)],
        )
        .await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!answer.text.contains(SECRET));
    for part in [
        "<title>Error: Billing key | Billing</title>",
        "role=\"alert\"",
        "<a href=\"#f1\">Label</a>",
        "id=\"f1-error\"",
        &format!("value=\"{label}\""),
        "aria-describedby=\"f1-error f1-hint\" aria-invalid=\"true\" autofocus",
    ] {
        assert!(answer.text.contains(part), "{part} not in {}", answer.text);
    }
    assert_eq!(answer.text.matches("autofocus").count(), 1);
    assert_eq!(site.status(id).await, TicketStatus::Open);
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn an_empty_secret_is_missing() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    for value in ["", "   "] {
        let answer = browser
            .post(&path(id), &[(":token", &token), ("api_key", value)])
            .await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{value:?}");
        assert!(answer.text.contains("id=\"f0-error\""));
    }
    assert_eq!(site.status(id).await, TicketStatus::Open);
}

#[tokio::test]
async fn the_types_own_check_is_shown_too() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let answer = browser
        .post(
            &path(id),
            &[(":token", &token), ("api_key", "sk-revoked-key")],
        )
        .await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.text.contains("is revoked") && answer.text.contains("try another account"));
    assert!(!answer.text.contains("sk-revoked"));
    assert_eq!(site.status(id).await, TicketStatus::Open);

    // A build that does not know the page takes the stored table's word.
    let site = Site::with(|web| web.pages = Arc::default());
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let answer = browser
        .post(
            &path(id),
            &[(":token", &token), ("api_key", "sk-revoked-key")],
        )
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn tokens_count_for_one_page_and_one_session() {
    let site = Site::new();
    let (id, other) = (site.open("alice").await, site.open("alice").await);
    let browser = site.signed_in("alice").await;
    let again = site.signed_in("alice").await;
    let of_other_page = browser.token(other).await;
    let of_other_session = again.token(id).await;
    let good = browser.token(id).await;
    assert_ne!(good, of_other_session);
    let sign_out = browser.get("/ui").await.token("");
    let mut flipped = good.clone();
    let last = if flipped.pop() == Some('A') { 'B' } else { 'A' };
    flipped.insert(0, last);
    for token in [
        "",
        "x",
        &of_other_page,
        &of_other_session,
        &sign_out,
        &flipped,
    ] {
        let answer = browser
            .post(&path(id), &[(":token", token), ("api_key", SECRET)])
            .await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{token}");
    }
    for pairs in [
        &[("api_key", SECRET)][..],
        &[("api_key", SECRET), (":token", &good), (":token", &good)],
        &[("api_key", SECRET), ("token", &good)],
    ] {
        let answer = browser.post(&path(id), pairs).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN);
        assert!(!answer.text.contains(SECRET));
    }
    assert_eq!(site.status(id).await, TicketStatus::Open);
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn only_our_own_pages_may_post() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let body = encode(&[(":token", &token), ("api_key", SECRET)]);
    let cases: [(&[(&str, &str)], bool); 12] = [
        (&[], false),
        (&[("sec-fetch-site", "cross-site")], false),
        (&[("sec-fetch-site", "same-site")], false),
        (&[("sec-fetch-site", "none")], false),
        (
            &[
                ("sec-fetch-site", "cross-site"),
                ("origin", "http://localhost:3000"),
            ],
            false,
        ),
        (
            &[
                ("sec-fetch-site", "same-origin"),
                ("sec-fetch-site", "same-origin"),
            ],
            false,
        ),
        (&[("origin", "null")], false),
        (&[("origin", "http://localhost:3001")], false),
        (&[("origin", "https://localhost:3000")], false),
        (&[("origin", "http://evil.example")], false),
        (
            &[
                ("origin", "http://localhost:3000"),
                ("origin", "http://evil.example"),
            ],
            false,
        ),
        (&[("origin", "http://localhost:3000")], true),
    ];
    for (headers, good) in cases {
        let mut request = browser
            .request("POST", &path(id))
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = browser.send(request, body.clone()).await;
        let expected = if good {
            StatusCode::SEE_OTHER
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(answer.status, expected, "{headers:?}");
        assert_eq!(site.stored("alice").await.is_some(), good);
    }
}

#[tokio::test]
async fn only_forms_of_a_decent_size_are_read() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let post = |kind: Option<&str>| {
        let mut request = browser
            .request("POST", &path(id))
            .header("sec-fetch-site", "same-origin");
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        request
    };
    let form = "application/x-www-form-urlencoded";
    let body = encode(&[(":token", &token), ("api_key", SECRET)]);
    for kind in [
        None,
        Some("application/json"),
        Some("text/plain"),
        Some("multipart/form-data; boundary=x"),
        Some("application/x-www-form-urlencodedx"),
    ] {
        let answer = browser.send(post(kind), body.clone()).await;
        assert_eq!(
            answer.status,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "{kind:?}"
        );
    }
    let large = format!("{body}&x={}", "x".repeat(70_000));
    let announced = post(Some(form)).header("content-length", large.len());
    for request in [announced, post(Some(form))] {
        let answer = browser.send(request, large.clone()).await;
        assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    }
    let longer = post(Some(form)).header("content-length", "10");
    let answer = browser.send(longer, body.clone()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    for broken in ["%", "a=%zz", "a=%ff"] {
        let answer = browser.send(post(Some(form)), broken).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{broken}");
    }
    let long = "k".repeat(40_000);
    let answer = browser
        .post(&path(id), &[(":token", &token), ("api_key", &long)])
        .await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.text.contains("is too long") && !answer.text.contains("kkk"));
    assert_eq!(site.status(id).await, TicketStatus::Open);

    let good = post(Some("Application/X-WWW-Form-URLEncoded; charset=UTF-8"));
    assert_eq!(browser.send(good, body).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn a_second_tab_comes_too_late() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let (first, second) = (browser.token(id).await, browser.token(id).await);
    let answer = browser
        .post(&path(id), &[(":token", &first), ("api_key", SECRET)])
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    for pairs in [
        [(":token", second.as_str()), ("api_key", "another")],
        [(":token", &second), (":action", "decline")],
    ] {
        let late = browser.post(&path(id), &pairs).await;
        assert_eq!(late.status, StatusCode::CONFLICT);
        assert!(late.text.contains("already done"));
    }
    assert_eq!(site.status(id).await, TicketStatus::Done);
    let stored = site.stored("alice").await.unwrap();
    assert!(String::from_utf8_lossy(&stored).contains(SECRET));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_posts_at_once_one_stores() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let posts: Vec<_> = (0..16)
        .map(|n| {
            let body = encode(&[(":token", &token), ("api_key", &format!("key-number-{n}"))]);
            let request = browser.form(&path(id)).body(Body::from(body)).unwrap();
            let mut router = site.router.clone();
            tokio::spawn(async move { (n, router.call(request).await.unwrap().status()) })
        })
        .collect();
    let mut won = Vec::new();
    for post in posts {
        let (n, status) = post.await.unwrap();
        if status == StatusCode::SEE_OTHER {
            won.push(n);
        } else {
            assert_eq!(status, StatusCode::CONFLICT);
        }
    }
    assert_eq!(won.len(), 1);
    let stored = site.stored("alice").await.unwrap();
    let expected = format!("key-number-{}\"", won[0]);
    assert!(String::from_utf8_lossy(&stored).contains(&expected));
}

#[tokio::test]
async fn an_expired_page_takes_nothing() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    site.wait(Duration::from_secs(3601));
    let answer = browser
        .post(&path(id), &[(":token", &token), ("api_key", SECRET)])
        .await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert_eq!(browser.get(&path(id)).await.status, StatusCode::FORBIDDEN);
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn a_row_lasts_as_long_as_the_page_said() {
    let site = Site::new();
    let form = PageForm {
        message: "m",
        tool: "t",
        asker: "",
        client: "",
        keep: Keep::For(Duration::from_secs(60)),
        table: &BILLING,
    };
    let id = site.open_form("alice", &form).await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    browser
        .post(&path(id), &[(":token", &token), ("api_key", SECRET)])
        .await;
    site.wait(Duration::from_secs(59));
    assert!(site.stored("alice").await.is_some());
    site.wait(Duration::from_secs(2));
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn keys_keep_their_own_line_ends() {
    let secret = Kind::Secret { multiline: true };
    let fields = [Field::new("pem", "PEM", "", secret, true)];
    let table = FormTable::new(&fields);
    let site = Site::with(|web| web.pages = Arc::default());
    let form = PageForm {
        message: "m",
        tool: "t",
        asker: "",
        client: "",
        keep: Keep::UntilRemoved,
        table: &table,
    };
    let id = site.open_form("alice", &form).await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    browser
        .post(
            &path(id),
            &[(":token", &token), ("pem", "-----BEGIN\r\nabc\r\n")],
        )
        .await;
    let stored = site.stored("alice").await.unwrap();
    let json: serde_json::Value = serde_json::from_slice(&stored).unwrap();
    assert_eq!(json["pem"], "-----BEGIN\nabc\n");
}

#[tokio::test]
async fn an_empty_box_says_no() {
    let mut fields = [
        Field::new("on", "On", "", Kind::Boolean, false),
        Field::new("must", "Must", "", Kind::Boolean, true),
        Field::new("open", "Open", "", Kind::Boolean, false),
    ];
    fields[0].default = Some(crate::declare::DefaultValue::Boolean(true));
    let table = FormTable::new(&fields);
    let site = Site::with(|web| web.pages = Arc::default());
    let form = PageForm {
        message: "m",
        tool: "t",
        asker: "",
        client: "",
        keep: Keep::UntilRemoved,
        table: &table,
    };
    let id = site.open_form("alice", &form).await;
    let browser = site.signed_in("alice").await;
    let page = browser.get(&path(id)).await;
    assert!(page.text.contains("name=\"on\" value=\"true\" checked"));
    let token = page.token("answers");
    let answer = browser
        .post(&path(id), &[(":token", &token), ("open", "")])
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text);
    let stored = site.stored("alice").await.unwrap();
    let json: serde_json::Value = serde_json::from_slice(&stored).unwrap();
    assert_eq!(json, serde_json::json!({"on": false, "must": false}));
}

#[tokio::test]
async fn what_a_button_does_is_one_of_two() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let token = browser.token(id).await;
    let answer = browser
        .post(
            &path(id),
            &[
                (":token", &token),
                ("api_key", SECRET),
                (":action", "other"),
            ],
        )
        .await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(site.status(id).await, TicketStatus::Open);
}
