//! The page of one ticket: shown to its owner, filled in or declined by its owner, and by nobody
//! else. It joins the page's stored form, the rules of the form, the vault and the store.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use zeroize::Zeroizing;

use crate::declare::{FormTable, Keep, from_pairs};
use crate::store::{Finished, Row, RowKey, Ticket, TicketStatus};

use super::audit::{self, Event};
use super::body::{self, Pairs};
use super::csrf::{self, Purpose};
use super::fields;
use super::form::StoredForm;
use super::identity::Visitor;
use super::page::{self, Ask, Notice};
use super::problems::Problems;
use super::verify::Verified;
use super::visit::{self, Stop, Visit};
use super::{limits, link};
use super::{vault, words};

/// The name of the hidden token, and of what a button does. A colon keeps them apart from fields.
const TOKEN: &str = ":token";
const ACTION: &str = ":action";

/// GET: changes nothing, since what scans links opens them too.
pub(super) async fn show(visit: &Visit<'_>, page: &str, ticket: &str) -> Result<Response, Stop> {
    let (visitor, ticket) = owned(visit, page, ticket).await?;
    match ticket.status {
        TicketStatus::Open => {}
        TicketStatus::Done => return Ok(visit.notice(Notice::Saved)),
        TicketStatus::Declined => return Ok(visit.notice(Notice::Declined)),
    }
    let form = form(&ticket)?;
    audit::by(visit, &visitor, Event::Opened, &ticket);
    let asked = Asked {
        visit,
        visitor: &visitor,
        ticket: &ticket,
        form: &form,
    };
    Ok(asked.page(StatusCode::OK, None, &Problems::default()))
}

/// POST: stores the answers or the refusal, and ends the ticket with it.
pub(super) async fn submit(
    visit: &Visit<'_>,
    page: &str,
    ticket: &str,
    body: Body,
) -> Result<Response, Stop> {
    visit.check_origin()?;
    body::check(&visit.parts.headers)?;
    // Nothing is read from those who may not send it.
    let (visitor, ticket) = owned(visit, page, ticket).await?;
    let mut pairs = body::read(&visit.parts.headers, body).await?;
    let token = pairs.take(TOKEN).unwrap_or_default();
    let purpose = Purpose::Ticket(&ticket.id);
    if !csrf::matches(&visit.web.keys, &visitor, purpose, &token) {
        audit::ticket(Event::Refused("token"), &ticket);
        return Err(Notice::NotFromOurPage.into());
    }
    if let Some(over) = over(&ticket) {
        return Err(over.into());
    }
    match pairs.take(ACTION).as_deref().map(String::as_str) {
        // Sent without a button, by the Enter key of an old browser: saving is what it means.
        None | Some("save") => save(visit, &visitor, &ticket, pairs).await,
        Some("decline") => decline(visit, visitor, &ticket).await,
        Some(_) => Err(Notice::Malformed.into()),
    }
}

async fn decline(visit: &Visit<'_>, visitor: Visitor, ticket: &Ticket) -> Result<Response, Stop> {
    let finished = visit.web.store.finish_ticket(ticket.id, None, visit.now);
    match finished.await? {
        Finished::Yes => {
            audit::by(visit, &visitor, Event::Declined, ticket);
            Ok(visit.see_other(&path(visit, ticket)))
        }
        Finished::No => Err(too_late(visit, visitor, ticket).await),
    }
}

async fn save(
    visit: &Visit<'_>,
    visitor: &Visitor,
    ticket: &Ticket,
    pairs: Pairs,
) -> Result<Response, Stop> {
    let web = visit.web;
    let form = form(ticket)?;
    let asked = Asked {
        visit,
        visitor,
        ticket,
        form: &form,
    };
    let checked = form.table.with(|table| check(visit, ticket, table, &pairs));
    let invalid = |problems: Problems| {
        audit::ticket(Event::Refused("invalid"), ticket);
        let problems = form.table.with(|t| problems.without_secrets(t, &pairs));
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Ok(asked.page(status, Some(&pairs), &problems))
    };
    let json = match checked {
        Ok(json) => Arc::new(json),
        Err(problems) => return invalid(problems),
    };
    let key = RowKey {
        owner: ticket.owner.clone(),
        credential: ticket.credential.clone(),
        name: ticket.name.clone(),
    };
    // Not in the transaction below: as many more as there are open pages may slip through.
    let rows = web.store.rows(&key.owner, visit.now).await?;
    if rows.len() >= web.credentials && !rows.iter().any(|(other, _)| *other == key) {
        return invalid(Problems::full(web.credentials));
    }
    let (verifiers, credential) = (&web.verifiers, &ticket.credential);
    let verified = verifiers.verify(credential, &json, &visitor.principal);
    match verified.await {
        Verified::Good => {}
        Verified::Bad(why) => return invalid(form.table.with(|t| Problems::new(t, &why))),
        Verified::Unknown(why) => {
            audit::ticket(Event::Unverified(why), ticket);
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return Ok(asked.page(status, Some(&pairs), &Problems::unchecked()));
        }
    }
    drop(pairs);
    // The check may have taken its time, and the page may have expired meanwhile.
    let now = (web.clock)();

    let context = vault::row_context(&key, form.keep, &web.process);
    let mut version = [0; 16];
    (web.random)(&mut version);
    let random = &mut |bytes: &mut [u8]| (web.random)(bytes);
    let row = Row {
        version,
        sealed: web.keys.seal_row(&context, json.as_bytes(), random),
        stored: now,
        used: None,
        expires: match form.keep {
            Keep::For(time) => Some(now.after(time)),
            // No other process can read it, so a store that outlives this one need not keep it.
            Keep::Process => Some(now.after(limits::PROCESS)),
            Keep::UntilRemoved => None,
        },
    };
    drop(json);
    let finished = web.store.finish_ticket(ticket.id, Some((&key, row)), now);
    match finished.await? {
        Finished::Yes => {
            audit::by(visit, visitor, Event::Stored, ticket);
            // Shown by a GET, so that the browser keeps no form with a secret to send again.
            Ok(visit.see_other(&path(visit, ticket)))
        }
        Finished::No => Err(too_late(visit, visitor.clone(), ticket).await),
    }
}

/// The answer as JSON, if it keeps all the rules.
fn check(
    visit: &Visit<'_>,
    ticket: &Ticket,
    table: &FormTable<'_>,
    pairs: &Pairs,
) -> Result<Zeroizing<String>, Problems> {
    if let Some(problems) = Problems::too_long(pairs) {
        return Err(problems);
    }
    let invalid = |invalid| Problems::new(table, &invalid);
    let json = from_pairs(table, pairs.all()).map_err(invalid)?;
    // The type of this build may have more rules than the table, such as the author's own check.
    if let Some(declaration) = visit.web.pages.of_key(&ticket.credential) {
        declaration.validate(&json).map_err(invalid)?;
    }
    Ok(json)
}

/// The visitor and the ticket, if it is the visitor's own. Whether another's ticket exists, has
/// expired or never was makes no difference to what is answered.
async fn owned(visit: &Visit<'_>, page: &str, text: &str) -> Result<(Visitor, Ticket), Stop> {
    let id = link::parse(text);
    // What does not look like a link of ours is not carried through a sign-in.
    let path = match &id {
        Some(id) if is_page_name(page) => link::link(&visit.web.prefix, page, id),
        _ => visit.web.prefix.clone(),
    };
    let Some(visitor) = visit.visitor().await? else {
        return Err(Stop::SignIn(path));
    };
    let found = match id {
        Some(id) => visit.web.store.ticket(id, visit.now).await?,
        None => None,
    };
    match found {
        Some(ticket) if ticket.owner == visit::owner(&visitor) => {
            if ticket.page == page {
                Ok((visitor, ticket))
            } else {
                audit::ticket(Event::Refused("other page"), &ticket);
                Err(Stop::NotShown(visitor, path))
            }
        }
        Some(ticket) => {
            audit::by(visit, &visitor, Event::IdentityMismatch, &ticket);
            Err(Stop::NotShown(visitor, path))
        }
        None => {
            audit::refused("no such ticket");
            Err(Stop::NotShown(visitor, path))
        }
    }
}

fn is_page_name(page: &str) -> bool {
    page.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// What became of a ticket that was open a moment ago.
async fn too_late(visit: &Visit<'_>, visitor: Visitor, ticket: &Ticket) -> Stop {
    audit::ticket(Event::Refused("too late"), ticket);
    match visit.web.store.ticket(ticket.id, (visit.web.clock)()).await {
        Ok(Some(ticket)) => match over(&ticket) {
            Some(over) => over.into(),
            None => Notice::Unavailable.into(),
        },
        Ok(None) => Stop::NotShown(visitor, path(visit, ticket)),
        Err(error) => error.into(),
    }
}

fn over(ticket: &Ticket) -> Option<Notice> {
    match ticket.status {
        TicketStatus::Open => None,
        TicketStatus::Done => Some(Notice::AlreadySaved),
        TicketStatus::Declined => Some(Notice::AlreadyDeclined),
    }
}

fn form(ticket: &Ticket) -> Result<StoredForm, Notice> {
    StoredForm::decode(&ticket.form).ok_or_else(|| {
        audit::failed("form", &"the stored form is not readable by this build");
        Notice::Unavailable
    })
}

fn path(visit: &Visit<'_>, ticket: &Ticket) -> String {
    link::link(&visit.web.prefix, &ticket.page, &ticket.id)
}

/// All that the page of an open ticket is made of.
struct Asked<'a> {
    visit: &'a Visit<'a>,
    visitor: &'a Visitor,
    ticket: &'a Ticket,
    form: &'a StoredForm,
}

impl Asked<'_> {
    fn page(&self, status: StatusCode, typed: Option<&Pairs>, problems: &Problems) -> Response {
        let purpose = Purpose::Ticket(&self.ticket.id);
        let path = path(self.visit, self.ticket);
        self.form.table.with(|table| {
            let page = Ask {
                shell: self.visit.shell(),
                title: words::credential(&self.ticket.credential, &self.ticket.name),
                message: &self.form.message,
                tool: &self.form.tool,
                client: &self.form.client,
                account: self.visit.account(self.visitor, &path),
                kept: words::kept(self.form.keep),
                seen: page::SEEN,
                token: csrf::token(&self.visit.web.keys, self.visitor, purpose),
                fields: fields::view(table, typed, problems),
                whole: problems.whole(),
                has_problems: !problems.is_empty(),
                focus_problems: problems.is_whole_only(),
            };
            page::html(status, &page)
        })
    }
}
