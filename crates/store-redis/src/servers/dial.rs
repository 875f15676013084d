//! How nodes are connected to: [`Dial`].

use redis_link::{ConnectOptions, RedisUrl, UrlKind};

use super::OpenError;
use crate::settings::{RedisSettings, RedisWrites};

/// What all connections of a store have in common.
#[derive(Debug, Clone)]
pub(super) struct Dial {
    pub(super) options: ConnectOptions,
    /// Whether nodes are to be those of a cluster.
    pub(super) is_for_cluster: bool,
    /// Whether nodes are to run our functions.
    pub(super) writes: RedisWrites,
}

impl Dial {
    pub(super) fn new(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let options = url.connect_options(settings.tls_ca.as_deref());
        Ok(Self {
            options: options.map_err(|error| OpenError::Tls(error.to_string()))?,
            is_for_cluster: url.kind == UrlKind::Cluster,
            writes: settings.writes,
        })
    }

    /// For the sentinels of a primary, with the same login or none. They speak the older protocol.
    pub(super) fn sentinel(&self, with_login: bool) -> ConnectOptions {
        let login = self.options.login.clone();
        ConnectOptions {
            login: login.filter(|_| with_login),
            is_resp2: true,
            ..self.options.clone()
        }
    }
}
