//! How a built server is served.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use super::app::App;
use crate::auth::Auth;
use crate::connections::{self, Listener};
use crate::runtime::services::Services;
use crate::runtime::{Changes, Completions};
use crate::start_error::StartError;
use crate::wire::REVISION;

/// The parts of a server's router, to mount apart. From [`App::into_routes`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Routes {
    /// The MCP endpoint at its path.
    pub mcp: Router,
    /// The pages below `/ui`.
    pub pages: Router,
}

impl App {
    /// The endpoint and the pages as one router.
    ///
    /// Serve it with `into_make_service_with_connect_info::<SocketAddr>()` where you use
    /// [`DevUsers`](crate::auth::DevUsers), so that it sees who connects.
    pub fn router(&self) -> Router {
        let routes = self.into_routes();
        routes.mcp.merge(routes.pages)
    }

    /// The endpoint and the pages apart, for those who mount them under layers of their own.
    #[must_use]
    pub fn into_routes(&self) -> Routes {
        Routes {
            mcp: crate::http::routes(Arc::clone(&self.0)),
            pages: crate::web::routes(Arc::clone(&self.0.web)),
        }
    }

    /// Where to report what was brought to its end outside, such as in a payment provider's webhook.
    #[must_use]
    pub fn completions(&self) -> Completions {
        Completions::new(Arc::clone(&self.0.services))
    }

    /// Tells clients that listen what has changed.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes::new(Arc::clone(&self.0.services))
    }

    /// Serves at `address` until the process is told to stop (Ctrl-C, SIGTERM). Requests under way
    /// are finished; retries that wait for a page are answered at once.
    ///
    /// # Errors
    /// An address that cannot be listened at.
    pub async fn serve(&self, address: &str) -> Result<(), StartError> {
        let listener = crate::connections::listen(address)
            .await
            .map_err(|e| StartError::new(vec![format!("cannot listen at {address}: {e}")]))?;
        self.serve_on(listener, stop()).await
    }

    /// Serves on a bound listener until `stop` resolves. Then it waits for what is being answered
    /// and for effects that are under way, for as long as the limit `effect` says.
    ///
    /// It speaks HTTP/1.1 and HTTP/2, the latter to clients that begin with it (there is no TLS here, so
    /// none is agreed upon).
    ///
    /// # Errors
    /// An authenticator that knows nobody here ([`OsUser`](crate::auth::OsUser)).
    pub async fn serve_on(
        &self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), StartError> {
        if matches!(self.0.auth, Auth::Os) {
            let text = "`OsUser` knows whoever comes by stdio or a Unix socket; over TCP give another `auth`";
            return Err(StartError::new(vec![text.into()]));
        }
        let address = listener.local_addr().ok();
        let is_local =
            address.is_some_and(|at| at.ip().is_loopback()) && !self.0.web.rates.proxies.are_any();
        self.tell_where(address);
        self.run(Listener::Tcp { listener, is_local }, stop).await;
        Ok(())
    }

    /// Serves a listener until `stop` resolves.
    pub(crate) async fn run(&self, listener: Listener, stop: impl Future<Output = ()>) {
        let rewrapping = self.rewrap_in_background();
        let services = &self.0.services;
        let stop = async {
            stop.await;
            services.closing.send_replace(true);
            std::future::pending().await
        };
        let closing = services.closing.subscribe();
        tokio::select! {
            () = connections::serve(listener, self.router(), &services.limits, closing) => {}
            () = drained(services) => {}
            never = stop => never,
        }
        rewrapping.abort();
        // Effects whose clients have gone have no connection that was waited for.
        self.effects_recorded().await;
    }
}

impl App {
    /// Waits until nothing is under way any more, for as long as the limit says.
    pub(crate) async fn effects_recorded(&self) {
        let services = &self.0.services;
        let effects = services.under_way.none();
        if tokio::time::timeout(services.limits.effect, effects)
            .await
            .is_err()
        {
            tracing::error!("the server stopped before all effects were recorded");
        }
    }

    /// Says in the log where this server is, so that nobody has to guess.
    fn tell_where(&self, address: Option<SocketAddr>) {
        let app = &self.0;
        let base = app.base.as_deref();
        let base = match (base, address) {
            (Some(base), _) => base.to_owned(),
            (None, Some(address)) => format!("http://{address}"),
            (None, None) => String::new(),
        };
        tracing::info!(
            name = %app.services.name,
            address = address.map(tracing::field::display),
            endpoint = app.paths.last().map(tracing::field::display),
            revision = REVISION,
            pages = %format_args!("{base}{}", app.services.pages),
            "the server is ready"
        );
    }

    /// Begins to bring all that is stored under the first secret of the ring, if it has others.
    pub(crate) fn rewrap_in_background(&self) -> AbortHandle {
        let app = self.clone();
        let work = async move {
            if app.0.services.keys.has_old()
                && let Err(error) = app.rewrap().await
            {
                tracing::error!(%error, "what is stored was not all brought under the first secret of the keyring");
            }
        };
        tokio::spawn(work).abort_handle()
    }
}

/// How long a server that stops waits for connections on which nothing is answered.
const GRACE: Duration = Duration::from_secs(1);

/// Resolves some time after the server was told to stop and all that had begun is answered. What
/// is open then are requests that their clients never finish to send.
async fn drained(services: &Services) {
    let mut closing = services.closing.subscribe();
    let _ = closing.wait_for(|closing| *closing).await;
    let _ = tokio::time::timeout(services.limits.effect, services.under_way.none()).await;
    tokio::time::sleep(GRACE).await;
    tracing::info!("connections without a whole request were closed");
}

/// Resolves when the process is told to stop. Where signals cannot be had it never does.
pub(crate) async fn stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}
