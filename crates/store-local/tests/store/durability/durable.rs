//! The store under test, on a simulated disk.

use std::sync::Arc;
use std::time::Duration;

use shard_store::ShardStore;
use store_local::LocalStore;
pub(crate) use store_local::{Durability, EmbeddedSettings};

use simulated_disk::SimDisk;

/// Longer than any test: what is to happen then does not happen.
pub(crate) const NEVER: Duration = Duration::from_hours(1);

/// Every answer waits for the disk, segments are short, nothing happens by itself, and any clock is
/// trusted: runs make their times up.
pub(crate) fn settings() -> EmbeddedSettings {
    EmbeddedSettings {
        durability: Durability::Always,
        snapshot_after_bytes: u64::MAX,
        segment_bytes: 16 << 10,
        mark_after: NEVER,
        clock_pause: Duration::ZERO,
        retry_after: Duration::from_millis(1),
        ..EmbeddedSettings::default()
    }
}

pub(crate) fn open(disk: &SimDisk, settings: &EmbeddedSettings) -> Result<Arc<LocalStore>, String> {
    let store = LocalStore::open(Arc::new(disk.clone()), settings);
    store.map(Arc::new).map_err(|error| error.to_string())
}

pub(crate) fn snapshot(store: &LocalStore) -> Result<(), String> {
    store.snapshot().map_err(|error| error.to_string())
}

pub(crate) async fn stop(store: &LocalStore) -> Result<(), String> {
    store.close().await.map_err(|error| error.to_string())
}
