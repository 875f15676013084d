//! Each write, cut, sync and rename fails in turn, once and for good: no answer is false, and
//! nothing false is found afterwards.

use crate::audit::{Audit, End};
use crate::dice::{Seed, runs};
use crate::durable::{EmbeddedSettings, settings};
use crate::script::Script;
use crate::sim::{Act, EIO, ENOSPC, SimDisk, Times, Trap};

/// Where the trap waits.
#[derive(Debug, Clone, Copy)]
enum Folder {
    Empty,
    /// Left by a crash.
    Left,
}

async fn opened(seed: u64, folder: Folder, trap: Trap) -> Audit {
    let settings = EmbeddedSettings {
        segment_bytes: 1 << 10,
        ..settings()
    };
    let script = Script::new(seed, 12);
    match folder {
        Folder::Empty => {
            let disk = SimDisk::default();
            disk.set(trap);
            Audit::new(script, settings, disk).await
        }
        Folder::Left => {
            let mut left = Audit::new(script, settings, SimDisk::default()).await;
            left.calls(10).await;
            left.snapshot().unwrap();
            left.disk.halt_after(seed % 40);
            left.calls(10).await;
            let end = End::PowerCut(seed);
            left.after_on(end, |disk| disk.set(trap)).await
        }
    }
}

/// A run with this trap in its way. False when it got through without stepping into it.
async fn run(seed: u64, folder: Folder, trap: Trap) -> bool {
    let mut audit = opened(seed, folder, trap).await;
    for call in 0..24 {
        if call % 8 == 7 {
            // What becomes of it shows in what is found.
            let _ = audit.snapshot();
        }
        audit.call().await;
    }
    audit.look().await;
    for end in [End::PowerCut(seed), End::PowerCut(!seed), End::Killed] {
        let mut found = audit.after(end).await;
        found.send_again().await;
        found.calls(3).await;
        found.restart(End::Stopped).await;
    }
    // A trap that sprang while the store was opened is gone with its disk.
    audit.disk.any_sprung() || audit.was_reopened()
}

async fn hold(act: Act) {
    let seed = Seed::of_this_run();
    let mut sprung = 0;
    for round in 0..runs(1, 20) {
        let seed = seed.0.wrapping_add(round);
        for folder in [Folder::Empty, Folder::Left] {
            for error in [EIO, ENOSPC] {
                for times in [Times::Once, Times::ForGood] {
                    let trap = |passing| Trap::fails(act, "", passing, error, times);
                    let mut passing = 0;
                    while run(seed, folder, trap(passing)).await {
                        passing += 1;
                    }
                    sprung += passing;
                }
            }
        }
    }
    assert!(sprung > 0, "no {act:?} at all");
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
