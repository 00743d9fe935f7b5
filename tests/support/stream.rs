//! A reply that comes as a stream of events.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_core::Stream as _;
use serde_json::Value;

/// How long a message may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a reply is a stream.
pub(crate) fn is_one(headers: &HeaderMap) -> bool {
    let kind = headers.get("content-type").map(|v| v.as_bytes());
    kind == Some(b"text/event-stream")
}

/// The messages of whole events.
pub(crate) fn messages(text: &str) -> Vec<Value> {
    let events = text
        .split("\n\n")
        .filter_map(|event| event.strip_prefix("data: "));
    events
        .map(|json| serde_json::from_str(json).expect("an event holds one message"))
        .collect()
}

/// A stream that is being read.
pub struct Stream {
    pub headers: HeaderMap,
    body: BodyDataStream,
    read: String,
}

impl Stream {
    pub(crate) fn new(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            headers: parts.headers,
            body: body.into_data_stream(),
            read: String::new(),
        }
    }

    /// The next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let event = self.next_event().await?;
            if let Some(json) = event.strip_prefix("data: ") {
                return Some(serde_json::from_str(json).expect("an event holds one message"));
            }
        }
    }

    /// The next event or comment, as it was sent.
    pub async fn next_event(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.read.split_once("\n\n") {
                let event = event.to_owned();
                self.read = rest.to_owned();
                return Some(event);
            }
            let more = std::future::poll_fn(|cx| Pin::new(&mut self.body).poll_next(cx));
            let more = tokio::time::timeout(PATIENCE, more).await;
            let more = more.expect("a message comes in time")?;
            let more = more.expect("the stream is whole");
            self.read
                .push_str(std::str::from_utf8(&more).expect("it is UTF-8"));
        }
    }

    /// Whether nothing comes for a while.
    pub async fn is_quiet(&mut self) -> bool {
        let next = tokio::time::timeout(Duration::from_millis(100), self.next());
        next.await.is_err()
    }
}
