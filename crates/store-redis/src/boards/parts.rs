//! What all parts of a store share: [`Parts`].

use std::sync::Arc;

use redis_nodes::redis_link::RedisUrl;
use redis_nodes::{Nodes, OpenError, RedisSettings};

use super::incarnations::Incarnations;
use super::registry::Registry;
use super::session::Session;
use crate::library::library;

/// The nodes of a store, the name and the settings of this server, and what is known of boards. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub(crate) servers: Arc<Nodes>,
    pub(crate) session: Arc<Session>,
    pub(crate) settings: Arc<RedisSettings>,
    pub(crate) registry: Arc<Registry>,
    /// The leases over the registry.
    pub(crate) incarnations: Arc<Incarnations>,
}

impl Parts {
    /// Connects, and checks whether the servers can be used and are the same as before.
    pub(crate) async fn open(url: &RedisUrl, settings: &RedisSettings) -> Result<Self, OpenError> {
        let servers = Nodes::open(url, settings, library()).await?;
        Self::over(Arc::new(servers), settings)
    }

    /// Returns the parts of another server over these nodes.
    pub(crate) fn over(servers: Arc<Nodes>, settings: &RedisSettings) -> Result<Self, OpenError> {
        let session = Session::new()
            .map_err(|error| OpenError::Setting(format!("no random numbers: {error}")))?;
        let session = Arc::new(session);
        let settings = Arc::new(settings.clone());
        let registry = Registry::new(servers.clone(), session.clone(), settings.clone());
        let registry = Arc::new(registry);
        let incarnations = Incarnations::new(
            servers.clone(),
            session.clone(),
            registry.clone(),
            &settings,
        );
        Ok(Self {
            servers,
            session,
            settings,
            registry,
            incarnations: Arc::new(incarnations),
        })
    }
}
