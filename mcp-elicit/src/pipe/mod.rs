//! One client at the other end of a byte stream: a message in each line, many requests at once
//! (basic/transports/stdio). What a message says is for `server::dispatch`.
//!
//! Each request is a task, which its cancellation drops. What it says goes through one short queue
//! to whoever writes; behind a client that reads slowly it waits there, while its work goes on.

mod lines;
mod requests;
#[cfg(feature = "stdio")]
mod stdio;
mod writer;

use std::io;
use std::pin::pin;
use std::sync::Arc;

use axum::body::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use self::lines::{Line, Lines};
use self::requests::{Began, Requests};
use self::writer::{Progress, Said};
use crate::auth::{OS_ISSUER, Principal, os};
use crate::observe::{self, Limit};
use crate::runtime::outlet::Outlet;
use crate::runtime::run::Base;
use crate::server::app::{App, Inner};
use crate::server::dispatch::{Incoming, dispatch};
use crate::web::OwnPages;
use crate::wire::error::RpcError;
use crate::wire::message::{Cancelled, Head, Id};

impl App {
    /// Serves one client at the other end of a byte stream, such as a Unix socket of your own
    /// protocol or the stream of another process, with the framing of stdio: one message in each
    /// line, both ways. It ends when `read` does, and what is under way then has as long as the limit
    /// `finish` says.
    ///
    /// All requests are in the name of `principal`, which you have found out before. Links to pages
    /// begin with the base URL where the server has one; else, and for users of this machine
    /// ([`OsUser`](crate::auth::OsUser)), pages are on a listener of their own on the loopback address,
    /// where whoever has the link is taken for `principal`.
    ///
    /// ```
    /// # use mcp_elicit::{App, auth::Principal};
    /// # async fn run(app: App) -> std::io::Result<()> {
    /// let (client, server) = tokio::io::duplex(4096);
    /// let (read, write) = tokio::io::split(server);
    /// # drop(client);
    /// app.serve_pipe(read, write, Principal::new("https://example.com", "ada")).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// A stream that cannot be read or written any more.
    pub async fn serve_pipe(
        &self,
        read: impl AsyncRead + Send + Unpin,
        write: impl AsyncWrite + Send + Unpin,
        principal: Principal,
    ) -> io::Result<()> {
        let (say, said) = writer::channel();
        let writer = writer::write(said, write);
        converse(self, principal, read, (say, writer), || ()).await
    }
}

/// All that the requests of one pipe share.
struct Pipe {
    app: Arc<Inner>,
    principal: Principal,
    base: Base,
    say: mpsc::Sender<Said>,
}

/// Answers what is read until it ends, the client takes no more, or the server stops. `ending` is
/// called as soon as no more requests are taken.
async fn converse(
    app: &App,
    principal: Principal,
    read: impl AsyncRead + Unpin,
    (say, writer): (mpsc::Sender<Said>, impl Future<Output = io::Result<()>>),
    ending: impl FnOnce(),
) -> io::Result<()> {
    let app = &app.0;
    let base = match &app.base {
        Some(base) if principal.issuer() != OS_ISSUER => Base::Configured(Arc::clone(base)),
        _ if principal.is_same(&os::own()) => Base::Own(Arc::clone(&app.own_pages)),
        _ => Base::Own(Arc::new(OwnPages::new(&app.web, principal.clone()))),
    };
    let pipe = Arc::new(Pipe {
        app: Arc::clone(app),
        principal,
        base: base.clone(),
        say,
    });
    let mut writer = pin!(writer);
    let mut talk = pin!(talk(pipe, read, ending));
    let written = tokio::select! {
        // Dropping the talk drops all that is under way: nobody will read of it.
        written = &mut writer => return written,
        read = &mut talk => read,
    };
    // The queue has nobody behind it any more.
    let rest = tokio::time::timeout(app.services.limits.finish, writer).await;
    if let Base::Own(pages) = &base {
        pages.settled().await;
    }
    written.and(rest.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())))
}

async fn talk(
    pipe: Arc<Pipe>,
    read: impl AsyncRead + Unpin,
    ending: impl FnOnce(),
) -> io::Result<()> {
    let limits = &pipe.app.services.limits;
    let mut lines = Lines::new(read, limits.body);
    let mut requests = Requests::default();
    let mut closing = pipe.app.services.closing.subscribe();
    let ended = loop {
        let line = tokio::select! {
            line = lines.next() => line,
            () = requests.ended() => continue,
            _ = closing.wait_for(|closing| *closing) => break Ok(()),
        };
        match line {
            Ok(Some(Line::Message(message))) => tokio::select! {
                () = pipe.take(&mut requests, message) => {}
                // Not while the client does not read, either.
                _ = closing.wait_for(|closing| *closing) => break Ok(()),
            },
            Ok(Some(Line::TooLong)) => {
                observe::limited(Limit::Body);
                let most = limits.body;
                let text = format!("A message may have at most {most} bytes.");
                pipe.refuse(None, &RpcError::invalid_request(text)).await;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    ending();
    if tokio::time::timeout(limits.finish, requests.all_ended())
        .await
        .is_err()
    {
        tracing::warn!("requests were dropped that took longer than the limit `finish` allows");
    }
    ended
}

impl Pipe {
    /// Does what a message asks for, or begins to.
    async fn take(self: &Arc<Self>, requests: &mut Requests, message: Bytes) {
        // What cannot be read is told of where it is read in full.
        let head: Head<'_> = serde_json::from_slice(&message).unwrap_or_default();
        let method = head.method.as_deref();
        if method.is_none() && (head.result.is_some() || head.error.is_some()) {
            // An answer would name one of the client's own requests.
            tracing::debug!("a response was ignored: this server sends no requests");
            return;
        }
        let raw = head.id.and_then(|id| id.0);
        if raw.is_none() && method == Some("notifications/cancelled") {
            let params: Option<Cancelled<'_>> = head
                .params
                .and_then(|params| serde_json::from_str(params.some()?).ok());
            let id = params.and_then(|params| Id::of(params.request?.0?));
            if id.is_some_and(|id| requests.cancel(id)) {
                tracing::debug!("a request was cancelled");
            }
            return;
        }
        let Some(id) = raw.and_then(Id::of) else {
            let out = dispatch(&self.app, self.incoming(&message, None)).await;
            if !out.body.is_empty() {
                self.say(out.body, None).await;
            }
            return;
        };
        let most = self.app.services.limits.at_once;
        match requests.begin(id, most) {
            Began::Yes(place) => {
                let listens = (method == Some("subscriptions/listen")).then(|| id.as_json().into());
                let answer = answer(Arc::clone(self), message.clone(), place.progress(), listens);
                requests.spawn(place, answer);
            }
            Began::Known => {
                let text = "A request with this id is under way; give each an id of its own.";
                self.refuse(Some(id), &RpcError::invalid_request(text))
                    .await;
            }
            Began::Full => {
                observe::limited(Limit::AtOnce);
                let text = format!(
                    "At most {most} requests may be under way at once; wait for one, or cancel one."
                );
                self.refuse(Some(id), &RpcError::told(text)).await;
            }
        }
    }

    fn incoming<'m>(&self, body: &'m Bytes, outlet: Option<Arc<Outlet>>) -> Incoming<'m> {
        Incoming {
            body,
            mirrored: None,
            principal: self.principal.clone(),
            base: self.base.clone(),
            outlet,
        }
    }

    async fn refuse(&self, id: Option<Id<'_>>, error: &RpcError) {
        let mut out = Vec::new();
        error.write(id.map(Id::as_json), &mut out);
        self.say(out, None).await;
    }

    async fn say(&self, text: Vec<u8>, of: Option<Arc<Progress>>) {
        // Without a reader the pipe is about to end.
        let _ = self.say.send(Said::new(text, of)).await;
    }
}

/// Answers one request. `listens` is its id if it is one for changes.
async fn answer(
    pipe: Arc<Pipe>,
    message: Bytes,
    progress: Arc<Progress>,
    listens: Option<Box<str>>,
) {
    let services = &pipe.app.services;
    let _under_way = services.under_way.begin();
    let outlet = Arc::new(Outlet::new(services.limits.notices));
    let work = async {
        let out = dispatch(
            &pipe.app,
            pipe.incoming(&message, Some(Arc::clone(&outlet))),
        )
        .await;
        outlet.close();
        out.body
    };
    // Side by side, so that the work goes on while the client does not read.
    let say = async {
        let mut is_open = false;
        while let Some(text) = std::future::poll_fn(|cx| outlet.poll_next(cx)).await {
            is_open = true;
            pipe.say(text, Some(Arc::clone(&progress))).await;
        }
        is_open
    };
    let (reply, has_begun) = tokio::join!(work, say);
    progress.answered();
    pipe.say(reply, None).await;
    // The end of a subscription by the server is said in this way too (basic/patterns/cancellation).
    if let Some(id) = listens.filter(|_| has_begun) {
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        );
        pipe.say(text.into_bytes(), None).await;
    }
}
