//! Every HTML page, made from the templates, which escape all that is put into them: no other
//! place makes HTML. It decides nothing.

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, StatusCode};

use super::audit;
use super::fields::{Control, FieldView};

/// What every page has.
#[derive(Clone, Copy)]
pub(super) struct Shell<'a> {
    pub(super) server: &'a str,
    pub(super) prefix: &'a str,
}

/// The account that a page is shown to, and the way out of it.
pub(super) struct Account {
    pub(super) subject: String,
    /// Empty where there is only one.
    pub(super) issuer: String,
    /// The token for signing out, where that is ours to do.
    pub(super) sign_out: Option<String>,
    /// Where to come back to after that.
    pub(super) back_to: String,
    /// Where to sign in as somebody else, otherwise.
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

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    shell: Shell<'a>,
    title: &'a str,
    lines: &'a [&'a str],
    account: Option<Account>,
    link: Option<(&'a str, &'a str)>,
}

/// A page that only says something. Each is constant, so that none tells more than it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    Saved,
    Declined,
    AlreadySaved,
    AlreadyDeclined,
    /// For whoever is not the owner of an open ticket, whether there is one or not.
    NotShown,
    NotFromOurPage,
    SignedOut,
    ForeignHost,
    NotLocal,
    NotFound,
    WrongMethod,
    WrongType,
    TooLarge,
    TooSlow,
    TooMany,
    Malformed,
    Unavailable,
}

impl Notice {
    fn status(self) -> StatusCode {
        match self {
            Self::Saved | Self::Declined => StatusCode::OK,
            Self::AlreadySaved | Self::AlreadyDeclined => StatusCode::CONFLICT,
            Self::NotShown
            | Self::NotFromOurPage
            | Self::SignedOut
            | Self::ForeignHost
            | Self::NotLocal => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::WrongType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn words(self) -> (&'static str, &'static [&'static str]) {
        const CLOSE: &str = "You can close this page and go back to your app.";
        const AGAIN: &str =
            "Nothing was saved. Open the link from your app once more and try again.";
        match self {
            Self::Saved => ("Saved", &["Your answers are stored.", CLOSE]),
            Self::Declined => ("Declined", &["Nothing was saved.", CLOSE]),
            Self::AlreadySaved => (
                "This is already done",
                &[
                    "The answers given before are stored. What you have just sent was not.",
                    CLOSE,
                ],
            ),
            Self::AlreadyDeclined => ("This was already declined", &["Nothing was saved.", CLOSE]),
            Self::NotShown => (
                "This page cannot be shown",
                &[
                    "The link has expired, or it was made for another account.",
                    "If somebody else sent it to you, do not sign in for them.",
                ],
            ),
            Self::NotFromOurPage => (
                "This form could not be checked",
                &[
                    "It was not sent from a page shown to you here, or you have signed in anew since.",
                    AGAIN,
                ],
            ),
            Self::SignedOut => (
                "You are signed out",
                &[
                    "Nothing was saved.",
                    "Sign in, and then fill in the page again.",
                ],
            ),
            Self::ForeignHost => (
                "Wrong address",
                &["This server does not answer under that name."],
            ),
            Self::NotLocal => (
                "Not available",
                &[
                    "Sign-in by name works only in a browser on the machine that the server runs on.",
                ],
            ),
            Self::NotFound => ("Not found", &["There is no such page."]),
            Self::WrongMethod => ("Not possible", &["This page cannot be called that way."]),
            Self::WrongType => (
                "Not a form",
                &["Only forms of this server's own pages are taken.", AGAIN],
            ),
            Self::TooLarge => (
                "Too large",
                &["What you sent is larger than any answer may be.", AGAIN],
            ),
            Self::TooSlow => (
                "Too slow",
                &["It took too long until all of the form was sent.", AGAIN],
            ),
            Self::TooMany => (
                "Too many open pages",
                &["Finish or decline one of the pages that wait for you, or come back in an hour."],
            ),
            Self::Malformed => (
                "Not readable",
                &["What you sent is not a form that can be read.", AGAIN],
            ),
            Self::Unavailable => (
                "Not available right now",
                &[
                    "Something that this page needs does not work at the moment.",
                    "Please try again in a minute.",
                ],
            ),
        }
    }
}

/// A notice; `account` is shown where the way out of it may help, `link` where one leads on.
pub(super) fn notice(
    shell: Shell<'_>,
    notice: Notice,
    account: Option<Account>,
    link: Option<(&str, &str)>,
) -> Response {
    let (title, lines) = notice.words();
    let page = NoticePage {
        shell,
        title,
        lines,
        account,
        link,
    };
    html(notice.status(), &page)
}

/// A page as a response.
pub(super) fn html(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
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

/// The style sheet of all pages.
pub(super) fn style() -> Response {
    const STYLE: &str = include_str!("../../templates/style.css");
    text_response(StatusCode::OK, "text/css; charset=utf-8", Body::from(STYLE))
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
