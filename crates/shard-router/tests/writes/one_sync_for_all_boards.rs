//! A request to many boards, or to many shards of one, waits for as few syncs as a small one: everything is applied
//! while the first of it is synced.

use std::sync::Arc;
use std::time::Duration;

use disk::fixtures::{Operation, SimDisk};
use shard_router::WriteOutcome;
use shard_store::ShardStore;
use store_local::{LocalSettings, LocalStore};
use tokio::time::{sleep, timeout};

use crate::stage::{NOW, Stage, board, kind, points};

const DEADLINE: Duration = Duration::from_secs(30);

/// More than the concurrent calls of a store behind a connection.
const MANY: usize = 1000;

/// Writes, while all syncs are blocked until everything was applied. Returns the number of syncs.
async fn syncs_of(stage: &Stage, disk: &SimDisk, writes: &[shard_router::Write]) -> usize {
    let applied = async {
        // Each write gives a member a standing.
        for write in writes {
            while !is_ranked(stage, write).await {
                sleep(Duration::from_millis(1)).await;
            }
        }
    };
    let before = disk.count(Operation::Sync);
    disk.hold(Operation::Sync);
    let written = stage.router.write(writes, NOW, false);
    let released = async {
        let applied = timeout(DEADLINE, applied).await;
        disk.release();
        applied.expect("some writes waited for the sync of others before they were applied");
    };
    let (written, ()) = futures::join!(written, released);
    let is_applied = |written: &WriteOutcome| matches!(written, WriteOutcome::Applied(_));
    assert!(written.iter().all(is_applied));
    disk.count(Operation::Sync) - before
}

async fn is_ranked(stage: &Stage, write: &shard_router::Write) -> bool {
    let store = stage.router.store();
    let Some(record) = store.board(&write.board).await.unwrap() else {
        return false;
    };
    let shard = record.shards.shard_of(write.member.placement_hash());
    let windows = store.windows(&record, shard).await.unwrap();
    windows.iter().any(|window| window.members > 0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_waits_once_for_all_its_boards_and_shards() {
    let disk = SimDisk::default();
    let settings = LocalSettings {
        // There are no other syncs.
        snapshot_after_bytes: u64::MAX,
        segment_bytes: u64::MAX,
        mark_after: Duration::from_hours(1),
        ..LocalSettings::default()
    };
    let store = Arc::new(LocalStore::open(Arc::new(disk.clone()), &settings).unwrap());
    let mut stage = Stage::over(store.clone()).await;
    let of_boards: Vec<_> = (0..MANY)
        .map(|number| stage.write(&board(&format!("room-{number}")), "u", 1))
        .collect();
    // The first write is in one group, all others are in the next.
    let counted = syncs_of(&stage, &disk, &of_boards).await;
    assert!(counted <= 3, "{counted} syncs");

    let mut spec = points("wide");
    spec.shards = 4096;
    stage.router.catalogue().seed(kind(spec)).await.unwrap();
    stage.gifts = stage.router.catalogue().known("wide").unwrap();
    let wide = Arc::new("wide/room".parse().unwrap());
    // The first one splits the board, so that each shard has a lock of its own.
    let of_shards: Vec<_> = (0..MANY)
        .map(|number| stage.write(&wide, &format!("u{number}"), 1))
        .collect();
    let counted = syncs_of(&stage, &disk, &of_shards).await;
    assert!(counted <= 3, "{counted} syncs");
    store.close().await.unwrap();
}
