//! The host names that a server without keys answers to: [`Hosts`].
//!
//! Without keys every request that reaches the server is permitted. By DNS rebinding, a web page can make a browser
//! send requests to this server under a host name of the page's owner. The browser sends that name in `Host`, so only
//! configured hosts, and hosts that no outsider can own, are served.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::HOST;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, Version};

/// Allows every host.
const ANY: &str = "*";

/// The names of this machine.
const LOCALHOST: &str = "localhost";
const BELOW_LOCALHOST: &str = ".localhost";

/// Bytes of a host name, and of one of its labels.
const NAME_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

/// The hosts that are served without keys.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    is_any: bool,
    /// Normalized.
    names: Vec<String>,
    addresses: Vec<IpAddr>,
}

/// Why a request has no valid host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadHost {
    /// HTTP/1.1 requires exactly one.
    Missing,
    Several,
    Malformed,
}

impl Hosts {
    /// Parses names and addresses as clients send them in `Host`, without a port. An error is the first text that is
    /// neither.
    pub(crate) fn new(texts: &[String]) -> Result<Self, String> {
        let mut hosts = Self::default();
        for text in texts {
            if text == ANY {
                hosts.is_any = true;
            } else if let Some(address) = address(text) {
                hosts.addresses.push(address);
            } else if is_name(text) {
                hosts.names.push(normalized(text));
            } else {
                return Err(text.clone());
            }
        }
        Ok(hosts)
    }

    /// Returns whether a host is served. `is_local`: the server listens on loopback addresses only. Otherwise its
    /// clients also use its addresses, and names of their own network.
    pub(crate) fn serves(&self, host: &str, is_local: bool) -> bool {
        if self.is_any {
            return true;
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        let mut names = self.names.iter().map(String::as_str).chain([LOCALHOST]);
        if names.any(|name| name.eq_ignore_ascii_case(host)) {
            return true;
        }
        if let Some(address) = address(host) {
            return !is_local || address.is_loopback() || self.addresses.contains(&address);
        }
        let below = host.len().checked_sub(BELOW_LOCALHOST.len());
        let below = below.and_then(|at| host.get(at..));
        below.is_some_and(|end| end.eq_ignore_ascii_case(BELOW_LOCALHOST))
            // Nobody can register a name without a dot.
            || (!is_local && !host.contains('.'))
    }
}

/// Parses a host that is an address; IPv6 with or without brackets.
fn address(host: &str) -> Option<IpAddr> {
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let address = match bracketed {
        Some(v6) => v6.parse().map(|address: Ipv6Addr| address.into()),
        None => host.parse(),
    };
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// Returns whether the host is a name as clients send it: in ASCII, without a port.
pub(crate) fn is_name(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| {
        let is_in = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(is_in)
    };
    name.len() <= NAME_BYTES_MAX && name.split('.').all(is_label)
}

/// Returns the form in which hosts are compared: in lower case, without a trailing dot.
fn normalized(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// Returns the host of a request without its port. A request by HTTP/1.0 may have none.
pub(crate) fn host_of(
    uri: &Uri,
    headers: &HeaderMap,
    version: Version,
) -> Result<Option<String>, BadHost> {
    let mut values = headers.get_all(HOST).iter();
    let (first, second) = (values.next(), values.next());
    if second.is_some() {
        return Err(BadHost::Several);
    }
    // The request line takes precedence over the header.
    if let (Some(authority), true) = (uri.authority(), first.is_some()) {
        return Ok(Some(authority.host().to_owned()));
    }
    match first {
        None if version == Version::HTTP_11 => Err(BadHost::Missing),
        None => Ok(None),
        Some(text) => {
            let host = parsed_host(text.as_bytes()).ok_or(BadHost::Malformed)?;
            Ok(Some(host))
        }
    }
}

/// Returns the host of any authority without a user.
fn parsed_host(authority: &[u8]) -> Option<String> {
    let authority = Authority::try_from(authority).ok()?;
    is_host_and_port(&authority).then(|| authority.host().to_owned())
}

/// Returns whether an authority is only a host and, optionally, a port.
fn is_host_and_port(authority: &Authority) -> bool {
    match authority.as_str().strip_prefix(authority.host()) {
        Some("" | ":") => true,
        Some(port) => port.strip_prefix(':').is_some_and(is_port),
        // The authority begins with a user name.
        None => false,
    }
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn hosts(texts: &[&str]) -> Result<Hosts, String> {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Hosts::new(&texts)
    }

    #[test]
    fn hosts_that_no_outsider_can_own_are_served() {
        let hosts = hosts(&["Boards.Example", "10.0.0.8", "fd00::8"]).unwrap();
        for (host, local, remote) in [
            ("localhost", true, true),
            ("LOCALHOST.", true, true),
            ("boards.localhost", true, true),
            ("127.0.0.1", true, true),
            ("127.8.0.1", true, true),
            ("[::1]", true, true),
            ("[::ffff:127.0.0.1]", true, true),
            ("boards.example", true, true),
            ("10.0.0.8", true, true),
            ("[fd00:0::8]", true, true),
            ("10.0.0.7", false, true),
            ("[fd00::7]", false, true),
            ("megaboard", false, true),
            ("evil.example", false, false),
            ("127.0.0.1.evil.example", false, false),
            ("localhost.evil.example", false, false),
            ("notlocalhost.example", false, false),
        ] {
            assert_eq!(hosts.serves(host, true), local, "{host}");
            assert_eq!(hosts.serves(host, false), remote, "{host}");
        }
        let any = self::hosts(&["*"]).unwrap();
        assert!(any.serves("evil.example", true));
    }

    #[test]
    fn texts_that_are_not_hosts_are_rejected() {
        for right in [
            "*",
            "a",
            "a-b.c_d.",
            "xn--bcher-kva.example",
            "[::1]",
            "::1",
            "10.0.0.1",
        ] {
            assert!(hosts(&[right]).is_ok(), "{right}");
        }
        let long = "a".repeat(LABEL_BYTES_MAX + 1);
        for wrong in [
            "",
            ".",
            "https://boards.example",
            "boards.example:80",
            "10.0.0.1:80",
            "[::1]:80",
            "[10.0.0.1]",
            "boards.example/",
            "*.example",
            "u@boards.example",
            "bücher.example",
            "a..b",
            " a",
            &long,
        ] {
            assert_eq!(hosts(&["a", wrong]).unwrap_err(), wrong);
        }
    }

    #[test]
    fn a_request_is_for_one_host() {
        let host = |uri: &'static str, hosts: &[&'static str], version| {
            let mut headers = HeaderMap::new();
            for host in hosts {
                headers.append(HOST, HeaderValue::from_static(host));
            }
            let uri = Uri::from_static(uri);
            host_of(&uri, &headers, version)
        };
        let (old, new) = (Version::HTTP_10, Version::HTTP_11);
        let of = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(host("/", &["a:80"], new), of("a"));
        assert_eq!(host("/", &["[::1]:80"], new), of("[::1]"));
        assert_eq!(host("/", &["a:"], new), of("a"));
        assert_eq!(host("http://b:1/", &["a"], new), of("b"));
        assert_eq!(host("/", &[], old), Ok(None));
        assert_eq!(host("/", &[], new), Err(BadHost::Missing));
        assert_eq!(host("http://b/", &[], new), Err(BadHost::Missing));
        assert_eq!(host("/", &["a", "a"], new), Err(BadHost::Several));
        for bad in [
            "", "a b", "a@b", "a@a", "a@a:80", "ab@a:80", "a/b", "http://a", "a:b", "a:65536",
            "[::1]b",
        ] {
            assert_eq!(host("/", &[bad], new), Err(BadHost::Malformed), "{bad}");
        }
    }
}
