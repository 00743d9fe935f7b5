//! Every HTML page, made from the templates, which escape all that is put into them: no other
//! place makes HTML, but an author's own renderer. It decides nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};

use super::audit;
use super::fields::{Control, FieldView};
use super::looks::{FormView, Looks, PageView};
pub(super) use super::notice::{Notice, notice};

/// What every page has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shell<'a> {
    pub(super) server: &'a str,
    pub(super) prefix: &'a str,
    pub(super) looks: &'a Looks,
}

/// Who gets to see what is typed into a page.
pub(super) const SEEN: &str = "This server alone. What you type does not pass through the app or its model, and a \
                    secret is never shown again.";

/// The account that a page is shown to, and the way out of it.
pub(super) struct Account {
    pub(super) subject: String,
    /// Empty where there is only one.
    pub(super) issuer: String,
    /// The token for signing out, where that is ours to do.
    pub(super) sign_out: Option<String>,
    /// Where to come back to after that.
    pub(super) back_to: String,
    /// Where to sign in as somebody else, otherwise; empty where nobody can.
    pub(super) sign_in: String,
}

/// The page that asks.
#[derive(Template)]
#[template(path = "ask.html")]
pub(super) struct Ask<'a> {
    pub(super) shell: Shell<'a>,
    pub(super) title: String,
    pub(super) message: &'a str,
    pub(super) tool: &'a str,
    pub(super) client: &'a str,
    pub(super) account: Account,
    pub(super) kept: String,
    pub(super) seen: &'static str,
    pub(super) token: String,
    pub(super) fields: Vec<FieldView<'a>>,
    pub(super) whole: &'a [String],
    pub(super) has_problems: bool,
    pub(super) focus_problems: bool,
}

/// The page where somebody signs in by name.
#[derive(Template)]
#[template(path = "sign_in.html")]
pub(super) struct SignIn<'a> {
    pub(super) shell: Shell<'a>,
    pub(super) next: &'a str,
    pub(super) name: &'a str,
    pub(super) error: Option<&'a str>,
}

/// The page that opens one that asks.
#[derive(Template)]
#[template(path = "start.html")]
pub(super) struct Start<'a> {
    pub(super) shell: Shell<'a>,
    pub(super) title: String,
    pub(super) message: &'a str,
    pub(super) account: Account,
    pub(super) token: String,
}

/// The page of what is stored.
#[derive(Template)]
#[template(path = "connections.html")]
pub(super) struct Connections<'a> {
    pub(super) shell: Shell<'a>,
    pub(super) account: Account,
    pub(super) token: String,
    /// The token for replacing one.
    pub(super) start: String,
    pub(super) rows: Vec<RowView>,
}

/// One stored credential, without what it holds.
pub(super) struct RowView {
    pub(super) title: String,
    pub(super) credential: String,
    pub(super) name: String,
    /// The page that replaces it, if this build has one.
    pub(super) page: Option<&'static str>,
    pub(super) stored: String,
    pub(super) used: Option<String>,
    pub(super) expires: Option<String>,
}

/// What stands around each page.
#[derive(Template)]
#[template(path = "layout.html")]
struct Layout<'a> {
    page: &'a PageView<'a>,
}

#[derive(Template)]
#[template(path = "head.html")]
struct Head<'a> {
    page: &'a PageView<'a>,
    has_secret: bool,
}

#[derive(Template)]
#[template(path = "open.html")]
struct Open<'a> {
    form: &'a FormView<'a>,
}

#[derive(Template)]
#[template(path = "field.html")]
struct OneField<'a> {
    field: &'a FieldView<'a>,
}

/// The content of a page: as HTML by its template, and as data.
pub(super) trait Content: Template {
    fn view(&self) -> PageView<'_>;
}

/// A page as a response.
pub(super) fn html(status: StatusCode, page: &impl Content) -> Response {
    match document(page) {
        Ok(text) => text_response(status, "text/html; charset=utf-8", Body::from(text)),
        Err(error) => {
            audit::failed("template", &error);
            let text = "This page is not available right now.";
            text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "text/plain; charset=utf-8",
                Body::from(text),
            )
        }
    }
}

fn document(page: &impl Content) -> askama::Result<String> {
    let mut view = page.view();
    view.main = page.render()?;
    if let Some(renderer) = &view.shell.looks.renderer {
        // Whoever was asked for something can still give it.
        match catch_unwind(AssertUnwindSafe(|| renderer.render(&view))) {
            Ok(text) => return Ok(text),
            Err(_) => audit::failed("renderer", &"it panicked, and the usual page was sent"),
        }
    }
    Layout { page: &view }.render()
}

/// What stands in the head of a page.
pub(super) fn head(page: &PageView<'_>) -> String {
    let mut fields = page.forms.iter().flat_map(|form| &form.fields);
    let has_secret = fields.any(|field| matches!(field.control, Control::Secret));
    part(&Head { page, has_secret })
}

/// How a form begins.
pub(super) fn open(form: &FormView<'_>) -> String {
    part(&Open { form })
}

/// A field with all that belongs to it.
pub(super) fn field(field: &FieldView<'_>) -> String {
    part(&OneField { field })
}

fn part(template: &impl Template) -> String {
    template.render().unwrap_or_else(|error| {
        audit::failed("template", &error);
        String::new()
    })
}

/// The style sheet of all pages.
pub(super) fn style(looks: &Looks) -> Response {
    const STYLE: &str = include_str!("../../templates/style.css");
    let style = format!("{STYLE}{}", looks.brand.style());
    text_response(StatusCode::OK, "text/css; charset=utf-8", Body::from(style))
}

/// The brand's logo.
pub(super) fn logo(looks: &Looks) -> Option<Response> {
    let (kind, bytes) = looks.brand.image()?;
    let kind = HeaderValue::from_str(kind).ok()?;
    let mut response = Response::new(Body::from(bytes.to_vec()));
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Some(response)
}

/// The one script: it shows and hides what is typed into a secret's field.
pub(super) fn script() -> Response {
    const SCRIPT: &str = include_str!("../../templates/reveal.js");
    text_response(
        StatusCode::OK,
        "text/javascript; charset=utf-8",
        Body::from(SCRIPT),
    )
}

/// Sends the browser to another page with a GET. None if the address cannot stand in a header.
pub(super) fn see_other(to: &str) -> Option<Response> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let to = HeaderValue::from_str(to).ok()?;
    response.headers_mut().insert(LOCATION, to);
    Some(response)
}

fn text_response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
