//! The stores of this process pass the conformance suite, and stay within their memory limits.

mod memory_bounds_its_ids;
mod memory_has_a_limit;

use std::sync::Arc;
use std::time::Duration;

use store_local::{Durability, LocalDisk, LocalSettings, LocalStore};
use testkit::conformance::fixtures::OpenStore;
use testkit::conformance_tests;

async fn memory() -> OpenStore {
    OpenStore::new(LocalStore::in_memory().unwrap(), ())
}

/// A store in its own folder. It replies when its records are written, not synced: the contract is
/// the same, and the disk is spared.
async fn embedded() -> OpenStore {
    let folder = tempfile::tempdir().unwrap();
    let disk = Arc::new(LocalDisk::open(folder.path()).unwrap());
    let settings = LocalSettings {
        durability: Durability::Interval(Duration::from_secs(1)),
        // Scenarios use invented times.
        clock_pause: Duration::ZERO,
        ..LocalSettings::default()
    };
    OpenStore::new(LocalStore::open(disk, &settings).unwrap(), folder)
}

conformance_tests!(memory: crate::conformance::memory);
conformance_tests!(embedded: crate::conformance::embedded);
