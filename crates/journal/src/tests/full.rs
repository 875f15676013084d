//! A full disk: writers are rejected, nothing is lost, and the journal continues once there is
//! space.

use std::sync::Arc;
use std::time::Duration;

use disk::fixtures::{ENOSPC, Operation, SimDisk, Times, Trap};

use super::{
    Durability, Journal, append, block_on, durable, eventually, open, prefix, quick, record,
    reserved_bytes, segments,
};
use super::{Sequence, Settings};
use crate::BATCH_BYTES_MAX;

/// Returns what the metric reports, and whether a restart is needed.
fn refusing(journal: &Arc<Journal>) -> (bool, Option<String>) {
    let mut registry = metering::Registry::default();
    journal.register_metrics(&mut registry);
    let mut text = String::new();
    metering::text::encode(&mut text, &registry).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("journal_refusing "));
    (line.unwrap().ends_with(" 1.0"), journal.failure())
}

#[test]
fn a_full_disk_rejects_writers_until_it_has_space() {
    let disk = SimDisk::default();
    disk.limit(Some((1 << 20) + (200 << 10)));
    let journal = Arc::new(open(&disk, quick()));
    let record_of = |number: u64| vec![u8::try_from(number % 251).unwrap(); 10_000];
    let mut taken = 0;
    let refused = loop {
        match append(&journal, &record_of(taken)) {
            Ok(until) => durable(&journal, until).unwrap(),
            Err(refused) => break refused,
        }
        taken += 1;
        assert!(taken < 1_000, "it is never full");
    };
    assert_eq!(refused.0, "the disk is full");
    // All but the last 64 KiB of the disk space were used.
    assert!(taken * 10_000 > (1 << 20) + (100 << 10), "{taken}");
    let waiting = block_on(journal.reserve(BATCH_BYTES_MAX)).unwrap_err();
    assert_eq!(waiting, refused);
    assert_eq!(refusing(&journal), (true, None));
    disk.limit(Some(1 << 30));
    eventually("capacity again", || {
        journal.try_reserve(BATCH_BYTES_MAX).is_ok()
    });
    eventually("it accepts all", || refusing(&journal) == (false, None));
    durable(&journal, append(&journal, &record_of(taken)).unwrap()).unwrap();
    journal.stop().unwrap();
    let (records, _) = super::records_from(&disk, 0).unwrap();
    assert_eq!(records.len() as u64, taken + 1);
    for (number, record) in (0..).zip(records) {
        assert_eq!(record, record_of(number));
    }
}

#[test]
fn waiting_for_capacity_is_rejected_when_the_disk_is_full() {
    let disk = SimDisk::default();
    let settings = Settings {
        segment_bytes: 1 << 30,
        ..quick()
    };
    let journal = open(&disk, settings);
    disk.limit(Some(8 << 20));
    // Two batches take all capacity; the third may wait until they are written.
    let batch = vec![1; BATCH_BYTES_MAX - reserved_bytes(0)];
    let reservations = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    std::thread::scope(|scope| {
        let third = scope.spawn(|| block_on(journal.reserve(BATCH_BYTES_MAX)).map(drop));
        for mut capacity in reservations {
            journal.append(&mut capacity, &batch);
        }
        let refused = third.join().unwrap().unwrap_err();
        assert!(refused.0.starts_with("the disk is full"), "{refused}");
    });
    assert_eq!(journal.next(), Sequence(2));
    durable(&journal, journal.next()).unwrap();
}

#[test]
fn a_group_without_space_is_lost_for_its_writers_but_kept() {
    for durability in [
        Durability::Always,
        Durability::Interval(Duration::from_millis(1)),
    ] {
        let disk = SimDisk::default();
        let settings = Settings {
            durability,
            ..quick()
        };
        let journal = Arc::new(open(&disk, settings));
        durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
        disk.set(Trap::fails(Operation::Write, "", 0, ENOSPC, Times::ForGood));
        let until = append(&journal, &record(1)).unwrap();
        let lost = durable(&journal, until).unwrap_err();
        assert!(lost.0.starts_with("the disk is full"), "{lost}");
        assert!(journal.durable_blocking(until).is_err());
        let refused = append(&journal, b"refused").unwrap_err();
        assert!(refused.0.starts_with("the disk is full"), "{refused}");
        assert!(block_on(journal.reserve(1)).is_err());
        assert_eq!(refusing(&journal), (true, None));
        disk.remove_traps();
        let mut next = None;
        eventually("capacity again", || {
            next = append(&journal, &record(2)).ok();
            next.is_some()
        });
        durable(&journal, next.unwrap()).unwrap();
        journal.durable_blocking(until).unwrap();
        journal.stop().unwrap();
        assert_eq!(prefix(&disk).unwrap().next, Sequence(3));
    }
}

#[test]
fn a_journal_without_space_can_be_stopped() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
    disk.set(Trap::fails(Operation::Write, "", 0, ENOSPC, Times::ForGood));
    let until = append(&journal, &record(1)).unwrap();
    durable(&journal, until).unwrap_err();
    let lost = journal.stop().unwrap_err();
    assert!(lost.0.contains("the disk is full"), "{lost}");
    assert_eq!(prefix(&disk.killed()).unwrap().next, Sequence(1));
}

#[test]
fn without_space_for_another_segment_the_old_one_continues() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    let used = disk
        .names()
        .into_iter()
        .map(|name| disk.bytes_of(&name).len());
    disk.limit(Some(used.sum::<usize>() + 1_000));
    for number in 0..40 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    assert_eq!(segments(&disk).len(), 1, "{:?}", disk.names());
    disk.limit(Some(1 << 30));
    eventually("a new segment", || {
        let number = journal.next().0;
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
        segments(&disk).len() > 1
    });
    let next = journal.next();
    journal.stop().unwrap();
    assert_eq!(prefix(&disk).unwrap().next, next);
}
