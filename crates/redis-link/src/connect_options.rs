//! How a connection is made: [`ConnectOptions`].

use std::path::Path;
use std::time::Duration;

use crate::tls::{Tls, TlsError};
use crate::url::{Login, RedisUrl, ServerUrl};

/// How long a connection may take to be made unless the options say otherwise.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a connection may answer nothing unless the options say otherwise.
pub const SILENCE: Duration = Duration::from_secs(2);

/// What all connections to a Redis have in common.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The login, if there is one.
    pub login: Option<Login>,
    /// Over TLS, if at all.
    pub tls: Option<Tls>,
    /// The database, where it is not 0.
    pub database: Option<u8>,
    /// Whether the older protocol is spoken, which each Sentinel knows.
    pub is_resp2: bool,
    /// How long a connection may take to be made, TLS and login included.
    pub connect_timeout: Duration,
    /// How long a connection may answer nothing while a command waits.
    pub silence: Duration,
}

impl Default for ConnectOptions {
    /// As the nodes of a store are connected to.
    fn default() -> Self {
        Self {
            login: None,
            tls: None,
            database: None,
            is_resp2: false,
            connect_timeout: CONNECT_TIMEOUT,
            silence: SILENCE,
        }
    }
}

impl ConnectOptions {
    fn new(tls: bool, login: Option<&Login>, tls_ca: Option<&Path>) -> Result<Self, TlsError> {
        Ok(Self {
            login: login.cloned(),
            tls: tls.then(|| Tls::new(tls_ca)).transpose()?,
            ..Self::default()
        })
    }
}

impl ServerUrl {
    /// How it is connected to. Without a file of certificates those of the system are trusted.
    pub fn connect_options(&self, tls_ca: Option<&Path>) -> Result<ConnectOptions, TlsError> {
        ConnectOptions::new(self.tls, self.login.as_ref(), tls_ca)
    }
}

impl RedisUrl {
    /// How each node is connected to. Without a file of certificates those of the system are trusted.
    pub fn connect_options(&self, tls_ca: Option<&Path>) -> Result<ConnectOptions, TlsError> {
        ConnectOptions::new(self.tls, self.login.as_ref(), tls_ca)
    }
}
