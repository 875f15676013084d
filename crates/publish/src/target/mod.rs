//! A server that boards are published to: [`Target`], and the update of one window there: [`TargetUpdate`].
//!
//! An update begins by reading the version of what is published. The board is merged after that, so the merge is never
//! older than what was published. The new content is written only if nobody has written since the update began. So
//! published content never goes back, however many servers publish one board, and no two versions have to be compared.

mod memcached;
mod outcome;
mod redis;

use std::sync::Arc;
use std::time::Duration;

use board::{PublishProtocol, PublishTarget, TargetName};
use shard_store::ShardStore;

pub(crate) use outcome::{Replaced, TargetError};

use crate::content::Content;
use crate::credentials::Credentials;
use crate::names::Names;
use memcached::{MemcachedTarget, MemcachedUpdate};
use redis::{RedisTarget, RedisUpdate};

/// The timeout of a connection attempt, including TLS and the login.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The timeout of one round trip.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// The number of idle connections that are kept.
const IDLE_CONNECTIONS_MAX: usize = 8;

/// A server that boards are published to. Only the configuration and this type know its address.
pub(crate) struct Target {
    name: TargetName,
    protocol: PublishProtocol,
    server: Server,
}

enum Server {
    Redis(RedisTarget),
    Memcached(MemcachedTarget),
}

/// The update of one window, from reading the published version to replacing the content.
pub(crate) enum TargetUpdate<'a> {
    Redis(RedisUpdate<'a>),
    Memcached(MemcachedUpdate<'a>),
}

impl Target {
    /// Creates a target. Nodes of `store`, the store of the service, are never written to.
    pub(crate) fn new(
        name: TargetName,
        at: &PublishTarget,
        credentials: &Credentials,
        store: &Arc<dyn ShardStore>,
    ) -> Self {
        let server = match at.protocol {
            PublishProtocol::Redis { .. } | PublishProtocol::RedisCluster => {
                Server::Redis(RedisTarget::new(&name, at, credentials, store))
            }
            PublishProtocol::Memcached => Server::Memcached(MemcachedTarget::new(at)),
        };
        Self {
            name,
            protocol: at.protocol,
            server,
        }
    }

    pub(crate) const fn name(&self) -> &TargetName {
        &self.name
    }

    pub(crate) const fn protocol(&self) -> PublishProtocol {
        self.protocol
    }

    /// Begins an update: reads the version of what is published.
    pub(crate) async fn begin(&self, names: &Names) -> Result<TargetUpdate<'_>, TargetError> {
        match &self.server {
            Server::Redis(target) => target.begin(names).await.map(TargetUpdate::Redis),
            Server::Memcached(target) => target.begin(names).await.map(TargetUpdate::Memcached),
        }
    }

    /// Returns whether a server process was found to be another one than before, since the last call. Not detected for
    /// memcached.
    pub(crate) fn take_replaced(&self) -> bool {
        match &self.server {
            Server::Redis(target) => target.take_replaced(),
            Server::Memcached(_) => false,
        }
    }
}

impl TargetUpdate<'_> {
    /// Returns the version of what is published, if it is known.
    pub(crate) fn published(&self) -> Option<&str> {
        match self {
            Self::Redis(update) => update.published(),
            Self::Memcached(update) => update.published(),
        }
    }

    /// Returns whether anything is published.
    pub(crate) fn is_there(&self) -> bool {
        match self {
            Self::Redis(update) => {
                update.published().is_some() || update.has_set() || update.has_json()
            }
            Self::Memcached(update) => update.is_there(),
        }
    }

    /// Returns whether a removal overtakes an update that found nothing published. memcached cannot watch a missing
    /// item.
    pub(crate) const fn watches_missing(&self) -> bool {
        match self {
            Self::Redis(_) => true,
            Self::Memcached(_) => false,
        }
    }

    /// Returns whether the JSON exists.
    pub(crate) const fn has_json(&self) -> bool {
        match self {
            Self::Redis(update) => update.has_json(),
            Self::Memcached(update) => update.is_there(),
        }
    }

    /// Returns whether the sorted set exists, or the protocol has none.
    pub(crate) const fn has_set(&self) -> bool {
        match self {
            Self::Redis(update) => update.has_set(),
            Self::Memcached(_) => true,
        }
    }

    /// Replaces what is published, atomically.
    pub(crate) async fn replace(
        self,
        names: &Names,
        content: Content,
    ) -> Result<Replaced, TargetError> {
        match self {
            Self::Redis(update) => update.replace(names, content).await,
            Self::Memcached(update) => update.replace(names, content).await,
        }
    }

    /// Removes what is published, atomically. If nothing is published, it still overtakes a concurrent update.
    pub(crate) async fn remove(self, names: &Names) -> Result<Replaced, TargetError> {
        match self {
            Self::Redis(update) => update.remove(names).await,
            Self::Memcached(update) => update.remove(names).await,
        }
    }

    /// Ends the update without a change, except that the content expires after `ttl`, if there is one.
    pub(crate) async fn abandon(
        self,
        names: &Names,
        ttl: Option<Duration>,
    ) -> Result<(), TargetError> {
        match self {
            Self::Redis(update) => update.abandon(names, ttl).await,
            Self::Memcached(update) => update.abandon(names, ttl).await,
        }
    }
}
