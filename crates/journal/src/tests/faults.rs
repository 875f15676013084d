//! Each call to the disk fails in turn. No record is wrongly acknowledged, and the journal is correct after a restart.

use std::sync::Arc;
use std::time::Duration;

use disk::fixtures::{EIO, ENOSPC, Failure, Operation, SimDisk, Times, Trap};

use super::{
    Durability, Journal, Sequence, Settings, append, durable, eventually, open, prefix, quick,
    record, records_from, segments,
};
use testkit::dice::{Dice, Seed, runs};

/// Every call to the disk fails from now on, without an effect.
const BROKEN: Failure = Failure {
    error: EIO,
    times: Times::ForGood,
    in_effect: false,
};

/// What the journal reported in a run.
#[derive(Debug, Default)]
struct RunReport {
    /// Accepted records, in order. Those not reported as durable may be missing later.
    accepted: Vec<Vec<u8>>,
    durable: u64,
    /// The sequence before which segments may have been removed.
    removed_before: u64,
    stopped: bool,
}

/// Writes twenty records to a journal of several segments.
fn run(disk: &SimDisk) -> RunReport {
    let mut report = RunReport::default();
    let recovered = records_from(disk, 0).unwrap().1;
    let settings = Settings {
        segment_bytes: 300,
        ..quick()
    };
    let Ok(journal) = Journal::start(Arc::new(disk.clone()), &recovered, settings) else {
        return report;
    };
    for number in 0..20 {
        let record = record(number + 20);
        let Ok(until) = append(&journal, &record) else {
            continue;
        };
        report.accepted.push(record);
        assert_eq!(until.0, report.accepted.len() as u64);
        if durable(&journal, until).is_ok() {
            report.durable = until.0;
        }
        if number == 16 {
            report.removed_before = 14.min(report.durable);
            let _ = journal.remove_before(Sequence(report.removed_before));
        }
    }
    report.stopped = journal.stop().is_ok();
    report
}

/// Checks that a folder contains all records reported as durable, and no records that were not accepted.
fn check(disk: &SimDisk, report: &RunReport, what: &str) -> u64 {
    let from = report.removed_before;
    let (records, recovered) =
        records_from(disk, from).unwrap_or_else(|error| panic!("{what}: {error}"));
    let skipped = usize::try_from(from).unwrap();
    let accepted = &report.accepted[skipped..];
    assert!(accepted.starts_with(&records), "{what}: an unknown record");
    assert!(recovered.next.0 >= report.durable, "{what}: {report:?}");
    if report.stopped {
        assert_eq!(recovered.next.0, report.accepted.len() as u64, "{what}");
    }
    recovered.next.0
}

/// Continues after a restart, and acknowledges all recovered records: a power cut must not lose them.
fn restart(disk: &SimDisk, report: &RunReport, dice: &mut Dice, what: &str) {
    let there = check(disk, report, what);
    let recovered = records_from(disk, report.removed_before).unwrap().1;
    let journal = Journal::start(Arc::new(disk.clone()), &recovered, quick()).unwrap();
    durable(&journal, Sequence(there)).unwrap();
    let now = check(&disk.crash(dice.word()), report, what);
    assert_eq!(now, there, "{what}: lost after a restart");
    let further = append(&journal, b"further").unwrap();
    durable(&journal, further).unwrap();
    drop(journal);
    let (records, recovered) =
        records_from(&disk.crash(dice.word()), report.removed_before).unwrap();
    assert_eq!(recovered.next.0, there + 1, "{what}: lost after a restart");
    assert_eq!(records.last().unwrap(), b"further", "{what}");
}

#[test]
fn each_call_may_fail() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let whole = SimDisk::default();
    let report = run(&whole);
    assert_eq!((report.durable, report.stopped), (20, true));
    let calls = whole.begun();
    for call in [
        Operation::Create,
        Operation::Rename,
        Operation::Remove,
        Operation::SyncFolder,
        Operation::Sync,
    ] {
        assert!(calls.contains(&call), "{call:?} is never made");
    }
    for at in 0..calls.len() + 2 {
        for (times, in_effect, error) in [
            (Times::Once, false, EIO),
            (Times::Once, true, EIO),
            (Times::ForGood, false, EIO),
            (Times::ForGood, true, EIO),
            (Times::Once, false, ENOSPC),
            (Times::ForGood, false, ENOSPC),
        ] {
            let failure = Failure {
                error,
                times,
                in_effect,
            };
            let disk = SimDisk::default();
            disk.set(Trap::fails_change(at as u64, failure));
            let report = run(&disk);
            let what = format!("{failure:?} of call {at}, {:?}", calls.get(at));
            check(&disk.killed(), &report, &what);
            for _ in 0..runs(1, 5) {
                check(&disk.crash(dice.word()), &report, &what);
            }
            restart(&disk.killed(), &report, &mut dice, &what);
        }
    }
}

#[test]
fn a_start_that_fails_can_be_tried_again() {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    let torn = || {
        let disk = SimDisk::default();
        let journal = open(&disk, quick());
        for number in 0..6 {
            durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
        }
        drop(journal);
        let name = segments(&disk).pop().unwrap();
        let mut bytes = disk.bytes_of(&name);
        let end = bytes.iter().rposition(|&byte| byte != 0).unwrap();
        bytes[end + 3] = 1;
        disk.put(&name, &bytes);
        disk
    };
    for at in 0.. {
        let disk = torn();
        let begun = disk.begun().len();
        let recovered = prefix(&disk).unwrap();
        assert!(recovered.cut_bytes > 0);
        disk.set(Trap::fails_change(at as u64, BROKEN));
        let started = Journal::start(Arc::new(disk.clone()), &recovered, quick());
        let again = disk.crash(dice.word());
        assert_eq!(prefix(&again).unwrap().next, recovered.next);
        if started.is_ok() && disk.begun().len() <= begun + at {
            break;
        }
    }
}

#[test]
fn a_failed_sync_is_never_trusted_again() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    let first = append(&journal, b"one").unwrap();
    durable(&journal, first).unwrap();
    let syncs = disk.count(Operation::Sync);
    disk.hold(Operation::Sync);
    let second = append(&journal, b"two").unwrap();
    eventually("the second sync", || disk.count(Operation::Sync) > syncs);
    // The next call fails once, but not the sync that is in progress.
    let once = Failure {
        times: Times::Once,
        ..BROKEN
    };
    disk.set(Trap::fails_change(0, once));
    let third = append(&journal, b"three").unwrap();
    disk.release();
    durable(&journal, second).unwrap();
    let lost = durable(&journal, third).unwrap_err();
    assert!(lost.0.contains("the journal has failed"), "{lost}");
    let refused = append(&journal, b"four").unwrap_err();
    assert!(refused.0.contains("restart"), "{refused}");
    let calls = disk.begun().len();
    let why = journal.stop().unwrap_err();
    assert!(why.0.contains("sim/journal-"), "no file: {why}");
    assert_eq!(disk.begun().len(), calls, "it continued");
    assert_eq!(durable(&journal, second), Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_waiting_writers_hear_of_a_failure() {
    let disk = SimDisk::default();
    let journal = Arc::new(open(&disk, quick()));
    disk.hold(Operation::Sync);
    let syncs = disk.count(Operation::Sync);
    let first = append(&journal, b"first").unwrap();
    eventually("a sync", || disk.count(Operation::Sync) > syncs);
    let wait = |until| {
        let journal = Arc::clone(&journal);
        tokio::spawn(async move { journal.durable(until).await })
    };
    let first = wait(first);
    let untils = (0..64_u8).map(|writer| append(&journal, &[writer]).unwrap());
    let waiting: Vec<_> = untils.map(wait).collect();
    // Not the sync that is in progress.
    disk.set(Trap::fails_change(0, BROKEN));
    disk.release();
    assert_eq!(first.await.unwrap(), Ok(()));
    for task in waiting {
        let lost = task.await.unwrap().unwrap_err();
        assert!(lost.0.contains("the journal has failed"), "{lost}");
    }
}

#[test]
fn with_an_interval_a_failed_sync_revokes_the_records_that_it_covers() {
    let disk = SimDisk::default();
    let settings = Settings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..quick()
    };
    let journal = open(&disk, settings);
    let synced = append(&journal, b"synced").unwrap();
    journal.durable_blocking(synced).unwrap();
    let written = append(&journal, b"written").unwrap();
    durable(&journal, written).unwrap();
    disk.set(Trap::fails_change(0, BROKEN));
    assert!(journal.durable_blocking(written).is_err());
    assert!(durable(&journal, written).is_err());
    durable(&journal, synced).unwrap();
}
