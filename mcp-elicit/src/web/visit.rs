//! One request to a page: who sends it, and the answers that all pages share. It uses `identity`,
//! `session` and `page`.

use std::time::Duration;

use axum::response::Response;
use http::request::Parts;
use http::uri::Authority;

use crate::observe::{self, Limit};
use crate::rate::whole_seconds;
use crate::store::{Owner, StoreError};
use crate::time::UnixTime;

use super::body::Fault;
use super::csrf::{self, Purpose};
use super::identity::Visitor;
use super::page::{self, Account, Notice, Shell};
use super::{Web, audit, own, session};

/// A request whose Host was found good.
pub(super) struct Visit<'a> {
    pub(super) web: &'a Web,
    pub(super) parts: Parts,
    pub(super) host: Authority,
    pub(super) now: UnixTime,
}

/// Why a request ends before it did what it was sent for.
pub(super) enum Stop {
    /// Nobody is signed in; the browser comes back to this path.
    SignIn(String),
    Notice(Notice),
    /// The visitor may not see the page at this path, or there is none.
    NotShown(Visitor, String),
}

impl From<Notice> for Stop {
    fn from(notice: Notice) -> Self {
        Self::Notice(notice)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        audit::failed("store", &error);
        Self::Notice(Notice::Unavailable)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Notice(match fault {
            Fault::WrongType => Notice::WrongType,
            Fault::TooLarge => Notice::TooLarge,
            Fault::TooSlow => Notice::TooSlow,
            Fault::Malformed => Notice::Malformed,
        })
    }
}

impl<'a> Visit<'a> {
    /// Opens the session, if there is one of ours, for the identity to look at.
    pub(super) fn new(web: &'a Web, mut parts: Parts, host: Authority) -> Self {
        let now = (web.clock)();
        let name = session::cookie_name(web.secure, &host, &web.prefix);
        if let Some(session) = session::open(&web.keys, &parts.headers, &name, now) {
            parts.extensions.insert(session);
        }
        Self {
            web,
            parts,
            host,
            now,
        }
    }

    /// Who sends this request.
    pub(super) async fn visitor(&self) -> Result<Option<Visitor>, Notice> {
        let found = self.web.identity.visitor(&self.parts).await;
        let visitor = found.map_err(|error| {
            audit::failed("identity", &error);
            Notice::Unavailable
        })?;
        if let Some(visitor) = &visitor {
            let counted = self.web.rates.person(visitor, self.now);
            counted.map_err(|wait| too_often(Limit::PageRate, wait))?;
        }
        Ok(visitor)
    }

    /// Whether the request was sent from one of our own pages.
    pub(super) fn check_origin(&self) -> Result<(), Notice> {
        if csrf::is_same_origin(&self.parts.headers, self.web.secure, &self.host) {
            Ok(())
        } else {
            audit::refused("other origin");
            Err(Notice::NotFromOurPage)
        }
    }

    pub(super) fn shell(&self) -> Shell<'a> {
        Shell {
            server: &self.web.server,
            prefix: &self.web.prefix,
            looks: &self.web.looks,
        }
    }

    /// The account box of a page at `path`.
    pub(super) fn account(&self, visitor: &Visitor, path: &str) -> Account {
        let by_name = self.web.identity.is_by_name();
        let by_link = self.web.identity.is_by_link();
        let own_name = by_link.then(|| own::name(&visitor.principal)).flatten();
        let issuer = if by_name || own_name.is_some() {
            ""
        } else {
            visitor.principal.issuer()
        };
        Account {
            subject: own_name.unwrap_or_else(|| visitor.principal.subject().to_owned()),
            issuer: issuer.to_owned(),
            sign_out: by_name.then(|| csrf::token(&self.web.keys, visitor, Purpose::SignOut)),
            back_to: path.to_owned(),
            sign_in: match by_link {
                true => String::new(),
                false => self.sign_in(path),
            },
        }
    }

    pub(super) fn notice(&self, notice: Notice) -> Response {
        let stored = matches!(notice, Notice::Saved | Notice::AlreadySaved);
        let link = stored.then_some((&*self.web.prefix, "See or remove what is stored for you"));
        page::notice(self.shell(), notice, None, link)
    }

    pub(super) fn stop(&self, stop: Stop) -> Response {
        match stop {
            Stop::Notice(notice) => self.notice(notice),
            Stop::NotShown(visitor, path) => {
                let account = self.account(&visitor, &path);
                page::notice(self.shell(), Notice::NotShown, Some(account), None)
            }
            // A form is not led on to another site, which the page's policy forbids in some
            // browsers; the person follows a link instead.
            Stop::SignIn(path) if self.parts.method == http::Method::POST => {
                let to = self.sign_in(&path);
                page::notice(
                    self.shell(),
                    Notice::SignedOut,
                    None,
                    Some((&to, "Sign in")),
                )
            }
            Stop::SignIn(path) => self.see_other(&self.sign_in(&path)),
        }
    }

    /// Sends the browser on.
    pub(super) fn see_other(&self, to: &str) -> Response {
        page::see_other(to).unwrap_or_else(|| {
            audit::failed("redirect", &"the sign-in address is no URL");
            self.notice(Notice::Unavailable)
        })
    }

    /// Where to sign in and come back to `path`, one of our own.
    fn sign_in(&self, path: &str) -> String {
        let to = self.web.identity.sign_in_redirect(path);
        let is_whole = to.starts_with("https://")
            || to.starts_with("http://")
            || (to.starts_with('/') && !to.starts_with("//"));
        if is_whole {
            to
        } else {
            format!("{}/{to}", self.web.prefix)
        }
    }
}

/// What somebody is told who comes again before `wait` is over.
pub(super) fn too_often(limit: Limit, wait: Duration) -> Notice {
    audit::refused("too often");
    observe::limited(limit);
    Notice::TooOften(whole_seconds(wait))
}

/// Whose rows and tickets a visitor may see.
pub(super) fn owner(visitor: &Visitor) -> Owner {
    Owner {
        tenant: visitor.principal.tenant_name().to_owned(),
        issuer: visitor.principal.issuer().to_owned(),
        subject: visitor.principal.subject().to_owned(),
    }
}
