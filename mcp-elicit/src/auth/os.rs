//! Users of this machine, as the operating system vouches for them.

use axum::http::request::Parts;

use super::{AuthError, Authenticator, Principal};

/// Who vouches for users of this machine.
pub(crate) const OS_ISSUER: &str = "os";

/// The user of this machine whose process is at the other end.
///
/// Over stdio that is the user who runs this server, over a Unix socket the one who connects. On
/// Unix the subject is the number of the user, such as `1000`, elsewhere the name with its domain;
/// the issuer is `os`. Over TCP nobody is known, so every request is refused.
///
/// Pages of URL mode are on a listener of their own on the loopback address, with a random port: whoever
/// has the link is taken for that user (see `SECURITY.md`).
///
/// [`Server::serve_stdio`](crate::Server::serve_stdio) uses it by itself. Give it to
/// [`Server::auth`](crate::Server::auth) where you build an [`App`](crate::App) for
/// [`serve_unix`](crate::App::serve_unix), or want the [`App`](crate::App) of a stdio server at hand.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to set")]
pub struct OsUser;

impl Authenticator for OsUser {
    async fn authenticate(&self, parts: &Parts) -> Result<Principal, AuthError> {
        peer(parts)
    }
}

/// The user who has connected.
pub(super) fn peer(parts: &Parts) -> Result<Principal, AuthError> {
    #[cfg(unix)]
    if let Some(axum::extract::ConnectInfo(peer)) = parts
        .extensions
        .get::<axum::extract::ConnectInfo<tokio::net::unix::UCred>>()
    {
        return Ok(Principal::new(OS_ISSUER, peer.uid().to_string()));
    }
    let _ = parts;
    Err(AuthError::Missing)
}

/// The user who runs this process.
#[cfg(unix)]
pub(crate) fn own() -> Principal {
    Principal::new(OS_ISSUER, rustix::process::geteuid().as_raw().to_string())
}

/// The user who runs this process, as its environment says: who can change that is this user.
#[cfg(not(unix))]
pub(crate) fn own() -> Principal {
    let read = |name| std::env::var(name).unwrap_or_default();
    let (domain, name) = (read("USERDOMAIN"), read("USERNAME"));
    Principal::new(OS_ISSUER, format!("{domain}\\{name}"))
}

/// What the user who runs this process is called, for people. Nothing is decided by it.
pub(crate) fn own_name() -> Option<String> {
    let names = ["USER", "LOGNAME", "USERNAME"];
    let mut names = names.iter().filter_map(|name| std::env::var(name).ok());
    names.find(|name| !name.is_empty() && !name.chars().any(char::is_control))
}
