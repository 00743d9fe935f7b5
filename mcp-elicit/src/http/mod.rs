//! What a request is made of, for those who write an [`Authenticator`](crate::auth::Authenticator)
//! or a [`BrowserIdentity`](crate::web::BrowserIdentity).
//!
//! Both are given [`request::Parts`]: the method, the address, the [`Headers`] and the extensions
//! of a request, without its body. They are the types of the crate `http`, named here so that your
//! `Cargo.toml` need not name it. You need nothing of this with `DevUsers`.

// Streamable HTTP (basic/transports/streamable-http): what is checked before a message is read,
// and how a reply goes out. What the message says is for `server::dispatch`.

mod cors;
pub(crate) mod origin;
mod stream;

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{
    ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post_service;

/// What requests are made of, for those who write an [`Authenticator`](crate::auth::Authenticator).
pub use axum::http::{HeaderMap as Headers, Request, request};

use self::stream::Endpoint;
use crate::auth::peer::household;
use crate::auth::{Auth, AuthError, Principal};
use crate::observe::{self, Limit, Value as _};
use crate::rate::whole_seconds;
use crate::runtime::outlet::Outlet;
use crate::runtime::run::Base;
use crate::server::app::Inner;
use crate::server::dispatch::{Incoming, Outgoing, dispatch};
use crate::server::mirror::Mirrored;

/// The endpoint at its paths. GET and DELETE are answered with 405, as this revision has neither.
pub(crate) fn routes(app: Arc<Inner>) -> Router {
    let methods = post_service(Endpoint(Arc::clone(&app))).options(cors::preflight);
    let router = app.paths.iter().fold(Router::new(), |router, path| {
        router.route(path, methods.clone())
    });
    router.with_state(app)
}

/// Among the extensions of a request whose reply has to be whole: nothing may come before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Whole;

/// Whether the Host and the Origin of a request are allowed.
fn is_allowed(app: &Inner, parts: &Parts) -> bool {
    if app.origins.allow(parts) {
        return true;
    }
    let header = |name| {
        let value = parts.headers.get(name);
        value.and_then(|v| v.to_str().ok()).unwrap_or("")
    };
    tracing::info!(
        host = header(HOST),
        origin = header(ORIGIN),
        "a request was refused; see `Server::base_url`, `allow_host` and `allow_origin`"
    );
    false
}

fn forbidden() -> Response {
    refuse(StatusCode::FORBIDDEN, "This Host or Origin is not allowed.")
}

/// Checks a request of an allowed origin, then has its message answered. Refusals here need no look
/// at the body.
async fn accept(
    app: Arc<Inner>,
    parts: Parts,
    body: Body,
    outlet: Option<Arc<Outlet>>,
) -> Result<Outgoing, Response> {
    if !is_json(&parts.headers) {
        return Err(refuse(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Content-Type must be application/json.",
        ));
    }
    if !accepts(&parts.headers) {
        return Err(refuse(
            StatusCode::NOT_ACCEPTABLE,
            "Accept must list application/json and text/event-stream.",
        ));
    }
    let principal = app.auth.authenticate(&parts).await.map_err(unauthorized)?;
    count(&app, &parts, &principal)
        .map_err(|(limit, wait)| too_often(limit, principal.issuer(), wait))?;
    let body = in_time(&app, &parts.headers, body).await?;
    let _under_way = app.services.under_way.begin();
    let base = match &app.base {
        _ if matches!(app.auth, Auth::Os) => Base::Own(Arc::clone(&app.own_pages)),
        Some(base) => Base::Configured(Arc::clone(base)),
        None => Base::Loopback(
            parts
                .headers
                .get(axum::http::header::HOST)
                .cloned()
                .or_else(|| HeaderValue::from_str(crate::auth::local::host_text(&parts)?).ok())
                .unwrap_or(HeaderValue::from_static("localhost")),
        ),
    };
    let mirrored = Mirrored {
        version: once(&parts.headers, &VERSION),
        method: once(&parts.headers, &METHOD),
        name: once(&parts.headers, &NAME),
        all: Some(&parts),
    };
    Ok(dispatch(
        &app,
        Incoming {
            body: &body,
            mirrored: Some(mirrored),
            principal,
            base,
            outlet,
        },
    )
    .await)
}

/// Counts a request against the limits of rates. What `DevUsers` let in is of this machine.
fn count(app: &Inner, parts: &Parts, principal: &Principal) -> Result<(), (Limit, Duration)> {
    if matches!(app.auth, Auth::Dev) {
        return Ok(());
    }
    let now = app.services.ambient.now();
    if principal.is_anonymous() {
        // Where that is not known, all people behind one proxy would share it.
        let from = app.web.rates.proxies.origin(parts);
        let counted = from.map(|from| app.anonymous.count(household(from), now));
        return counted
            .unwrap_or(Ok(()))
            .map_err(|wait| (Limit::AnonymousRate, wait));
    }
    let who = (
        principal.tenant_name(),
        principal.issuer(),
        principal.subject(),
    );
    let counted = app.calls.count(who, now);
    counted.map_err(|wait| (Limit::CallRate, wait))
}

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The value of a header that is there once. Of two values nobody can say which one counts, so they
/// become one that matches nothing.
fn once<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a [u8]> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    Some(if all.next().is_some() {
        b"\0"
    } else {
        first.as_bytes()
    })
}

/// Reads the body, for no longer than the limit says.
async fn in_time(app: &Inner, headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let limits = &app.services.limits;
    let mut read = std::pin::pin!(read(headers, body, limits.body));
    // Most bodies come with their head: those need no timer.
    let there = std::future::poll_fn(|cx| Poll::Ready(read.as_mut().poll(cx))).await;
    match there {
        Poll::Ready(body) => body,
        Poll::Pending => tokio::time::timeout(limits.read, read).await.map_err(|_| {
            observe::limited(Limit::Read);
            refuse(
                StatusCode::REQUEST_TIMEOUT,
                "The body did not come in time.",
            )
        })?,
    }
}

/// Reads the body, or refuses it with 413 as soon as it is known to be too large.
async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Response> {
    let too_large = || {
        observe::limited(Limit::Body);
        refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            &format!("The body may have at most {most} bytes."),
        )
    };
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|n| n > most as u64) || body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    axum::body::to_bytes(body, most).await.map_err(|e| {
        // The only error with this source is that of the limit.
        let limit = std::error::Error::source(&e).is_some_and(|s| s.to_string().contains("limit"));
        if limit {
            too_large()
        } else {
            refuse(StatusCode::BAD_REQUEST, "The body could not be read.")
        }
    })
}

/// Whether the body is said to be JSON; a parameter such as `charset=utf-8` may follow.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) else {
        return false;
    };
    let essence = value.split(|b| *b == b';').next().unwrap_or_default();
    essence
        .trim_ascii()
        .eq_ignore_ascii_case(b"application/json")
}

/// Whether the client takes both kinds of reply, as it must. No Accept means that all will do.
fn accepts(headers: &HeaderMap) -> bool {
    let usual = HeaderValue::from_static("application/json, text/event-stream");
    let mut all = headers.get_all(ACCEPT).iter().peekable();
    if all.peek().is_some_and(|first| **first == usual) {
        return true;
    }
    if all.peek().is_none() {
        return true;
    }
    let (mut json, mut events) = (false, false);
    for range in all.flat_map(|v| v.as_bytes().split(|b| *b == b',')) {
        let essence = range
            .split(|b| *b == b';')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        let is = |name: &[u8]| essence.eq_ignore_ascii_case(name);
        json |= is(b"application/json") || is(b"application/*") || is(b"*/*");
        events |= is(b"text/event-stream") || is(b"text/*") || is(b"*/*");
    }
    json && events
}

fn reply(out: Outgoing) -> Response {
    let status = StatusCode::from_u16(out.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if out.body.is_empty() {
        return status.into_response();
    }
    let mut response = Response::new(Body::from(out.body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A refusal before dispatch: there is no id that it could name.
fn refuse(status: StatusCode, why: &str) -> Response {
    let mut body = Vec::new();
    crate::wire::error::RpcError::invalid_request(why.to_owned()).write(None, &mut body);
    reply(Outgoing {
        status: status.as_u16(),
        body,
    })
}

fn too_often(limit: Limit, issuer: &str, wait: Duration) -> Response {
    tracing::info!(
        issuer,
        limit = limit.text(),
        "more requests are made than a limit allows"
    );
    observe::limited(limit);
    let mut response = refuse(
        StatusCode::TOO_MANY_REQUESTS,
        "Too many requests; wait as long as Retry-After says.",
    );
    let wait = HeaderValue::from(whole_seconds(wait));
    response.headers_mut().insert(RETRY_AFTER, wait);
    response
}

fn unauthorized(error: AuthError) -> Response {
    let status = match error {
        AuthError::Missing | AuthError::Invalid => StatusCode::UNAUTHORIZED,
        AuthError::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    };
    let mut response = refuse(status, &error.to_string());
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}
