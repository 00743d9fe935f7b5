//! Sign-in by name alone, for development on one machine. It uses `auth` for what "one machine"
//! means; the page itself is in `sign_in`.

use http::request::Parts;

use crate::auth::{Principal, local};

use super::identity::{BrowserIdentity, IdentityError};
use super::session::Session;

/// A person types a name and is that person, with no password.
///
/// It works only where the Host is this machine's own and nothing was forwarded, and its people
/// are those of `DevUsers`: the name typed is the bearer token of the client, and without a token
/// the name is `dev`.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "written as a plain value, like `DevUsers`"
)]
pub struct DevSignIn;

impl BrowserIdentity for DevSignIn {
    async fn identify(&self, parts: &Parts) -> Result<Option<Principal>, IdentityError> {
        Ok(session(parts).map(|session| session.principal.clone()))
    }

    fn sign_in_redirect(&self, back_to: &str) -> String {
        // Made of characters that need no escape, see `back`.
        format!("sign-in?next={back_to}")
    }

    fn session(&self, parts: &Parts) -> Option<String> {
        session(parts).map(|session| session.id.clone())
    }
}

fn session(parts: &Parts) -> Option<&Session> {
    parts
        .extensions
        .get::<Session>()
        .filter(|_| local::is_local(parts))
}
