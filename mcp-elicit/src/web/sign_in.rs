//! The pages of [`DevSignIn`](super::DevSignIn): a name in, a session out, and the way back. They
//! exist only where that is the identity of the server.

use axum::body::Body;
use axum::response::Response;
use http::header::SET_COOKIE;
use http::{HeaderValue, StatusCode};

use crate::auth::{DEV_ISSUER, Principal, local};
use crate::observe::Limit;

use super::csrf::{self, Purpose};
use super::page::{self, Notice, SignIn};
use super::visit::{Stop, Visit, too_often};
use super::{audit, back, body, limits, session};

/// The name that a client without a token has.
const USUAL: &str = "dev";

/// GET: shows the page.
pub(super) fn show(visit: &Visit<'_>) -> Result<Response, Stop> {
    check_local(visit)?;
    let query = visit.parts.uri.query().unwrap_or_default();
    let mut pairs = body::parse(query.as_bytes()).unwrap_or_default();
    let next = pairs.take("next").unwrap_or_default();
    Ok(form(visit, StatusCode::OK, &next, USUAL, None))
}

/// POST: starts a session.
pub(super) async fn submit(visit: &Visit<'_>, body: Body) -> Result<Response, Stop> {
    check_local(visit)?;
    // Without this another site could sign a browser in as somebody who then is sent secrets.
    visit.check_origin()?;
    body::check(&visit.parts.headers)?;
    let counted = visit.web.rates.sign_in(&visit.parts, visit.now);
    counted.map_err(|wait| too_often(Limit::SignInRate, wait))?;
    let mut pairs = body::read(&visit.parts.headers, body).await?;
    let next = pairs.take("next").unwrap_or_default();
    let given = pairs.take("name").unwrap_or_default();
    let name = given.trim();
    let error = if name.is_empty() {
        Some("Type a name.")
    } else if name.len() > limits::NAME_BYTES {
        Some("That is too long for a name.")
    } else if name.chars().any(char::is_control) {
        Some("That is not a name.")
    } else {
        None
    };
    if error.is_some() {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return Ok(form(visit, status, &next, &given, error));
    }
    let web = visit.web;
    let principal = Principal::new(DEV_ISSUER, name);
    let value = session::start(&web.keys, &principal, visit.now, &*web.random)
        .ok_or(Notice::Unavailable)?;
    audit::session("signed in by name");
    let to = back::under(&web.prefix, &next).unwrap_or(&web.prefix);
    with_cookie(visit, visit.see_other(to), &value)
}

/// POST: ends the session of this browser.
pub(super) async fn sign_out(visit: &Visit<'_>, body: Body) -> Result<Response, Stop> {
    check_local(visit)?;
    visit.check_origin()?;
    body::check(&visit.parts.headers)?;
    let mut pairs = body::read(&visit.parts.headers, body).await?;
    let next = pairs.take("next").unwrap_or_default();
    let next = back::under(&visit.web.prefix, &next).unwrap_or(&visit.web.prefix);
    if let Some(visitor) = visit.visitor().await? {
        let token = pairs.take(":token").unwrap_or_default();
        if !csrf::matches(&visit.web.keys, &visitor, Purpose::SignOut, &token) {
            audit::refused("token");
            return Err(Notice::NotFromOurPage.into());
        }
        audit::session("signed out");
    }
    let to = visit.web.identity.sign_in_redirect(next);
    let to = format!("{}/{to}", visit.web.prefix);
    with_cookie(visit, visit.see_other(&to), "")
}

fn check_local(visit: &Visit<'_>) -> Result<(), Notice> {
    if visit.web.identity.is_by_link() {
        Err(Notice::LinkNeeded)
    } else if !visit.web.identity.is_by_name() {
        Err(Notice::NotFound)
    } else if local::is_local(&visit.parts) {
        Ok(())
    } else {
        audit::refused("not local");
        Err(Notice::NotLocal)
    }
}

fn form(
    visit: &Visit<'_>,
    status: StatusCode,
    next: &str,
    name: &str,
    error: Option<&str>,
) -> Response {
    let page = SignIn {
        shell: visit.shell(),
        next: back::under(&visit.web.prefix, next).unwrap_or(&visit.web.prefix),
        name,
        error,
    };
    page::html(status, &page)
}

fn with_cookie(visit: &Visit<'_>, mut response: Response, value: &str) -> Result<Response, Stop> {
    let name = session::cookie_name(visit.web.secure, &visit.host, &visit.web.prefix);
    let cookie = session::set_cookie(&name, value, visit.web.secure);
    let cookie = HeaderValue::from_str(&cookie).map_err(|_| Notice::Unavailable)?;
    response.headers_mut().insert(SET_COOKIE, cookie);
    Ok(response)
}
