//! Each page as data, for whoever makes HTML of it in their own way. It uses `page`, and says the same as the
//! templates.

use super::fields::FieldView;
use super::looks::{Button, Fact, FormView, Item, Link, PageKind, PageView};
use super::page::{Account, Ask, Connections, Content, RowView, Shell, SignIn, Start};

impl Account {
    pub(super) fn fact(&self) -> Fact<'static> {
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
    pub(super) fn way_out(&self, view: &mut PageView<'_>) {
        match &self.sign_out {
            Some(token) => view.forms.push(FormView {
                action: format!("{}/sign-out", view.shell.prefix),
                hidden: vec![(":token", token.clone()), ("next", self.back_to.clone())],
                fields: Vec::new(),
                button: Button::plain("Not you? Sign out"),
            }),
            None if self.sign_in.is_empty() => {}
            None => view.links.push(Link {
                to: self.sign_in.clone(),
                label: "Not you? Sign in as somebody else".into(),
            }),
        }
    }
}

impl Button {
    pub(super) fn plain(label: &'static str) -> Self {
        Self {
            label,
            name: "",
            value: "",
        }
    }
}

impl<'a> PageView<'a> {
    pub(super) fn new(kind: PageKind, shell: Shell<'a>, title: impl Into<String>) -> Self {
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
