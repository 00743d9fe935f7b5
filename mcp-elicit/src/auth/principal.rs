//! Who makes a request, as an [`Authenticator`](super::Authenticator) found out. It uses nothing
//! else of the crate.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The verified identity behind a request: an issuer, a subject at that issuer, and perhaps a
/// tenant and a value of the author's own.
///
/// Two principals are the same person exactly when tenant, issuer and subject are equal, compared
/// byte for byte. Display names and addresses are never compared.
///
/// ```
/// # use mcp_elicit::auth::Principal;
/// let ada = Principal::new("https://login.example.com", "ada").tenant("acme").with(42_u32);
/// assert_eq!(ada.subject(), "ada");
/// assert_eq!(ada.get::<u32>(), Some(&42));
/// ```
#[derive(Clone)]
pub struct Principal(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    /// A digest of the identity, made by whoever needs it first.
    digest: OnceLock<[u8; 16]>,
    tenant: Box<str>,
    issuer: Box<str>,
    subject: Box<str>,
    anonymous: bool,
    user: Option<Arc<dyn Any + Send + Sync>>,
}

impl Principal {
    /// The subject `sub` as known to the issuer `iss`, e.g. the `iss` and `sub` of a verified
    /// access token. Never build one of anything that the client merely says about itself.
    #[must_use]
    pub fn new(iss: impl Into<String>, sub: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            digest: OnceLock::new(),
            tenant: Box::default(),
            issuer: iss.into().into(),
            subject: sub.into().into(),
            anonymous: false,
            user: None,
        }))
    }

    /// Nobody in particular. It owns no vault row and no ticket.
    pub(crate) fn anonymous() -> Self {
        Self(Arc::new(Inner {
            digest: OnceLock::new(),
            tenant: Box::default(),
            issuer: "anonymous".into(),
            subject: Box::default(),
            anonymous: true,
            user: None,
        }))
    }

    /// The tenant the principal acts in. The same subject in two tenants has two vaults.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.edit().tenant = tenant.into().into();
        self
    }

    /// A value of your own that travels with the principal for this request, such as the row of
    /// your user table. [`get`](Self::get) reads it back.
    #[must_use]
    pub fn with<U: Any + Send + Sync>(mut self, user: U) -> Self {
        self.edit().user = Some(Arc::new(user));
        self
    }

    /// The value given to [`with`](Self::with), if it is a `U`.
    #[must_use]
    pub fn get<U: Any>(&self) -> Option<&U> {
        self.0.user.as_deref().and_then(|u| u.downcast_ref())
    }

    /// Who vouches for the subject.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// The subject's name at its issuer.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.0.subject
    }

    /// The tenant; empty if there is none.
    #[must_use]
    pub fn tenant_name(&self) -> &str {
        &self.0.tenant
    }

    /// Whether nobody was identified.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.0.anonymous
    }

    /// Whether both are the same person in the same tenant.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.anonymous == other.0.anonymous
            && self.0.tenant == other.0.tenant
            && self.0.issuer == other.0.issuer
            && self.0.subject == other.0.subject
    }

    /// The digest that `make` makes of this identity, made once.
    pub(crate) fn digest(&self, make: impl FnOnce(&Self) -> [u8; 16]) -> [u8; 16] {
        *self.0.digest.get_or_init(|| make(self))
    }

    fn edit(&mut self) -> &mut Inner {
        let inner = Arc::make_mut(&mut self.0);
        inner.digest = OnceLock::new();
        inner
    }
}

impl fmt::Debug for Principal {
    /// Shows the issuer alone: a subject is personal data and does not belong in a log by accident.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("issuer", &self.issuer())
            .finish_non_exhaustive()
    }
}
