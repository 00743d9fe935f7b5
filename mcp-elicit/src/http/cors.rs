//! What a browser must be told before it lets a page of another origin call this server and read
//! its replies (the Fetch standard, "CORS protocol"). Whether the page may is for `origin`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    ORIGIN, VARY,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::server::app::Inner;

/// How long a browser may keep the answer to its question, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Answers a browser that asks before it sends a request. Which headers it may send is no secret
/// and guards nothing, so it gets those it asks for: `Mcp-Param-*` have no end.
pub(super) async fn preflight(State(app): State<Arc<Inner>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if !app.origins.allow(&parts) {
        return super::forbidden();
    }
    let Some(origin) = parts.headers.get(ORIGIN).cloned() else {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "POST")]).into_response();
    };
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("POST"),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    if let Some(wanted) = parts.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    readable(&mut response, origin);
    response
}

/// Lets the pages of `origin` read a reply.
pub(super) fn readable(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("www-authenticate, retry-after"),
    );
    headers.insert(VARY, HeaderValue::from_static("origin"));
}
