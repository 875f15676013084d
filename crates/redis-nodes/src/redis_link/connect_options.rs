//! How a connection is made: [`ConnectOptions`].

use std::path::Path;
use std::time::Duration;

use crate::redis_link::tls::Tls;
use crate::redis_link::url::{Login, ServerUrl};

/// The default time limit of connecting.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a connection may receive no reply, by default.
pub const SILENCE: Duration = Duration::from_secs(2);

/// The settings of all connections to a Redis.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// The login, if there is one.
    pub login: Option<Login>,
    /// The TLS settings, if connections use TLS.
    pub tls: Option<Tls>,
    /// The database, if it is not 0.
    pub database: Option<u8>,
    /// Whether the connection uses RESP2, which every Sentinel supports.
    pub is_resp2: bool,
    /// The time limit of connecting, including TLS and login.
    pub connect_timeout: Duration,
    /// How long the connection may receive no reply while a command waits for one.
    pub silence: Duration,
}

impl Default for ConnectOptions {
    /// Returns the options of connections to the nodes of a store.
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
    /// Returns the options of connections to a server. Without a file of certificates, those of the system are trusted.
    pub fn new(tls: bool, login: Option<&Login>, tls_ca: Option<&Path>) -> Result<Self, String> {
        Ok(Self {
            login: login.cloned(),
            tls: tls.then(|| Tls::new(tls_ca)).transpose()?,
            ..Self::default()
        })
    }
}

impl ServerUrl {
    /// Returns the options of connections to this server, which trust the certificates of the system.
    pub fn connect_options(&self) -> Result<ConnectOptions, String> {
        ConnectOptions::new(self.tls, self.login.as_ref(), None)
    }
}
