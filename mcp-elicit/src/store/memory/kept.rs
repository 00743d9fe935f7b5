//! What the store in memory holds, and what of it is over.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use crate::store::{
    CompletionId, Owner, Row, RowKey, SWEEP, SealedKind, Ticket, TicketId, TicketStatus,
};
use crate::time::UnixTime;

#[derive(Default)]
pub(super) struct Kept {
    pub(super) rows: BTreeMap<RowKey, Row>,
    pub(super) tickets: HashMap<TicketId, Ticket>,
    pub(super) open: HashMap<Owner, Vec<TicketId>>,
    /// Tickets that were open when they expired, and that nobody has asked for yet.
    pub(super) expired: VecDeque<Ticket>,
    /// Rows that have expired, with the time at which they did, of which nobody was told yet.
    pub(super) expired_rows: VecDeque<(RowKey, UnixTime)>,
    pub(super) claims: HashMap<[u8; 32], Claimed>,
    pub(super) claims_of: HashMap<[u8; 16], usize>,
    pub(super) blobs: HashMap<[u8; 16], (Vec<u8>, UnixTime)>,
    pub(super) completions: HashMap<CompletionId, (Vec<u8>, UnixTime)>,
    /// What ends when, soonest first. It names exactly the entries above that end at all.
    pub(super) ends: BTreeSet<(UnixTime, Name)>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Name {
    Row(RowKey),
    Ticket(TicketId),
    Claim([u8; 32]),
    Blob([u8; 16]),
    Completion(CompletionId),
}

pub(super) struct Claimed {
    pub(super) owner: [u8; 16],
    pub(super) digest: [u8; 16],
    pub(super) holder: [u8; 16],
    pub(super) until: UnixTime,
    pub(super) result: Option<Vec<u8>>,
    pub(super) expires: UnixTime,
}

impl Claimed {
    /// Whether it may be forgotten.
    pub(super) fn is_over(&self, now: UnixTime) -> bool {
        self.expires <= now && (self.result.is_some() || self.until <= now)
    }
}

impl Kept {
    pub(super) fn put_row(&mut self, key: &RowKey, row: Row) {
        let ends = row.expires;
        self.remove_row(key);
        self.rows.insert(key.clone(), row);
        if let Some(at) = ends {
            self.ends.insert((at, Name::Row(key.clone())));
        }
    }

    pub(super) fn remove_row(&mut self, key: &RowKey) -> Option<Row> {
        let row = self.rows.remove(key)?;
        if let Some(at) = row.expires {
            self.ends.remove(&(at, Name::Row(key.clone())));
        }
        Some(row)
    }

    pub(super) fn close(&mut self, owner: &Owner, id: TicketId) {
        if let Some(open) = self.open.get_mut(owner) {
            open.retain(|open| *open != id);
            if open.is_empty() {
                self.open.remove(owner);
            }
        }
    }

    pub(super) fn end(&mut self, owner: &Owner, id: TicketId, status: TicketStatus) {
        if let Some(ticket) = self.tickets.get_mut(&id) {
            ticket.status = status;
        }
        self.close(owner, id);
    }

    /// The open tickets whose pages fill a row.
    pub(super) fn open_of(&self, key: &RowKey) -> Vec<TicketId> {
        let of_row = |id: &&TicketId| {
            self.tickets.get(id).is_some_and(|ticket| {
                ticket.credential == key.credential && ticket.name == key.name
            })
        };
        let ids = self.open.get(&key.owner).into_iter().flatten();
        ids.filter(of_row).copied().collect()
    }

    pub(super) fn remove_claim(&mut self, key: [u8; 32]) {
        if let Some(claimed) = self.claims.remove(&key) {
            self.ends.remove(&(claimed.expires, Name::Claim(key)));
            if let Entry::Occupied(mut count) = self.claims_of.entry(claimed.owner) {
                *count.get_mut() = count.get().saturating_sub(1);
                if *count.get() == 0 {
                    count.remove();
                }
            }
        }
    }

    pub(super) fn count_claims(&self, owner: [u8; 16]) -> usize {
        self.claims_of.get(&owner).copied().unwrap_or_default()
    }

    /// The claim, if `holder` holds it and has recorded no result yet.
    pub(super) fn held(&mut self, key: &[u8; 32], holder: &[u8; 16]) -> Option<&mut Claimed> {
        let claimed = self.claims.get_mut(key)?;
        (claimed.holder == *holder && claimed.result.is_none()).then_some(claimed)
    }

    pub(super) fn completion(&self, id: CompletionId, now: UnixTime) -> Option<&Vec<u8>> {
        let found = self.completions.get(&id);
        found
            .filter(|(_, expires)| *expires > now)
            .map(|(sealed, _)| sealed)
    }

    /// Sealed bytes of a kind, by their ids.
    pub(super) fn sealed(
        &self,
        kind: SealedKind,
    ) -> Box<dyn Iterator<Item = (&[u8], &Vec<u8>)> + '_> {
        match kind {
            SealedKind::Effect => Box::new(
                (self.claims.iter()).filter_map(|(key, it)| Some((&key[..], it.result.as_ref()?))),
            ),
            SealedKind::Completed => {
                Box::new((self.completions.iter()).map(|(id, (sealed, _))| (&id.0[..], sealed)))
            }
        }
    }

    pub(super) fn sealed_mut(&mut self, kind: SealedKind, id: &[u8]) -> Option<&mut Vec<u8>> {
        match kind {
            SealedKind::Effect => (self.claims.get_mut(<&[u8; 32]>::try_from(id).ok()?)?)
                .result
                .as_mut(),
            SealedKind::Completed => {
                let id = CompletionId(id.try_into().ok()?);
                self.completions.get_mut(&id).map(|(sealed, _)| sealed)
            }
        }
    }

    /// Removes a few entries that are over, so that none stays for ever. Tells whether there may
    /// be more of them.
    pub(super) fn sweep(&mut self, now: UnixTime) -> bool {
        for _ in 0..SWEEP {
            if self.ends.first().is_none_or(|(at, _)| *at > now) {
                return false;
            }
            let Some((at, name)) = self.ends.pop_first() else {
                return false;
            };
            match name {
                Name::Row(key) => {
                    if self.rows.remove(&key).is_some() {
                        self.expired_rows.push_back((key, at));
                    }
                }
                Name::Ticket(id) => {
                    if let Some(ticket) = self.tickets.remove(&id) {
                        self.close(&ticket.owner, id);
                        if ticket.status == TicketStatus::Open {
                            self.expired.push_back(ticket);
                        }
                    }
                }
                Name::Claim(key) => match self.claims.get_mut(&key) {
                    // Its holder is alive: look again when the promise ends.
                    Some(claimed) if !claimed.is_over(now) => {
                        claimed.expires = claimed.until;
                        self.ends.insert((claimed.until, Name::Claim(key)));
                    }
                    _ => self.remove_claim(key),
                },
                Name::Blob(id) => {
                    self.blobs.remove(&id);
                }
                Name::Completion(id) => {
                    self.completions.remove(&id);
                }
            }
        }
        true
    }
}
