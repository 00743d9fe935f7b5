//! Which page a request is for. Every answer leaves through here, so every one has the headers.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::any;
use http::header::ALLOW;
use http::{HeaderValue, Method};

use super::page::{self, Notice, Shell};
use super::visit::{Stop, Visit};
use super::{Web, audit, connections, headers, sign_in, start, ticket};

/// The pages, to be merged into a server's own router.
pub(crate) fn routes(web: Arc<Web>) -> Router {
    let list = web.prefix.clone();
    let (slash, below) = (format!("{list}/"), format!("{list}/{{*rest}}"));
    let handler = any(move |request: Request| {
        let web = Arc::clone(&web);
        async move { handle(&web, request).await }
    });
    Router::new()
        .route(&list, handler.clone())
        .route(&slash, handler.clone())
        .route(&below, handler)
}

async fn handle(web: &Web, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some(host) = web.hosts.check(&parts) else {
        audit::refused("host");
        let shell = Shell {
            server: &web.server,
            prefix: &web.prefix,
        };
        let response = page::notice(shell, Notice::ForeignHost, None, None);
        return headers::harden(response, web.secure);
    };
    let path = parts.uri.path().to_owned();
    let place = Place::of(path.strip_prefix(&*web.prefix).unwrap_or("/-"));
    let method = parts.method.clone();
    let visit = Visit::new(web, parts, host);
    let answer = match (place, read_only(&method)) {
        (Place::Nowhere, _) => Err(Stop::from(Notice::NotFound)),
        (Place::Style, Some(true)) => Ok(page::style()),
        (Place::Script, Some(true)) => Ok(page::script()),
        (Place::Connections, Some(true)) => connections::show(&visit).await,
        (Place::SignIn, Some(true)) => sign_in::show(&visit),
        (Place::Page { page, ticket }, Some(true)) => ticket::show(&visit, page, ticket).await,
        (Place::Start(page), Some(true)) => start::show(&visit, page).await,
        (Place::Start(page), Some(false)) => start::submit(&visit, page, body).await,
        (Place::Remove, Some(false)) => connections::remove(&visit, body).await,
        (Place::SignIn, Some(false)) => sign_in::submit(&visit, body).await,
        (Place::SignOut, Some(false)) => sign_in::sign_out(&visit, body).await,
        (Place::Page { page, ticket }, Some(false)) => {
            ticket::submit(&visit, page, ticket, body).await
        }
        (place, _) => {
            let mut response = visit.notice(Notice::WrongMethod);
            let allow = HeaderValue::from_static(place.methods());
            response.headers_mut().insert(ALLOW, allow);
            Ok(response)
        }
    };
    let response = answer.unwrap_or_else(|stop| visit.stop(stop));
    headers::harden(response, web.secure)
}

/// Whether a method may change something; none if it is not one of ours.
fn read_only(method: &Method) -> Option<bool> {
    match *method {
        Method::GET | Method::HEAD => Some(true),
        Method::POST => Some(false),
        _ => None,
    }
}

/// What there is below the prefix.
#[derive(Clone, Copy)]
enum Place<'a> {
    Connections,
    Remove,
    SignIn,
    SignOut,
    Style,
    Script,
    Start(&'a str),
    Page { page: &'a str, ticket: &'a str },
    Nowhere,
}

impl<'a> Place<'a> {
    fn of(path: &'a str) -> Self {
        match path {
            "" | "/" => return Self::Connections,
            "/remove" => return Self::Remove,
            "/sign-in" => return Self::SignIn,
            "/sign-out" => return Self::SignOut,
            "/style.css" => return Self::Style,
            "/reveal.js" => return Self::Script,
            _ => {}
        }
        let Some(rest) = path.strip_prefix('/') else {
            return Self::Nowhere;
        };
        match rest.split_once('/') {
            None => Self::Start(rest),
            Some((page, ticket)) if !page.is_empty() && !ticket.contains('/') => {
                Self::Page { page, ticket }
            }
            _ => Self::Nowhere,
        }
    }

    fn methods(self) -> &'static str {
        match self {
            Self::Connections | Self::Style | Self::Script | Self::Nowhere => "GET, HEAD",
            Self::Remove | Self::SignOut => "POST",
            Self::SignIn | Self::Start(_) | Self::Page { .. } => "GET, HEAD, POST",
        }
    }
}
