//! Connections: HTTP/1.1 and HTTP/2 on one listener, none of which can hold on to the server for
//! nothing. It knows nothing of what is asked on them.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket};
#[cfg(unix)]
use tokio::net::{UnixListener, unix::UCred};
use tokio::sync::{Semaphore, watch};

use crate::limits::Limits;

/// What connections are taken from.
pub(crate) enum Listener {
    Tcp {
        listener: TcpListener,
        /// Whether whoever connects is on this machine, be it a proxy. Elsewhere each request has to say
        /// who connected, which costs an entry in its extensions.
        is_local: bool,
    },
    #[cfg(unix)]
    Unix(UnixListener),
}

/// Who is at the other end, as far as requests are told.
#[derive(Debug, Clone, Copy)]
enum Peer {
    Local,
    At(SocketAddr),
    #[cfg(unix)]
    User(UCred),
}

/// How many connections may wait to be taken, as far as the system allows: usual are 1024, which two
/// thousand clients that come back at once overflow.
const BACKLOG: u32 = 4096;

/// Listens at the first of the addresses that can be listened at.
pub(crate) async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut last = io::Error::new(io::ErrorKind::InvalidInput, "it names no address");
    for address in tokio::net::lookup_host(address).await? {
        match listen_at(address) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn listen_at(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // Elsewhere it would let two processes have one address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves what comes in until `closing` turns true; then waits for what is being answered.
pub(crate) async fn serve(
    listener: Listener,
    router: Router,
    limits: &Limits,
    mut closing: watch::Receiver<bool>,
) {
    let shared = Arc::new(Shared {
        builder: builder(limits),
        read: limits.read,
        closing: closing.clone(),
    });
    let most = limits.connections.clamp(1, Semaphore::MAX_PERMITS >> 3);
    let places = Arc::new(Semaphore::new(most));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place,
            _ = closing.wait_for(|closing| *closing) => break,
        };
        let accepted = tokio::select! {
            accepted = accept(&listener) => accepted,
            _ = closing.wait_for(|closing| *closing) => break,
        };
        let (shared, router) = (Arc::clone(&shared), router.clone());
        match accepted {
            Ok(Accepted::Tcp(stream, peer)) => {
                tokio::spawn(async move {
                    shared.connection(stream, peer, router).await;
                    drop(place);
                });
            }
            #[cfg(unix)]
            Ok(Accepted::Unix(stream, peer)) => {
                tokio::spawn(async move {
                    shared.connection(stream, peer, router).await;
                    drop(place);
                });
            }
            Err(error) => refused(&error).await,
        }
    }
    // No new one is taken while the open ones end.
    drop(listener);
    let all = u32::try_from(most).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

fn builder(limits: &Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.read)
        // Below this hyper panics.
        .max_buf_size(limits.head.max(8192));
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(limits.keep_alive.max(Duration::from_secs(1)))
        .keep_alive_timeout(limits.read)
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(limits.head).unwrap_or(u32::MAX));
    builder
}

enum Accepted {
    Tcp(tokio::net::TcpStream, Peer),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream, Peer),
}

async fn accept(listener: &Listener) -> io::Result<Accepted> {
    match listener {
        Listener::Tcp { listener, is_local } => {
            let (stream, address) = listener.accept().await?;
            // Small replies go out at once instead of waiting for the client's acknowledgement.
            if let Err(e) = stream.set_nodelay(true) {
                tracing::debug!("TCP_NODELAY: {e}");
            }
            let peer = if *is_local {
                Peer::Local
            } else {
                Peer::At(address)
            };
            Ok(Accepted::Tcp(stream, peer))
        }
        #[cfg(unix)]
        Listener::Unix(listener) => {
            let (stream, _) = listener.accept().await?;
            let peer = Peer::User(stream.peer_cred()?);
            Ok(Accepted::Unix(stream, peer))
        }
    }
}

/// A connection that could not be taken. Some have gone by themselves; with any other error, such as too
/// many open files, the next would come at once.
async fn refused(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, NotConnected};
    let has_gone = [
        ConnectionAborted,
        ConnectionRefused,
        ConnectionReset,
        NotConnected,
    ];
    if !has_gone.contains(&error.kind()) {
        tracing::error!("a connection cannot be taken: {error}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// What all connections of a listener share.
struct Shared {
    builder: Builder<TokioExecutor>,
    read: Duration,
    closing: watch::Receiver<bool>,
}

impl Shared {
    async fn connection<S>(&self, stream: S, peer: Peer, router: Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let has_asked = Arc::new(AtomicBool::new(false));
        let service = Served {
            router,
            peer,
            has_asked: Arc::clone(&has_asked),
        };
        let connection = self.builder.serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let mut closing = self.closing.clone();
        // The head of a request has a time limit once it is known which HTTP it is. Nobody need say that.
        let mut first = pin!(tokio::time::sleep(self.read));
        let (mut is_first, mut is_open) = (true, true);
        loop {
            tokio::select! {
                ended = &mut connection => {
                    if let Err(error) = ended {
                        tracing::debug!("a connection ended: {error}");
                    }
                    return;
                }
                () = &mut first, if is_first => {
                    if !has_asked.load(Ordering::Relaxed) {
                        tracing::debug!("a connection was closed on which nothing was asked for");
                        return;
                    }
                    is_first = false;
                }
                _ = closing.wait_for(|closing| *closing), if is_open => {
                    connection.as_mut().graceful_shutdown();
                    is_open = false;
                }
            }
        }
    }
}

/// The router, for the requests of one connection.
struct Served {
    router: Router,
    peer: Peer,
    has_asked: Arc<AtomicBool>,
}

impl Service<Request<Incoming>> for Served {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        self.has_asked.store(true, Ordering::Relaxed);
        let mut request = request.map(Body::new);
        match self.peer {
            Peer::Local => {}
            Peer::At(address) => {
                request.extensions_mut().insert(ConnectInfo(address));
            }
            #[cfg(unix)]
            Peer::User(user) => {
                request.extensions_mut().insert(ConnectInfo(user));
            }
        }
        let mut router = self.router.clone();
        Box::pin(tower_service::Service::call(&mut router, request))
    }
}
