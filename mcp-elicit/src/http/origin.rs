//! Which hosts and origins may talk to this server: the guard against DNS rebinding
//! (basic/transports/streamable-http, "Security & Endpoint").

use axum::http::header::ORIGIN;
use axum::http::request::Parts;

use crate::auth::local::{host_text, is_loopback, without_port};

/// The hosts by which the server may be called, and the origins of pages that may call it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    /// Hosts; one without a port allows every port.
    pub(crate) hosts: Vec<String>,
    /// Origins besides the server's own, such as `https://inspector.example.com`.
    pub(crate) origins: Vec<String>,
    /// Whether browsers reach the server by https: a page of the same host that came by http may
    /// be anybody's.
    pub(crate) secure: bool,
}

impl Origins {
    /// Whether the request names this server and, if a page sent it, comes from a page that may.
    ///
    /// Without configured hosts any loopback name will do: another name that leads to this machine
    /// is what a rebinding attack uses.
    pub(crate) fn allow(&self, parts: &Parts) -> bool {
        let Some(host) = host_text(parts) else {
            return false;
        };
        if !self.is_host(host) {
            return false;
        }
        let mut origins = parts.headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return true;
        };
        if origins.next().is_some() {
            return false;
        }
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        self.origins.iter().any(|o| o.eq_ignore_ascii_case(origin))
            || [("https://", true), ("http://", !self.secure)]
                .iter()
                .filter_map(|(scheme, good)| origin.strip_prefix(scheme).filter(|_| *good))
                .any(|authority| authority.eq_ignore_ascii_case(host))
    }

    fn is_host(&self, host: &str) -> bool {
        let is =
            |h: &String| h.eq_ignore_ascii_case(host) || h.eq_ignore_ascii_case(without_port(host));
        if self.hosts.iter().any(is) {
            return true;
        }
        self.hosts.is_empty() && is_loopback(without_port(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(origins: &Origins, headers: &[(&str, &str)]) -> bool {
        let mut request = axum::http::Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        origins.allow(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn loopback_by_default() {
        let it = Origins::default();
        for host in ["localhost", "127.0.0.1:3000", "[::1]:3000", "LOCALHOST:1"] {
            assert!(allow(&it, &[("host", host)]), "{host}");
        }
        for host in [
            "example.com",
            "127.0.0.1.example.com",
            "evil.localhost",
            "localhost:x",
            "a@localhost",
            "",
        ] {
            assert!(!allow(&it, &[("host", host)]), "{host}");
        }
        assert!(!allow(&it, &[]));
        assert!(!allow(&it, &[("host", "localhost"), ("host", "localhost")]));
    }

    #[test]
    fn an_origin_must_be_this_server_or_configured() {
        let it = Origins::default();
        let from =
            |it: &Origins, origin| allow(it, &[("host", "localhost:3000"), ("origin", origin)]);
        assert!(from(&it, "http://localhost:3000"));
        for origin in [
            "http://evil.example.com",
            "http://localhost:3001",
            "null",
            "",
            "localhost:3000",
        ] {
            assert!(!from(&it, origin), "{origin}");
        }
        let two = [
            ("host", "localhost"),
            ("origin", "http://localhost"),
            ("origin", "http://localhost"),
        ];
        assert!(!allow(&it, &two));
        let it = Origins {
            origins: vec!["http://localhost:6274".into()],
            ..it
        };
        assert!(from(&it, "http://localhost:6274"));
    }

    #[test]
    fn configured_hosts_replace_loopback() {
        let it = Origins {
            hosts: vec!["mcp.example.com".into()],
            secure: true,
            ..Origins::default()
        };
        assert!(allow(&it, &[("host", "MCP.example.com")]));
        assert!(!allow(&it, &[("host", "localhost")]));
        assert!(allow(
            &it,
            &[
                ("host", "mcp.example.com"),
                ("origin", "https://mcp.example.com")
            ]
        ));
        let by_http = ("origin", "http://mcp.example.com");
        assert!(!allow(&it, &[("host", "mcp.example.com"), by_http]));
    }
}
