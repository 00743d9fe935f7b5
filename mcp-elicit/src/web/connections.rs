//! The page of what is stored for the visitor, and its removal. Replacing is
//! done in `start`. It reads no credential: a row's
//! key and dates are all it knows.

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;

use crate::declare::Mode;
use crate::store::RowKey;

use super::csrf::{self, Purpose};
use super::page::{self, Connections, Notice, RowView};
use super::visit::{self, Stop, Visit};
use super::{audit, body, words};

/// GET: lists the visitor's rows.
pub(super) async fn show(visit: &Visit<'_>) -> Result<Response, Stop> {
    let web = visit.web;
    let Some(visitor) = visit.visitor().await? else {
        return Err(Stop::SignIn(web.prefix.clone()));
    };
    let rows = web.store.rows(&visit::owner(&visitor), visit.now).await?;
    let rows = rows
        .into_iter()
        .map(|(key, row)| RowView {
            page: web
                .pages
                .of_key(&key.credential)
                .and_then(|it| match it.mode() {
                    Mode::Page { name, .. } => Some(name),
                    _ => None,
                }),
            title: words::credential(&key.credential, &key.name),
            credential: key.credential,
            name: key.name,
            stored: words::date(row.stored),
            used: row.used.map(words::date),
            expires: row.expires.map(words::date),
        })
        .collect();
    let page = Connections {
        shell: visit.shell(),
        account: visit.account(&visitor, &web.prefix),
        token: csrf::token(&web.keys, &visitor, Purpose::Remove),
        start: csrf::token(&web.keys, &visitor, Purpose::Start),
        rows,
    };
    Ok(page::html(StatusCode::OK, &page))
}

/// POST: removes one of them.
pub(super) async fn remove(visit: &Visit<'_>, body: Body) -> Result<Response, Stop> {
    visit.check_origin()?;
    body::check(&visit.parts.headers)?;
    let web = visit.web;
    let Some(visitor) = visit.visitor().await? else {
        return Err(Stop::SignIn(web.prefix.clone()));
    };
    let mut pairs = body::read(&visit.parts.headers, body).await?;
    let token = pairs.take(":token").unwrap_or_default();
    if !csrf::matches(&web.keys, &visitor, Purpose::Remove, &token) {
        audit::refused("token");
        return Err(Notice::NotFromOurPage.into());
    }
    let credential = pairs.take("credential").ok_or(Notice::Malformed)?;
    // The owner is the visitor, whatever was sent.
    let key = RowKey {
        owner: visit::owner(&visitor),
        credential: credential.to_string(),
        name: pairs.take("name").unwrap_or_default().to_string(),
    };
    if web.store.remove_row(&key, None).await? {
        audit::removed(visit, &visitor, &key);
    }
    Ok(visit.see_other(&web.prefix))
}
