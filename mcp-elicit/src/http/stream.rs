//! A reply that is one JSON object, or, if something has to be said before it, a stream of events
//! that ends with it (basic/transports/streamable-http, "Receiving Messages").

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::Request;
use axum::http::header::{CACHE_CONTROL, ORIGIN};
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use tokio::task::AbortHandle;
use tower_service::Service;
use tracing::Instrument as _;

use super::{Whole, accept, cors, forbidden, is_allowed, reply};
use crate::runtime::outlet::Outlet;
use crate::server::app::Inner;
use crate::server::dispatch::Outgoing;

/// The endpoint.
#[derive(Clone)]
pub(super) struct Endpoint(pub(super) Arc<Inner>);

impl Service<Request> for Endpoint {
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Answering {
        let app = &self.0;
        let outlet = Arc::new(Outlet::new(app.services.limits.notices));
        let keep_alive = app.services.limits.keep_alive;
        let is_whole = request.extensions().get::<Whole>().is_some();
        let before = (!is_whole).then(|| Arc::clone(&outlet));
        let (parts, body) = request.into_parts();
        // Whom no reply is meant for may not read one either.
        let is_allowed = is_allowed(app, &parts);
        let origin = parts.headers.get(ORIGIN).filter(|_| is_allowed).cloned();
        let work: Work = if is_allowed {
            Box::pin(accept(Arc::clone(app), parts, body, before))
        } else {
            Box::pin(std::future::ready(Err(forbidden())))
        };
        Answering {
            work: Some(work),
            outlet,
            origin,
            keep_alive,
        }
    }
}

type Work = Pin<Box<dyn Future<Output = Result<Outgoing, Response>> + Send>>;

/// One request while nothing has been sent of its response.
pub(super) struct Answering {
    work: Option<Work>,
    outlet: Arc<Outlet>,
    origin: Option<HeaderValue>,
    keep_alive: Duration,
}

impl Future for Answering {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(work) = &mut this.work else {
            return Poll::Pending;
        };
        let mut response = match work.as_mut().poll(cx) {
            Poll::Ready(Err(refusal)) => refusal,
            Poll::Ready(Ok(out)) if this.outlet.is_empty() => reply(out),
            Poll::Ready(Ok(out)) => {
                this.outlet.end(out.body);
                this.events(None)
            }
            Poll::Pending if this.outlet.poll_any(cx).is_pending() => return Poll::Pending,
            Poll::Pending => {
                let task = this.work.take().map(|work| go_on(work, &this.outlet));
                this.events(task)
            }
        };
        this.work = None;
        if let Some(origin) = this.origin.take() {
            cors::readable(&mut response, origin);
        }
        Poll::Ready(Ok(response))
    }
}

impl Answering {
    fn events(&self, task: Option<AbortHandle>) -> Response {
        let events = Events {
            outlet: Arc::clone(&self.outlet),
            task,
        };
        let events = Sse::new(events);
        let mut response = if self.keep_alive.is_zero() {
            events.into_response()
        } else {
            // A time is added to the present one, which has no room for any.
            let interval = self.keep_alive.min(LONGEST);
            events
                .keep_alive(KeepAlive::new().interval(interval))
                .into_response()
        };
        let headers = response.headers_mut();
        headers.insert(BUFFERING, HeaderValue::from_static("no"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// Longest time between two signs of life.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Asks nginx and its kin to pass events on at once.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Goes on with the work in a task of its own: a client that takes the events slowly, or not at all, must
/// not keep an effect that is under way from its end.
fn go_on(work: Work, outlet: &Arc<Outlet>) -> AbortHandle {
    let ending = Ending(Arc::clone(outlet));
    let work = async move {
        let ending = ending;
        // What may be refused by the transport has been by now.
        if let Ok(out) = work.await {
            ending.0.end(out.body);
        }
    };
    tokio::spawn(work.in_current_span()).abort_handle()
}

/// Ends the stream, however its work ends.
struct Ending(Arc<Outlet>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The messages as events. Dropped with the connection; then the work ends too.
struct Events {
    outlet: Arc<Outlet>,
    task: Option<AbortHandle>,
}

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.outlet.poll_next(cx).map(|message| {
            // Messages are JSON that was written or checked here, so they are UTF-8 in one line.
            message.map(|text| Ok(Event::default().data(String::from_utf8_lossy(&text))))
        })
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}
