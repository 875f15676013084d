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
    pub(crate) name: TargetName,
    pub(crate) protocol: PublishProtocol,
    server: Server,
}

enum Server {
    Redis(RedisTarget),
    Memcached(MemcachedTarget),
}

/// The update of one window, from reading the published version to replacing the content.
pub(crate) struct TargetUpdate<'a> {
    pub(crate) found: Found,
    at: ServerUpdate<'a>,
}

enum ServerUpdate<'a> {
    Redis(RedisUpdate<'a>),
    Memcached(MemcachedUpdate<'a>),
}

/// What an update finds at its begin.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Found {
    /// The version of what is published, if it is known.
    pub(crate) version: Option<String>,
    pub(crate) has_json: bool,
    /// Whether the sorted set exists, or the protocol has none.
    pub(crate) has_set: bool,
    /// Whether anything is published.
    pub(crate) is_there: bool,
    /// Whether a removal overtakes an update that found nothing published. memcached cannot watch a missing item.
    pub(crate) watches_missing: bool,
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

    /// Begins an update: reads the version of what is published.
    pub(crate) async fn begin(&self, names: &Names) -> Result<TargetUpdate<'_>, TargetError> {
        Ok(match &self.server {
            Server::Redis(target) => {
                let (found, update) = target.begin(names).await?;
                let at = ServerUpdate::Redis(update);
                TargetUpdate { found, at }
            }
            Server::Memcached(target) => {
                let (found, update) = target.begin(names).await?;
                let at = ServerUpdate::Memcached(update);
                TargetUpdate { found, at }
            }
        })
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
    /// Replaces what is published, atomically.
    pub(crate) async fn replace(
        self,
        names: &Names,
        content: Content,
    ) -> Result<Replaced, TargetError> {
        match self.at {
            ServerUpdate::Redis(update) => update.replace(names, content).await,
            ServerUpdate::Memcached(update) => update.replace(names, content).await,
        }
    }

    /// Removes what is published, atomically. If nothing is published, it still overtakes a concurrent update.
    pub(crate) async fn remove(self, names: &Names) -> Result<Replaced, TargetError> {
        match self.at {
            ServerUpdate::Redis(update) => update.remove(names).await,
            ServerUpdate::Memcached(update) => update.remove(names).await,
        }
    }

    /// Ends the update without a change, except that the content expires after `ttl`, if there is one.
    pub(crate) async fn abandon(
        self,
        names: &Names,
        ttl: Option<Duration>,
    ) -> Result<(), TargetError> {
        match self.at {
            ServerUpdate::Redis(update) => update.abandon(names, ttl).await,
            ServerUpdate::Memcached(update) => update.abandon(names, ttl).await,
        }
    }
}
