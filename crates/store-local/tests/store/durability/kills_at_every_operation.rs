//! A power cut, or a kill of the process, after each operation of a run on its disk.

use crate::durability::audit::{Audit, End};
use crate::durability::durable::settings;
use crate::durability::script::Script;
use disk::fixtures::SimDisk;
use testkit::dice::{Dice, Seed, runs};

/// Opens, makes calls, takes two snapshots, and stops at the first call that is not accepted.
async fn run(seed: u64, members: usize, calls: usize, halt_after: u64) -> Audit {
    let disk = SimDisk::default();
    disk.halt_after(halt_after);
    let mut audit = Audit::new(Script::new(seed, members), settings(), disk).await;
    for call in 0..calls {
        if call % (calls / 3) == calls / 3 - 1 && audit.snapshot().is_err() {
            break;
        }
        if !audit.call().await {
            break;
        }
    }
    audit
}

/// Checks what is found after the end, and continues.
async fn go_on(halted: &Audit, end: End, dice: &mut Dice) {
    let mut found = halted.after(end).await;
    found.send_again().await;
    found.calls(3).await;
    found.restart(End::PowerCut(dice.word())).await;
    found.calls(3).await;
    found.restart(End::Stopped).await;
}

async fn hold(seed: u64, members: usize, calls: usize, step: u64) {
    let mut dice = Dice::new(seed);
    let mut halt_after = dice.word() % step;
    loop {
        let halted = run(seed, members, calls, halt_after).await;
        go_on(&halted, End::Killed, &mut dice).await;
        for _ in 0..runs(2, 10) {
            let end = End::PowerCut(dice.word());
            go_on(&halted, end, &mut dice).await;
        }
        if !halted.disk.is_halted() {
            return;
        }
        halt_after += step;
    }
}

#[tokio::test]
async fn a_short_run_is_killed_behind_every_operation() {
    let seed = Seed::of_this_run();
    for round in 0..runs(1, 20) {
        hold(seed.0.wrapping_add(round), 12, 30, 1).await;
    }
}

#[tokio::test]
async fn a_long_run_is_killed_behind_some_operations() {
    let seed = Seed::of_this_run();
    hold(seed.0, 400, 120, runs(40, 3)).await;
}
