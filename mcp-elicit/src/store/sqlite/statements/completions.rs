//! Completions, and the walk over all that is sealed.

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::sql;
use crate::store::{CompletionId, SealedKind};
use crate::time::UnixTime;

pub(in super::super) fn completion(
    db: &Connection,
    id: CompletionId,
    now: UnixTime,
) -> Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT sealed FROM completion WHERE id = ?1 AND expires > ?2")?
        .query_row(params![id.0, sql(now)], |found| found.get(0))
        .optional()
}

/// Gives what is there already; none if this call recorded it.
pub(in super::super) fn complete(
    db: &Connection,
    id: CompletionId,
    sealed: &[u8],
    expires: UnixTime,
    now: UnixTime,
) -> Result<Option<Vec<u8>>> {
    let there = completion(db, id, now)?;
    if there.is_some() {
        return Ok(there);
    }
    db.prepare_cached(
        "INSERT OR REPLACE INTO completion (id, sealed, expires) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![id.0, sealed, sql(expires)])?;
    // Told to those who wait in other processes, as the end of a ticket is; they look soon.
    let soon = now.after(super::NOTICE).min(expires);
    db.prepare_cached("INSERT INTO ended (ticket, expires) VALUES (?1, ?2)")?
        .execute(params![id.0, sql(soon)])?;
    Ok(None)
}

pub(in super::super) fn is_one_completed(
    db: &Connection,
    ids: &[CompletionId],
    now: UnixTime,
) -> Result<bool> {
    for id in ids {
        if completion(db, *id, now)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(in super::super) fn sealed_after(
    db: &Connection,
    kind: SealedKind,
    after: &[u8],
    most: usize,
) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let statement = match kind {
        SealedKind::Effect => {
            "SELECT key, result FROM claim WHERE key > ?1 AND result IS NOT NULL ORDER BY key LIMIT ?2"
        }
        SealedKind::Completed => {
            "SELECT id, sealed FROM completion WHERE id > ?1 ORDER BY id LIMIT ?2"
        }
    };
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    db.prepare_cached(statement)?
        .query_map(params![after, most], |found| {
            Ok((found.get(0)?, found.get(1)?))
        })?
        .collect()
}

pub(in super::super) fn reseal(
    db: &Connection,
    kind: SealedKind,
    id: &[u8],
    old: &[u8],
    new: &[u8],
) -> Result<bool> {
    let statement = match kind {
        SealedKind::Effect => "UPDATE claim SET result = ?3 WHERE key = ?1 AND result = ?2",
        SealedKind::Completed => "UPDATE completion SET sealed = ?3 WHERE id = ?1 AND sealed = ?2",
    };
    let resealed = db
        .prepare_cached(statement)?
        .execute(params![id, old, new])?;
    Ok(resealed > 0)
}
