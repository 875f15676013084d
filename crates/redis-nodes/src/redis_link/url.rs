//! URLs of Redis: [`RedisUrl`] for the nodes of a store, [`ServerUrl`] for one server, and their
//! parts: [`Login`], [`Address`].

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

use crate::redis_link::address::Address;

/// The port of Redis.
pub const PORT: u16 = 6379;

/// The port of Sentinel.
const SENTINEL_PORT: u16 = 26379;

/// The schemes that are accepted.
const SCHEMES: &str = "redis://, redis-cluster:// or redis-sentinel:// \
     (over TLS rediss://, rediss-cluster:// or rediss-sentinel://)";

/// The nodes of a Redis, and the login.
///
/// | text | what it is |
/// | --- | --- |
/// | `redis://HOST:PORT` | one server |
/// | `redis://HOST:PORT,HOST:PORT` | independent servers: boards are spread over all of them |
/// | `redis-cluster://HOST:PORT,...` | a cluster, by some of its nodes |
/// | `redis-sentinel://HOST:PORT,.../NAME` | the primary of that name, found by these sentinels |
///
/// `USER:PASSWORD@`, percent-encoded, may precede the first host; an empty user is Redis's default
/// user. `rediss`, `rediss-cluster` and `rediss-sentinel` use TLS. The port defaults to 6379, that
/// of sentinels to 26379.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl {
    /// What the addresses are.
    pub kind: UrlKind,
    /// Whether connections use TLS.
    pub tls: bool,
    /// The login, if there is one.
    pub login: Option<Login>,
    /// At least one, without duplicates.
    pub addresses: Vec<Address>,
}

/// What the addresses of a URL are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlKind {
    /// One server, or several independent ones.
    Servers,
    /// Nodes of a cluster.
    Cluster,
    /// Sentinels that monitor a primary of this name.
    Sentinel(String),
}

/// A user and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// `None` is Redis's default user.
    pub user: Option<String>,
    /// Empty if only a user is known.
    pub password: String,
}

/// Why a text is not a [`RedisUrl`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedisUrlError {
    /// The scheme is not supported.
    #[error("a Redis URL must begin with {SCHEMES}")]
    Scheme,
    /// The scheme is not one of a single server.
    #[error("the URL of one Redis server must begin with redis://, or rediss:// over TLS")]
    ServerScheme,
    /// The part before `@` is not `USER:PASSWORD`. The error does not contain it.
    #[error("the part before '@' is not USER:PASSWORD, percent-encoded: {0}")]
    Login(&'static str),
    /// An address cannot be read.
    #[error("the address of host {host:?} is wrong: {reason}")]
    Address {
        /// Its host. The text after it is not shown: it may be a password without an `@`.
        host: String,
        /// Why.
        reason: &'static str,
    },
    /// An address is listed twice.
    #[error("{0} is listed twice")]
    Twice(String),
    /// The text after the addresses is not accepted.
    #[error("{0}")]
    Path(&'static str),
}

impl FromStr for RedisUrl {
    type Err = RedisUrlError;

    fn from_str(text: &str) -> Result<Self, RedisUrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(RedisUrlError::Scheme)?;
        let (tls, kind) = match scheme {
            "redis" => (false, UrlKind::Servers),
            "rediss" => (true, UrlKind::Servers),
            "redis-cluster" => (false, UrlKind::Cluster),
            "rediss-cluster" => (true, UrlKind::Cluster),
            "redis-sentinel" => (false, UrlKind::Sentinel(String::new())),
            "rediss-sentinel" => (true, UrlKind::Sentinel(String::new())),
            _ => return Err(RedisUrlError::Scheme),
        };
        let (login, rest) = match rest.rsplit_once('@') {
            Some((login, rest)) => (Some(login.parse()?), rest),
            None => (None, rest),
        };
        let (addresses, path) = match rest.split_once('/') {
            Some((addresses, path)) => (addresses, path),
            None => (rest, ""),
        };
        let kind = kind.with_path(path)?;
        let port = match kind {
            UrlKind::Sentinel(_) => SENTINEL_PORT,
            UrlKind::Servers | UrlKind::Cluster => PORT,
        };
        Ok(Self {
            addresses: addresses_of(addresses, port)?,
            kind,
            tls,
            login,
        })
    }
}

fn addresses_of(text: &str, port: u16) -> Result<Vec<Address>, RedisUrlError> {
    let mut addresses = Vec::new();
    for each in text.split(',') {
        let address = address_of(each, port)?;
        if addresses.contains(&address) {
            return Err(RedisUrlError::Twice(address.to_string()));
        }
        addresses.push(address);
    }
    Ok(addresses)
}

fn address_of(text: &str, port: u16) -> Result<Address, RedisUrlError> {
    Address::parse(text, port).map_err(|reason| RedisUrlError::Address {
        host: host_of(text).to_owned(),
        reason,
    })
}

/// Returns the text before the port.
fn host_of(address: &str) -> &str {
    let (open, close) = if address.starts_with('[') {
        ("[", ']')
    } else {
        ("", ':')
    };
    let host = address.trim_start_matches(open).split(close).next();
    host.unwrap_or_default()
}

impl UrlKind {
    fn with_path(self, path: &str) -> Result<Self, RedisUrlError> {
        match self {
            Self::Sentinel(_) if path.is_empty() => Err(RedisUrlError::Path(
                "the name of the primary is missing: redis-sentinel://HOST:PORT/NAME",
            )),
            Self::Sentinel(_) => decoded(path)
                .map(Self::Sentinel)
                .ok_or(RedisUrlError::Path("the name of the primary is not UTF-8")),
            kind if path.is_empty() => Ok(kind),
            _ => Err(RedisUrlError::Path(
                "nothing may follow the addresses: database 0 is the one that is used",
            )),
        }
    }
}

impl FromStr for Login {
    type Err = RedisUrlError;

    fn from_str(text: &str) -> Result<Self, RedisUrlError> {
        let (user, password) = text
            .split_once(':')
            .ok_or(RedisUrlError::Login("there is no ':'"))?;
        if password.contains(':') {
            let reason = "a ':' in the password must be written as %3A";
            return Err(RedisUrlError::Login(reason));
        }
        let decode = |text| decoded(text).ok_or(RedisUrlError::Login("it is not UTF-8"));
        let user = decode(user)?;
        let password = decode(password)?;
        if password.is_empty() {
            return Err(RedisUrlError::Login("the password is empty"));
        }
        Ok(Self {
            user: (!user.is_empty()).then_some(user),
            password,
        })
    }
}

/// Percent-decodes a text, if the result is UTF-8.
#[must_use]
pub fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned())
}

/// One server, and the login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    /// Whether connections use TLS.
    pub tls: bool,
    /// The login, if there is one.
    pub login: Option<Login>,
    /// Its address.
    pub address: Address,
}

impl ServerUrl {
    /// Reads `redis://[USER:PASSWORD@]HOST[:PORT][/PATH]` or `rediss://...`. The path is returned
    /// as it is written, empty if there is none. A path may contain an `@`, so a `/` in a password
    /// is written `%2F`.
    pub fn with_path(text: &str) -> Result<(Self, &str), RedisUrlError> {
        let (tls, rest) = match text.split_once("://") {
            Some(("redis", rest)) => (false, rest),
            Some(("rediss", rest)) => (true, rest),
            _ => return Err(RedisUrlError::ServerScheme),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, address) = match authority.rsplit_once('@') {
            Some((login, address)) => (Some(login.parse()?), address),
            None => (None, authority),
        };
        let url = Self {
            tls,
            login,
            address: address_of(address, PORT)?,
        };
        Ok((url, path))
    }
}

/// Omits the login.
impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = if self.tls { "s" } else { "" };
        write!(f, "redis{tls}://{}", self.address)
    }
}

/// Omits the password; for display only.
impl fmt::Display for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tls = if self.tls { "s" } else { "" };
        let (kind, name) = match &self.kind {
            UrlKind::Servers => ("", None),
            UrlKind::Cluster => ("-cluster", None),
            UrlKind::Sentinel(name) => ("-sentinel", Some(name)),
        };
        write!(f, "redis{tls}{kind}://")?;
        if let Some(login) = &self.login {
            write!(f, "{}:***@", login.user.as_deref().unwrap_or_default())?;
        }
        for (at, address) in self.addresses.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{address}")?;
        }
        match name {
            Some(name) => write!(f, "/{name}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisUrl({self})")
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Login({:?})", self.user)
    }
}

#[cfg(test)]
mod tests;
