//! The store under test, opened on a simulated disk.

use std::sync::Arc;

use shard_store::LocalStore;

use crate::sim::SimDisk;

#[derive(Debug, Clone)]
pub(crate) struct EmbeddedSettings;

pub(crate) fn open(
    _disk: &SimDisk,
    _settings: &EmbeddedSettings,
) -> Result<Arc<LocalStore>, String> {
    Ok(Arc::new(LocalStore::in_memory().unwrap()))
}

pub(crate) fn snapshot(_store: &LocalStore) -> Result<(), String> {
    Ok(())
}

pub(crate) fn stop(_store: &LocalStore) -> Result<(), String> {
    Ok(())
}

pub(crate) fn always(_settings: &EmbeddedSettings) -> bool {
    true
}
