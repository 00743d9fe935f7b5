//! Who did what with which credential, as records for the author to keep: what
//! [`Server::audit`](crate::Server::audit) is given.
//!
//! A record names people, which no log and no metric does: that is what it is for. It never holds a
//! secret, an answer or a whole link.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::auth::Principal;
use crate::store::Owner;
use crate::time::UnixTime;

/// Something that was done with a credential, a page or the state of a run, and by whom.
///
/// Serialised, it is a flat object of texts and numbers, made to be one line of an audit log:
///
/// ```
/// # use mcp_elicit::{AuditEvent, Server};
/// let (lines, mut written) = tokio::sync::mpsc::channel(1024);
/// let server = Server::new("billing", "1.0.0").audit(move |event: &AuditEvent| {
///     // It must not wait: where nobody writes fast enough, count what is lost.
///     let _ = lines.try_send(mcp_elicit::serde_json::to_string(event));
/// });
/// # let _ = (server, written.try_recv());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditEvent {
    /// When it happened; serialised in milliseconds since the Unix epoch.
    #[serde(serialize_with = "millis")]
    pub time: UnixTime,
    /// What was done.
    pub kind: AuditKind,
    /// Who did it: whoever made the tool call, or is at the browser.
    pub principal: AuditIdentity,
    /// Whose page it is; another than [`principal`](Self::principal) where that is what was wrong.
    pub owner: AuditIdentity,
    /// The kind of credential, such as `billing_key`; empty for a state that was refused.
    pub credential: String,
    /// Which one of several of its kind, as in [`Ask::named`](crate::Ask::named); empty for the only
    /// one.
    pub name: String,
    /// The tool it was for, or the prompt or resource, by its name or URI; empty where somebody came without being asked, to replace or remove a
    /// credential.
    pub tool: String,
    /// The page, by the last part of its path; empty where there was none.
    pub page: String,
    /// The first characters of the page's ticket, which tell what belongs together; empty where
    /// there was none. They open nothing.
    pub ticket: String,
    /// Why, where [`kind`](Self::kind) leaves that open: the reason of a refused state; `rejected` or
    /// `forgotten` where a handler removed a credential; `kept` where it expired.
    pub reason: &'static str,
}

/// What an [`AuditEvent`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditKind {
    /// A page was opened for somebody: a client was given its link, or its owner went to its plain
    /// address.
    Asked,
    /// Its owner was shown it.
    Opened,
    /// Somebody else came with its link and was refused.
    IdentityMismatch,
    /// Its owner typed a credential, which is stored now, in place of one that may have been there.
    Stored,
    /// Its owner declined, there or in the client.
    Declined,
    /// Nobody finished it in time; or, with the [`reason`](AuditEvent::reason) `kept` and without a page, the time
    /// for which a credential was kept has ended. Noticed when somebody is asked the next time, so
    /// [`time`](AuditEvent::time) is when it expired.
    Expired,
    /// A stored credential was opened and given to a tool. A run of several rounds opens it in each.
    Used,
    /// A stored credential was removed.
    Removed,
    /// A `requestState` was not taken; [`reason`](AuditEvent::reason) is what the client is not told.
    StateRefused,
}

/// A principal in an [`AuditEvent`]: the three texts that tell who it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct AuditIdentity {
    /// The tenant; empty if there is none.
    pub tenant: String,
    /// Who vouches for the subject.
    pub issuer: String,
    /// The subject's name at its issuer.
    pub subject: String,
}

impl From<&Principal> for AuditIdentity {
    fn from(principal: &Principal) -> Self {
        Self {
            tenant: principal.tenant_name().to_owned(),
            issuer: principal.issuer().to_owned(),
            subject: principal.subject().to_owned(),
        }
    }
}

impl From<&Owner> for AuditIdentity {
    fn from(owner: &Owner) -> Self {
        Self {
            tenant: owner.tenant.clone(),
            issuer: owner.issuer.clone(),
            subject: owner.subject.clone(),
        }
    }
}

fn millis<S: Serializer>(time: &UnixTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(time.as_millis())
}

impl AuditEvent {
    /// Something that `who` did, which the caller fills in.
    pub(crate) fn new(time: UnixTime, kind: AuditKind, who: AuditIdentity) -> Self {
        Self {
            time,
            kind,
            owner: who.clone(),
            principal: who,
            credential: String::new(),
            name: String::new(),
            tool: String::new(),
            page: String::new(),
            ticket: String::new(),
            reason: "",
        }
    }
}

type Sink = dyn Fn(&AuditEvent) + Send + Sync;

/// Where the records go, if anywhere.
#[derive(Clone, Default)]
pub(crate) struct Audit(Option<Arc<Sink>>);

impl Audit {
    pub(crate) fn new(sink: impl Fn(&AuditEvent) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Hands on a record, which is made only if somebody takes it. What was done is done: that the
    /// author's code panics over it changes nothing.
    pub(crate) fn tell(&self, event: impl FnOnce() -> AuditEvent) {
        let Some(sink) = &self.0 else { return };
        let event = event();
        if catch_unwind(AssertUnwindSafe(|| sink(&event))).is_err() {
            tracing::error!(kind = ?event.kind, "the function given to `Server::audit` panicked; the record is lost");
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Audit").field(&self.0.is_some()).finish()
    }
}
