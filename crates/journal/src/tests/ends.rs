//! How a journal ends, and what an idle journal writes.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use disk::Disk;
use disk::fixtures::{Operation, SimDisk};

use super::{
    Durability, Inbox, Sequence, Settings, TestLog, append, block_on, durable, eventually, open,
    prefix, quick, record, records_from, segments,
};
use crate::capacity::Capacity;
use crate::committer::Committer;
use crate::inbox::{End, Work};

/// Settings with which the journal never syncs by itself.
fn manual_sync() -> Settings {
    Settings {
        durability: Durability::Interval(Duration::from_hours(1)),
        segment_bytes: 1 << 20,
        ..quick()
    }
}

#[test]
fn stop_writes_and_syncs_everything() {
    for settings in [quick(), manual_sync()] {
        let disk = SimDisk::default();
        let journal = open(&disk, settings);
        for number in 0..50 {
            append(&journal, &record(number)).unwrap();
        }
        journal.stop().unwrap();
        journal.stop().unwrap();
        assert!(block_on(journal.reserve(1)).is_err());
        assert!(journal.try_reserve(1).is_err());
        durable(&journal, Sequence(50)).unwrap();
        journal.durable_blocking(Sequence(50)).unwrap();
        assert!(durable(&journal, Sequence(51)).is_err());
        let seed = testkit::dice::Seed::of_this_run();
        let mut dice = testkit::dice::Dice::new(seed.0);
        let recovered = prefix(&disk.crash(dice.word())).unwrap();
        assert_eq!(recovered.next, Sequence(50));
        // A mark records it.
        assert_eq!(recovered.tail.unwrap().synced, Sequence(50));
    }
}

#[test]
fn a_dropped_journal_writes_nothing_more() {
    for held in [Operation::Write, Operation::Sync] {
        let disk = SimDisk::default();
        let journal = open(&disk, quick());
        durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
        let before = disk.count(held);
        disk.hold(held);
        append(&journal, &record(1)).unwrap();
        eventually("a call", || disk.count(held) > before);
        append(&journal, &record(2)).unwrap();
        let calls = disk.begun().len();
        thread::scope(|scope| {
            let inbox = Arc::clone(&journal.inbox);
            scope.spawn(move || drop(journal));
            eventually("the drop", || inbox.is_killed());
            disk.release();
        });
        assert_eq!(disk.begun().len(), calls, "after a {held:?}");
        assert_eq!(prefix(&disk).unwrap().next, Sequence(2));
    }
}

#[test]
fn with_an_interval_records_count_when_written_and_are_synced_later() {
    let disk = SimDisk::default();
    let settings = Settings {
        durability: Durability::Interval(Duration::from_millis(20)),
        ..manual_sync()
    };
    let journal = open(&disk, settings);
    disk.hold(Operation::Sync);
    let until = append(&journal, &record(0)).unwrap();
    durable(&journal, until).unwrap();
    assert_eq!(prefix(&disk.killed()).unwrap().next, Sequence(1));
    disk.release();
    let syncs = disk.count(Operation::Sync);
    append(&journal, &record(1)).unwrap();
    eventually("a sync", || disk.count(Operation::Sync) > syncs);
}

#[test]
fn a_snapshot_can_have_everything_synced_at_once() {
    let disk = SimDisk::default();
    let journal = open(&disk, manual_sync());
    let seed = testkit::dice::Seed::of_this_run();
    let mut dice = testkit::dice::Dice::new(seed.0);
    for number in 0..10 {
        let until = append(&journal, &record(number)).unwrap();
        if number % 3 == 0 {
            durable(&journal, until).unwrap();
        }
        journal.durable_blocking(until).unwrap();
        journal.durable_blocking(until).unwrap();
        let recovered = prefix(&disk.crash(dice.word())).unwrap();
        assert_eq!(recovered.next, until);
    }
}

#[test]
fn an_idle_journal_marks_its_last_sync_once() {
    for durability in [Durability::Always, Durability::Interval(Duration::ZERO)] {
        let mut written = TestLog::new();
        written.group(2).sync();
        let TestLog { disk, log, .. } = written;
        let settings = Settings {
            durability,
            mark_after: Duration::ZERO,
            ..manual_sync()
        };
        let inbox = Arc::new(Inbox::new(log.written));
        let capacity = Arc::new(Capacity::none());
        let (mut committer, _progress) =
            Committer::new(log, settings, Arc::clone(&inbox), capacity).unwrap();
        let synced = || prefix(&disk.killed()).unwrap().tail.unwrap().synced;
        let mut step = |group: bool| {
            let work = Work {
                group: group.then(|| inbox.take().unwrap()),
                sync_until: Sequence(0),
                end: End::NotYet,
            };
            assert!(!committer.step(work).unwrap());
            committer.due().is_some()
        };
        assert!(!step(false), "a mark is due though one was written");
        assert_eq!(synced(), Sequence(2));
        let writes = disk.count(Operation::Write);
        assert!(!step(false));
        assert_eq!(disk.count(Operation::Write), writes);
        drop(inbox.append(&record(2)));
        // A group records the sync before it, and a mark has to record the sync of the group.
        assert!(step(true));
        assert_eq!(synced(), Sequence(2));
        step(false);
        assert!(!step(false));
        assert_eq!(synced(), Sequence(3));
    }
}

#[test]
fn a_restart_marks_what_it_recovered() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
    drop(journal);
    assert_eq!(prefix(&disk).unwrap().tail.unwrap().synced, Sequence(0));
    let settings = Settings {
        mark_after: Duration::from_millis(1),
        ..quick()
    };
    let journal = open(&disk, settings);
    let synced = || prefix(&disk.killed()).unwrap().tail.unwrap().synced;
    eventually("a mark", || synced() == Sequence(1));
    assert_eq!(journal.next(), Sequence(1));
}

#[test]
fn segments_are_removed_when_no_record_of_them_is_needed() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    for number in 0..200 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    let before = segments(&disk).len();
    assert!(before > 8);
    journal.remove_before(Sequence(100)).unwrap();
    assert!(segments(&disk).len() < before);
    assert_eq!(records_from(&disk.killed(), 100).unwrap().0.len(), 100);
    assert!(records_from(&disk.killed(), 50).is_err());
    journal.remove_before(Sequence(200)).unwrap();
    assert_eq!(segments(&disk).len(), 1);
    durable(&journal, append(&journal, &record(200)).unwrap()).unwrap();
    journal.stop().unwrap();
    assert_eq!(records_from(&disk, 200).unwrap().0, [record(200)]);
}

#[test]
fn unfinished_files_are_removed_at_the_next_start() {
    let disk = SimDisk::default();
    let left = "journal-00000000000000000007.log.tmp";
    disk.put(left, b"half a header");
    disk.put("snapshot.tmp", b"another's");
    assert_eq!(prefix(&disk).unwrap().next, Sequence(0));
    assert!(disk.names().iter().any(|name| name == left));
    let journal = open(&disk, quick());
    assert!(disk.list().unwrap().iter().all(|name| name != left));
    assert!(disk.names().iter().any(|name| name == "snapshot.tmp"));
    journal.stop().unwrap();
}
