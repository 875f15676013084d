//! Each write, cut, sync and rename fails in turn, once and permanently: no reply is false, and
//! nothing false is found afterwards.

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{LocalSettings, settings};
use crate::durability::script::Script;
use disk::fixtures::{EIO, ENOSPC, Operation, SimDisk, Times, Trap};
use testkit::dice::{Dice, Seed, runs};

/// Numbers of members with which all that is written between two syncs fits into a page, or does
/// not.
const FEW: usize = 12;
const MANY: usize = 500;

/// Where the trap is set.
#[derive(Debug, Clone, Copy)]
enum Folder {
    Empty,
    /// Left by a crash.
    Left,
}

async fn opened(seed: u64, members: usize, folder: Folder, trap: Trap) -> Audit {
    let settings = LocalSettings {
        segment_bytes: 1 << 10,
        ..settings()
    };
    let script = Script::new(seed, members);
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

/// Runs with this trap. Returns false when it completed without reaching the trap.
async fn run(seed: u64, members: usize, folder: Folder, trap: Trap) -> bool {
    let mut audit = opened(seed, members, folder, trap).await;
    for call in 0..24 {
        if call % 8 == 7 {
            // The outcome shows in what is found.
            let _ = audit.snapshot();
        }
        audit.call().await;
    }
    audit.look().await;
    let mut dice = audit.script.dice.clone();
    let mut power_cut = || End::PowerCut(dice.word());
    for end in [power_cut(), power_cut(), End::Killed, End::Killed] {
        let mut found = audit.after(end).await;
        found.send_again().await;
        found.calls(3).await;
        // What a process finds in the cache of its system may not be on the disk.
        found.restart(power_cut()).await;
        found.calls(3).await;
        found.restart(End::Stopped).await;
    }
    // A trap that was reached while the store was opened is gone with its disk.
    audit.disk.any_sprung() || audit.was_reopened()
}

/// Where and how it fails.
fn ways() -> impl Iterator<Item = (Folder, i32, Times)> {
    let folders = [Folder::Empty, Folder::Left].into_iter();
    folders.flat_map(|folder| {
        [EIO, ENOSPC].into_iter().flat_map(move |error| {
            [Times::Once, Times::ForGood].map(|times| (folder, error, times))
        })
    })
}

async fn hold(operation: Operation, members: usize) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let mut sprung = 0;
    for round in 0..runs(1, 3) {
        let seed = seed.0.wrapping_add(round);
        for (folder, error, times) in ways() {
            let trap = |passing| Trap::fails(operation, "", passing, error, times);
            let step = runs(3, 1);
            let mut passing = dice.word() % step;
            while run(seed, members, folder, trap(passing)).await {
                passing += step;
                sprung += 1;
            }
        }
    }
    assert!(sprung > 0, "no {operation:?} at all");
}

#[tokio::test]
async fn each_write_fails() {
    hold(Operation::Write, FEW).await;
}

#[tokio::test]
async fn each_sync_fails() {
    hold(Operation::Sync, FEW).await;
}

#[tokio::test]
async fn each_sync_of_more_than_a_page_fails() {
    hold(Operation::Sync, MANY).await;
}

#[tokio::test]
async fn each_sync_of_the_folder_fails() {
    hold(Operation::SyncFolder, FEW).await;
}

#[tokio::test]
async fn each_rename_fails() {
    hold(Operation::Rename, FEW).await;
}

#[tokio::test]
async fn each_creation_fails() {
    hold(Operation::Create, FEW).await;
}

#[tokio::test]
async fn each_removal_fails() {
    hold(Operation::Remove, FEW).await;
}

#[tokio::test]
async fn each_cut_fails() {
    hold(Operation::SetSize, FEW).await;
}
