//! Stores by URL.

use std::str::FromStr;
use std::sync::Arc;

use shard_store::{LocalStore, ShardStore, StoreError};

/// Which store, as `--store` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoreUrl {
    /// `memory:`.
    Memory,
}

/// A text that names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("store {0:?} is not one that this version has: memory:")]
pub(crate) struct UnknownStore(String);

impl FromStr for StoreUrl {
    type Err = UnknownStore;

    fn from_str(text: &str) -> Result<Self, UnknownStore> {
        match text {
            "memory:" => Ok(Self::Memory),
            _ => Err(UnknownStore(text.to_owned())),
        }
    }
}

impl StoreUrl {
    /// What is used when nothing is said.
    pub(crate) const DEFAULT: Self = Self::Memory;

    /// Opens it.
    pub(crate) fn open(&self) -> Result<Arc<dyn ShardStore>, StoreError> {
        match self {
            Self::Memory => Ok(Arc::new(LocalStore::in_memory()?)),
        }
    }
}
