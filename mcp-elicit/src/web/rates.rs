//! How often pages may be asked for: by one person, from one address, and how often somebody may sign in.
//! It uses `rate` and, for the address, `auth::peer`.

use std::net::IpAddr;
use std::time::Duration;

use http::request::Parts;

use crate::auth::peer::{Proxies, household};
use crate::limits::Limits;
use crate::rate::Rate;
use crate::time::UnixTime;

use super::identity::Visitor;

/// The limits of one server's pages.
#[derive(Debug)]
pub(crate) struct Rates {
    pub(crate) proxies: Proxies,
    person: Rate,
    address: Rate,
    sign_in: Rate,
}

impl Rates {
    pub(crate) fn new(limits: &Limits, proxies: Proxies) -> Self {
        Self {
            proxies,
            person: Rate::per_minute(limits.page_rate),
            address: Rate::per_minute(limits.address_rate),
            sign_in: Rate::per_minute(limits.sign_in_rate),
        }
    }

    /// Counts a request of whomever, or says how long to wait. An address that is not known is not
    /// limited: all people behind one proxy would share it.
    pub(super) fn address(&self, parts: &Parts, now: UnixTime) -> Result<(), Duration> {
        match self.proxies.origin(parts) {
            Some(from) => self.address.count(household(from), now),
            None => Ok(()),
        }
    }

    /// Counts a request of somebody who is signed in.
    pub(super) fn person(&self, visitor: &Visitor, now: UnixTime) -> Result<(), Duration> {
        let who = &visitor.principal;
        let who = (who.tenant_name(), who.issuer(), who.subject());
        self.person.count(who, now)
    }

    /// Counts a sign-in. This machine counts as one address.
    pub(super) fn sign_in(&self, parts: &Parts, now: UnixTime) -> Result<(), Duration> {
        let from: Option<IpAddr> = self.proxies.origin(parts);
        self.sign_in.count(from.map(household), now)
    }
}
