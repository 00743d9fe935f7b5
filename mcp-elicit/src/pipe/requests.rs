//! The requests of one pipe that are under way, each a task.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{self, AbortHandle, JoinSet};
use tracing::Instrument as _;

use super::writer::Progress;
use crate::wire::message::Id;
use crate::wire::object::Text;

/// An id as JSON text without escapes that need not be: one id, one text.
type Key = Box<str>;

#[derive(Debug, Default)]
pub(super) struct Requests {
    tasks: JoinSet<()>,
    by_id: HashMap<Key, Request>,
    ids: HashMap<task::Id, Key>,
}

#[derive(Debug)]
struct Request {
    progress: Arc<Progress>,
    task: AbortHandle,
}

/// Room for one more.
#[derive(Debug)]
pub(super) struct Place {
    key: Key,
    progress: Arc<Progress>,
}

#[derive(Debug)]
pub(super) enum Began {
    Yes(Place),
    /// One with this id is under way.
    Known,
    /// As many as may be are under way.
    Full,
}

impl Place {
    pub(super) fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }
}

impl Requests {
    /// Makes room for a request if there are fewer than `most`.
    pub(super) fn begin(&self, id: Id<'_>, most: usize) -> Began {
        let key = key(id);
        // A client may use an id again as soon as it has the answer, which may be before the task
        // is seen to have ended.
        let known = self.by_id.get(&key);
        if known.is_some_and(|known| !known.progress.is_answered()) {
            Began::Known
        } else if self.tasks.len() >= most {
            Began::Full
        } else {
            let progress = Arc::default();
            Began::Yes(Place { key, progress })
        }
    }

    pub(super) fn spawn(&mut self, place: Place, work: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(work.in_current_span());
        self.ids.insert(task.id(), place.key.clone());
        let progress = place.progress;
        self.by_id.insert(place.key, Request { progress, task });
    }

    /// Drops a request. False if there is none that could be.
    pub(super) fn cancel(&mut self, id: Id<'_>) -> bool {
        let key = key(id);
        if !self.by_id.get(&key).is_some_and(|it| it.progress.cancel()) {
            return false;
        }
        if let Some(request) = self.by_id.remove(&key) {
            request.task.abort();
        }
        true
    }

    /// Waits until one has ended; without any for ever.
    pub(super) async fn ended(&mut self) {
        let Some(ended) = self.tasks.join_next_with_id().await else {
            return std::future::pending().await;
        };
        let task = match ended {
            Ok((task, ())) => task,
            Err(error) => {
                if error.is_panic() {
                    tracing::error!("a request was not answered: {error}");
                }
                error.id()
            }
        };
        let Some(key) = self.ids.remove(&task) else {
            return;
        };
        if self.by_id.get(&key).is_some_and(|it| it.task.id() == task) {
            self.by_id.remove(&key);
        }
    }

    pub(super) async fn all_ended(&mut self) {
        while !self.tasks.is_empty() {
            self.ended().await;
        }
    }
}

fn key(id: Id<'_>) -> Key {
    let text = id.as_json();
    if !text.contains('\\') {
        return text.into();
    }
    let read = serde_json::from_str::<Text<'_>>(text);
    let plain = read.map(|read| serde_json::Value::from(&*read).to_string());
    plain.unwrap_or_else(|_| text.to_owned()).into()
}
