//! How a request's identity is found out.

use std::any::Any;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::Poll;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;

use super::local::is_local;
use super::os::{self, OsUser};
use super::{DEV_ISSUER, Principal};

/// Finds out who makes a request, from its headers and extensions.
///
/// ```
/// use mcp_elicit::auth::{AuthError, Authenticator, Principal};
/// use mcp_elicit::http::request::Parts;
///
/// struct ApiKeys;
///
/// impl Authenticator for ApiKeys {
///     async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
///         let key = parts.headers.get("x-api-key").ok_or(AuthError::Missing)?;
///         if key != "example" {
///             return Err(AuthError::Invalid);
///         }
///         Ok(Principal::new("https://example.com", "ada"))
///     }
/// }
/// ```
pub trait Authenticator: Send + Sync + 'static {
    /// The verified principal of the request. The body is not read before this has succeeded.
    ///
    /// # Errors
    /// See [`AuthError`].
    fn authenticate(
        &self,
        parts: &Parts,
    ) -> impl Future<Output = Result<Principal, AuthError>> + Send;
}

/// Why a request has no principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthError {
    /// It brought no credentials: 401.
    Missing,
    /// It brought credentials that are not good, or not any more: 401.
    Invalid,
    /// They could not be checked: 503. So is a request whose check panics.
    Unavailable,
}

impl fmt::Display for AuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "Credentials are required.",
            Self::Invalid => "The credentials are not valid.",
            Self::Unavailable => "The credentials could not be checked; try again.",
        })
    }
}

impl std::error::Error for AuthError {}

/// For development: the bearer token is the user's name, and no token means the user `dev`.
///
/// It works only where the request's Host is a loopback name and nothing has forwarded the
/// request; elsewhere every request is refused, so that it cannot be left on by accident.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to set")]
pub struct DevUsers;

impl Authenticator for DevUsers {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        dev_user(parts)
    }
}

fn dev_user(parts: &Parts) -> Result<Principal, AuthError> {
    static DEV: OnceLock<Principal> = OnceLock::new();
    if !is_local(parts) {
        return Err(AuthError::Invalid);
    }
    match bearer(&parts.headers) {
        Ok(None) => Ok(DEV
            .get_or_init(|| Principal::new(DEV_ISSUER, "dev"))
            .clone()),
        Ok(Some(name)) => Ok(Principal::new(DEV_ISSUER, name)),
        Err(()) => Err(AuthError::Invalid),
    }
}

/// The bearer token of a request: `None` without one, an error if it is malformed or given twice.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, ()> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = all.next() else {
        return Ok(None);
    };
    if all.next().is_some() {
        return Err(());
    }
    let (scheme, token) = value.to_str().map_err(drop)?.split_once(' ').ok_or(())?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
        .then_some(Some(token))
        .ok_or(())
}

/// Everybody is nobody. Say it out loud with `.auth(Anonymous)`.
///
/// Nobody owns anything: questions in URL mode are refused, and a state can be redeemed by whoever
/// has it.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to set")]
pub struct Anonymous;

impl Authenticator for Anonymous {
    async fn authenticate(&self, _: &Parts) -> Result<Principal, AuthError> {
        Ok(nobody())
    }
}

fn nobody() -> Principal {
    static NOBODY: OnceLock<Principal> = OnceLock::new();
    NOBODY.get_or_init(Principal::anonymous).clone()
}

/// A server's authenticator. The built-in ones need no allocated future per request.
pub(crate) enum Auth {
    Dev,
    Anonymous,
    Os,
    Other(Box<dyn Erased>),
}

impl Auth {
    pub(crate) fn new<A: Authenticator>(authenticator: A) -> Self {
        let it: &dyn Any = &authenticator;
        if it.is::<DevUsers>() {
            Self::Dev
        } else if it.is::<Anonymous>() {
            Self::Anonymous
        } else if it.is::<OsUser>() {
            Self::Os
        } else {
            Self::Other(Box::new(authenticator))
        }
    }

    pub(crate) async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        match self {
            Self::Dev => dev_user(parts),
            Self::Anonymous => Ok(nobody()),
            Self::Os => os::peer(parts),
            Self::Other(other) => caught(&**other, parts).await,
        }
    }
}

/// What the author's code says of a request. A panic of it, such as at a header that no client sends
/// as a rule, ends this request alone.
async fn caught(other: &dyn Erased, parts: &Parts) -> Result<Principal, AuthError> {
    let mut work = None;
    poll_fn(|cx| {
        let poll = || {
            let work = work.get_or_insert_with(|| other.authenticate(parts));
            work.as_mut().poll(cx)
        };
        catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
            tracing::error!("the `Authenticator` panicked; the request was refused");
            Poll::Ready(Err(AuthError::Unavailable))
        })
    })
    .await
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dev => "DevUsers",
            Self::Anonymous => "Anonymous",
            Self::Os => "OsUser",
            Self::Other(_) => "Authenticator",
        })
    }
}

/// [`Authenticator`] without its name.
pub(crate) trait Erased: Send + Sync {
    fn authenticate<'a>(
        &'a self,
        parts: &'a Parts,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, AuthError>> + Send + 'a>>;
}

impl<A: Authenticator> Erased for A {
    fn authenticate<'a>(
        &'a self,
        parts: &'a Parts,
    ) -> Pin<Box<dyn Future<Output = Result<Principal, AuthError>> + Send + 'a>> {
        Box::pin(Authenticator::authenticate(self, parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dev(headers: &[(&str, &str)]) -> Result<String, AuthError> {
        let mut request = axum::http::Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        dev_user(&parts).map(|p| p.subject().to_owned())
    }

    #[test]
    fn the_token_is_the_name_on_loopback_alone() {
        let host = ("host", "localhost:3000");
        assert_eq!(dev(&[host]), Ok("dev".into()));
        assert_eq!(
            dev(&[host, ("authorization", "Bearer alice")]),
            Ok("alice".into())
        );
        assert_eq!(
            dev(&[host, ("authorization", "bearer  bob ")]),
            Ok("bob".into())
        );
        for bad in ["Basic x", "Bearer", "Bearer ", ""] {
            assert_eq!(
                dev(&[host, ("authorization", bad)]),
                Err(AuthError::Invalid),
                "{bad}"
            );
        }
        assert_eq!(dev(&[("host", "example.com")]), Err(AuthError::Invalid));
        assert_eq!(
            dev(&[host, ("x-forwarded-for", "1.2.3.4")]),
            Err(AuthError::Invalid)
        );
        assert_eq!(
            dev(&[
                host,
                ("authorization", "Bearer a"),
                ("authorization", "Bearer b")
            ]),
            Err(AuthError::Invalid)
        );
    }
}
