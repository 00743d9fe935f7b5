//! What "on this machine" means to the identities made for development alone: `DevUsers` for
//! requests and [`DevSignIn`](crate::web::DevSignIn) for browsers. It uses nothing else of the
//! crate.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use http::header::HOST;
use http::request::Parts;
use http::uri::Authority;

/// The issuer of the names of `DevUsers` and `DevSignIn`: the same name is the same person,
/// whether the client says it or the browser.
pub(crate) const DEV_ISSUER: &str = "dev";

/// Headers that only something between the client and us would have added.
const FORWARDED: [&str; 5] = [
    "forwarded",
    "via",
    "x-real-ip",
    "cf-connecting-ip",
    "true-client-ip",
];

/// Whether a request came straight from this machine: its Host is a loopback name, nothing
/// forwarded it, and the peer, where it is known, has a loopback address.
pub(crate) fn is_local(parts: &Parts) -> bool {
    let forwarded = parts.headers.keys().any(|name| {
        let name = name.as_str();
        // Most headers begin with another letter than those that are looked for.
        matches!(name.as_bytes(), [b'c' | b'f' | b't' | b'v' | b'x', ..])
            && (name.starts_with("x-forwarded-") || FORWARDED.contains(&name))
    });
    let peer_is_far = parts
        .extensions
        .get::<ConnectInfo<SocketAddr>>()
        .is_some_and(|ConnectInfo(peer)| !peer.ip().to_canonical().is_loopback());
    !forwarded
        && !peer_is_far
        && host_text(parts).is_some_and(|host| is_loopback(without_port(host)))
}

/// The host that a request names, in the Host header or, with HTTP/2, in its target. None where
/// there is none, where it is no text, or where several are given.
pub(crate) fn host_text(parts: &Parts) -> Option<&str> {
    let mut given = parts.headers.get_all(HOST).iter();
    match (given.next(), given.next()) {
        (Some(one), None) => one.to_str().ok(),
        (None, _) => parts.uri.authority().map(Authority::as_str),
        (Some(_), Some(_)) => None,
    }
}

/// The same host, taken apart. None also where it does not parse.
pub(crate) fn host(parts: &Parts) -> Option<Authority> {
    let named: Authority = host_text(parts)?.parse().ok()?;
    // A user name before the host is never sent by a browser.
    (!named.as_str().contains('@')).then_some(named)
}

/// A host without its port.
pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether a host name means this machine. Only names that no resolver can turn elsewhere count.
pub(crate) fn is_loopback(host: &str) -> bool {
    // By far the most usual ones first: every request is asked.
    if host == "127.0.0.1" || host.eq_ignore_ascii_case("localhost") {
        return true;
    }
    match host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        Some(v6) => v6.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback()),
        None => host.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = http::Request::builder().uri("/ui");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn loopback_hosts_are_local() {
        for host in [
            "localhost",
            "LOCALHOST:3000",
            "127.0.0.1:1",
            "127.9.9.9",
            "[::1]:80",
        ] {
            assert!(is_local(&parts(&[("host", host)])), "{host}");
        }
    }

    #[test]
    fn other_hosts_are_not() {
        for host in [
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "a.localhost",
            "user@localhost",
            "0.0.0.0",
            "[::2]",
            "",
        ] {
            assert!(!is_local(&parts(&[("host", host)])), "{host}");
        }
        assert!(!is_local(&parts(&[])));
        assert!(!is_local(&parts(&[
            ("host", "localhost"),
            ("host", "localhost")
        ])));
    }

    #[test]
    fn forwarded_requests_are_not() {
        for name in [
            "Forwarded",
            "Via",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Real-IP",
        ] {
            assert!(
                !is_local(&parts(&[("host", "localhost"), (name, "1.2.3.4")])),
                "{name}"
            );
        }
    }

    #[test]
    fn a_peer_elsewhere_is_not() {
        for (peer, local) in [
            ("127.0.0.1:9", true),
            ("192.168.1.7:9", false),
            ("[::ffff:127.0.0.1]:9", true),
        ] {
            let mut parts = parts(&[("host", "localhost")]);
            let peer: SocketAddr = peer.parse().unwrap();
            parts.extensions.insert(ConnectInfo(peer));
            assert_eq!(is_local(&parts), local, "{peer}");
        }
    }
}
