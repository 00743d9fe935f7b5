//! Claims and their results.

use rusqlite::{Connection, OptionalExtension as _, Result, named_params, params};

use super::{sql, time};
use crate::store::{Claim, ClaimRequest};
use crate::time::UnixTime;

pub(in super::super) fn claim(
    db: &Connection,
    request: &ClaimRequest,
    now: UnixTime,
) -> Result<Claim> {
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

pub(in super::super) fn renew(
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

pub(in super::super) fn settle(
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

pub(in super::super) fn release(db: &Connection, key: [u8; 32], holder: [u8; 16]) -> Result<()> {
    db.prepare_cached("DELETE FROM claim WHERE key = ?1 AND holder = ?2 AND result IS NULL")?
        .execute(params![key, holder])?;
    Ok(())
}
