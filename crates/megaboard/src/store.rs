//! Stores by URL.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use shard_store::{
    Durability, EmbeddedError, EmbeddedSettings, LocalDisk, LocalStore, OpenError, ShardStore,
    StoreError,
};

/// Which store, as `--store` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreUrl {
    /// `memory:`.
    Memory,
    /// `embedded:DIR`.
    Embedded(PathBuf),
}

/// A text that names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("store {0:?} is not one that this version has: embedded:DIR or memory:")]
pub(crate) struct UnknownStore(String);

/// A store that did not open.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreFailed {
    #[error("store {0}")]
    Folder(#[from] OpenError),
    #[error("store {0}")]
    Embedded(#[from] EmbeddedError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl FromStr for StoreUrl {
    type Err = UnknownStore;

    fn from_str(text: &str) -> Result<Self, UnknownStore> {
        match text.split_once(':') {
            Some(("memory", "")) => Ok(Self::Memory),
            Some(("embedded", folder)) if !folder.is_empty() => Ok(Self::Embedded(folder.into())),
            _ => Err(UnknownStore(text.to_owned())),
        }
    }
}

impl Default for StoreUrl {
    /// What is used when nothing is said.
    fn default() -> Self {
        Self::Embedded("./megaboard-data".into())
    }
}

impl StoreUrl {
    /// Opens it for a server. A folder that is not there is made.
    pub(crate) fn open(&self, durability: Durability) -> Result<Arc<dyn ShardStore>, StoreFailed> {
        match self {
            Self::Memory => Ok(Arc::new(LocalStore::in_memory()?)),
            Self::Embedded(folder) => {
                let disk = Arc::new(LocalDisk::open(folder)?);
                let settings = EmbeddedSettings {
                    durability,
                    ..EmbeddedSettings::default()
                };
                Ok(Arc::new(LocalStore::open(disk, &settings)?))
            }
        }
    }

    /// Opens it to look at what is there, and changes nothing. Answers, too, how many bytes of what
    /// is there a server would cut off.
    pub(crate) fn inspect(&self) -> Result<(Arc<dyn ShardStore>, u64), StoreFailed> {
        match self {
            Self::Memory => Ok((Arc::new(LocalStore::in_memory()?), 0)),
            Self::Embedded(folder) => {
                let disk = LocalDisk::look_at(folder)?;
                let (store, cut_bytes) = LocalStore::inspect(&disk)?;
                Ok((Arc::new(store), cut_bytes))
            }
        }
    }
}
