//! The statements. Each function is part of one transaction, or is a single read.

use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, named_params, params};

use super::super::{
    Claim, ClaimRequest, Finished, Opened, Owner, Row, RowKey, SWEEP, TOUCH_EVERY, Ticket,
    TicketId, TicketStatus,
};
use crate::time::UnixTime;

type Result<T> = rusqlite::Result<T>;

const OPEN: i64 = 0;
const DONE: i64 = 1;
const DECLINED: i64 = 2;

/// SQLite's integers end at 2^63 - 1, which is late enough.
fn sql(time: UnixTime) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn time(millis: i64) -> UnixTime {
    UnixTime::from_millis(u64::try_from(millis).unwrap_or_default())
}

pub(super) fn row(db: &Connection, key: &RowKey, now: UnixTime) -> Result<Option<Row>> {
    db.prepare_cached(
        "SELECT version, sealed, stored, used, expires FROM vault_row
         WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3 AND credential = ?4 AND name = ?5
           AND (expires IS NULL OR expires > ?6)",
    )?
    .query_row(
        params![
            key.owner.tenant,
            key.owner.issuer,
            key.owner.subject,
            key.credential,
            key.name,
            sql(now)
        ],
        |found| read_row(found, 0),
    )
    .optional()
}

fn read_row(found: &SqlRow<'_>, first: usize) -> Result<Row> {
    Ok(Row {
        version: found.get(first)?,
        sealed: found.get(first + 1)?,
        stored: time(found.get(first + 2)?),
        used: found.get::<_, Option<i64>>(first + 3)?.map(time),
        expires: found.get::<_, Option<i64>>(first + 4)?.map(time),
    })
}

pub(super) fn rows(db: &Connection, owner: &Owner, now: UnixTime) -> Result<Vec<(RowKey, Row)>> {
    db.prepare_cached(
        "SELECT credential, name, version, sealed, stored, used, expires FROM vault_row
         WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3
           AND (expires IS NULL OR expires > ?4)
         ORDER BY credential, name",
    )?
    .query_map(
        params![owner.tenant, owner.issuer, owner.subject, sql(now)],
        |found| {
            let key = RowKey {
                owner: owner.clone(),
                credential: found.get(0)?,
                name: found.get(1)?,
            };
            Ok((key, read_row(found, 2)?))
        },
    )?
    .collect()
}

pub(super) fn put_row(db: &Connection, key: &RowKey, row: &Row) -> Result<()> {
    db.prepare_cached(
        "INSERT OR REPLACE INTO vault_row
         (tenant, issuer, subject, credential, name, version, sealed, stored, used, expires)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        key.owner.tenant,
        key.owner.issuer,
        key.owner.subject,
        key.credential,
        key.name,
        row.version,
        row.sealed,
        sql(row.stored),
        row.used.map(sql),
        row.expires.map(sql),
    ])?;
    Ok(())
}

/// Whether a use at `now` is worth a write.
pub(super) fn is_touch_due(
    db: &Connection,
    key: &RowKey,
    version: [u8; 16],
    now: UnixTime,
) -> Result<bool> {
    Ok(row(db, key, now)?.is_some_and(|row| {
        row.version == version && row.used.is_none_or(|used| now >= used.after(TOUCH_EVERY))
    }))
}

pub(super) fn touch_row(
    db: &Connection,
    key: &RowKey,
    version: [u8; 16],
    now: UnixTime,
) -> Result<()> {
    db.prepare_cached(
        "UPDATE vault_row SET used = max(?7, coalesce(used, 0))
         WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3 AND credential = ?4 AND name = ?5
           AND version = ?6",
    )?
    .execute(params![
        key.owner.tenant,
        key.owner.issuer,
        key.owner.subject,
        key.credential,
        key.name,
        version,
        sql(now)
    ])?;
    Ok(())
}

pub(super) fn remove_row(db: &Connection, key: &RowKey, version: Option<[u8; 16]>) -> Result<bool> {
    let removed = db
        .prepare_cached(
            "DELETE FROM vault_row
             WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3 AND credential = ?4 AND name = ?5
               AND (?6 IS NULL OR version = ?6)",
        )?
        .execute(params![
            key.owner.tenant,
            key.owner.issuer,
            key.owner.subject,
            key.credential,
            key.name,
            version
        ])?;
    Ok(removed > 0)
}

pub(super) fn open_ticket(
    db: &Connection,
    ticket: &Ticket,
    most: usize,
    now: UnixTime,
) -> Result<Opened> {
    let owner = &ticket.owner;
    let open: i64 = db
        .prepare_cached(
            "SELECT count(*) FROM ticket
             WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3 AND status = 0 AND expires > ?4",
        )?
        .query_row(
            params![owner.tenant, owner.issuer, owner.subject, sql(now)],
            |found| found.get(0),
        )?;
    if usize::try_from(open).is_ok_and(|open| open >= most) {
        return Ok(Opened::TooMany);
    }
    db.prepare_cached(
        "INSERT INTO ticket
         (id, tenant, issuer, subject, page, form, credential, name, created, expires, status)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?
    .execute(params![
        ticket.id.0,
        owner.tenant,
        owner.issuer,
        owner.subject,
        ticket.page,
        ticket.form,
        ticket.credential,
        ticket.name,
        sql(ticket.created),
        sql(ticket.expires),
        status_to_sql(ticket.status),
    ])?;
    Ok(Opened::Yes)
}

pub(super) fn ticket(db: &Connection, id: TicketId, now: UnixTime) -> Result<Option<Ticket>> {
    db.prepare_cached(
        "SELECT tenant, issuer, subject, page, form, credential, name, created, expires, status
         FROM ticket WHERE id = ?1 AND expires > ?2",
    )?
    .query_row(params![id.0, sql(now)], |found| {
        Ok(Ticket {
            id,
            owner: Owner {
                tenant: found.get(0)?,
                issuer: found.get(1)?,
                subject: found.get(2)?,
            },
            page: found.get(3)?,
            form: found.get(4)?,
            credential: found.get(5)?,
            name: found.get(6)?,
            created: time(found.get(7)?),
            expires: time(found.get(8)?),
            status: match found.get(9)? {
                OPEN => TicketStatus::Open,
                DONE => TicketStatus::Done,
                _ => TicketStatus::Declined,
            },
        })
    })
    .optional()
}

const fn status_to_sql(status: TicketStatus) -> i64 {
    match status {
        TicketStatus::Open => OPEN,
        TicketStatus::Done => DONE,
        TicketStatus::Declined => DECLINED,
    }
}

pub(super) fn finish_ticket(
    db: &Connection,
    id: TicketId,
    row: Option<&(RowKey, Row)>,
    now: UnixTime,
) -> Result<Finished> {
    let status = if row.is_some() { DONE } else { DECLINED };
    let ended = db
        .prepare_cached(
            "UPDATE ticket SET status = ?2 WHERE id = ?1 AND status = 0 AND expires > ?3",
        )?
        .execute(params![id.0, status, sql(now)])?;
    if ended == 0 {
        return Ok(Finished::No);
    }
    db.prepare_cached(
        "INSERT INTO ended (ticket, expires) SELECT id, expires FROM ticket WHERE id = ?1",
    )?
    .execute([id.0])?;
    if let Some((key, row)) = row {
        put_row(db, key, row)?;
    }
    Ok(Finished::Yes)
}

/// Whether one of the tickets is not open.
pub(super) fn is_one_ended(db: &Connection, ids: &[TicketId]) -> Result<bool> {
    let mut find = db.prepare_cached("SELECT status FROM ticket WHERE id = ?1")?;
    for id in ids {
        let status: Option<i64> = find.query_row([id.0], |found| found.get(0)).optional()?;
        if status != Some(OPEN) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The tickets that ended behind the `seen`th end, and the number of the last one.
pub(super) fn ended_after(db: &Connection, seen: i64) -> Result<(Vec<TicketId>, i64)> {
    let mut last = seen;
    let ids = db
        .prepare_cached("SELECT number, ticket FROM ended WHERE number > ?1 ORDER BY number")?
        .query_map([seen], |found| {
            last = found.get(0)?;
            Ok(TicketId(found.get(1)?))
        })?
        .collect::<Result<Vec<_>>>()?;
    Ok((ids, last))
}

pub(super) fn claim(db: &Connection, request: &ClaimRequest, now: UnixTime) -> Result<Claim> {
    struct Found {
        digest: [u8; 16],
        until: UnixTime,
        expires: UnixTime,
        result: Option<Vec<u8>>,
    }
    let found = db
        .prepare_cached("SELECT digest, until, expires, result FROM claim WHERE key = ?1")?
        .query_row([request.key], |found| {
            Ok(Found {
                digest: found.get(0)?,
                until: time(found.get(1)?),
                expires: time(found.get(2)?),
                result: found.get(3)?,
            })
        })
        .optional()?;
    let until = now.after(request.lease);
    if let Some(found) = found {
        let is_over = found.expires <= now && (found.result.is_some() || found.until <= now);
        if !is_over {
            if found.digest != request.digest {
                return Ok(Claim::Other);
            }
            if let Some(result) = found.result {
                return Ok(Claim::Done(result));
            }
            if found.until > now {
                return Ok(Claim::Running { until: found.until });
            }
            if !request.take_lost {
                return Ok(Claim::Lost);
            }
            db.prepare_cached("UPDATE claim SET holder = ?2, until = ?3 WHERE key = ?1")?
                .execute(params![request.key, request.holder, sql(until)])?;
            return Ok(Claim::Won);
        }
        db.prepare_cached("DELETE FROM claim WHERE key = ?1")?
            .execute([request.key])?;
    }
    let count: i64 = db
        .prepare_cached(
            "SELECT count(*) FROM claim
             WHERE owner = ?1 AND NOT (expires <= ?2 AND (until <= ?2 OR result IS NOT NULL))",
        )?
        .query_row(params![request.owner, sql(now)], |found| found.get(0))?;
    if usize::try_from(count).is_ok_and(|count| count >= request.most) {
        return Ok(Claim::TooMany);
    }
    db.prepare_cached(
        "INSERT INTO claim (key, owner, digest, holder, until, expires)
         VALUES (:key, :owner, :digest, :holder, :until, :expires)",
    )?
    .execute(named_params! {
        ":key": request.key,
        ":owner": request.owner,
        ":digest": request.digest,
        ":holder": request.holder,
        ":until": sql(until),
        ":expires": sql(request.expires),
    })?;
    Ok(Claim::Won)
}

pub(super) fn renew(
    db: &Connection,
    key: [u8; 32],
    holder: [u8; 16],
    until: UnixTime,
) -> Result<bool> {
    let renewed = db
        .prepare_cached(
            "UPDATE claim SET until = ?3 WHERE key = ?1 AND holder = ?2 AND result IS NULL",
        )?
        .execute(params![key, holder, sql(until)])?;
    Ok(renewed > 0)
}

pub(super) fn settle(
    db: &Connection,
    key: [u8; 32],
    holder: [u8; 16],
    result: &[u8],
) -> Result<bool> {
    let settled = db
        .prepare_cached(
            "UPDATE claim SET result = ?3 WHERE key = ?1 AND holder = ?2 AND result IS NULL",
        )?
        .execute(params![key, holder, result])?;
    Ok(settled > 0)
}

pub(super) fn release(db: &Connection, key: [u8; 32], holder: [u8; 16]) -> Result<()> {
    db.prepare_cached("DELETE FROM claim WHERE key = ?1 AND holder = ?2 AND result IS NULL")?
        .execute(params![key, holder])?;
    Ok(())
}

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
        "DELETE FROM vault_row WHERE rowid IN
            (SELECT rowid FROM vault_row WHERE expires <= ?1 LIMIT ?2)",
        "DELETE FROM ticket WHERE rowid IN
            (SELECT rowid FROM ticket WHERE expires <= ?1 LIMIT ?2)",
        "DELETE FROM ended WHERE number IN
            (SELECT number FROM ended WHERE expires <= ?1 LIMIT ?2)",
        "DELETE FROM claim WHERE rowid IN
            (SELECT rowid FROM claim
             WHERE expires <= ?1 AND (until <= ?1 OR result IS NOT NULL) LIMIT ?2)",
        "DELETE FROM blob WHERE rowid IN
            (SELECT rowid FROM blob WHERE expires <= ?1 LIMIT ?2)",
    ] {
        db.prepare_cached(statement)?
            .execute(params![sql(now), SWEEP])?;
    }
    Ok(())
}
