//! Pages that only say something. Each is constant, so that none tells more than it says. It uses `page`.

use askama::Template;
use axum::response::Response;
use http::header::RETRY_AFTER;
use http::{HeaderValue, StatusCode};

use super::looks::{Link, PageKind, PageView};
use super::page::{self, Account, Content, Shell};

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticePage<'a> {
    shell: Shell<'a>,
    good: bool,
    title: &'a str,
    lines: &'a [&'a str],
    account: Option<Account>,
    link: Option<(&'a str, &'a str)>,
}

impl Content for NoticePage<'_> {
    fn view(&self) -> PageView<'_> {
        let mut view = PageView::new(PageKind::Notice, self.shell, self.title);
        view.paragraphs = self.lines.to_vec();
        if let Some(account) = &self.account {
            view.facts.push(account.fact());
            account.way_out(&mut view);
        }
        view.links.extend(self.link.map(|(to, label)| Link {
            to: to.to_owned(),
            label: label.to_owned(),
        }));
        view
    }
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
    LinkNeeded,
    NotFound,
    WrongMethod,
    WrongType,
    TooLarge,
    TooSlow,
    TooMany,
    /// The seconds to wait are in the headers alone.
    TooOften(u64),
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
            | Self::NotLocal
            | Self::LinkNeeded => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::WrongType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::TooMany | Self::TooOften(_) => StatusCode::TOO_MANY_REQUESTS,
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
            Self::LinkNeeded => (
                "Open the link that your app shows",
                &["This address shows something only to a browser that has come by such a link."],
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
            Self::TooOften(_) => (
                "Too often",
                &["That was very much in a short time. Wait a minute, then try again."],
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
        good: notice == Notice::Saved,
        title,
        lines,
        account,
        link,
    };
    let mut response = page::html(notice.status(), &page);
    if let Notice::TooOften(seconds) = notice {
        let wait = HeaderValue::from(seconds);
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}
