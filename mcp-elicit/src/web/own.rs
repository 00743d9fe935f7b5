//! Pages for a client on this machine that has no HTTP: on a listener of their own on the loopback
//! address, with a random port, made when the first link is. Whoever has such a link is taken for
//! its owner; without one nothing is shown.
//!
//! Every user of this machine can reach the listener, and so can every page in the browser. What
//! tells the owner from them is the ticket in the link, 128 random bits, which only the client was
//! given. A browser that came with one gets a cookie, so that it can also see and remove what is stored;
//! both mean nothing to another listener.
//!
//! The listener ends with its client, which may be as soon as the form is sent: the tool that waited for it is
//! done then. The browser comes once more, for the page that says so, and a moment is left for that.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::SET_COOKIE;
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode};
use subtle::ConstantTimeEq as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::auth::{OS_ISSUER, Principal, os};
use crate::connections::{self, Listener};
use crate::limits::Limits;

use super::identity::{BrowserIdentity, Identity, IdentityError};
use super::{Hosts, Web, link, routes, session};

/// How long the end waits for a browser that has sent a form.
const MOMENT: Duration = Duration::from_secs(1);

/// The pages of one principal.
pub(crate) struct OwnPages {
    web: Arc<Web>,
    principal: Principal,
    listening: Mutex<Option<Listening>>,
    coming: Coming,
}

/// When a browser sent a form, unless it has seen the page after it.
type Coming = watch::Sender<Option<Instant>>;

struct Listening {
    port: u16,
    task: JoinHandle<()>,
    closing: watch::Sender<bool>,
}

impl OwnPages {
    pub(crate) fn new(web: &Arc<Web>, principal: Principal) -> Self {
        Self {
            web: Arc::clone(web),
            principal,
            listening: Mutex::default(),
            coming: watch::Sender::default(),
        }
    }

    /// The address below which they are. The first call begins to listen.
    pub(crate) fn url(&self) -> io::Result<String> {
        let mut listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let port = match &*listening {
            Some(open) if !open.task.is_finished() => open.port,
            _ => listening.insert(self.listen()?).port,
        };
        Ok(format!("http://127.0.0.1:{port}"))
    }

    /// Waits for a browser that is about to come back.
    pub(crate) async fn settled(&self) {
        let mut coming = self.coming.subscribe();
        loop {
            let until = match *coming.borrow_and_update() {
                Some(sent) => sent + MOMENT,
                None => return,
            };
            if timeout_at(until, coming.changed()).await.is_err() {
                return;
            }
        }
    }

    /// Ends the listener when all that it is answering is sent, for a process that ends.
    pub(crate) async fn close(&self) {
        let listening = self
            .listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(Listening { task, closing, .. }) = listening {
            closing.send_replace(true);
            let _ = timeout(MOMENT, task).await;
        }
    }

    fn listen(&self) -> io::Result<Listening> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = router(&self.web, &self.principal, port, &self.coming);
        // For one person: others of this machine, who may connect, cannot take much.
        let limits = Limits::default().connections(100);
        let listener = Listener::Tcp {
            listener,
            is_local: true,
        };
        let (closing, closed) = watch::channel(false);
        let task = tokio::spawn(async move {
            connections::serve(listener, router, &limits, closed).await;
        });
        Ok(Listening {
            port,
            task,
            closing,
        })
    }
}

impl Drop for OwnPages {
    fn drop(&mut self) {
        let listening = self.listening.get_mut();
        if let Some(open) = listening.unwrap_or_else(PoisonError::into_inner) {
            open.task.abort();
        }
    }
}

impl fmt::Debug for OwnPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnPages").finish_non_exhaustive()
    }
}

fn router(web: &Arc<Web>, principal: &Principal, port: u16, coming: &Coming) -> Router {
    let mut token = [0; 16];
    (web.random)(&mut token);
    let door = Arc::new(Door {
        principal: principal.clone(),
        cookie: format!("mcp_elicit_{port}"),
        token: URL_SAFE_NO_PAD.encode(token),
        prefix: web.mount.clone(),
        web: Arc::clone(web),
        coming: coming.clone(),
    });
    let own = Web {
        identity: Identity::by_link(ByLink(Arc::clone(&door))),
        prefix: web.mount.clone(),
        secure: false,
        hosts: Hosts::new([format!("127.0.0.1:{port}"), format!("localhost:{port}")]),
        ..Web::clone(web)
    };
    routes(Arc::new(own)).layer(from_fn_with_state(door, enter))
}

/// What lets somebody in.
struct Door {
    principal: Principal,
    cookie: String,
    /// What the cookie holds.
    token: String,
    prefix: String,
    web: Arc<Web>,
    coming: Coming,
}

/// A request that came by a link.
#[derive(Clone)]
struct Linked;

/// Sees whether a request came by a link of the owner's; then the browser is known from now on.
async fn enter(State(door): State<Arc<Door>>, mut request: Request, next: Next) -> Response {
    let is_linked = door.opens(request.uri().path()).await;
    let sends = request.method() == Method::POST;
    if is_linked {
        request.extensions_mut().insert(Linked);
    }
    if is_linked && sends {
        // Before the form is taken, since that may be all that the client waits for.
        door.comes_back(true);
    }
    let mut response = next.run(request).await;
    if is_linked {
        door.comes_back(sends && response.status().is_redirection());
    }
    let is_shown = matches!(response.status(), StatusCode::OK);
    if is_linked
        && is_shown
        && let Ok(cookie) = HeaderValue::from_str(&format!(
            "{}={}; Path=/; HttpOnly; SameSite=Lax",
            door.cookie, door.token
        ))
    {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

impl Door {
    /// Notes whether the browser is about to come for a page.
    fn comes_back(&self, is_coming: bool) {
        self.coming.send_replace(is_coming.then(Instant::now));
    }

    /// Whether a path has a ticket of the owner's.
    async fn opens(&self, path: &str) -> bool {
        let page = path.strip_prefix(&*self.prefix);
        let ticket = page.and_then(|page| page.strip_prefix('/')?.split_once('/'));
        let Some(id) = ticket.and_then(|(_, ticket)| link::parse(ticket)) else {
            return false;
        };
        let now = (self.web.clock)();
        let found = self.web.store.ticket(id, now).await;
        found.ok().flatten().is_some_and(|ticket| {
            let (owner, own) = (&ticket.owner, &self.principal);
            owner.tenant == own.tenant_name()
                && owner.issuer == own.issuer()
                && owner.subject == own.subject()
        })
    }
}

/// Who has come by a link, now or before.
struct ByLink(Arc<Door>);

impl BrowserIdentity for ByLink {
    async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
        let door = &self.0;
        let is_known = parts.extensions.get::<Linked>().is_some()
            || session::cookies(&parts.headers).any(|(name, value)| {
                name == door.cookie && bool::from(value.as_bytes().ct_eq(door.token.as_bytes()))
            });
        Ok(is_known.then(|| door.principal.clone()))
    }

    fn sign_in_redirect(&self, _: &str) -> String {
        // There it says that a link is needed.
        "sign-in".to_owned()
    }

    fn session(&self, _: &Parts) -> Option<String> {
        Some(self.0.token.clone())
    }
}

/// What the owner is called on the pages, where the subject is but a number.
pub(super) fn name(principal: &Principal) -> Option<String> {
    let is_own = principal.issuer() == OS_ISSUER && principal.is_same(&os::own());
    is_own.then(os::own_name)?
}
