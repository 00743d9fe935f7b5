//! Lists in pages: `tools/list` and its kin (server/utilities/pagination).
//!
//! The entries are JSON texts made once, so a page is copied together. A cursor holds the place of the
//! entry before it. Places only grow and none is given out twice, so a list may change between two
//! pages: nothing that stays is missed or comes twice.

use std::sync::Arc;

use super::registry::Registered;
use crate::auth::Principal;
use crate::seal::Keys;
use crate::wire::error::RpcError;

/// One list.
#[derive(Debug)]
pub(crate) struct Listing {
    /// `tools`, `prompts` and so on.
    member: &'static str,
    entries: Vec<Arc<Registered>>,
    /// How many entries one page has.
    page: usize,
    /// `,"ttlMs":..,"cacheScope":".."`: private as soon as not everybody sees every entry, on all pages
    /// and for all (server/utilities/caching).
    caching: String,
    /// How many bytes its first page has, about.
    room: usize,
}

impl Listing {
    pub(crate) fn new(
        member: &'static str,
        entries: Vec<Arc<Registered>>,
        page: usize,
        ttl: u64,
    ) -> Self {
        let page = page.max(1);
        let is_limited = entries.iter().any(|it| it.visible().is_limited());
        let scope = if is_limited { "private" } else { "public" };
        let sizes = entries.iter().take(page).map(|it| it.entry.len() + 1);
        Self {
            member,
            page,
            caching: format!(r#","ttlMs":{ttl},"cacheScope":"{scope}""#),
            room: 128 + sizes.sum::<usize>(),
            entries,
        }
    }

    /// How many bytes its first page has, about.
    pub(crate) fn room(&self) -> usize {
        self.room
    }

    /// Appends the page that goes on at `cursor`, of what `principal` sees, after `"resultType":`.
    pub(crate) fn write(
        &self,
        cursor: Option<&str>,
        principal: &Principal,
        keys: &Keys,
        out: &mut Vec<u8>,
    ) -> Result<(), RpcError> {
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let after = keys.open_cursor(self.member, cursor).ok_or_else(|| {
                    RpcError::invalid_params("`cursor` is not one that this server gave out.")
                })?;
                self.entries.partition_point(|it| it.place <= after)
            }
        };
        out.extend_from_slice(b"\"complete\",\"");
        out.extend_from_slice(self.member.as_bytes());
        out.extend_from_slice(b"\":[");
        let rest = self.entries.get(start..).unwrap_or_default();
        let mut seen = rest.iter().filter(|it| it.visible().to(principal));
        let mut last = 0;
        for (i, registered) in seen.by_ref().take(self.page).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(registered.entry.as_bytes());
            last = registered.place;
        }
        out.push(b']');
        if seen.next().is_some() {
            out.extend_from_slice(b",\"nextCursor\":\"");
            out.extend_from_slice(keys.cursor(self.member, last).as_bytes());
            out.push(b'"');
        }
        out.extend_from_slice(self.caching.as_bytes());
        Ok(())
    }
}
