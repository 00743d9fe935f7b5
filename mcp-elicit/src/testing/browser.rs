//! A browser that reads and fills the server's own pages.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use http::{Request, header};

use super::answer::{self, AnswerTo};
use super::app::TestApp;
use super::client::{self, Got};
use super::fail::fail;
use super::html;
use crate::declare::PageMode;

/// How many redirects are followed.
const REDIRECTS: usize = 5;

/// A browser in which one user signs in. From [`TestApp::browser`].
///
/// ```
/// # use mcp_elicit::prelude::*;
/// # use mcp_elicit::testing::*;
/// # /// Your account.
/// # #[derive(Elicit)]
/// # #[elicit(url = "/ui/account")]
/// # struct Account {
/// #     #[secret]
/// #     key: SecretString,
/// # }
/// # /// Connects an account.
/// # #[tool]
/// # async fn connect(cx: &Cx) -> Result<String, CallError> {
/// #     cx.ask::<Account>().await?;
/// #     Ok("connected".to_owned())
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let app = TestApp::new(Server::new("accounts", "1").tools(toolset![connect])).await;
/// let parked = app.user("ada").tool("connect").until::<Account>().await;
/// let page = app.browser("ada").open(parked.link()).await;
/// assert!(page.is_form() && page.text().contains("Your account."));
/// let saved = page.fill(Account { key: "sk-0123456789".into() }).await;
/// assert_eq!((saved.status(), saved.is_form()), (200, false));
/// // Anybody else sees nothing of it.
/// assert_eq!(app.browser("eve").open(parked.link()).await.status(), 403);
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Browser {
    app: TestApp,
    user: String,
    cookies: Arc<Mutex<Vec<(String, String)>>>,
}

impl Browser {
    pub(super) fn new(app: TestApp, user: &str) -> Self {
        Self {
            app,
            user: user.to_owned(),
            cookies: Arc::default(),
        }
    }

    /// Opens a link or path, signs in where the server asks for it, and shows what comes then.
    pub async fn open(&self, link: &str) -> Page {
        let page = self.go_to(link).await;
        let Some(action) = html::action(&page.html).filter(|to| to.ends_with("/sign-in")) else {
            return page;
        };
        let mut fields = html::hidden(&page.html);
        fields.push(("name".into(), self.user.clone()));
        self.post(&action, &fields).await
    }

    async fn go_to(&self, link: &str) -> Page {
        let mut at = self.path(link);
        for _ in 0..REDIRECTS {
            let got = self.send(Request::get(&at), Body::empty()).await;
            match got.location {
                Some(to) => at = self.path(&to),
                None => return self.page(at, got),
            }
        }
        fail(&format!("more than {REDIRECTS} redirects from {link}"))
    }

    async fn post(&self, at: &str, fields: &[(String, String)]) -> Page {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let place = client::place(&self.app);
        let request = Request::post(at)
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header("sec-fetch-site", "same-origin")
            .header(header::ORIGIN, &place);
        let got = self.send(request, Body::from(body)).await;
        match &got.location {
            Some(to) => self.go_to(to).await,
            None => self.page(at.to_owned(), got),
        }
    }

    async fn send(&self, request: http::request::Builder, body: Body) -> Got {
        let cookies: Vec<_> = self
            .cookies()
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = if cookies.is_empty() {
            request
        } else {
            request.header(header::COOKIE, cookies.join("; "))
        };
        let got = client::send(&self.app, &self.user, request, body, None).await;
        let mut kept = self.cookies();
        for set in &got.cookies {
            let pair = set.split(';').next().unwrap_or_default();
            if let Some((name, value)) = pair.split_once('=') {
                kept.retain(|(other, _)| other != name);
                kept.push((name.to_owned(), value.to_owned()));
            }
        }
        drop(kept);
        got
    }

    fn cookies(&self) -> std::sync::MutexGuard<'_, Vec<(String, String)>> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, link: &str) -> String {
        let place = client::place(&self.app);
        link.strip_prefix(&place).unwrap_or(link).to_owned()
    }

    fn page(&self, at: String, got: Got) -> Page {
        Page {
            browser: self.clone(),
            at,
            status: got.status,
            html: got.text,
        }
    }
}

/// What a browser shows.
#[derive(Debug, Clone)]
#[must_use = "a page that is not looked at shows nothing"]
pub struct Page {
    browser: Browser,
    at: String,
    status: u16,
    html: String,
}

impl Page {
    /// The HTTP status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// What a person reads on it, each run of blanks as one.
    #[must_use]
    pub fn text(&self) -> String {
        html::text(&self.html)
    }

    /// Its HTML.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// Whether it asks for something.
    #[must_use]
    pub fn is_form(&self) -> bool {
        html::form(&self.html, "answers").is_some()
    }

    /// Types an answer and saves it. What does not fit is shown on the page that comes back.
    pub async fn fill<T: PageMode>(&self, answer: impl AnswerTo<T>) -> Self {
        self.submit("answers", answer::pairs(&answer.into_json()))
            .await
    }

    pub(super) async fn fill_json(&self, answer: &serde_json::Value) -> Self {
        self.submit("answers", answer::pairs(answer)).await
    }

    /// Presses the button that declines.
    pub async fn decline(&self) -> Self {
        self.submit("decline", Vec::new()).await
    }

    async fn submit(&self, id: &str, answers: Vec<(String, String)>) -> Self {
        let Some(form) = html::form(&self.html, id) else {
            fail(&format!(
                "the page has no form to fill ({}): {}",
                self.status,
                self.text()
            ));
        };
        let mut fields = html::hidden(form);
        fields.extend(answers);
        self.browser.post(&self.at, &fields).await
    }
}
