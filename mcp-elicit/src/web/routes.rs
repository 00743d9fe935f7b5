//! Which page a request is for. Every answer leaves through here, so every one has the headers.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::routing::any;
use http::header::ALLOW;
use http::{HeaderValue, Method};

use crate::observe::Limit;

use super::page::{self, Notice, Shell};
use super::visit::{Stop, Visit, too_often};
use super::{Web, audit, connections, headers, sign_in, start, ticket};

/// The pages, to be merged into a server's own router. They are where browsers see them, and where a
/// proxy leads that takes the base URL's path away.
pub(crate) fn routes(web: Arc<Web>) -> Router {
    let mut places = vec![web.mount.clone()];
    places.extend((web.prefix != web.mount).then(|| web.prefix.clone()));
    let handler = any(move |request: Request| {
        let web = Arc::clone(&web);
        async move { handle(&web, request).await }
    });
    places.iter().fold(Router::new(), |router, place| {
        router
            .route(place, handler.clone())
            .route(&format!("{place}/"), handler.clone())
            .route(&format!("{place}/{{*rest}}"), handler.clone())
    })
}

async fn handle(web: &Web, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Some(host) = web.hosts.check(&parts) else {
        audit::refused("host");
        let shell = Shell {
            server: &web.server,
            prefix: &web.prefix,
            looks: &web.looks,
        };
        let response = page::notice(shell, Notice::ForeignHost, None, None);
        return headers::harden(response, web.secure);
    };
    let path = parts.uri.path().to_owned();
    let place = path
        .strip_prefix(&*web.prefix)
        .or_else(|| path.strip_prefix(&*web.mount));
    let place = Place::of(place.unwrap_or("/-"));
    let method = parts.method.clone();
    let visit = Visit::new(web, parts, host);
    // Files that never change are not worth counting.
    let counted = match place {
        Place::Style | Place::Script | Place::Logo => Ok(()),
        _ => web.rates.address(&visit.parts, visit.now),
    };
    if let Err(wait) = counted {
        return headers::harden(
            visit.notice(too_often(Limit::AddressRate, wait)),
            web.secure,
        );
    }
    let answer = match (place, read_only(&method)) {
        (Place::Nowhere, _) => Err(Stop::from(Notice::NotFound)),
        (Place::Style, Some(true)) => Ok(page::style(&web.looks)),
        (Place::Script, Some(true)) => Ok(page::script()),
        (Place::Logo, Some(true)) => page::logo(&web.looks).ok_or_else(|| Notice::NotFound.into()),
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
    Logo,
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
            "/logo" => return Self::Logo,
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
            Self::Connections | Self::Style | Self::Script | Self::Logo | Self::Nowhere => {
                "GET, HEAD"
            }
            Self::Remove | Self::SignOut => "POST",
            Self::SignIn | Self::Start(_) | Self::Page { .. } => "GET, HEAD, POST",
        }
    }
}
