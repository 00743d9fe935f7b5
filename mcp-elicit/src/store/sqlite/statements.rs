//! The statements. Each function is part of one transaction, or is a single read.

mod claims;
mod completions;
mod rows;
mod tickets;

use rusqlite::{Connection, OptionalExtension as _, Result, params};

pub(super) use self::claims::{claim, release, renew, settle};
pub(super) use self::completions::{complete, completion, is_one_completed, reseal, sealed_after};
pub(super) use self::rows::{
    is_touch_due, put_row, remove_row, reseal_row, row, rows, rows_after, take_expired_rows,
    touch_row,
};
pub(super) use self::tickets::{
    ended_after, finish_ticket, is_one_ended, open_ticket, take_expired, ticket,
};
use std::time::Duration;

use crate::store::SWEEP;
use crate::time::UnixTime;

/// How long other processes have to notice a completion.
const NOTICE: Duration = Duration::from_secs(3600);

pub(super) fn put_blob(
    db: &Connection,
    id: [u8; 16],
    bytes: &[u8],
    expires: UnixTime,
) -> Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO blob (id, bytes, expires) VALUES (?1, ?2, ?3)")?
        .execute(params![id, bytes, sql(expires)])?;
    Ok(())
}

pub(super) fn blob(db: &Connection, id: [u8; 16], now: UnixTime) -> Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT bytes FROM blob WHERE id = ?1 AND expires > ?2")?
        .query_row(params![id, sql(now)], |found| found.get(0))
        .optional()
}

/// Removes a few entries of each kind that are over, so that none stays for ever and no write
/// takes long.
pub(super) fn sweep(db: &Connection, now: UnixTime) -> Result<()> {
    for statement in [
        "DELETE FROM ticket WHERE rowid IN
            (SELECT rowid FROM ticket WHERE expires <= ?1 AND status != 0 LIMIT ?2)",
        "DELETE FROM ended WHERE number IN
            (SELECT number FROM ended WHERE expires <= ?1 LIMIT ?2)",
        "DELETE FROM claim WHERE rowid IN
            (SELECT rowid FROM claim
             WHERE expires <= ?1 AND (until <= ?1 OR result IS NOT NULL) LIMIT ?2)",
        "DELETE FROM blob WHERE rowid IN
            (SELECT rowid FROM blob WHERE expires <= ?1 LIMIT ?2)",
        "DELETE FROM completion WHERE rowid IN
            (SELECT rowid FROM completion WHERE expires <= ?1 LIMIT ?2)",
    ] {
        db.prepare_cached(statement)?
            .execute(params![sql(now), SWEEP])?;
    }
    Ok(())
}

/// SQLite's integers end at 2^63 - 1, which is late enough.
fn sql(time: UnixTime) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn time(millis: i64) -> UnixTime {
    UnixTime::from_millis(u64::try_from(millis).unwrap_or_default())
}
