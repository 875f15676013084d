//! Stops, kills, power cuts, snapshots and removed segments, in any order, one run after another.

use std::time::Duration;

use crate::durability::audit::{Audit, End};
use crate::durability::durable::{Durability, LocalSettings, NEVER, settings};
use crate::durability::script::Script;
use disk::fixtures::SimDisk;
use testkit::dice::{Dice, Seed, runs};

fn any_settings(dice: &mut Dice, durability: Durability) -> LocalSettings {
    LocalSettings {
        durability,
        segment_bytes: *dice.pick(&[1 << 10, 16 << 10, 64 << 20]),
        ..settings()
    }
}

async fn incarnation(audit: &mut Audit, dice: &mut Dice, snapshots: bool) {
    if dice.one_in(2) {
        audit.disk.halt_after(dice.word() % 120);
    }
    for _ in 0..=dice.below(30) {
        let taken = match dice.below(8) {
            0 if snapshots => audit.snapshot().is_ok(),
            1 => {
                audit.look().await;
                true
            }
            _ => audit.call().await,
        };
        if !taken && audit.disk.is_halted() {
            break;
        }
    }
    let end = match dice.below(4) {
        _ if audit.disk.is_halted() => End::PowerCut(dice.word()),
        0 => End::Stopped,
        1 => End::Killed,
        _ => End::PowerCut(dice.word()),
    };
    audit.restart(end).await;
    if dice.one_in(3) {
        audit.send_again().await;
    }
}

async fn hold(durabilities: &[Durability], rounds: u64) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..rounds {
        let durability = *dice.pick(durabilities);
        let settings = any_settings(&mut dice, durability);
        let script = Script::new(dice.word(), *dice.pick(&[5, 40, 40, 300]));
        let mut audit = Audit::new(script, settings, SimDisk::default()).await;
        let snapshots = dice.one_in(2);
        for _ in 0..6 {
            incarnation(&mut audit, &mut dice, snapshots).await;
        }
    }
}

#[tokio::test]
async fn acknowledged_writes_survive_a_crash_with_durability_always() {
    hold(&[Durability::Always], runs(30, 1_000)).await;
}

#[tokio::test]
async fn acknowledged_writes_survive_a_kill_with_durability_interval() {
    let durabilities = [
        Durability::Interval(NEVER),
        Durability::Interval(Duration::from_millis(1)),
    ];
    hold(&durabilities, runs(30, 1_000)).await;
}
