//! Each write, cut, sync and rename fails in turn, once and for good: no answer is false, and
//! nothing false is found afterwards.

use crate::audit::{Audit, End};
use crate::dice::{Seed, runs};
use crate::durable::settings;
use crate::script::Script;
use crate::sim::{Act, EIO, ENOSPC, SimDisk, Times, Trap};

/// A run with this trap in its way. False when it got through without stepping into it.
async fn run(seed: u64, trap: Trap) -> bool {
    let disk = SimDisk::default();
    disk.set(trap);
    let mut audit = Audit::new(Script::new(seed, 12), settings(), disk).await;
    for call in 0..24 {
        if call % 8 == 7 {
            let _ = audit.snapshot();
        }
        audit.call().await;
    }
    audit.look().await;
    // One that sprang while the store was opened is gone with its disk.
    let sprung = audit.disk.any_sprung() || audit.was_reopened();
    for end in [End::PowerCut(seed), End::PowerCut(!seed), End::Killed] {
        let mut found = audit.after(end).await;
        found.send_again().await;
        found.calls(3).await;
        found.restart(End::Stopped).await;
    }
    sprung
}

async fn hold(act: Act) {
    let seed = Seed::of_this_run();
    for round in 0..runs(1, 10) {
        let seed = seed.0.wrapping_add(round);
        for error in [EIO, ENOSPC] {
            for times in [Times::Once, Times::ForGood] {
                let mut passing = 0;
                while run(seed, Trap::fails(act, "", passing, error, times)).await {
                    passing += 1;
                }
                assert!(passing > 0, "no {act:?} at all");
            }
        }
    }
}

#[tokio::test]
async fn each_write_fails() {
    hold(Act::Write).await;
}

#[tokio::test]
async fn each_sync_fails() {
    hold(Act::Sync).await;
}

#[tokio::test]
async fn each_sync_of_the_folder_fails() {
    hold(Act::SyncFolder).await;
}

#[tokio::test]
async fn each_rename_fails() {
    hold(Act::Rename).await;
}

#[tokio::test]
async fn each_creation_fails() {
    hold(Act::Create).await;
}

#[tokio::test]
async fn each_removal_fails() {
    hold(Act::Remove).await;
}

#[tokio::test]
async fn each_cut_fails() {
    hold(Act::SetSize).await;
}
