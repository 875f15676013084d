//! [`PublishTarget`]: the address of a server that boards are published to.

use std::fmt;
use std::str::FromStr;

use crate::limits::HOST_BYTES_MAX;

/// The default port of Redis.
const REDIS_PORT: u16 = 6379;

/// The default port of memcached.
const MEMCACHED_PORT: u16 = 11_211;

/// The largest database number of a Redis.
const DATABASE_MAX: u8 = u8::MAX;

/// The protocol of the other server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PublishProtocol {
    /// One Redis or Valkey, and a database on it.
    Redis {
        /// The database number.
        database: u8,
    },
    /// A Redis or Valkey cluster, found through one of its nodes.
    RedisCluster,
    /// A memcached.
    Memcached,
}

/// A server that boards are published to, written `redis://HOST:PORT/DATABASE`,
/// `redis-cluster://HOST:PORT`, the same with `rediss` over TLS, or `memcached://HOST:PORT`.
///
/// The login is not part of it: it is configured beside the address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublishTarget {
    /// The protocol.
    pub protocol: PublishProtocol,
    /// Whether the connection uses TLS.
    pub tls: bool,
    /// A name or an IP address, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// Why a text is not a [`PublishTarget`]. Never repeats what may be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishTargetError {
    /// An unknown scheme.
    #[error(
        "is not one of redis://HOST:PORT[/DATABASE], redis-cluster://HOST:PORT (rediss over TLS) and \
         memcached://HOST:PORT"
    )]
    Scheme,
    /// Contains a user or a password.
    #[error(
        "contains a user or a password, which are separate settings in [publish.targets] of the \
 configuration file"
    )]
    Login,
    /// The address cannot be parsed.
    #[error("{address:?} is not HOST:PORT: {reason}")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// What follows the address is not a database number.
    #[error("{0:?} after the address is not a database from 0 to {DATABASE_MAX}")]
    Database(String),
    /// Something follows the address, although the protocol has no databases.
    #[error("{0:?} after the address is not allowed")]
    Path(String),
}

impl FromStr for PublishTarget {
    type Err = PublishTargetError;

    fn from_str(text: &str) -> Result<Self, PublishTargetError> {
        let (scheme, rest) = text.split_once("://").ok_or(PublishTargetError::Scheme)?;
        if rest.contains('@') {
            return Err(PublishTargetError::Login);
        }
        let (address, path) = rest.split_once('/').unwrap_or((rest, ""));
        let redis = || redis(path);
        let (protocol, tls, default_port) = match scheme {
            "redis" => (redis()?, false, REDIS_PORT),
            "rediss" => (redis()?, true, REDIS_PORT),
            "redis-cluster" => (PublishProtocol::RedisCluster, false, REDIS_PORT),
            "rediss-cluster" => (PublishProtocol::RedisCluster, true, REDIS_PORT),
            "memcached" => (PublishProtocol::Memcached, false, MEMCACHED_PORT),
            _ => return Err(PublishTargetError::Scheme),
        };
        if !path.is_empty() && !matches!(protocol, PublishProtocol::Redis { .. }) {
            return Err(PublishTargetError::Path(path.to_owned()));
        }
        let (host, port) = host_and_port(address, default_port).map_err(|reason| {
            let address = address.to_owned();
            PublishTargetError::Address { address, reason }
        })?;
        Ok(Self {
            protocol,
            tls,
            host,
            port,
        })
    }
}

fn redis(path: &str) -> Result<PublishProtocol, PublishTargetError> {
    let database = if path.is_empty() {
        Some(0)
    } else {
        let digits = path.bytes().all(|byte| byte.is_ascii_digit());
        path.parse().ok().filter(|_| digits)
    };
    let database = database.ok_or_else(|| PublishTargetError::Database(path.to_owned()))?;
    Ok(PublishProtocol::Redis { database })
}

/// Parses `HOST`, `HOST:PORT`, `[V6]` and `[V6]:PORT`.
fn host_and_port(text: &str, default_port: u16) -> Result<(String, u16), &'static str> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("'[' without ']'")?;
            match rest.strip_prefix(':') {
                None if !rest.is_empty() => return Err("only a port may follow ']'"),
                port => (host, port),
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
    if host.contains(|c: char| c.is_control() || c.is_whitespace() || c == ',') {
        return Err("exactly one host, without spaces, is accepted");
    }
    let port = port.map_or(Some(default_port), |port| port.parse().ok());
    let port = port.filter(|port| *port != 0);
    if host.len() > HOST_BYTES_MAX {
        return Err("a host has at most 253 bytes");
    }
    Ok((
        host.to_owned(),
        port.ok_or("the port is not from 1 to 65535")?,
    ))
}

impl fmt::Display for PublishTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = if self.tls { "s" } else { "" };
        match self.protocol {
            PublishProtocol::Redis { .. } => write!(f, "redis{tls}://")?,
            PublishProtocol::RedisCluster => write!(f, "redis{tls}-cluster://")?,
            PublishProtocol::Memcached => f.write_str("memcached://")?,
        }
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)?;
        } else {
            write!(f, "{}:{}", self.host, self.port)?;
        }
        match self.protocol {
            PublishProtocol::Redis { database } if database > 0 => write!(f, "/{database}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_and_displayed() {
        for (text, shown) in [
            ("redis://a:1", "redis://a:1"),
            ("redis://a", "redis://a:6379"),
            ("redis://a:1/0", "redis://a:1"),
            ("rediss://a:1/15", "rediss://a:1/15"),
            ("redis-cluster://[::1]:7000", "redis-cluster://[::1]:7000"),
            ("rediss-cluster://a", "rediss-cluster://a:6379"),
            ("memcached://a", "memcached://a:11211"),
        ] {
            let target: PublishTarget = text.parse().unwrap();
            assert_eq!(target.to_string(), shown);
            assert_eq!(shown.parse(), Ok(target));
        }
    }

    #[test]
    fn errors_name_the_fault_and_never_the_password() {
        for (text, part) in [
            ("a:1", "redis://"),
            ("http://a:1", "redis://"),
            ("redis-sentinel://a/b", "redis://"),
            ("redis://user:secret@a:1", "[publish.targets]"),
            ("redis://:secret@a:1/0", "[publish.targets]"),
            ("redis://", "host is missing"),
            ("redis://a:0", "port"),
            ("redis://a:x", "port"),
            ("redis://a,b", "one host"),
            ("redis://::1", "brackets"),
            ("redis://a/256", "database"),
            ("redis://a/+1", "database"),
            ("redis-cluster://a/1", "\"1\""),
            ("memcached://a/x", "\"x\""),
        ] {
            let error = text.parse::<PublishTarget>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
