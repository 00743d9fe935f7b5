//! A question in URL mode: is the credential in the vault, is its page still open?
//!
//! All the work on stores for such a question is here, as one future that the ask polls.

use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

use super::run::{Fatal, Run};
use super::tell;
use crate::declare::{Declaration, Fallback, Keep, Kind, Mode, split};
use crate::observe::{self, Limit};
use crate::store::{Opened, Row, RowKey, StoreError, Ticket, TicketId, TicketStatus};
use crate::time::UnixTime;
use crate::web::{self, NAME_BYTES, PageForm, Taken};

/// Shortest secret that is looked for in a text, as the leak guard has it: shorter ones are part of
/// many words.
const SECRET_BYTES: usize = 12;

/// What is looked for.
pub(crate) struct Request {
    pub(crate) declaration: &'static Declaration,
    /// Which of several of its kind; empty for the only one.
    pub(crate) name: String,
    /// Why the user is asked.
    pub(crate) message: String,
    /// The page that the client was given before.
    pub(crate) ticket: Option<TicketId>,
    /// When the time for the page ends, if it was given one.
    pub(crate) until: Option<UnixTime>,
    /// How long a new page is open, where that is not what the limits say.
    pub(crate) lifetime: Option<Duration>,
    pub(crate) look: Look,
    pub(crate) attempts: u8,
}

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// This version of the row is of no use: it is removed. A newer one will do.
    Rejected {
        version: [u8; 16],
        /// Whether it was the last that may be rejected: nothing is looked for any more.
        is_last: bool,
    },
    /// In the vault first.
    Usual,
    /// What the vault holds is of no use: ask for it.
    Anew,
}

/// What was found.
pub(crate) enum Found {
    /// The content of the vault row, and which version of it that is.
    Credential {
        json: Zeroizing<String>,
        version: [u8; 16],
    },
    /// Credentials were rejected as often as the limit allows.
    TooOften,
    /// The user declined on the page.
    Declined,
    /// The time for the page has ended, or that of the run.
    TimedOut,
    /// The page waits for the user.
    Open {
        ticket: TicketId,
        link: String,
        /// What its page says, why it is asked again included.
        message: String,
        expires: UnixTime,
        attempts: u8,
    },
    /// The client does not open pages.
    NoCapability,
    /// The run cannot go on.
    Failed(Fatal),
}

/// Looks in the vault, then at the page, then opens a page.
pub(crate) async fn find(run: Arc<Run>, request: Request) -> Found {
    let _busy = run.busy();
    if run.principal.is_anonymous() {
        return Found::Failed(Fatal::Tool(
            "This needs to know who you are: the server has to be used with an account.".into(),
        ));
    }
    if request.name.len() > NAME_BYTES {
        return Found::Failed(Fatal::Tool(format!(
            "The name of what is asked for is longer than {NAME_BYTES} bytes."
        )));
    }
    find_known(&run, &request)
        .await
        .unwrap_or_else(|e| Found::Failed(Fatal::Internal(e.to_string())))
}

async fn find_known(run: &Arc<Run>, request: &Request) -> Result<Found, StoreError> {
    let (store, now) = (&run.services.store, run.now());
    let row_key = RowKey {
        owner: run.owner(),
        credential: request.declaration.key().to_owned(),
        name: request.name.clone(),
    };
    if let Look::Rejected { version, is_last } = request.look {
        remove(run, request.declaration, &request.name, version).await?;
        if is_last {
            return Ok(Found::TooOften);
        }
    }
    if request.look != Look::Anew
        && let Some(row) = store.row(&row_key, now).await?
    {
        if let Some(json) = open_row(run, request.declaration, &row_key, &row) {
            store.touch_row(&row_key, row.version, now).await?;
            if let Some(sealed) = wrap_anew(run, request.declaration, &row_key, &row) {
                store.reseal_row(&row_key, row.version, sealed).await?;
            }
            let version = row.version;
            return Ok(Found::Credential { json, version });
        }
        if keep(request.declaration) == Keep::Process {
            tracing::debug!(credential = %row_key.credential, "a credential is kept by another process for itself");
        } else {
            tracing::warn!(
                credential = %row_key.credential,
                "a stored credential cannot be opened with the present keys and is asked for again: its secret is not in \
                 the keyring any more, or the row was changed; with the secret behind the ring's first one (`and_old`) it \
                 could be read"
            );
        }
    }
    // An earlier answer is taken first: a retry may have been held until this very moment.
    if now
        >= request
            .until
            .unwrap_or(UnixTime::MAX)
            .min(run.state().deadline)
    {
        return Ok(Found::TimedOut);
    }
    if let Some(id) = request.ticket
        && let Some(ticket) = store.ticket(id, now).await?
        && ticket.owner == row_key.owner
    {
        match ticket.status {
            TicketStatus::Open if run.capabilities.url => {
                // The reason of an earlier round stands there, and is known nowhere else.
                let message =
                    web::message_of(&ticket.form).unwrap_or_else(|| request.message.clone());
                return open(run, request, id, ticket.expires, message);
            }
            TicketStatus::Declined => return Ok(Found::Declined),
            _ => {}
        }
    }
    if !run.capabilities.url {
        let Some(page) = fallback(request.declaration) else {
            return Ok(Found::NoCapability);
        };
        // Where nobody can sign in, only a link will do.
        let address = if run.base.is_own() {
            match open_new(run, request, row_key, now).await? {
                Found::Open { link, .. } => link,
                other => return Ok(other),
            }
        } else {
            format!("{}/{page}", pages(run)?)
        };
        return Ok(Found::Failed(Fatal::Tool(format!(
            "{} Your app does not open pages by itself: open {address} in a browser, then try again.",
            request.message
        ))));
    }
    open_new(run, request, row_key, now).await
}

/// Removes one version of a credential: another one may have come since, and stays.
pub(crate) async fn remove(
    run: &Run,
    declaration: &'static Declaration,
    name: &str,
    version: [u8; 16],
) -> Result<(), StoreError> {
    let key = RowKey {
        owner: run.owner(),
        credential: declaration.key().to_owned(),
        name: name.to_owned(),
    };
    if run.services.store.remove_row(&key, Some(version)).await? {
        web::audit::rejected(&key.credential);
        tell::removed(run, declaration, name, "rejected");
    }
    Ok(())
}

/// The secrets in the content of a row, for the leak guard.
pub(crate) fn secrets(declaration: &Declaration, json: &str) -> Vec<Zeroizing<String>> {
    let fields = declaration.table().fields.iter();
    let names: Vec<_> = fields
        .filter(|f| matches!(f.kind, Kind::Secret { .. }))
        .map(|f| f.name)
        .collect();
    let mut found = vec![None; names.len()];
    // What decodes has no repeated member.
    let _ = split(json, &names, &mut found);
    let read = |text: &str| serde_json::from_str(text).ok().map(Zeroizing::new);
    found.into_iter().flatten().filter_map(read).collect()
}

/// How long the answers to a page are kept.
fn keep(declaration: &Declaration) -> Keep {
    match declaration.mode() {
        Mode::Page { keep, .. } => keep,
        _ => Keep::default(),
    }
}

/// The content of a row, if the present keys open it.
fn open_row(
    run: &Run,
    declaration: &Declaration,
    key: &RowKey,
    row: &Row,
) -> Option<Zeroizing<String>> {
    let context = web::row_context(key, keep(declaration), &run.services.process);
    let opened = run.services.keys.open_row(&context, &row.sealed)?;
    std::str::from_utf8(&opened)
        .ok()
        .map(|json| Zeroizing::new(json.to_owned()))
}

/// The row under the first key of the ring, if it is still under an old one: so a credential that
/// is used outlives the old key.
fn wrap_anew(run: &Run, declaration: &Declaration, key: &RowKey, row: &Row) -> Option<Vec<u8>> {
    let context = web::row_context(key, keep(declaration), &run.services.process);
    let random = &mut |bytes: &mut [u8]| run.services.ambient.fill(bytes);
    run.services.keys.rewrap_row(&context, &row.sealed, random)
}

/// The page whose plain address will do for clients that open none.
pub(crate) fn fallback(declaration: &Declaration) -> Option<&'static str> {
    match declaration.mode() {
        Mode::Page {
            name,
            fallback: Fallback::Address,
            ..
        } => Some(name),
        _ => None,
    }
}

/// Whether the vault holds such a credential already, by whatever name.
pub(crate) async fn known(run: &Run, declaration: &Declaration) -> Result<bool, StoreError> {
    if run.principal.is_anonymous() {
        return Ok(false);
    }
    let rows = run.services.store.rows(&run.owner(), run.now()).await?;
    let mut rows = rows
        .into_iter()
        .filter(|(key, _)| key.credential == declaration.key());
    Ok(rows.any(|(key, row)| open_row(run, declaration, &key, &row).is_some()))
}

/// Removes the row; tells whether there was one.
pub(crate) async fn forget(
    run: &Arc<Run>,
    declaration: &'static Declaration,
    name: &str,
) -> Result<bool, StoreError> {
    if run.principal.is_anonymous() {
        return Ok(false);
    }
    let key = RowKey {
        owner: run.owner(),
        credential: declaration.key().to_owned(),
        name: name.to_owned(),
    };
    let removed = run.services.store.remove_row(&key, None).await?;
    if removed {
        web::audit::forgotten(&key.credential);
        tell::removed(run, declaration, name, "forgotten");
    }
    Ok(removed)
}

/// Whether a text that a ticket is to keep quotes a secret. What goes to the client is searched
/// more thoroughly; this keeps the store from holding one in the clear.
fn holds_a_secret(run: &Run, text: &str) -> bool {
    let state = run.state();
    let mut secrets = state.secrets.iter().filter(|s| s.len() >= SECRET_BYTES);
    secrets.any(|secret| text.contains(secret.as_str()))
}

/// Opens a page for the question.
async fn open_new(
    run: &Arc<Run>,
    request: &Request,
    row_key: RowKey,
    now: UnixTime,
) -> Result<Found, StoreError> {
    let Mode::Page { name: page, .. } = request.declaration.mode() else {
        return Ok(Found::Failed(Fatal::Internal("a form has no page".into())));
    };
    if let Err(taken) = run.services.pages_known.add(request.declaration) {
        let text = match taken {
            Taken::Page => format!("two types have the page `/ui/{page}`; give one another `url`"),
            Taken::Key => format!(
                "two types with a page have the key `{}`; give one another `key`",
                request.declaration.key()
            ),
        };
        return Ok(Found::Failed(Fatal::Internal(text)));
    }
    if !(run.services.has_browser || run.base.is_own()) {
        let text = format!(
            "the page `{page}` needs to know who is at the browser; give `.browser_identity(..)`"
        );
        return Ok(Found::Failed(Fatal::Internal(text)));
    }
    if holds_a_secret(run, &request.message) {
        let text = "the text of a question holds a secret that was opened in this run";
        return Ok(Found::Failed(Fatal::Internal(text.into())));
    }
    let lifetime = request.lifetime.unwrap_or(run.services.limits.lifetime);
    let expires = now
        .after(lifetime)
        .min(request.until.unwrap_or(UnixTime::MAX));
    let id = TicketId(run.services.ambient.random());
    let client = run.client().unwrap_or_default();
    let form = PageForm {
        message: &request.message,
        tool: &run.target.title,
        asker: &run.target.name,
        client: &client,
        keep: keep(request.declaration),
        table: request.declaration.table(),
    };
    let ticket = Ticket {
        id,
        owner: row_key.owner,
        page: page.to_owned(),
        form: form.encode(),
        credential: row_key.credential,
        name: row_key.name,
        created: now,
        expires,
        status: TicketStatus::Open,
    };
    match run
        .services
        .store
        .open_ticket(ticket.clone(), run.services.limits.tickets, now)
        .await?
    {
        Opened::Yes => {
            web::asked(&*run.services.store, &run.services.audit, &ticket, now).await;
            open(run, request, id, expires, request.message.clone())
        }
        Opened::TooMany => {
            observe::limited(Limit::Tickets);
            Ok(Found::Failed(Fatal::Tool(
                "Too many pages are waiting for you already. Finish or decline one of them, or try \
                 again in an hour."
                    .into(),
            )))
        }
    }
}

fn open(
    run: &Run,
    request: &Request,
    ticket: TicketId,
    expires: UnixTime,
    message: String,
) -> Result<Found, StoreError> {
    let page = match request.declaration.mode() {
        Mode::Page { name, .. } => name,
        _ => "",
    };
    Ok(Found::Open {
        ticket,
        link: web::link(&pages(run)?, page, &ticket),
        message,
        expires,
        attempts: request.attempts,
    })
}

/// The address of all pages.
fn pages(run: &Run) -> Result<String, StoreError> {
    let base = run.base.url().map_err(|e| {
        StoreError::new(format!("the pages cannot be reached on this machine: {e}"))
    })?;
    Ok(format!("{base}{}", run.services.pages))
}
