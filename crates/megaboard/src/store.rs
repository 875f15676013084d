//! Stores by URL.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use shard_store::{Memory, ShardStore, StoreError};
use store_local::{EmbeddedError, EmbeddedSettings, LocalDisk, LocalStore, OpenError};
use store_redis::{RedisOpenError, RedisSettings, RedisStore, RedisUrl, RedisUrlError};

/// Which store, as `--store` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreUrl {
    /// `memory:`.
    Memory,
    /// `embedded:DIR`.
    Embedded(PathBuf),
    /// `redis://HOST` and its like.
    Redis(RedisUrl),
}

/// What stores are told beside where they are; each takes what is for it.
#[derive(Debug, Clone)]
pub(crate) struct StoreSettings {
    /// The memory store takes the limit of remembered ids and the pause of a clock that has jumped from it.
    pub(crate) embedded: EmbeddedSettings,
    /// What boards, and what is on its way to Redis, have to find room in.
    pub(crate) memory: Arc<Memory>,
    pub(crate) redis: RedisSettings,
}

/// A text that names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnknownStore {
    #[error(
        "store {0:?} is none of embedded:DIR, memory:, redis://HOST:PORT[,HOST:PORT...], \
         redis-cluster://HOST:PORT[,...] and redis-sentinel://HOST:PORT[,...]/NAME, \
         the last three also as rediss"
    )]
    Scheme(String),
    #[error("store {0}")]
    Redis(#[from] RedisUrlError),
}

/// A store that did not open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreFailed {
    #[error("store {0}")]
    Folder(#[from] OpenError),
    #[error("store {0}")]
    Embedded(#[from] EmbeddedError),
    #[error("store: {0}")]
    Redis(#[from] RedisOpenError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FromStr for StoreUrl {
    type Err = UnknownStore;

    fn from_str(text: &str) -> Result<Self, UnknownStore> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("embedded", folder)) if !folder.is_empty() => Ok(Self::Embedded(folder.into())),
            Some((scheme, _)) if scheme.starts_with("redis") => Ok(Self::Redis(text.parse()?)),
            _ => Err(UnknownStore::Scheme(without_login(text))),
        }
    }
}

/// A URL without what stands before its last `@`, which may be a password.
fn without_login(text: &str) -> String {
    let Some((before, after)) = text.rsplit_once('@') else {
        return text.to_owned();
    };
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    format!("{scheme}://...@{after}")
}

impl Default for StoreUrl {
    /// What is used when nothing is said.
    fn default() -> Self {
        Self::Embedded("./megaboard-data".into())
    }
}

impl StoreUrl {
    /// Opens it for a server. A folder that is not there is made.
    pub(crate) async fn open(
        &self,
        settings: &StoreSettings,
    ) -> Result<Arc<dyn ShardStore>, StoreFailed> {
        match self {
            Self::Memory => {
                let EmbeddedSettings {
                    id_bytes_max,
                    clock_pause,
                    ..
                } = settings.embedded;
                let store = LocalStore::in_memory_within(settings.memory.clone(), id_bytes_max)?;
                Ok(Arc::new(store.steadied(clock_pause)))
            }
            Self::Embedded(folder) => {
                let disk = Arc::new(LocalDisk::open(folder)?);
                let settings = EmbeddedSettings {
                    memory: settings.memory.clone(),
                    ..settings.embedded.clone()
                };
                Ok(Arc::new(LocalStore::open(disk, &settings)?))
            }
            Self::Redis(url) => {
                let store = RedisStore::open(url, &settings.redis).await?;
                Ok(Arc::new(store.within(settings.memory.clone())))
            }
        }
    }

    /// Opens it to look at what is there. A folder is not changed: answers, too, how many bytes of
    /// what is there a server would cut off. On Redis servers may go on beside it.
    pub(crate) async fn inspect(
        &self,
        settings: &StoreSettings,
    ) -> Result<(Arc<dyn ShardStore>, u64), StoreFailed> {
        match self {
            Self::Memory => Ok((Arc::new(LocalStore::in_memory()?), 0)),
            Self::Embedded(folder) => {
                let disk = LocalDisk::look_at(folder)?;
                let (store, cut_bytes) = LocalStore::inspect(&disk)?;
                Ok((Arc::new(store), cut_bytes))
            }
            Self::Redis(_) => Ok((self.open(settings).await?, 0)),
        }
    }
}
