//! Where a node listens: [`Address`].

use std::fmt;

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    /// A name or an IP address, without brackets.
    pub host: String,
    /// Not 0.
    pub port: u16,
}

/// Why a port is not accepted.
const NO_PORT: &str = "the port is not a number from 1 to 65535, and no '@' ends a password";

impl Address {
    /// One of these.
    #[must_use]
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
        }
    }

    /// Reads `HOST`, `HOST:PORT`, `[V6]` and `[V6]:PORT`.
    pub fn parse(text: &str, default_port: u16) -> Result<Self, &'static str> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or("'[' without ']'")?;
                match rest.strip_prefix(':') {
                    Some(port) => (host, Some(port)),
                    None if rest.is_empty() => (host, None),
                    None => return Err("only a port may follow ']'"),
                }
            }
            None => match text.split_once(':') {
                Some((_, port)) if port.contains(':') => {
                    return Err("an IPv6 address is written in brackets: [::1]:6379");
                }
                Some((host, port)) => (host, Some(port)),
                None => (text, None),
            },
        };
        if host.is_empty() {
            return Err("the host is missing");
        }
        let port = match port {
            None => default_port,
            Some(port) => port.parse().map_err(|_| NO_PORT)?,
        };
        if port == 0 {
            return Err(NO_PORT);
        }
        Ok(Self::new(host, port))
    }

    /// Returns the address that a redirection names: `HOST:PORT`, with an IPv6 address without
    /// brackets, or `:PORT` for the host of the node that sent the redirection.
    #[must_use]
    pub fn from_redirection(text: &str, sender: &Self) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let port = port.parse().ok().filter(|port| *port != 0)?;
        Some(Self::new(
            match host {
                "" | "?" => sender.host.as_str(),
                host => host,
            },
            port,
        ))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_name_nodes() {
        let sender = Address::new("10.0.0.1", 6379);
        for (text, expected) in [
            ("10.0.0.2:6380", Some(Address::new("10.0.0.2", 6380))),
            (
                "redis-1.example:6379",
                Some(Address::new("redis-1.example", 6379)),
            ),
            ("fd00::2:6379", Some(Address::new("fd00::2", 6379))),
            (":6380", Some(Address::new("10.0.0.1", 6380))),
            ("?:6380", Some(Address::new("10.0.0.1", 6380))),
            ("10.0.0.2:0", None),
            ("10.0.0.2", None),
        ] {
            assert_eq!(Address::from_redirection(text, &sender), expected, "{text}");
        }
    }
}
