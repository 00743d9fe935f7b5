//! Vault rows.

use rusqlite::{Connection, OptionalExtension as _, Result, Row as SqlRow, params};

use super::{sql, time};
use crate::store::{Owner, Row, RowKey, SWEEP, TOUCH_EVERY};
use crate::time::UnixTime;

pub(in super::super) fn row(db: &Connection, key: &RowKey, now: UnixTime) -> Result<Option<Row>> {
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

/// Removes a few that have expired.
pub(in super::super) fn take_expired_rows(
    db: &Connection,
    now: UnixTime,
) -> Result<Vec<(RowKey, UnixTime)>> {
    db.prepare_cached(
        "DELETE FROM vault_row WHERE rowid IN
            (SELECT rowid FROM vault_row WHERE expires <= ?1 LIMIT ?2)
         RETURNING tenant, issuer, subject, credential, name, expires",
    )?
    .query_map(params![sql(now), SWEEP], |found| {
        let key = RowKey {
            owner: Owner {
                tenant: found.get(0)?,
                issuer: found.get(1)?,
                subject: found.get(2)?,
            },
            credential: found.get(3)?,
            name: found.get(4)?,
        };
        Ok((key, time(found.get(5)?)))
    })?
    .collect()
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

pub(in super::super) fn rows(
    db: &Connection,
    owner: &Owner,
    now: UnixTime,
) -> Result<Vec<(RowKey, Row)>> {
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

pub(in super::super) fn rows_after(
    db: &Connection,
    after: &RowKey,
    most: usize,
    now: UnixTime,
) -> Result<Vec<(RowKey, Row)>> {
    db.prepare_cached(
        "SELECT tenant, issuer, subject, credential, name, version, sealed, stored, used, expires
         FROM vault_row
         WHERE (tenant, issuer, subject, credential, name) > (?1, ?2, ?3, ?4, ?5)
           AND (expires IS NULL OR expires > ?6)
         ORDER BY tenant, issuer, subject, credential, name LIMIT ?7",
    )?
    .query_map(
        params![
            after.owner.tenant,
            after.owner.issuer,
            after.owner.subject,
            after.credential,
            after.name,
            sql(now),
            i64::try_from(most).unwrap_or(i64::MAX),
        ],
        |found| {
            let key = RowKey {
                owner: Owner {
                    tenant: found.get(0)?,
                    issuer: found.get(1)?,
                    subject: found.get(2)?,
                },
                credential: found.get(3)?,
                name: found.get(4)?,
            };
            Ok((key, read_row(found, 5)?))
        },
    )?
    .collect()
}

pub(in super::super) fn put_row(db: &Connection, key: &RowKey, row: &Row) -> Result<()> {
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
pub(in super::super) fn is_touch_due(
    db: &Connection,
    key: &RowKey,
    version: [u8; 16],
    now: UnixTime,
) -> Result<bool> {
    Ok(row(db, key, now)?.is_some_and(|row| {
        row.version == version && row.used.is_none_or(|used| now >= used.after(TOUCH_EVERY))
    }))
}

pub(in super::super) fn touch_row(
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

pub(in super::super) fn reseal_row(
    db: &Connection,
    key: &RowKey,
    version: [u8; 16],
    sealed: &[u8],
) -> Result<bool> {
    let resealed = db
        .prepare_cached(
            "UPDATE vault_row SET sealed = ?7
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
            sealed
        ])?;
    Ok(resealed > 0)
}

pub(in super::super) fn remove_row(
    db: &Connection,
    key: &RowKey,
    version: Option<[u8; 16]>,
) -> Result<bool> {
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
