//! The server that is written to: [`Target`], and one board's [`TargetUpdate`] at it.
//!
//! An update begins with a look at what is published, which is watched from then on. The holder of the
//! update merges the board after that look, so that what it writes is never older than what was there;
//! and it is written only if nobody has written in between. So what is published never goes back, however
//! many servers publish one board, and no two of their versions have to be compared.

mod memcached;
mod redis;

use std::sync::Arc;
use std::time::Duration;

use board::{PublishProtocol, PublishTarget};
use shard_store::ShardStore;

use crate::content::Content;
use crate::credentials::{Credentials, Login};
use crate::names::Names;
use memcached::{MemcachedTarget, MemcachedUpdate};
use redis::{RedisTarget, RedisUpdate};

/// How long a connection may take to be made, TLS and login included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long one round trip is waited for.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(2);

/// Connections that are kept for later turns.
const IDLE_CONNECTIONS_MAX: usize = 8;

/// Why an update came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    /// The server cannot be reached, or does not answer.
    #[error("{0}")]
    Away(String),
    /// It answered with an error.
    #[error("{0}")]
    Refused(String),
}

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switched {
    /// Readers see it.
    Yes,
    /// Another server has written meanwhile: nothing was changed.
    Overtaken,
}

/// What connections to a target are made with.
pub(crate) struct Access<'a> {
    pub(crate) credentials: &'a Credentials,
    pub(crate) login: Login,
    /// The store of the service, whose own nodes are no targets.
    pub(crate) store: &'a Arc<dyn ShardStore>,
}

/// A server that boards are published to.
pub(crate) enum Target {
    Redis(RedisTarget),
    Memcached(MemcachedTarget),
}

/// One board's window, from the look at what is published to what is put in its place.
pub(crate) enum TargetUpdate<'a> {
    Redis(RedisUpdate<'a>),
    Memcached(MemcachedUpdate<'a>),
}

impl Target {
    pub(crate) fn new(target: &PublishTarget, access: Access<'_>) -> Self {
        match target.protocol {
            PublishProtocol::Redis { .. } | PublishProtocol::RedisCluster => {
                Self::Redis(RedisTarget::new(target, access))
            }
            PublishProtocol::Memcached => Self::Memcached(MemcachedTarget::new(target)),
        }
    }

    /// Looks at what is published.
    pub(crate) async fn begin(&self, names: &Names) -> Result<TargetUpdate<'_>, Fault> {
        match self {
            Self::Redis(target) => target.begin(names).await.map(TargetUpdate::Redis),
            Self::Memcached(target) => target.begin(names).await.map(TargetUpdate::Memcached),
        }
    }

    /// Whether a server was another one than before, where that can be seen, since this was last asked.
    pub(crate) fn take_another(&self) -> bool {
        match self {
            Self::Redis(target) => target.take_another(),
            Self::Memcached(_) => false,
        }
    }
}

impl TargetUpdate<'_> {
    /// The mark of what is published, where that is known.
    pub(crate) fn published(&self) -> Option<&str> {
        match self {
            Self::Redis(update) => update.published(),
            Self::Memcached(update) => update.published(),
        }
    }

    /// Whether anything is published.
    pub(crate) fn is_there(&self) -> bool {
        match self {
            Self::Redis(update) => {
                update.published().is_some() || update.has_set() || update.has_json()
            }
            Self::Memcached(update) => update.is_there(),
        }
    }

    /// Whether a removal overtakes an update that found nothing there. memcached has no watch on what is
    /// not there.
    pub(crate) const fn watches_nothing(&self) -> bool {
        match self {
            Self::Redis(_) => true,
            Self::Memcached(_) => false,
        }
    }

    /// Whether the JSON is there.
    pub(crate) const fn has_json(&self) -> bool {
        match self {
            Self::Redis(update) => update.has_json(),
            Self::Memcached(update) => update.is_there(),
        }
    }

    /// Whether the sorted set is there, or could never be.
    pub(crate) const fn has_set(&self) -> bool {
        match self {
            Self::Redis(update) => update.has_set(),
            Self::Memcached(_) => true,
        }
    }

    /// Puts this in the place of what is published, all at once.
    pub(crate) async fn switch(self, names: &Names, content: Content) -> Result<Switched, Fault> {
        match self {
            Self::Redis(update) => update.switch(names, content).await,
            Self::Memcached(update) => update.switch(names, content).await,
        }
    }

    /// Takes away what is published, all at once. Also where nothing is: an update that is about to publish there is
    /// overtaken.
    pub(crate) async fn clear(self, names: &Names) -> Result<Switched, Fault> {
        match self {
            Self::Redis(update) => update.clear(names).await,
            Self::Memcached(update) => update.clear(names).await,
        }
    }

    /// Leaves what is published as it is, to last for so long from now on where it ends by itself.
    pub(crate) async fn leave(self, names: &Names, lasts: Option<Duration>) -> Result<(), Fault> {
        match self {
            Self::Redis(update) => update.leave(names, lasts).await,
            Self::Memcached(update) => update.leave(names, lasts).await,
        }
    }
}
