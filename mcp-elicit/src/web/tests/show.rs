//! What the page shows, and to whom.

use super::*;
use crate::declare::{DefaultValue, Format, Opt};

#[tokio::test]
async fn without_a_session_one_signs_in_and_comes_back() {
    let site = Site::new();
    let id = site.open("alice").await;
    let mut browser = site.browser();
    let answer = browser.get(&path(id)).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    let sign_in = answer.header("location").to_owned();
    assert_eq!(sign_in, format!("/ui/sign-in?next={}", path(id)));
    assert_eq!(answer.text, "");

    let page = browser.get(&sign_in).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.text
            .contains(&format!("name=\"next\" value=\"{}\"", path(id)))
    );
    let back = browser
        .post("/ui/sign-in", &[("name", "alice"), ("next", &path(id))])
        .await;
    assert_eq!(back.header("location"), path(id));
    browser.cookie = back.header("set-cookie").split(';').next().map(Into::into);
    assert_eq!(browser.get(&path(id)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_link_that_is_none_is_treated_like_one() {
    let site = Site::new();
    let browser = site.browser();
    for path in [
        "/ui/set_api_key/AAAAAAAAAAAAAAAAAAAAAA",
        "/ui/set_api_key/x",
        "/ui/nothing/AAAAAAAAAAAAAAAAAAAAAA",
        "/ui/..%2f/AAAAAAAAAAAAAAAAAAAAAA",
    ] {
        let answer = browser.get(path).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{path}");
    }
}

#[tokio::test]
async fn the_owner_sees_who_asks_for_what_and_why() {
    let site = Site::new();
    let id = site.open("alice").await;
    let answer = site.signed_in("alice").await.get(&path(id)).await;
    for part in [
        "<title>Billing key | Billing</title>",
        "Please provide your API key to continue.",
        "<bdi>Subscribe</bdi>",
        "<bdi>an app</bdi>",
        "not verified",
        "<bdi class=\"account\">alice</bdi>",
        "Not you? Sign out",
        "until you remove it",
        "<a href=\"/ui\">",
        "<label for=\"f0\">API key</label>",
        "id=\"f0-hint\">Secret key from the provider&#39;s dashboard",
        "<input type=\"password\" id=\"f0\" name=\"api_key\" autocomplete=\"off\"",
        "aria-describedby=\"f0-hint\"",
        "maxlength=\"40\"",
        ">Save</button>",
        ">Decline</button>",
        "<link rel=\"stylesheet\" href=\"/ui/style.css\">",
    ] {
        assert!(answer.text.contains(part), "{part} not in {}", answer.text);
    }
    assert!(!answer.text.contains("aria-invalid"));
    assert!(!answer.text.contains("autofocus"));
}

#[tokio::test]
async fn looking_changes_nothing() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    let first = browser.get(&path(id)).await.text;
    for method in ["GET", "HEAD"] {
        let answer = browser.send(browser.request(method, &path(id)), "").await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("set-cookie"), "");
    }
    assert_eq!(browser.get(&path(id)).await.text, first);
    assert_eq!(site.status(id).await, TicketStatus::Open);
    assert!(site.stored("alice").await.is_none());
}

#[tokio::test]
async fn other_methods_are_refused() {
    let site = Site::new();
    let id = site.open("alice").await;
    let browser = site.signed_in("alice").await;
    for (method, path, allow) in [
        ("PUT", path(id).as_str(), "GET, HEAD, POST"),
        ("DELETE", "/ui", "GET, HEAD"),
        ("OPTIONS", "/ui/sign-in", "GET, HEAD, POST"),
        ("GET", "/ui/sign-out", "POST"),
        ("GET", "/ui/remove", "POST"),
        ("POST", "/ui/style.css", "GET, HEAD"),
    ] {
        let answer = browser.send(browser.request(method, path), "").await;
        assert_eq!(
            answer.status,
            StatusCode::METHOD_NOT_ALLOWED,
            "{method} {path}"
        );
        assert_eq!(answer.header("allow"), allow);
    }
    assert_eq!(site.status(id).await, TicketStatus::Open);
}

#[tokio::test]
async fn unknown_places_are_not_found() {
    let site = Site::new();
    for path in ["/ui/nothing", "/ui/a/b/c", "/ui//b", "/ui/a/b/"] {
        let answer = site.browser().get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    let style = site.browser().get("/ui/style.css").await;
    assert_eq!(style.header("content-type"), "text/css; charset=utf-8");
    assert!(style.text.contains("prefers-color-scheme: dark"));
}

#[tokio::test]
async fn foreign_hosts_are_refused_before_all_else() {
    let site = Site::new();
    let id = site.open("alice").await;
    let mut browser = site.signed_in("alice").await;
    browser.host = "rebound.example:3000";
    for path in ["/ui", "/ui/sign-in", "/ui/style.css", &path(id)] {
        assert_eq!(browser.get(path).await.status, StatusCode::FORBIDDEN);
        assert_eq!(browser.post(path, &[]).await.status, StatusCode::FORBIDDEN);
    }
    let request = browser.request("GET", &path(id)).header("host", HOST);
    assert_eq!(
        browser.send(request, "").await.status,
        StatusCode::FORBIDDEN
    );
}

#[tokio::test]
async fn every_text_is_escaped() {
    const EVIL: &str = "\"><script>alert('x')</script>&amp;";
    const SAFE: &str = "&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;amp;";
    let options = [Opt::new(EVIL, Some(EVIL)), Opt::new("b", Some("b"))];
    let many: Vec<_> = (0..9).map(|_| Opt::new(EVIL, None)).collect();
    let text = Kind::Text {
        min_length: None,
        max_length: None,
        format: None,
    };
    let mut fields = vec![
        Field::new(EVIL, EVIL, EVIL, text, true),
        Field::new("one", EVIL, EVIL, Kind::One(&options), true),
        Field::new("menu", EVIL, EVIL, Kind::One(&many), true),
        Field::new("secret", EVIL, EVIL, Kind::Secret { multiline: true }, true),
        Field::new("bool", EVIL, EVIL, Kind::Boolean, true),
        Field::new(
            "several",
            EVIL,
            EVIL,
            Kind::Several {
                options: &options,
                min_items: None,
                max_items: None,
            },
            true,
        ),
    ];
    fields[0].default = Some(DefaultValue::Text(EVIL));
    let table = FormTable::new(&fields);
    let site = Site::with(|web| web.server = EVIL.into());
    let form = PageForm {
        message: EVIL,
        tool: EVIL,
        asker: "",
        client: EVIL,
        keep: Keep::Process,
        table: &table,
    };
    let id = site.open_form(EVIL, &form).await;
    let browser = site.signed_in(EVIL).await;
    let mut answer = browser.get(&path(id)).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert!(answer.text.contains(&format!("class=\"account\">{SAFE}<")));
    assert!(
        answer
            .text
            .contains(&format!("<p class=\"message\" dir=\"auto\">{SAFE}</p>"))
    );
    assert!(answer.text.contains(&format!("value=\"{SAFE}\"")));
    // Everything typed comes back, escaped too.
    let token = answer.token("answers");
    answer = browser
        .post(&path(id), &[(":token", &token), (EVIL, EVIL)])
        .await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(answer.text.contains(&format!("value=\"{SAFE}\"")));
}

#[tokio::test]
async fn each_kind_has_its_control() {
    let text = |format| Kind::Text {
        min_length: Some(2),
        max_length: None,
        format,
    };
    let few = [Opt::new("a", Some("Ah")), Opt::new("b", Some("Be"))];
    let many: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .map(|v| Opt::new(v, None))
        .into();
    let mut fields = vec![
        Field::new("name", "Name", "", text(None), true),
        Field::new("mail", "Mail", "", text(Some(Format::Email)), true),
        Field::new("site", "Site", "", text(Some(Format::Uri)), true),
        Field::new("day", "Day", "", text(Some(Format::Date)), false),
        Field::new("at", "At", "", text(Some(Format::DateTime)), false),
        Field::new(
            "seats",
            "Seats",
            "",
            Kind::Integer { min: 1, max: 500 },
            false,
        ),
        Field::new("few", "Few", "", Kind::One(&few), true),
        Field::new("many", "Many", "", Kind::One(&many), false),
        Field::new("yes", "Yes", "", Kind::Boolean, true),
        Field::new("maybe", "Maybe", "", Kind::Boolean, false),
        Field::new("pem", "PEM", "", Kind::Secret { multiline: true }, true),
        Field::new(
            "all",
            "All",
            "",
            Kind::Several {
                options: &few,
                min_items: Some(1),
                max_items: None,
            },
            true,
        ),
    ];
    fields[5].default = Some(DefaultValue::Integer(3));
    fields[6].default = Some(DefaultValue::Text("b"));
    let table = FormTable::new(&fields);
    let site = Site::new();
    let form = PageForm {
        message: "m",
        tool: "t",
        asker: "",
        client: "",
        keep: Keep::For(Duration::from_secs(8 * 3600)),
        table: &table,
    };
    let id = site.open_form("alice", &form).await;
    let answer = site.signed_in("alice").await.get(&path(id)).await;
    for part in [
        "<input type=\"text\" id=\"f0\" name=\"name\" value=\"\" dir=\"auto\" minlength=\"2\" required",
        "<input type=\"email\" autocomplete=\"email\" id=\"f1\"",
        "<input type=\"url\" id=\"f2\"",
        "<input type=\"date\" id=\"f3\"",
        "<label for=\"f3\">Day <span class=\"aside\">(optional)</span></label>",
        "<input type=\"text\" id=\"f4\"",
        "such as 2026-12-31T17:00:00Z.",
        "<input type=\"number\" id=\"f5\" name=\"seats\" value=\"3\" dir=\"auto\" min=\"1\" max=\"500\" step=\"1\"",
        "Enter a number, 1 to 500.",
        "<legend>Few",
        "<input type=\"radio\" name=\"few\" value=\"a\" required>",
        "<input type=\"radio\" name=\"few\" value=\"b\" checked required>",
        "<select id=\"f7\" name=\"many\"",
        "<option value=\"\">No answer</option>",
        "<input type=\"checkbox\" id=\"f8\" name=\"yes\" value=\"true\"",
        "<select id=\"f9\" name=\"maybe\"",
        "<textarea class=\"secret\" id=\"f10\" name=\"pem\"",
        "<input type=\"checkbox\" name=\"all\" value=\"a\">",
        "Choose at least 1.",
        "for 8 hours",
    ] {
        assert!(answer.text.contains(part), "{part} not in {}", answer.text);
    }
    assert!(!answer.text.contains("not verified"), "no client is named");
}

#[tokio::test]
async fn a_store_that_fails_says_nothing_of_itself() {
    use crate::store::StoreError;
    use crate::web::visit::{Stop, Visit};

    let site = Site::new();
    let (parts, ()) = Request::builder().body(()).unwrap().into_parts();
    let visit = Visit::new(&site.web, parts, http::uri::Authority::from_static(HOST));
    let error = StoreError("disk at /var/lib is full".into());
    let response = visit.stop(Stop::from(error));
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let text = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    assert!(!String::from_utf8_lossy(&text.unwrap()).contains("disk"));
}
