//! Calls between any two operations of a snapshot: they are applied, and a crash at that operation
//! loses none.

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{LocalSettings, StoppedSnapshot, settings};
use crate::durability::script::Script;
use disk::fixtures::{Operation, SimDisk};
use testkit::dice::{Seed, runs};

/// Makes calls before this operation of a snapshot. Returns whether it has such an operation.
async fn weave(seed: u64, operation: Operation, passing: u64) -> bool {
    let settings = LocalSettings {
        segment_bytes: 2 << 10,
        ..settings()
    };
    let mut audit = Audit::new(Script::new(seed, 150), settings, SimDisk::default()).await;
    audit.calls(20).await;
    audit.snapshot().unwrap();
    audit.calls(20).await;
    let snapshot = StoppedSnapshot::start(&audit.disk, audit.store(), operation, passing);
    let is_stopped = snapshot.is_stopped;
    if is_stopped {
        for _ in 0..12 {
            assert!(audit.call().await, "a snapshot refuses no call");
        }
        audit.look().await;
        for end in [End::PowerCut(seed), End::PowerCut(!seed), End::Killed] {
            let mut found = audit.after(end).await;
            found.send_again().await;
        }
    }
    snapshot.finish();
    audit.look().await;
    audit.calls(5).await;
    for end in [End::PowerCut(seed), End::PowerCut(!seed)] {
        let mut found = audit.after(end).await;
        found.send_again().await;
    }
    audit.restart(End::Stopped).await;
    is_stopped
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_taken_and_kept_at_every_step() {
    let seed = Seed::of_this_run();
    for round in 0..runs(2, 60) {
        let seed = seed.0.wrapping_add(round);
        for operation in [
            Operation::Create,
            Operation::Write,
            Operation::Sync,
            Operation::Rename,
            Operation::Remove,
        ] {
            let mut passing = 0;
            while weave(seed, operation, passing).await {
                passing += 1;
            }
            assert!(passing > 0, "a snapshot has no {operation:?}");
        }
    }
}
