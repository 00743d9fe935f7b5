//! Every HTML page, made from the templates, which escape all that is put into them: no other
//! place makes HTML, but an author's own renderer. It decides nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use askama::Template;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderValue, StatusCode};

use super::audit;
use super::fields::{Control, FieldView};
use super::looks::{Button, Fact, FormView, Item, Link, Looks, PageKind, PageView};

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

impl Account {
    fn fact(&self) -> Fact<'static> {
        let mut text = self.subject.clone();
        if !self.issuer.is_empty() {
            text = format!("{text} at {}", self.issuer);
        }
        Fact {
            label: "Your account",
            text,
        }
    }

    /// The way out of it, put where there is room for one.
    fn way_out(&self, view: &mut PageView<'_>) {
        match &self.sign_out {
            Some(token) => view.forms.push(FormView {
                action: format!("{}/sign-out", view.shell.prefix),
                hidden: vec![(":token", token.clone()), ("next", self.back_to.clone())],
                fields: Vec::new(),
                button: Button::plain("Not you? Sign out"),
            }),
            None => view.links.push(Link {
                to: self.sign_in.clone(),
                label: "Not you? Sign in as somebody else".into(),
            }),
        }
    }
}

impl Button {
    fn plain(label: &'static str) -> Self {
        Self {
            label,
            name: "",
            value: "",
        }
    }
}

impl<'a> PageView<'a> {
    fn new(kind: PageKind, shell: Shell<'a>, title: impl Into<String>) -> Self {
        Self {
            kind,
            server: shell.server,
            title: title.into(),
            paragraphs: Vec::new(),
            facts: Vec::new(),
            problems: Vec::new(),
            forms: Vec::new(),
            items: Vec::new(),
            links: Vec::new(),
            shell,
            wrong: false,
            main: String::new(),
        }
    }
}

impl Content for Ask<'_> {
    fn view(&self) -> PageView<'_> {
        let mut view = PageView::new(PageKind::Ask, self.shell, &*self.title);
        view.paragraphs.push(self.message);
        let fact = |label, text: &str| Fact {
            label,
            text: text.to_owned(),
        };
        let by = match self.tool {
            "" => self.shell.server.to_owned(),
            tool => format!("{tool} of {}", self.shell.server),
        };
        view.facts.push(fact("Asked by", &by));
        if !self.client.is_empty() {
            let client = format!("{} (its own word, not verified)", self.client);
            view.facts.push(fact("For the app", &client));
        }
        view.facts.push(self.account.fact());
        view.facts.push(fact("Who sees it", self.seen));
        let kept = format!(
            "Your answers, encrypted, for your account only, {}.",
            self.kept
        );
        view.facts.push(fact("What is kept", &kept));
        view.problems = self.whole.iter().map(String::as_str).collect();
        view.wrong = self.has_problems;
        let token = (":token", self.token.clone());
        view.forms.push(FormView {
            action: String::new(),
            hidden: vec![token.clone()],
            fields: self.fields.clone(),
            button: Button {
                label: "Save",
                name: ":action",
                value: "save",
            },
        });
        view.forms.push(FormView {
            action: String::new(),
            hidden: vec![token, (":action", "decline".to_owned())],
            fields: Vec::new(),
            button: Button::plain("Decline"),
        });
        self.account.way_out(&mut view);
        view.links.push(Link {
            to: self.shell.prefix.to_owned(),
            label: "What is stored, and how to remove it".into(),
        });
        view
    }
}

impl Content for SignIn<'_> {
    fn view(&self) -> PageView<'_> {
        let mut view = PageView::new(PageKind::SignIn, self.shell, "Sign in");
        view.wrong = self.error.is_some();
        view.forms.push(FormView {
            action: format!("{}/sign-in", self.shell.prefix),
            hidden: vec![("next", self.next.to_owned())],
            fields: vec![FieldView::line("name", "Name", self.name, self.error)],
            button: Button::plain("Sign in"),
        });
        view
    }
}

impl Content for Start<'_> {
    fn view(&self) -> PageView<'_> {
        let mut view = PageView::new(PageKind::Start, self.shell, &*self.title);
        view.paragraphs.push(self.message);
        view.facts.push(self.account.fact());
        view.forms.push(FormView {
            action: String::new(),
            hidden: vec![(":token", self.token.clone())],
            fields: Vec::new(),
            button: Button::plain("Continue"),
        });
        self.account.way_out(&mut view);
        view
    }
}

impl Content for Connections<'_> {
    fn view(&self) -> PageView<'_> {
        let mut view = PageView::new(PageKind::Stored, self.shell, "Stored credentials");
        view.facts.push(self.account.fact());
        view.items = self.rows.iter().map(|row| self.item(row)).collect();
        self.account.way_out(&mut view);
        view
    }
}

impl Connections<'_> {
    fn item<'v>(&'v self, row: &'v RowView) -> Item<'v> {
        let prefix = self.shell.prefix;
        let form = |action, hidden, label| FormView {
            action,
            hidden,
            fields: Vec::new(),
            button: Button::plain(label),
        };
        let name = || ("name", row.name.clone());
        let replace = row.page.map(|page| {
            let hidden = vec![(":token", self.start.clone()), name()];
            form(format!("{prefix}/{page}"), hidden, "Replace")
        });
        let credential = ("credential", row.credential.clone());
        let hidden = vec![(":token", self.token.clone()), credential, name()];
        let remove = form(format!("{prefix}/remove"), hidden, "Remove");
        let used = match &row.used {
            Some(used) => format!("Last used {used}."),
            None => "Not used yet.".to_owned(),
        };
        let expires = row.expires.as_ref();
        Item {
            title: &row.title,
            notes: [format!("Stored {}.", row.stored), used]
                .into_iter()
                .chain(expires.map(|it| format!("Deleted by itself {it}.")))
                .collect(),
            forms: replace.into_iter().chain([remove]).collect(),
        }
    }
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
            | Self::NotLocal => StatusCode::FORBIDDEN,
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
    let mut response = html(notice.status(), &page);
    if let Notice::TooOften(seconds) = notice {
        let wait = HeaderValue::from(seconds);
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
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
