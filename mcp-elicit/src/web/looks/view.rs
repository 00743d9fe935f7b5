//! A page as data, for whoever makes its HTML. It decides nothing.

use super::super::fields::FieldView;
use super::super::page;

/// Which page it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageKind {
    /// Asks for what a tool needs.
    Ask,
    /// Signs in by name, on a server with `DevSignIn`.
    SignIn,
    /// Leads to a page that asks, for who came without a link.
    Start,
    /// Lists what is stored.
    Stored,
    /// Says something: that it was saved, or why not.
    Notice,
}

/// One page. Texts are plain, not HTML.
#[derive(Debug)]
#[non_exhaustive]
pub struct PageView<'a> {
    /// Which page it is.
    pub kind: PageKind,
    /// What the server is called.
    pub server: &'a str,
    /// For the main heading.
    pub title: String,
    /// What the page says first.
    pub paragraphs: Vec<&'a str>,
    /// What whoever decides should know: who asks, for which account, what is kept for how long.
    pub facts: Vec<Fact<'a>>,
    /// What is wrong with the answers as a whole. Those of single fields are with the fields.
    pub problems: Vec<&'a str>,
    /// The forms of the page, in order.
    pub forms: Vec<FormView<'a>>,
    /// What a list of the page holds.
    pub items: Vec<Item<'a>>,
    /// Where else to go.
    pub links: Vec<Link>,
    pub(in crate::web) shell: page::Shell<'a>,
    pub(in crate::web) wrong: bool,
    pub(in crate::web) main: String,
}

impl PageView<'_> {
    /// HTML for inside of `<head>`: encoding, title, the style sheet, and the script that shows what
    /// is typed into a secret's field. Leave it out and you bring all of that yourself.
    #[must_use]
    pub fn head(&self) -> String {
        page::head(self)
    }

    /// HTML for inside of `<main>`: all of the page's content, with its forms.
    #[must_use]
    pub fn main(&self) -> &str {
        &self.main
    }

    /// Path of the style sheet.
    #[must_use]
    pub fn style(&self) -> String {
        format!("{}/style.css", self.shell.prefix)
    }

    /// Path of the script that shows what is typed into a secret's field. It looks for
    /// `input[type=password]` with a label.
    #[must_use]
    pub fn script(&self) -> String {
        format!("{}/reveal.js", self.shell.prefix)
    }

    /// Path of the brand's logo, if there is one.
    #[must_use]
    pub fn logo(&self) -> Option<String> {
        let logo = self.shell.looks.brand.image().is_some();
        logo.then(|| format!("{}/logo", self.shell.prefix))
    }

    /// The title of the window: it says first if something is wrong, and last where one is.
    #[must_use]
    pub fn window_title(&self) -> String {
        let wrong = if self.wrong { "Error: " } else { "" };
        format!("{wrong}{} | {}", self.title, self.server)
    }
}

/// Something that whoever decides should know.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fact<'a> {
    /// What it is about.
    pub label: &'a str,
    /// What there is to know.
    pub text: String,
}

/// A form. It is posted.
#[derive(Debug)]
#[non_exhaustive]
pub struct FormView<'a> {
    /// Where it is posted to; empty for the page's own address.
    pub action: String,
    /// Names and values of the fields that nobody sees, and without which the post is refused.
    pub hidden: Vec<(&'static str, String)>,
    /// What is to be filled in, in order.
    pub fields: Vec<FieldView<'a>>,
    /// What sends it.
    pub button: Button,
}

impl FormView<'_> {
    /// HTML of the form's opening tag and its hidden fields. Close it with `</form>`.
    #[must_use]
    pub fn open(&self) -> String {
        page::open(self)
    }
}

/// What sends a form.
#[derive(Debug)]
#[non_exhaustive]
pub struct Button {
    /// What stands on it.
    pub label: &'static str,
    /// Its name; empty if it needs none.
    pub name: &'static str,
    /// Its value.
    pub value: &'static str,
}

/// One entry of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Item<'a> {
    /// What it is.
    pub title: &'a str,
    /// What there is to know of it.
    pub notes: Vec<String>,
    /// What can be done with it.
    pub forms: Vec<FormView<'a>>,
}

/// Somewhere else to go.
#[derive(Debug)]
#[non_exhaustive]
pub struct Link {
    /// The address.
    pub to: String,
    /// What stands on it.
    pub label: String,
}
