//! Notices tickets that another process has ended.
//!
//! SQLite cannot wake another process, so one task looks for changes while somebody waits, and
//! only then. It looks at one number of the file's header; at tickets only when that has changed,
//! and only at those that ended since it last looked. So it costs the same for one waiter and for
//! ten thousand.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use super::{Db, lock, schema, statements};

/// How often the task looks. A user who has sent a form does not notice so short a wait.
const EVERY: Duration = Duration::from_millis(150);

/// What the task knows. It is used on threads for blocking work alone.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// A connection of its own: SQLite's number tells of the changes that others made.
    connection: Option<Connection>,
    version: Option<i64>,
    /// Number of the last end that was told to the waiters. It is not forgotten while nobody
    /// waits, so that no end falls into the gap.
    seen: i64,
}

impl Watch {
    /// A watch that tells of the ends after the `seen`th.
    pub(super) fn after(seen: i64) -> Self {
        Self {
            seen,
            ..Self::default()
        }
    }
}

/// Sees to it that the task runs. Whoever calls it has joined the waiters before.
pub(super) fn start(db: &Arc<Db>) {
    let mut is_watching = lock(&db.is_watching);
    if !*is_watching {
        *is_watching = true;
        tokio::spawn(run(Running(Some(Arc::clone(db)))));
    }
}

/// Says that the task has ended, also when its runtime drops it.
struct Running(Option<Arc<Db>>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(db) = &self.0 {
            *lock(&db.is_watching) = false;
        }
    }
}

async fn run(mut running: Running) {
    while let Some(db) = &running.0 {
        tokio::time::sleep(EVERY).await;
        let db = {
            let mut is_watching = lock(&db.is_watching);
            if db.waiters.is_empty() {
                // Under the lock: whoever joins from now on starts the task anew.
                *is_watching = false;
                None
            } else {
                Some(Arc::clone(db))
            }
        };
        let Some(db) = db else {
            running.0 = None;
            return;
        };
        let looked = tokio::task::spawn_blocking(move || look(&db)).await;
        if let Ok(Err(error)) = looked {
            tracing::warn!(%error, "cannot look for pages that other processes have finished");
        }
    }
}

fn look(db: &Db) -> rusqlite::Result<()> {
    let mut watch = lock(&db.watch);
    let watch = &mut *watch;
    let connection = match &mut watch.connection {
        Some(connection) => connection,
        none => none.insert(schema::connect(&db.path)?),
    };
    let version = connection
        .prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))?;
    if watch.version == Some(version) {
        return Ok(());
    }
    let (ended, seen) = statements::ended_after(connection, watch.seen)?;
    // Kept only now, so that after a failure it is looked at again.
    (watch.version, watch.seen) = (Some(version), seen);
    for id in ended {
        db.waiters.wake(id);
    }
    Ok(())
}
