//! Which Host a request may name. A page of another site that has its own name point at us (DNS
//! rebinding) is refused here. It uses the reading of the header in `auth`.

use http::request::Parts;
use http::uri::Authority;

use crate::auth::local;

/// The hosts that browsers may use.
#[derive(Debug, Clone)]
pub(crate) struct Hosts(Vec<String>);

impl Hosts {
    /// Each entry is a host name, which allows every port, or a host name with a port. IPv6
    /// addresses stand in brackets.
    pub(crate) fn new(allowed: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(
            allowed
                .into_iter()
                .map(|host| host.into().to_ascii_lowercase())
                .collect(),
        )
    }

    /// The names of this machine, with any port.
    pub(crate) fn loopback() -> Self {
        Self::new(["localhost", "127.0.0.1", "[::1]"])
    }

    /// The host that a request names, if it is allowed.
    pub(super) fn check(&self, parts: &Parts) -> Option<Authority> {
        let host = local::host(parts)?;
        let allowed = self.0.iter().any(|allowed| {
            allowed.eq_ignore_ascii_case(host.host()) || allowed.eq_ignore_ascii_case(host.as_str())
        });
        allowed.then_some(host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(hosts: &Hosts, host: &str) -> bool {
        let request = http::Request::builder()
            .header("host", host)
            .body(())
            .unwrap();
        hosts.check(&request.into_parts().0).is_some()
    }

    #[test]
    fn names_allow_any_port_and_pairs_only_theirs() {
        let hosts = Hosts::new(["MCP.example.com", "other.example.com:8443"]);
        assert!(allowed(&hosts, "mcp.example.com"));
        assert!(allowed(&hosts, "MCP.EXAMPLE.COM:444"));
        assert!(allowed(&hosts, "other.example.com:8443"));
        assert!(!allowed(&hosts, "other.example.com"));
        assert!(!allowed(&hosts, "evil.example"));
        assert!(!allowed(&hosts, "mcp.example.com.evil.example"));
        assert!(!allowed(&hosts, "mcp.example.com@evil.example"));
    }

    #[test]
    fn loopback_names() {
        let hosts = Hosts::loopback();
        assert!(allowed(&hosts, "localhost:3000"));
        assert!(allowed(&hosts, "[::1]:3000"));
        assert!(!allowed(&hosts, "rebound.example:3000"));
    }
}
