//! From which address a request comes. What a proxy says of it is believed only of those proxies that the
//! author named; of everybody else `X-Forwarded-For` and the like are no more than text.
//!
//! It uses nothing else of the crate.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;

/// Proxies that are believed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Proxies(Vec<Net>);

/// All addresses that begin alike.
#[derive(Debug, Clone, Copy)]
struct Net {
    address: Ipv6Addr,
    bits: u32,
}

impl Net {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let (width, most) = match address {
            // These are kept as the IPv6 addresses that stand for them.
            IpAddr::V4(_) => (96, 32),
            IpAddr::V6(_) => (0, 128),
        };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok().filter(|n| *n <= most))?;
        Some(Self {
            address: mapped(address),
            bits: width + bits,
        })
    }

    fn has(self, address: IpAddr) -> bool {
        let differ = self.address.to_bits() ^ mapped(address).to_bits();
        differ.leading_zeros() >= self.bits
    }
}

fn mapped(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    }
}

impl Proxies {
    /// Each is an address or a network such as `10.0.0.0/8`.
    pub(crate) fn check(all: &[String], problems: &mut Vec<String>) -> Self {
        let read = |text: &String| {
            let net = Net::parse(text);
            if net.is_none() {
                problems.push(format!(
                    "the proxy `{text}` is neither an address nor a network, such as `10.1.2.3` or `10.0.0.0/8`"
                ));
            }
            net
        };
        Self(all.iter().filter_map(read).collect())
    }

    /// Whether any is believed.
    pub(crate) fn are_any(&self) -> bool {
        !self.0.is_empty()
    }

    fn has(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.has(address))
    }

    /// Where a request comes from. None where that is not known: nobody said who connects, or it is a
    /// process of this machine, which may stand for anybody.
    pub(crate) fn origin(&self, parts: &Parts) -> Option<IpAddr> {
        let ConnectInfo(peer) = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
        let mut from = peer.ip().to_canonical();
        let mut is_said = false;
        if self.has(from) {
            let lines = parts.headers.get_all("x-forwarded-for").iter().rev();
            let named = lines.flat_map(|line| line.as_bytes().rsplit(|b| *b == b','));
            // The last was written by the proxy that we talk to, and so on, as long as they are believed.
            for text in named {
                let Some(address) = address(text) else { break };
                from = address;
                is_said = true;
                if !self.has(from) {
                    break;
                }
            }
        }
        // What a proxy says counts whatever it is, or whoever can make it say so would not be counted.
        (is_said || !from.is_loopback()).then_some(from)
    }
}

/// An address as proxies write it, with or without a port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let parsed = bare.unwrap_or(text).parse::<IpAddr>().ok();
    let parsed = parsed.or_else(|| text.parse::<SocketAddr>().ok().map(|a| a.ip()));
    parsed.map(|address| address.to_canonical())
}

/// What one customer of a provider has: an IPv4 address, or a whole network of IPv6.
pub(crate) fn household(address: IpAddr) -> u128 {
    const NET: u128 = !0 << 64;
    match address {
        IpAddr::V4(_) => mapped(address).to_bits(),
        IpAddr::V6(v6) => v6.to_bits() & NET,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(proxies: &[&str], peer: &str, forwarded: &[&str]) -> Option<String> {
        let proxies: Vec<String> = proxies.iter().map(|&p| p.into()).collect();
        let mut problems = Vec::new();
        let proxies = Proxies::check(&proxies, &mut problems);
        assert_eq!(problems, [""; 0]);
        let mut request = axum::http::Request::builder();
        for line in forwarded {
            request = request.header("x-forwarded-for", *line);
        }
        let mut parts = request.body(()).unwrap().into_parts().0;
        let peer: SocketAddr = peer.parse().unwrap();
        parts.extensions.insert(ConnectInfo(peer));
        proxies.origin(&parts).map(|address| address.to_string())
    }

    #[test]
    fn nobody_is_believed_unless_named() {
        let got = from(&[], "192.0.2.1:9", &["203.0.113.5"]);
        assert_eq!(got.as_deref(), Some("192.0.2.1"));
        let got = from(&["10.0.0.0/8"], "192.0.2.1:9", &["203.0.113.5"]);
        assert_eq!(got.as_deref(), Some("192.0.2.1"));
        // Nor is a process of this machine, which may be a proxy that was not named.
        assert_eq!(from(&[], "127.0.0.1:9", &["203.0.113.5"]), None);
        assert_eq!(from(&[], "[::1]:9", &[]), None);
    }

    #[test]
    fn the_last_that_no_named_proxy_has_counts() {
        let proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];
        for (forwarded, expected) in [
            (&["203.0.113.5"][..], Some("203.0.113.5")),
            // What the client wrote itself stands before.
            (&["1.1.1.1, 203.0.113.5"], Some("203.0.113.5")),
            (&["1.1.1.1", "203.0.113.5"], Some("203.0.113.5")),
            (&["203.0.113.5, 10.9.9.9"], Some("203.0.113.5")),
            (
                &["203.0.113.5,[2001:db8::7]:443 , 10.9.9.9:80"],
                Some("203.0.113.5"),
            ),
            (&["203.0.113.5:1234"], Some("203.0.113.5")),
            (&["::ffff:203.0.113.5"], Some("203.0.113.5")),
            (&["[2001:db9::1]"], Some("2001:db9::1")),
            // Whoever it may be: it was said.
            (&["127.0.0.1"], Some("127.0.0.1")),
            (&["127.9.9.9"], Some("127.9.9.9")),
            (&["::1"], Some("::1")),
            (&["::ffff:127.0.0.2"], Some("127.0.0.2")),
            (&["203.0.113.5, 127.0.0.3"], Some("127.0.0.3")),
            (&["192.168.1.1"], Some("192.168.1.1")),
            (&["0.0.0.0"], Some("0.0.0.0")),
            // Nothing that can be read: the proxy itself, which here is of this machine.
            (&["unknown"], None),
            (&["1.1.1.1, _hidden"], None),
            (&[""], None),
            (&[], None),
        ] {
            let got = from(&proxies, "127.0.0.1:9", forwarded);
            assert_eq!(got.as_deref(), expected, "{forwarded:?}");
        }
    }

    #[test]
    fn networks() {
        let has = |net: &str, address: &str| Net::parse(net).unwrap().has(address.parse().unwrap());
        assert!(has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("0.0.0.0/0", "8.8.8.8") && !has("0.0.0.0/0", "2001:db8::1"));
        assert!(
            has("2001:db8::/33", "2001:db8:7fff::1") && !has("2001:db8::/33", "2001:db8:8000::1")
        );
        assert!(has("::1", "::1") && !has("::1", "::2"));
        for bad in [
            "",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/-1",
            "::/129",
            "example.com",
            "*",
        ] {
            assert!(Net::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_household_has_one_network() {
        let of = |text: &str| household(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }
}
