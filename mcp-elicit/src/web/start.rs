//! The address of a page without a ticket: for clients that cannot open links, and to replace what
//! is stored. It opens a ticket for whoever is signed in; all the rest is that ticket's page.

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;

use crate::declare::{Declaration, Keep, Mode};
use crate::observe::{self, Limit};
use crate::store::{Opened, Ticket, TicketId, TicketStatus};

use super::csrf::{self, Purpose};
use super::form::PageForm;
use super::link;
use super::page::{self, Notice, Start};
use super::visit::{self, Stop, Visit};
use super::{audit, body, limits, words};

/// GET: shows what it is about and a button, since a GET may open nothing.
pub(super) async fn show(visit: &Visit<'_>, page: &str) -> Result<Response, Stop> {
    let (declaration, _) = declared(visit, page)?;
    let path = path(visit, page);
    let Some(visitor) = visit.visitor().await? else {
        return Err(Stop::SignIn(path));
    };
    let page = Start {
        shell: visit.shell(),
        title: words::credential(declaration.key(), ""),
        message: declaration.message(),
        account: visit.account(&visitor, &path),
        token: csrf::token(&visit.web.keys, &visitor, Purpose::Start),
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// POST: opens a ticket and leads to its page.
pub(super) async fn submit(visit: &Visit<'_>, page: &str, body: Body) -> Result<Response, Stop> {
    visit.check_origin()?;
    body::check(&visit.parts.headers)?;
    let (declaration, keep) = declared(visit, page)?;
    let Some(visitor) = visit.visitor().await? else {
        return Err(Stop::SignIn(path(visit, page)));
    };
    let web = visit.web;
    let mut pairs = body::read(&visit.parts.headers, body).await?;
    let token = pairs.take(":token").unwrap_or_default();
    if !csrf::matches(&web.keys, &visitor, Purpose::Start, &token) {
        audit::refused("token");
        return Err(Notice::NotFromOurPage.into());
    }
    let name = pairs.take("name").unwrap_or_default();
    if name.len() > limits::NAME_BYTES {
        return Err(Notice::Malformed.into());
    }
    let form = PageForm {
        message: declaration.message(),
        tool: "",
        asker: "",
        client: "",
        keep,
        table: declaration.table(),
    };
    let mut id = TicketId([0; 16]);
    (web.random)(&mut id.0);
    let ticket = Ticket {
        id,
        owner: visit::owner(&visitor),
        page: page.to_owned(),
        form: form.encode(),
        credential: declaration.key().to_owned(),
        name: name.to_string(),
        created: visit.now,
        expires: visit.now.after(limits::STARTED),
        status: TicketStatus::Open,
    };
    let most = limits::STARTED_MOST;
    match web
        .store
        .open_ticket(ticket.clone(), most, visit.now)
        .await?
    {
        Opened::Yes => {
            audit::asked(&*web.store, &web.audit, &ticket, visit.now).await;
            Ok(visit.see_other(&link::link(&web.prefix, page, &id)))
        }
        Opened::TooMany => {
            observe::limited(Limit::Tickets);
            Err(Notice::TooMany.into())
        }
    }
}

/// The type behind a page, if this build has it.
fn declared(visit: &Visit<'_>, page: &str) -> Result<(&'static Declaration, Keep), Notice> {
    let declaration = visit.web.pages.get(page).ok_or(Notice::NotFound)?;
    match declaration.mode() {
        Mode::Page { keep, .. } => Ok((declaration, keep)),
        _ => Err(Notice::NotFound),
    }
}

fn path(visit: &Visit<'_>, page: &str) -> String {
    format!("{}/{page}", visit.web.prefix)
}
