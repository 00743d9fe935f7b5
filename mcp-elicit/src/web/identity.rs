//! Who sits at the browser. The author's [`BrowserIdentity`] says so; this module makes it usable
//! behind a pointer. It knows nothing of tickets and pages.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use http::request::Parts;

use crate::auth::Principal;
use crate::web::DevSignIn;

/// Finds out who has opened a page, from a session that the browser already has.
///
/// A page is shown to the very principal whose tool call asked for it, and to nobody else (the
/// specification's "Phishing" section), so issuer, subject and tenant must be those that the
/// server's authenticator gives for the same person. Take them from your own verified session,
/// never from something that the request merely claims.
///
/// ```
/// use http::request::Parts;
/// use mcp_elicit::auth::Principal;
/// use mcp_elicit::web::{BrowserIdentity, IdentityError};
///
/// struct Portal;
///
/// impl BrowserIdentity for Portal {
///     async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
///         let Some(session) = parts.extensions.get::<PortalSession>() else {
///             return Ok(None);
///         };
///         Ok(Some(Principal::new("https://portal.example.com", &session.subject)))
///     }
///
///     fn sign_in_redirect(&self, back_to: &str) -> String {
///         format!("/login?return={back_to}")
///     }
/// }
///
/// # #[derive(Clone)]
/// struct PortalSession { subject: String }
/// ```
pub trait BrowserIdentity: Send + Sync + 'static {
    /// Who has sent this request; `None` if nobody is signed in.
    fn identify(
        &self,
        parts: &Parts,
    ) -> impl Future<Output = Result<Option<Principal>, IdentityError>> + Send;

    /// Where somebody can sign in. `back_to` is the path to come back to, made of letters,
    /// digits, `/`, `_`, `-` and `.` only. The answer is a URL, a path that begins with `/`, or
    /// else a path below the pages' own prefix.
    fn sign_in_redirect(&self, back_to: &str) -> String;

    /// Something that differs between any two sessions, such as the session's id. The token in
    /// each form is bound to it, beside the principal.
    fn session(&self, parts: &Parts) -> Option<String> {
        let _ = parts;
        None
    }
}

/// Why it could not be found out who sits at the browser, such as a session store that does not
/// answer. Every error converts into it by `?`. The browser is told to try again later; the text
/// goes to the log.
pub struct IdentityError(Box<dyn std::error::Error + Send + Sync>);

impl<E> From<E> for IdentityError
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Debug for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdentityError").field(&self.0).finish()
    }
}

impl fmt::Display for IdentityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the browser could not be identified: {}", self.0)
    }
}

/// Who was found at the browser.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) principal: Principal,
    /// What tells this session from others of the same principal; may be empty.
    pub(super) session: String,
}

type Identified<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Principal>, IdentityError>> + Send + 'a>>;

/// [`BrowserIdentity`] behind a pointer.
trait Erased: Send + Sync {
    fn identify<'a>(&'a self, parts: &'a Parts) -> Identified<'a>;
    fn sign_in_redirect(&self, back_to: &str) -> String;
    fn session(&self, parts: &Parts) -> Option<String>;
}

impl<I: BrowserIdentity> Erased for I {
    fn identify<'a>(&'a self, parts: &'a Parts) -> Identified<'a> {
        Box::pin(BrowserIdentity::identify(self, parts))
    }

    fn sign_in_redirect(&self, back_to: &str) -> String {
        BrowserIdentity::sign_in_redirect(self, back_to)
    }

    fn session(&self, parts: &Parts) -> Option<String> {
        BrowserIdentity::session(self, parts)
    }
}

/// The identity that a server was given.
#[derive(Clone)]
pub(crate) struct Identity {
    by: Arc<dyn Erased>,
    /// Whether our own sign-in page belongs to it.
    by_name: bool,
    /// Whether links take the place of a sign-in.
    by_link: bool,
}

impl Identity {
    pub(crate) fn new(identity: impl BrowserIdentity) -> Self {
        let by_name = (&identity as &dyn std::any::Any).is::<DevSignIn>();
        Self {
            by: Arc::new(identity),
            by_name,
            by_link: false,
        }
    }

    /// One whose links take the place of a sign-in.
    pub(super) fn by_link(identity: impl BrowserIdentity) -> Self {
        Self {
            by_link: true,
            ..Self::new(identity)
        }
    }

    /// Whether people sign in by their name alone, on our own page.
    pub(crate) fn is_by_name(&self) -> bool {
        self.by_name
    }

    pub(super) fn is_by_link(&self) -> bool {
        self.by_link
    }

    pub(super) async fn visitor(&self, parts: &Parts) -> Result<Option<Visitor>, IdentityError> {
        let Some(principal) = self.by.identify(parts).await? else {
            return Ok(None);
        };
        // Nobody in particular owns no ticket and no row, so nobody has nothing to see here.
        Ok((!principal.is_anonymous()).then(|| Visitor {
            session: self.by.session(parts).unwrap_or_default(),
            principal,
        }))
    }

    pub(super) fn sign_in_redirect(&self, back_to: &str) -> String {
        self.by.sign_in_redirect(back_to)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("by_name", &self.by_name)
            .finish_non_exhaustive()
    }
}
