//! The session of our own sign-in: a sealed cookie and nothing kept on the server. It uses
//! `seal`; it does not decide who may do what.
//!
//! Payload (postcard): format version, issuer, subject, tenant, issued, expires (milliseconds),
//! session id (16 random bytes).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::COOKIE;
use http::uri::Authority;
use serde::{Deserialize, Serialize};

use crate::auth::Principal;
use crate::seal::Keys;
use crate::time::UnixTime;

use super::limits;

const FORMAT: u8 = 1;

/// A session that was opened and is current. The pages put it among a request's extensions.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) principal: Principal,
    pub(super) id: String,
}

#[derive(Serialize, Deserialize)]
struct Payload<'a> {
    format: u8,
    issuer: &'a str,
    subject: &'a str,
    tenant: &'a str,
    issued: u64,
    expires: u64,
    id: [u8; 16],
}

/// A new session's cookie value. `random` is what makes it new, so that nobody can be handed a
/// session that somebody else knows.
pub(super) fn start(
    keys: &Keys,
    principal: &Principal,
    now: UnixTime,
    random: &dyn Fn(&mut [u8]),
) -> Option<String> {
    let (mut id, mut nonce) = ([0; 16], [0; 12]);
    random(&mut id);
    random(&mut nonce);
    let payload = Payload {
        format: FORMAT,
        issuer: principal.issuer(),
        subject: principal.subject(),
        tenant: principal.tenant_name(),
        issued: now.as_millis(),
        expires: now.after(limits::SESSION).as_millis(),
        id,
    };
    let bytes = postcard::to_allocvec(&payload).ok()?;
    Some(keys.seal_cookie(&bytes, nonce))
}

/// Opens the session in a request's cookies; none if there is none that is ours and current.
pub(super) fn open(keys: &Keys, headers: &HeaderMap, name: &str, now: UnixTime) -> Option<Session> {
    cookies(headers)
        .filter_map(|(given, value)| (given == name).then_some(value))
        .find_map(|value| read(&keys.open_cookie(value)?, now))
}

fn read(bytes: &[u8], now: UnixTime) -> Option<Session> {
    let (payload, rest) = postcard::take_from_bytes::<Payload<'_>>(bytes).ok()?;
    let current = UnixTime::from_millis(payload.issued) <= now.after(limits::CLOCK_SKEW)
        && now < UnixTime::from_millis(payload.expires);
    if !rest.is_empty() || payload.format != FORMAT || !current {
        return None;
    }
    let mut principal = Principal::new(payload.issuer, payload.subject);
    if !payload.tenant.is_empty() {
        principal = principal.tenant(payload.tenant);
    }
    Some(Session {
        principal,
        id: URL_SAFE_NO_PAD.encode(payload.id),
    })
}

/// The cookie's name. Over https it has the prefix that keeps other hosts of the domain from
/// setting it; browsers refuse that prefix over http, and there every server of this machine
/// shares one cookie jar, so the port tells them apart.
/// Servers of one host stand under paths of their own; `prefix`, the path of the pages, tells them apart:
/// a cookie with the prefix `__Host-` belongs to all paths.
pub(super) fn cookie_name(secure: bool, host: &Authority, prefix: &str) -> String {
    let path = prefix.rsplit_once('/').map_or("", |(path, _)| path);
    let path = cookie_path(path);
    if secure {
        format!("__Host-mcp_elicit{path}")
    } else {
        format!("mcp_elicit_{}{path}", host.port_u16().unwrap_or(80))
    }
}

/// A path in the letters of a cookie's name. Each has one of its own: a dot stands for a slash and for
/// nothing else, and what is no letter, digit, `-` or `_` is written in hex.
fn cookie_path(path: &str) -> String {
    use std::fmt::Write as _;
    let mut name = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' => name.push('.'),
            b'-' | b'_' => name.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
            // To write into a text cannot fail.
            _ => drop(write!(name, "~{byte:02x}")),
        }
    }
    name
}

/// The Set-Cookie that starts a session, or ends it where `value` is empty. Lax, since Strict
/// would lose the session on the way from the client's link.
pub(super) fn set_cookie(name: &str, value: &str, secure: bool) -> String {
    let age = if value.is_empty() {
        0
    } else {
        limits::SESSION.as_secs()
    };
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{secure}")
}

pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

#[cfg(test)]
mod tests {
    use super::cookie_path;

    #[test]
    fn no_two_paths_have_one_name() {
        let paths = [
            "", "/a/b", "/a.b", "/a./b", "/a/.b", "/a..b", "/a~2eb", "/a~b", "/A/b", "/a%2Fb", "/é",
        ];
        let names: std::collections::HashSet<_> = paths.iter().map(|p| cookie_path(p)).collect();
        assert_eq!(names.len(), paths.len(), "{names:?}");
        assert_eq!(cookie_path("/a/b-c_d"), ".a.b-c_d");
        let is_fit = |b: u8| b.is_ascii_alphanumeric() || b".-_~".contains(&b);
        assert!(names.iter().all(|name| name.bytes().all(is_fit)));
    }
}
