//! Pages in an author's own looks: what is shown, and that all of it still works.

use axum::http::StatusCode;
use mcp_elicit::ExposeSecret;
use mcp_elicit::prelude::*;
use mcp_elicit::web::looks::{Brand, FormView, PageKind, PageRenderer, PageView};
use mcp_elicit_tests::{Browser, Client, server};
use serde_json::json;

/// Your <account>.
#[derive(Elicit)]
#[elicit(url = "/ui/account", message = "Please give your <key>.")]
struct Account {
    #[secret]
    api_key: SecretString,
    #[elicit(max_length = 5)]
    label: Option<String>,
}

/// Connects your account.
#[tool(asks(Account))]
async fn connect(cx: &Cx) -> Result<String, CallError> {
    let account = cx.ask::<Account>().await?;
    assert!(!account.api_key.expose_secret().is_empty());
    Ok(format!("connected {}", account.label.unwrap_or_default()))
}

const LOGO: &[u8] = br#"<svg xmlns="http://www.w3.org/2000/svg"/>"#;

#[tokio::test]
async fn a_brand() {
    let brand = Brand::new()
        .name("Ada & Sons")
        .logo("image/svg+xml", LOGO)
        .accent("#0b6e4f", "#7fd8b4");
    let app = server()
        .tools(toolset![connect])
        .brand(brand)
        .build()
        .await
        .unwrap();
    let mut browser = Browser::new(&app);
    let page = browser.open("/ui/sign-in").await;
    assert!(
        page.text.contains("<bdi>Ada &#38; Sons</bdi>"),
        "{}",
        page.text
    );
    assert!(
        page.text
            .contains(r#"<img src="/ui/logo" alt="" class="logo">"#)
    );
    let logo = browser.open("/ui/logo").await;
    assert_eq!(logo.headers["content-type"], "image/svg+xml");
    assert!(
        logo.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("default-src 'none'")
    );
    assert_eq!(logo.text.as_bytes(), LOGO);
    let style = browser.open("/ui/style.css").await.text;
    assert!(style.contains("--accent: #0b6e4f") && style.contains("--accent: #7fd8b4"));
}

#[tokio::test]
async fn a_brand_that_cannot_be_used_is_refused_at_start() {
    let brand = Brand::new()
        .accent("#ffee00", "#7fd8b4")
        .logo("text/html", LOGO);
    let error = server().brand(brand).build().await.unwrap_err().to_string();
    assert!(
        error.contains("the accent `#ffee00`") && error.contains("`text/html`"),
        "{error}"
    );
}

#[tokio::test]
async fn without_a_logo_there_is_none() {
    let app = server().tools(toolset![connect]).build().await.unwrap();
    assert_eq!(
        Browser::new(&app).open("/ui/logo").await.status,
        StatusCode::NOT_FOUND
    );
}

/// Makes all of a page by itself, and escapes nothing where there is nothing to escape.
struct Bare;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

impl Bare {
    fn form(form: &FormView<'_>) -> String {
        let fields: String = form.fields.iter().map(|field| field.html()).collect();
        let button = &form.button;
        let name = match button.name {
            "" => String::new(),
            name => format!(r#" name="{name}" value="{}""#, button.value),
        };
        format!(
            "{}{fields}<button{name}>{}</button></form>",
            form.open(),
            button.label
        )
    }
}

impl PageRenderer for Bare {
    fn render(&self, page: &PageView<'_>) -> String {
        let texts: String = page
            .paragraphs
            .iter()
            .map(|it| format!("<p>{}</p>", escape(it)))
            .collect();
        let facts: String = page
            .facts
            .iter()
            .map(|it| format!("<li>{}: {}</li>", it.label, escape(&it.text)))
            .collect();
        let forms: String = page.forms.iter().map(Self::form).collect();
        let items: String = page
            .items
            .iter()
            .flat_map(|it| &it.forms)
            .map(Self::form)
            .collect();
        format!(
            "<!doctype html><html lang=en><head>{}</head><body data-kind={:?}><h1>{}</h1>{texts}<ul>{facts}</ul>{forms}{items}</body></html>",
            page.head(),
            page.kind,
            escape(&page.title),
        )
    }
}

/// Always fails.
struct Broken;

impl PageRenderer for Broken {
    fn render(&self, page: &PageView<'_>) -> String {
        panic!("no {}", page.title)
    }
}

#[tokio::test]
async fn a_renderer_that_panics_is_stood_in_for() {
    let app = server().page_renderer(Broken).build().await.unwrap();
    let page = Browser::new(&app).open("/ui/sign-in").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.text.contains("<h1>Sign in</h1>") && page.text.ends_with("</html>"),
        "{}",
        page.text
    );
}

/// The forms of a page by what stands on their buttons: action and hidden fields.
fn form(html: &str, button: &str) -> (String, Vec<(String, String)>) {
    let form = html
        .split("<form")
        .skip(1)
        .find(|form| {
            form.split("</form>")
                .next()
                .is_some_and(|f| f.contains(&format!(">{button}</button>")))
        })
        .unwrap_or_else(|| panic!("no form with the button {button} in {html}"));
    let form = form.split("</form>").next().unwrap_or_default();
    let value = |tag: &str, name: &str| {
        let value = tag
            .split(&format!(" {name}=\""))
            .nth(1)?
            .split('"')
            .next()?;
        Some(value.replace("&#x2f;", "/").replace("&#47;", "/"))
    };
    let hidden = form
        .split("<input")
        .skip(1)
        .filter(|tag| tag.contains("type=\"hidden\""))
        .filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?)))
        .collect();
    let action = form.split('>').next().and_then(|tag| value(tag, "action"));
    (action.unwrap_or_default(), hidden)
}

#[tokio::test]
async fn html_of_ones_own_needs_nothing_but_the_view() {
    let app = server()
        .tools(toolset![connect])
        .page_renderer(Bare)
        .build()
        .await
        .unwrap();
    let client = Client::new(&app, "ada");
    let asked = client.call("connect", json!({})).await;
    let link = asked.link("account");
    let path = link.split_once("3000").unwrap().1.to_owned();
    let mut browser = Browser::new(&app);
    let page = browser.sign_in(&link, "ada").await;
    assert!(
        page.text
            .contains(&format!("data-kind={:?}", PageKind::Ask))
    );
    assert!(
        page.text.contains("Please give your &lt;key>."),
        "{}",
        page.text
    );
    for told in [
        "Asked by: connect of test",
        "Your account: ada",
        "until you remove it",
    ] {
        assert!(page.text.contains(told), "{told} in {}", page.text);
    }
    assert!(
        page.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("frame-ancestors 'none'")
    );

    // Mistakes come with the fields; the secret does not come back.
    let (action, hidden) = form(&page.text, "Save");
    assert_eq!(action, "");
    let typed = |label: &str| {
        let mut all = hidden.clone();
        all.push(("api_key".into(), "sk_live_1234567890".into()));
        all.push(("label".into(), label.into()));
        all
    };
    let wrong = browser.post(&path, &typed("too long")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        wrong.text.contains("aria-invalid=\"true\"") && wrong.text.contains("value=\"too long\"")
    );
    assert!(wrong.text.contains("<title>Error: ") && !wrong.text.contains("sk_live"));
    let saved = browser.post(&path, &typed("main")).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    let answers = json!({ "account": { "action": "accept" } });
    let done = client
        .retry("connect", json!({}), &asked.state(), answers)
        .await;
    assert_eq!(done.first_text(), "connected main");

    // Replacing, removing, declining, signing out.
    let list = browser.open("/ui").await;
    let (action, hidden) = form(&list.text, "Replace");
    let to = browser.post(&action, &hidden).await.headers["location"]
        .to_str()
        .unwrap()
        .to_owned();
    let page = browser.open(&to).await;
    assert_eq!(
        browser
            .post(&to, &form(&page.text, "Decline").1)
            .await
            .status,
        StatusCode::SEE_OTHER
    );
    assert!(browser.open(&to).await.text.contains("Declined"));
    let (action, hidden) = form(&list.text, "Remove");
    assert_eq!(
        browser.post(&action, &hidden).await.status,
        StatusCode::SEE_OTHER
    );
    let list = browser.open("/ui").await;
    assert!(!list.text.contains("Remove"));
    let (action, hidden) = form(&list.text, "Not you? Sign out");
    let out = browser.post(&action, &hidden).await;
    assert_eq!(out.headers["location"], "/ui/sign-in?next=/ui");
}
