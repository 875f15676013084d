//! [`AccessSettings`], and why they are rejected.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::key::{KeyError, KeySettings};
use crate::rate::RateSettings;

/// The settings of access.
#[derive(Debug, Clone, Default)]
pub struct AccessSettings {
    /// Without any, everybody may do everything.
    pub keys: Vec<KeySettings>,
    /// Whether `/metrics` asks for no key.
    pub metrics_open: bool,
    /// What stream tokens are signed under; servers that share one know each other's. Drawn where
    /// there is none.
    pub token_secret: Option<TokenSecret>,
    /// Requests of a key that says nothing of its own.
    pub key_rate: RateSettings,
    /// Requests of an address.
    pub address_rate: RateSettings,
    /// Networks and addresses of proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<String>,
    /// Networks and addresses of callers who decide, by `traceparent`, which of their requests are traced;
    /// proxies are such.
    pub trusted_tracers: Vec<String>,
    /// Names that a server without keys is reached by, or `*`.
    pub hosts: Vec<String>,
    /// Origins whose pages may ask, or `*`.
    pub cors_origins: Vec<String>,
}

/// What stream tokens are signed under. It is not shown.
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

/// Why settings are rejected. Never repeats a secret, and of other values at most 200 characters.
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
}
