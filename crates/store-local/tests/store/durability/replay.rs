//! From the journal alone, from a snapshot alone, and from both: everything that can be read is the
//! same as before, including versions and remembered ids.

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{self, LocalSettings, settings};
use crate::durability::script::Script;
use disk::fixtures::SimDisk;
use testkit::dice::{Seed, runs};

#[derive(Debug, Clone, Copy)]
enum From {
    Journal,
    Snapshot,
    Both,
}

async fn hold(from: From) {
    let seed = Seed::of_this_run();
    for round in 0..runs(6, 120) {
        let members = [5, 60, 700][usize::try_from(round % 3).unwrap()];
        let script = Script::new(seed.0.wrapping_add(round), members);
        let settings = LocalSettings {
            segment_bytes: [4 << 10, 64 << 20][usize::try_from(round % 2).unwrap()],
            ..settings()
        };
        let mut audit = Audit::new(script, settings, SimDisk::default()).await;
        audit.calls(60).await;
        if matches!(from, From::Snapshot | From::Both) {
            audit.snapshot().unwrap();
        }
        if matches!(from, From::Journal | From::Both) {
            audit.calls(60).await;
        }
        for end in [End::Stopped, End::Killed, End::Stopped] {
            audit.restart(end).await;
        }
        audit.send_again().await;
        audit.calls(20).await;
        audit.restart(End::Stopped).await;
    }
}

#[tokio::test]
async fn the_journal_alone_restores_it() {
    hold(From::Journal).await;
}

#[tokio::test]
async fn a_snapshot_alone_restores_it() {
    hold(From::Snapshot).await;
}

#[tokio::test]
async fn both_give_it() {
    hold(From::Both).await;
}

#[tokio::test]
async fn a_store_is_opened_however_long_its_thread_has_run() {
    let disk = SimDisk::default();
    // More often than the runtime lets a task continue without yielding.
    for _ in 0..300 {
        durable::open(&disk, &settings()).unwrap();
    }
}
