//! Tickets and the order in which they ended.

use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::rows::put_row;
use super::{sql, time};
use crate::store::{Opened, Owner, Row, RowKey, SWEEP, Ticket, TicketId, TicketStatus};
use crate::time::UnixTime;

const OPEN: i64 = 0;
const DONE: i64 = 1;
const DECLINED: i64 = 2;

pub(in super::super) fn open_ticket(
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

pub(in super::super) fn ticket(
    db: &Connection,
    id: TicketId,
    now: UnixTime,
) -> Result<Option<Ticket>> {
    db.prepare_cached(
        "SELECT tenant, issuer, subject, page, form, credential, name, created, expires, status, id
         FROM ticket WHERE id = ?1 AND expires > ?2",
    )?
    .query_row(params![id.0, sql(now)], read)
    .optional()
}

/// Removes a few open ones that have expired.
pub(in super::super) fn take_expired(db: &Connection, now: UnixTime) -> Result<Vec<Ticket>> {
    db.prepare_cached(
        "DELETE FROM ticket WHERE rowid IN
            (SELECT rowid FROM ticket WHERE expires <= ?1 AND status = 0 LIMIT ?2)
         RETURNING tenant, issuer, subject, page, form, credential, name, created, expires, status, id",
    )?
    .query_map(params![sql(now), SWEEP], read)?
    .collect()
}

/// A row with the columns in the order of the statements above.
fn read(found: &rusqlite::Row<'_>) -> Result<Ticket> {
    Ok(Ticket {
        id: TicketId(found.get(10)?),
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
}

const fn status_to_sql(status: TicketStatus) -> i64 {
    match status {
        TicketStatus::Open => OPEN,
        TicketStatus::Done => DONE,
        TicketStatus::Declined => DECLINED,
    }
}

/// The tickets that are ended by it: none if that one is not open, or has expired.
pub(in super::super) fn finish_ticket(
    db: &Connection,
    id: TicketId,
    row: Option<&(RowKey, Row)>,
    now: UnixTime,
) -> Result<Vec<TicketId>> {
    let status = if row.is_some() { DONE } else { DECLINED };
    let ended = db
        .prepare_cached(
            "UPDATE ticket SET status = ?2 WHERE id = ?1 AND status = 0 AND expires > ?3",
        )?
        .execute(params![id.0, status, sql(now)])?;
    if ended == 0 {
        return Ok(Vec::new());
    }
    let mut all = vec![id];
    if let Some((key, row)) = row {
        put_row(db, key, row)?;
        let others = db
            .prepare_cached(
                "UPDATE ticket SET status = 1
                 WHERE tenant = ?1 AND issuer = ?2 AND subject = ?3 AND credential = ?4 AND name = ?5
                   AND status = 0 AND expires > ?6 RETURNING id",
            )?
            .query_map(
                params![
                    key.owner.tenant,
                    key.owner.issuer,
                    key.owner.subject,
                    key.credential,
                    key.name,
                    sql(now)
                ],
                |found| Ok(TicketId(found.get(0)?)),
            )?
            .collect::<Result<Vec<_>>>()?;
        all.extend(others);
    }
    let mut note = db.prepare_cached(
        "INSERT INTO ended (ticket, expires) SELECT id, expires FROM ticket WHERE id = ?1",
    )?;
    for id in &all {
        note.execute([id.0])?;
    }
    Ok(all)
}

/// Whether one of the tickets is not open.
pub(in super::super) fn is_one_ended(db: &Connection, ids: &[TicketId]) -> Result<bool> {
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
pub(in super::super) fn ended_after(db: &Connection, seen: i64) -> Result<(Vec<TicketId>, i64)> {
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
