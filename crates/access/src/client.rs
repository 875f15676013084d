//! The address that a request comes from: the connection's, or the one that a trusted proxy reports.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

/// The header to which each proxy appends the address of its client.
const FORWARDED: &str = "x-forwarded-for";

/// The prefix of an IPv6 address that identifies a customer. A customer chooses the lower bits freely.
const V6_BITS: u32 = 64;

/// The prefix of IPv4-mapped IPv6 addresses.
const MAPPED_BITS: u8 = 96;

/// The networks of trusted proxies.
#[derive(Debug, Default)]
pub(crate) struct Proxies(Vec<IpNet>);

impl Proxies {
    /// Parses networks and single addresses. An error is the first text that is neither, or an IPv4-mapped network:
    /// it never matches, because addresses of clients are canonical.
    pub(crate) fn new(texts: &[String]) -> Result<Self, String> {
        let net = |text: &String| {
            let address = text.parse().map(|address: IpAddr| IpNet::from(address));
            let net = address.or_else(|_| text.parse::<IpNet>()).ok();
            net.filter(|net| !is_mapped(net)).ok_or(text.clone())
        };
        texts.iter().map(net).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the client's address for limits.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        address_for_limits(self.address(peer, headers))
    }

    /// Returns the client's full address.
    ///
    /// If the peer is a trusted proxy, this is the last address in `X-Forwarded-For` that is not a trusted proxy. A
    /// client may have written anything to its left.
    pub(crate) fn address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.contains(client) {
            return client;
        }
        let lines: Vec<_> = headers.get_all(FORWARDED).iter().collect();
        for line in lines.iter().rev() {
            // Each address is decoded separately: what a client wrote to its left may not be UTF-8.
            for text in line.as_bytes().rsplit(|byte| *byte == b',') {
                let text = str::from_utf8(text).ok();
                let Some(address) = text.and_then(|text| address(text.trim())) else {
                    // No proxy wrote this.
                    return client;
                };
                client = address;
                if !self.contains(client) {
                    return client;
                }
            }
        }
        client
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }
}

/// Returns whether the network is IPv4 in IPv6 notation, such as `::ffff:10.0.0.0/104`.
fn is_mapped(net: &IpNet) -> bool {
    match net {
        IpNet::V4(_) => false,
        IpNet::V6(net) => {
            net.network().to_ipv4_mapped().is_some() && net.prefix_len() >= MAPPED_BITS
        }
    }
}

/// Parses an address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let address = text.parse().or_else(|_| {
        let with_port = text.parse().map(|address: SocketAddr| address.ip());
        with_port.or_else(|_| text.trim_matches(['[', ']']).parse())
    });
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// Returns the address that limits count by: an IPv4 address as it is, an IPv6 address without its lower 64 bits.
#[must_use]
pub fn address_for_limits(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let mask = u128::MAX << (u128::BITS - V6_BITS);
            Ipv6Addr::from(u128::from(v6) & mask).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let (proxies, headers) = proxies_and_headers(trusted, forwarded);
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    fn proxies_and_headers(trusted: &[&str], forwarded: &[&str]) -> (Proxies, HeaderMap) {
        let trusted: Vec<String> = trusted.iter().map(|&text| text.to_owned()).collect();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        (Proxies::new(&trusted).unwrap(), headers)
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let nobody: &[&str] = &[];
        let proxies = &["10.0.0.0/8", "192.0.2.7"][..];
        for (trusted, peer, forwarded, expected) in [
            (nobody, "10.0.0.1", &["1.1.1.1"][..], "10.0.0.1"),
            (proxies, "10.0.0.1", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "::ffff:10.0.0.1", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "192.0.2.7", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "192.0.2.8", &["1.1.1.1"], "192.0.2.8"),
            // Proxies append to what the client wrote.
            (proxies, "10.0.0.1", &["9.9.9.9, 1.1.1.1"], "1.1.1.1"),
            (
                proxies,
                "10.0.0.1",
                &["9.9.9.9, 1.1.1.1, 10.2.3.4"],
                "1.1.1.1",
            ),
            (
                proxies,
                "10.0.0.1",
                &["9.9.9.9", "1.1.1.1,10.2.3.4"],
                "1.1.1.1",
            ),
            (
                proxies,
                "10.0.0.1",
                &["9.9.9.9", "1.1.1.1", "10.2.3.4"],
                "1.1.1.1",
            ),
            (proxies, "10.0.0.1", &["é, 1.1.1.1"], "1.1.1.1"),
            (proxies, "10.0.0.1", &["9.9.9.9, é"], "10.0.0.1"),
            (proxies, "10.0.0.1", &["1.1.1.1:8080"], "1.1.1.1"),
            (proxies, "10.0.0.1", &["nonsense"], "10.0.0.1"),
            (
                proxies,
                "10.0.0.1",
                &["9.9.9.9, unknown, 10.2.3.4"],
                "10.2.3.4",
            ),
            (proxies, "10.0.0.1", &["10.1.1.1"], "10.1.1.1"),
            (proxies, "10.0.0.1", &[], "10.0.0.1"),
        ] {
            assert_eq!(
                client(trusted, peer, forwarded),
                expected,
                "{peer} {forwarded:?}"
            );
        }
    }

    #[test]
    fn ipv6_counts_by_its_first_64_bits() {
        assert_eq!(client(&[], "2001:db8:1:2:3:4:5:6", &[]), "2001:db8:1:2::");
        assert_eq!(
            client(&["::1"], "::1", &["[2001:db8:1:2::9]:80"]),
            "2001:db8:1:2::"
        );
        assert_eq!(
            client(&["fd00::/8"], "fd00::1", &["2001:db8::9"]),
            "2001:db8::"
        );
    }

    #[test]
    fn the_audit_log_gets_the_full_address() {
        let (proxies, headers) = proxies_and_headers(&["::1"], &["[2001:db8:1:2::9]:80"]);
        for (peer, expected) in [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"),
            ("::1", "2001:db8:1:2::9"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
        ] {
            let address = proxies.address(peer.parse().unwrap(), &headers);
            assert_eq!(address.to_string(), expected);
        }
    }

    #[test]
    fn an_error_contains_the_text_that_is_not_a_network() {
        for wrong in [
            "10.0.0.0/33",
            "proxy",
            "10.0.0.1:80",
            "::ffff:10.0.0.1",
            "::ffff:10.0.0.0/104",
        ] {
            let texts = ["10.0.0.0/8", wrong].map(str::to_owned);
            assert_eq!(Proxies::new(&texts).unwrap_err(), wrong);
        }
    }
}
