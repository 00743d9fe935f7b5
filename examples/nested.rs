//! A server inside a larger axum app that has a login of its own: its session is who is at the browser.
//!
//! Run it with `cargo run --example nested`. Sign in at `http://127.0.0.1:3000/login/ada`; in the client the same
//! person is the bearer token `token-of-ada`. Then call the tool `connect` and open its link. `PORT` changes the port.

mod common;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, SET_COOKIE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use mcp_elicit::auth::{AuthError, Authenticator, Principal};
use mcp_elicit::http::request::Parts;
use mcp_elicit::prelude::*;
use mcp_elicit::web::{BrowserIdentity, IdentityError};

/// The people of this app, by whatever lets them in. A real one has passwords, a database and sessions that end.
#[derive(Clone, Default)]
struct People(Arc<Mutex<HashMap<String, String>>>);

/// Who is signed in, as the layer of the app puts it among the extensions of a request.
#[derive(Clone)]
struct User(String);

/// The same person, whether by the token of a client or the session of a browser.
fn principal(name: &str) -> Principal {
    Principal::new("https://app.example.com", name)
}

/// Clients bring a token of the app.
struct Tokens;

impl Authenticator for Tokens {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        let value = parts.headers.get(AUTHORIZATION).ok_or(AuthError::Missing)?;
        let token = value
            .to_str()
            .ok()
            .and_then(|it| it.strip_prefix("Bearer token-of-"));
        token.map(principal).ok_or(AuthError::Invalid)
    }
}

/// Browsers have its session.
struct Session;

impl BrowserIdentity for Session {
    async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
        Ok(parts
            .extensions
            .get::<User>()
            .map(|User(name)| principal(name)))
    }

    fn sign_in_redirect(&self, back_to: &str) -> String {
        format!("/login?back={back_to}")
    }
}

/// Finds the session by its cookie, for every route of the app.
async fn session(State(people): State<People>, mut request: Request, next: Next) -> Response {
    let cookie = request
        .headers()
        .get(COOKIE)
        .and_then(|it| it.to_str().ok());
    let id = cookie.and_then(|it| it.split("; ").find_map(|it| it.strip_prefix("app=")));
    let name = id.and_then(|id| people.0.lock().ok()?.get(id).cloned());
    if let Some(name) = name {
        request.extensions_mut().insert(User(name));
    }
    next.run(request).await
}

/// Signs anybody in. A real app asks for a password here.
async fn login(State(people): State<People>, Path(name): Path<String>) -> impl IntoResponse {
    let id = format!("{:032x}", rand::random::<u128>());
    if let Ok(mut people) = people.0.lock() {
        people.insert(id.clone(), name);
    }
    let cookie = format!("app={id}; Path=/; HttpOnly; SameSite=Lax");
    ([(SET_COOKIE, cookie)], Redirect::to("/"))
}

async fn home(user: Option<Extension<User>>) -> String {
    match user {
        Some(Extension(User(name))) => format!("Hello, {name}."),
        None => "Nobody is signed in. Open /login/ and your name.".into(),
    }
}

/// Your account at the payment provider.
#[derive(Elicit)]
#[elicit(url = "/ui/provider", message = "We charge through your own provider.")]
struct Provider {
    /// From the provider's dashboard
    #[secret]
    key: SecretString,
}

/// Connects the payment provider.
#[tool(asks(Provider))]
async fn connect(cx: &Cx) -> Result<&'static str, CallError> {
    cx.ask::<Provider>().await?;
    Ok("Connected.")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    common::log();
    let app = Server::new("nested", env!("CARGO_PKG_VERSION"))
        .tools(toolset![connect])
        .auth(Tokens)
        .browser_identity(Session)
        .limits(common::limits())
        .build()
        .await?;
    let (routes, people) = (app.into_routes(), People::default());
    // The endpoint needs no session; the pages are under the layer that finds it, as all else of the app.
    let pages = Router::new()
        .route("/", get(home))
        .route("/login/{name}", get(login))
        .route("/login", get(home))
        .with_state(people.clone())
        .merge(routes.pages)
        .layer(from_fn_with_state(people, session));
    let listener = tokio::net::TcpListener::bind(common::address()).await?;
    axum::serve(listener, routes.mcp.merge(pages)).await?;
    Ok(())
}
