//! The settings of this crate: [`AccessSettings`].

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::key::KeyError;
use crate::key_settings::KeySettings;
use crate::rate::RateSettings;

/// The settings of access.
#[derive(Debug, Clone, Default)]
pub struct AccessSettings {
    /// Without keys, every request is permitted.
    pub keys: Vec<KeySettings>,
    /// Whether `/metrics` is served without a key.
    pub metrics_open: bool,
    /// The secret that signs stream tokens. Servers with the same secret accept each other's tokens. Defaults to a
    /// random secret.
    pub token_secret: Option<TokenSecret>,
    /// The rate limit of keys without one of their own.
    pub key_rate: RateSettings,
    /// The rate limit of an address.
    pub address_rate: RateSettings,
    /// Networks and addresses of proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<String>,
    /// Networks and addresses of clients whose `traceparent` decides whether a request is traced. Proxies need not be
    /// listed here.
    pub trusted_tracers: Vec<String>,
    /// Host names that a server without keys answers to, or `*`.
    pub hosts: Vec<String>,
    /// Origins whose web pages may make requests, or `*`.
    pub cors_origins: Vec<String>,
    /// Sites that may embed pages of the server: origins, whose host may begin with `*.`.
    pub frame_ancestors: Vec<String>,
}

/// The secret that signs stream tokens. `Debug` does not show it.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct TokenSecret(String);

impl TokenSecret {
    pub(crate) const fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl FromStr for TokenSecret {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSecret").finish_non_exhaustive()
    }
}

/// Why settings are rejected. Messages contain no secret, and at most 200 characters of other values.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum AccessError {
    #[error("server.keys: {0}")]
    Keys(#[from] KeyError),
    #[error("server.token_secret: has fewer than 32 bytes")]
    TokenSecret,
    #[error("server.token_secret: it is not set, and no random secret could be generated: {0}")]
    NoRandom(#[from] getrandom::Error),
    #[error("server.{0}: burst: requires requests_per_second")]
    BurstAlone(&'static str),
    #[error(
        "server.trusted_proxies: {0:?} is not a network such as 10.0.0.0/8 or an address such as 10.0.0.7 or ::1"
    )]
    Proxy(String),
    #[error(
        "tracing.trusted: {0:?} is not a network such as 10.0.0.0/8 or an address such as 10.0.0.7 or ::1"
    )]
    Tracer(String),
    #[error(
        "server.hosts: {0:?} is not a name such as boards.example, an address or *; write it as clients send it in \
         Host, without scheme, port and path"
    )]
    Host(String),
    #[error(
        "server.cors.origins: {0:?} is not an origin as browsers send it, such as https://a.example or \
         http://localhost:3000 (no path, no default port), and not * alone"
    )]
    Origin(String),
    #[error(
        "server.frame_ancestors: {0:?} is not a site such as https://a.example, https://*.a.example or \
         http://localhost:3000 (no path, no default port, no address of IPv6)"
    )]
    FrameAncestor(String),
    #[error(
        "server.frame_ancestors: there are {0} sites, more than 64: use names such as https://*.a.example"
    )]
    FrameAncestors(usize),
}
