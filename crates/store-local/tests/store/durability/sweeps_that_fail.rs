//! A sweep that can drop nothing, since the journal rejects records, measures the memory nevertheless.

use std::sync::Arc;

use board::Period;
use shard_store::{Memory, StoreError};

use crate::durability::durable::{self, LocalSettings, settings};
use disk::fixtures::{EIO, Operation, SimDisk, Times, Trap};
use testkit::conformance::fixtures::{DAY, NOW, gifts, kept, member, window};

#[tokio::test]
async fn memory_is_measured_when_nothing_can_be_dropped() {
    let memory = Arc::new(Memory::with_limit(1 << 30));
    let settings = LocalSettings {
        memory: memory.clone(),
        ..settings()
    };
    let disk = SimDisk::default();
    let store = durable::open(&disk, &settings).unwrap();
    let kind = gifts(|spec| spec.windows = vec![kept(Period::Hour, DAY)]);
    let board = durable::board(&store, kind, "a", NOW).await;
    let points = |name| [board.points(&member(name), 1, NOW)];
    board.apply(&points("u1"), NOW).await;
    disk.set(Trap::fails(
        Operation::Sync,
        "journal",
        0,
        EIO,
        Times::ForGood,
    ));
    let lost = board.try_apply(&points("u2"), NOW, false).await;
    assert!(lost.is_err(), "{lost:?}");
    assert!(memory.added() > 0);
    // Nothing has expired, and the journal is not used.
    board.store.drop_expired(NOW).await.unwrap();
    assert_eq!(memory.added(), 0);
    memory.add(1);
    let swept = board.store.drop_expired(NOW.plus(DAY * 3)).await;
    assert!(
        matches!(swept, Err(StoreError::Unavailable(_))),
        "{swept:?}"
    );
    assert!(!board.is_dropped(window(Period::Hour, NOW)).await);
    assert_eq!(memory.added(), 0);
}
