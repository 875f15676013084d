//! On a full disk writes are rejected and reads continue; when there is space, writes are accepted
//! again.

use std::time::{Duration, Instant};

use crate::durability::audit::{Audit, End};
use crate::durability::durable::settings;
use crate::durability::script::Script;
use disk::fixtures::SimDisk;
use testkit::dice::{Dice, Seed, runs};

const DEADLINE: Duration = Duration::from_secs(30);

/// The space that an empty folder needs to be opened, and some more.
const FIRST_BYTES: usize = (1 << 20) + (200 << 10);

/// The space that is added when all is used.
const SPACE_BYTES: usize = 400 << 10;

/// Writes until some calls are rejected. Smaller ones may still be accepted in between.
async fn fill(audit: &mut Audit) {
    let deadline = Instant::now() + DEADLINE;
    let mut refused = 0;
    while refused < 5 {
        refused += usize::from(!audit.call().await);
        assert!(Instant::now() < deadline, "there is no end to a full disk");
    }
}

/// Writes until a number of calls in a row are accepted.
async fn wait_for_space(audit: &mut Audit) {
    let deadline = Instant::now() + DEADLINE;
    let mut taken = 0;
    while taken < 10 {
        taken = if audit.call().await { taken + 1 } else { 0 };
        assert!(Instant::now() < deadline, "calls are still refused");
        tokio::task::yield_now().await;
    }
}

async fn hold(dice: &mut Dice, snapshots: bool) {
    let disk = SimDisk::default();
    disk.limit(Some(FIRST_BYTES));
    let script = Script::new(dice.word(), 300);
    let mut audit = Audit::new(script, settings(), disk).await;
    for _ in 0..2 {
        fill(&mut audit).await;
        audit.look().await;
        if snapshots {
            // It may find space or not, and may free some.
            let _ = audit.snapshot();
        }
        for end in [End::PowerCut(dice.word()), End::Killed] {
            let mut found = audit.after(end).await;
            found.call().await;
            found.look().await;
        }
        audit
            .disk
            .limit(Some(audit.disk.taken_bytes() + SPACE_BYTES));
        wait_for_space(&mut audit).await;
        audit.send_again().await;
    }
    let end = *dice.pick(&[
        End::Stopped,
        End::Killed,
        End::PowerCut(dice.clone().word()),
    ]);
    audit.restart(end).await;
    audit.send_again().await;
}

#[tokio::test]
async fn writes_are_accepted_again_when_there_is_space() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(2, 100) {
        hold(&mut dice, false).await;
        hold(&mut dice, true).await;
    }
}
