//! Lists in pages: `tools/list` and its kin (server/utilities/pagination).
//!
//! The entries are JSON texts made once, so a page is copied together. A cursor is the number of the
//! page's first entry; a client must not read anything into it.

use crate::wire::error::RpcError;

/// How long a client may keep a list, in milliseconds: it changes only with a deploy.
const TTL: u32 = 300_000;

/// One list.
#[derive(Debug)]
pub(crate) struct Listing {
    /// `tools`, `prompts` and so on.
    member: &'static str,
    entries: Vec<String>,
    /// How many entries one page has.
    page: usize,
}

impl Listing {
    pub(crate) fn new(member: &'static str, entries: Vec<String>, page: usize) -> Self {
        Self {
            member,
            entries,
            page: page.max(1),
        }
    }

    /// How many bytes its first page has, about.
    pub(crate) fn room(&self) -> usize {
        let entries = self.entries.iter().take(self.page);
        128 + entries.map(|it| it.len() + 1).sum::<usize>()
    }

    /// Appends the page that begins at `cursor`, after `"resultType":`.
    pub(crate) fn write(&self, cursor: Option<&str>, out: &mut Vec<u8>) -> Result<(), RpcError> {
        let start = match cursor {
            None => 0,
            Some(cursor) => self.start(cursor).ok_or_else(|| {
                RpcError::invalid_params("`cursor` is not one that this server gave out.")
            })?,
        };
        out.extend_from_slice(b"\"complete\",\"");
        out.extend_from_slice(self.member.as_bytes());
        out.extend_from_slice(b"\":[");
        let rest = self.entries.get(start..).unwrap_or_default();
        for (i, entry) in rest.iter().take(self.page).enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(entry.as_bytes());
        }
        out.push(b']');
        if rest.len() > self.page {
            let next = start + self.page;
            out.extend_from_slice(format!(r#","nextCursor":"{next}""#).as_bytes());
        }
        out.extend_from_slice(format!(r#","ttlMs":{TTL},"cacheScope":"public""#).as_bytes());
        Ok(())
    }

    /// Only what [`write`](Self::write) gave out is taken, in the very spelling.
    fn start(&self, cursor: &str) -> Option<usize> {
        let start: usize = cursor.parse().ok()?;
        let known = start > 0 && start < self.entries.len() && start.is_multiple_of(self.page);
        (known && start.to_string() == cursor).then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(entries: usize, cursor: Option<&str>) -> Result<serde_json::Value, RpcError> {
        let entries = (0..entries).map(|i| i.to_string()).collect();
        let mut out = b"{\"resultType\":".to_vec();
        Listing::new("tools", entries, 2).write(cursor, &mut out)?;
        out.push(b'}');
        Ok(serde_json::from_slice(&out).unwrap())
    }

    #[test]
    fn pages_follow_each_other_to_the_end() {
        let first = page(5, None).unwrap();
        assert_eq!(first["tools"], serde_json::json!([0, 1]));
        assert_eq!(first["nextCursor"], "2");
        let last = page(5, Some("4")).unwrap();
        assert_eq!(last["tools"], serde_json::json!([4]));
        assert!(last.get("nextCursor").is_none());
        assert!(page(2, None).unwrap().get("nextCursor").is_none());
        assert_eq!(page(0, None).unwrap()["tools"], serde_json::json!([]));
    }

    #[test]
    fn other_cursors_are_refused() {
        for cursor in [
            "",
            "0",
            "1",
            "3",
            "6",
            "02",
            "+2",
            " 2",
            "-2",
            "x",
            "99999999999999999999999",
        ] {
            assert_eq!(page(5, Some(cursor)).unwrap_err().code, -32602, "{cursor}");
        }
    }
}
