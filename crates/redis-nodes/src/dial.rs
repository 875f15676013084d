//! Settings of connections to nodes: [`Dial`].

use crate::redis_link::{ConnectOptions, RedisUrl, UrlKind};

use crate::library::FunctionLibrary;
use crate::open_error::OpenError;
use crate::settings::{RedisSettings, Writes};

/// The common settings of all connections of a store.
#[derive(Debug, Clone)]
pub(crate) struct Dial {
    pub(crate) options: ConnectOptions,
    /// Whether nodes have to be those of a cluster.
    pub(crate) is_for_cluster: bool,
    /// Whether nodes have to run our functions.
    pub(crate) writes: Writes,
    /// The functions.
    pub(crate) library: &'static FunctionLibrary,
}

impl Dial {
    pub(crate) fn new(
        url: &RedisUrl,
        settings: &RedisSettings,
        library: &'static FunctionLibrary,
    ) -> Result<Self, OpenError> {
        let options = ConnectOptions::new(url.tls, url.login.as_ref(), settings.tls_ca.as_deref());
        Ok(Self {
            options: options.map_err(OpenError::Tls)?,
            is_for_cluster: url.kind == UrlKind::Cluster,
            writes: settings.writes,
            library,
        })
    }

    /// Returns the settings for the sentinels of a primary, with the same login or none. They use
    /// RESP2.
    pub(crate) fn sentinel(&self, with_login: bool) -> ConnectOptions {
        let login = self.options.login.clone();
        ConnectOptions {
            login: login.filter(|_| with_login),
            is_resp2: true,
            ..self.options.clone()
        }
    }
}
