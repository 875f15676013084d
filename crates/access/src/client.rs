//! Whose address a request comes from: the connection's, or what a named proxy says of it.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

/// Where a proxy writes down whom it asks for, one behind the other.
const FORWARDED: &str = "x-forwarded-for";

/// Bits of an IPv6 address that distinguish one customer from another; the lower bits anybody may vary.
const V6_BITS: u32 = 64;

/// Bits of an IPv6 address that say that the others are IPv4.
const MAPPED_BITS: u8 = 96;

/// The proxies that are believed.
#[derive(Debug, Default)]
pub(crate) struct Proxies(Vec<IpNet>);

impl Proxies {
    /// Networks, or single addresses. An error is the first that is neither, or that contains no address of a client
    /// (these are canonical).
    pub(crate) fn new(texts: &[String]) -> Result<Self, String> {
        let net = |text: &String| {
            let address = text.parse().map(|address: IpAddr| IpNet::from(address));
            let net = address.or_else(|_| text.parse::<IpNet>()).ok();
            net.filter(|net| !is_mapped(net)).ok_or(text.clone())
        };
        texts.iter().map(net).collect::<Result<_, _>>().map(Self)
    }

    /// The client's address, as limits know it.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        limited(self.address(peer, headers))
    }

    /// The client's whole address. Of `X-Forwarded-For` only what named proxies wrote is believed: read
    /// from its end, the first address that is none of theirs.
    pub(crate) fn address(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.contains(client) {
            return client;
        }
        let lines: Vec<_> = headers.get_all(FORWARDED).iter().collect();
        for line in lines.iter().rev() {
            // By itself: what the client wrote left of it may be no text.
            for text in line.as_bytes().rsplit(|byte| *byte == b',') {
                let text = str::from_utf8(text).ok();
                let Some(address) = text.and_then(|text| address(text.trim())) else {
                    // Not an address that a proxy wrote.
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

/// Whether it is IPv4 written as IPv6, `::ffff:10.0.0.0/104`.
fn is_mapped(net: &IpNet) -> bool {
    match net {
        IpNet::V4(_) => false,
        IpNet::V6(net) => {
            net.network().to_ipv4_mapped().is_some() && net.prefix_len() >= MAPPED_BITS
        }
    }
}

/// An address, with a port or without.
fn address(text: &str) -> Option<IpAddr> {
    let address = text.parse().or_else(|_| {
        let with_port = text.parse().map(|address: SocketAddr| address.ip());
        with_port.or_else(|_| text.trim_matches(['[', ']']).parse())
    });
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// Returns what limits count by: the address, of IPv6 its network of 64 bits.
#[must_use]
pub fn limited(address: IpAddr) -> IpAddr {
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
        let (proxies, headers) = asked(trusted, forwarded);
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    fn asked(trusted: &[&str], forwarded: &[&str]) -> (Proxies, HeaderMap) {
        let trusted: Vec<String> = trusted.iter().map(|&text| text.to_owned()).collect();
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        (Proxies::new(&trusted).unwrap(), headers)
    }

    #[test]
    fn only_named_proxies_are_believed() {
        let nobody: &[&str] = &[];
        let proxies = &["10.0.0.0/8", "192.0.2.7"][..];
        for (trusted, peer, forwarded, expected) in [
            (nobody, "10.0.0.1", &["1.1.1.1"][..], "10.0.0.1"),
            (proxies, "10.0.0.1", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "::ffff:10.0.0.1", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "192.0.2.7", &["1.1.1.1"], "1.1.1.1"),
            (proxies, "192.0.2.8", &["1.1.1.1"], "192.0.2.8"),
            // What the client itself wrote stands left of what the proxies did.
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
    fn the_audit_log_gets_the_whole_address() {
        let (proxies, headers) = asked(&["::1"], &["[2001:db8:1:2::9]:80"]);
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
    fn an_error_names_what_is_no_network() {
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
