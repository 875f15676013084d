//! Random sequences of appends, syncs, removals, stops, kills and power cuts.

use std::sync::Arc;
use std::time::Duration;

use disk::fixtures::SimDisk;

use super::{
    Durability, Journal, Sequence, Settings, append, durable, quick, record, records_from,
};
use testkit::dice::{Dice, Seed, runs};

/// The records that the folder must contain.
#[derive(Debug, Default)]
struct Bound {
    /// Those before this can be read by another process.
    written: u64,
    /// Those before this exist after a power cut.
    synced: u64,
    removed_before: u64,
}

/// Runs one process on the folder.
fn run_process(disk: &SimDisk, dice: &mut Dice, bound: &mut Bound) {
    let from = bound.removed_before;
    let (records, recovered) = records_from(disk, from).unwrap();
    for (number, read) in (from..).zip(records) {
        assert_eq!(read, record(number));
    }
    assert!(recovered.next.0 >= bound.written, "{recovered:?} {bound:?}");
    let settings = Settings {
        durability: *dice.pick(&[
            Durability::Always,
            Durability::Interval(Duration::from_hours(1)),
            Durability::Interval(Duration::from_micros(100)),
        ]),
        mark_after: *dice.pick(&[Duration::from_hours(1), Duration::from_micros(100)]),
        ..quick()
    };
    let always = settings.durability == Durability::Always;
    let journal = Journal::start(Arc::new(disk.clone()), &recovered, settings).unwrap();
    // Everything that was recovered may be acknowledged from now on.
    bound.written = recovered.next.0;
    bound.synced = recovered.next.0;
    for _ in 0..dice.below(60) {
        let next = journal.next();
        match dice.below(20) {
            0 => {
                journal.durable_blocking(next).unwrap();
                (bound.written, bound.synced) = (next.0, next.0);
            }
            1 => {
                let span = usize::try_from(bound.synced - bound.removed_before).unwrap();
                bound.removed_before += dice.below(span + 1) as u64;
                journal
                    .remove_before(Sequence(bound.removed_before))
                    .unwrap();
            }
            2..6 => {
                durable(&journal, next).unwrap();
                bound.written = next.0;
                if always {
                    bound.synced = next.0;
                }
            }
            _ => drop(append(&journal, &record(next.0)).unwrap()),
        }
    }
    if dice.below(4) == 0 {
        journal.stop().unwrap();
        (bound.written, bound.synced) = (journal.next().0, journal.next().0);
    }
}

#[test]
fn no_acknowledged_record_is_missing() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(20, 1_000) {
        let mut disk = SimDisk::default();
        let mut bound = Bound::default();
        for _ in 0..10 {
            run_process(&disk, &mut dice, &mut bound);
            disk = if dice.below(2) == 0 {
                disk.killed()
            } else {
                bound.written = bound.synced;
                disk.crash(dice.word())
            };
        }
    }
}
