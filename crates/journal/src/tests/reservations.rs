//! Capacity that is reserved, returned, and rejected.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use disk::fixtures::{Operation, SimDisk};

use super::{
    Inbox, Sequence, append, block_on, durable, eventually, open, quick, record, records_from,
    reserved_bytes,
};
use crate::format::{GROUP_HEADER_BYTES, PAYLOAD_BYTES_MAX};
use crate::limits::{BATCH_BYTES_MAX, CAPACITY_BYTES_MAX};

/// Returns whether callers can reserve all of the capacity, and no more.
fn all_capacity_is_free(journal: &super::Journal) -> bool {
    let batches = CAPACITY_BYTES_MAX / BATCH_BYTES_MAX;
    let reservations: Vec<_> = (0..batches)
        .map_while(|_| journal.try_reserve(BATCH_BYTES_MAX - (1 << 19)).ok())
        .collect();
    reservations.len() == batches && journal.try_reserve(BATCH_BYTES_MAX).is_err()
}

#[test]
fn more_than_a_batch_is_rejected() {
    let journal = open(&SimDisk::default(), quick());
    let refused = block_on(journal.reserve(BATCH_BYTES_MAX + 1)).unwrap_err();
    assert!(refused.0.contains("4194304"), "{refused}");
    assert!(journal.try_reserve(usize::MAX).is_err());
    drop(journal.try_reserve(BATCH_BYTES_MAX).unwrap());
}

#[test]
fn a_blocking_write_is_durable_when_it_returns() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    journal.write_blocking(&record(3)).unwrap();
    assert_eq!(records_from(&disk.killed(), 0).unwrap().0, [record(3)]);
}

#[test]
fn unused_capacity_is_released() {
    let journal = open(&SimDisk::default(), quick());
    for turn in 0..100 {
        let mut capacity = journal.try_reserve(BATCH_BYTES_MAX).unwrap();
        if turn % 2 == 0 {
            journal.append(&mut capacity, &record(turn));
            journal.append(&mut capacity, b"");
        }
    }
    durable(&journal, journal.next()).unwrap();
    eventually("all capacity is free", || all_capacity_is_free(&journal));
}

#[test]
fn capacity_saved_by_a_shared_header_is_released() {
    const RECORDS: usize = 50_000;
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    for _ in 0..4 {
        let mut capacity = block_on(journal.reserve(RECORDS * reserved_bytes(0))).unwrap();
        disk.hold(Operation::Write);
        for _ in 0..RECORDS {
            journal.append(&mut capacity, b"");
        }
        drop(capacity);
        disk.release();
        durable(&journal, journal.next()).unwrap();
    }
    eventually("all capacity is free", || all_capacity_is_free(&journal));
}

#[test]
fn capacity_is_granted_in_order_of_the_calls() {
    let journal = open(&SimDisk::default(), quick());
    let reservations = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    thread::scope(|scope| {
        let large = scope.spawn(|| block_on(journal.reserve(BATCH_BYTES_MAX)).map(drop));
        assert!(journal.try_reserve(1_000).is_err());
        drop(reservations);
        large.join().unwrap().unwrap();
    });
    assert!(all_capacity_is_free(&journal));
}

#[test]
fn a_cancelled_wait_has_no_effect() {
    let journal = open(&SimDisk::default(), quick());
    let reservations = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    let mut waiting = Box::pin(journal.reserve(BATCH_BYTES_MAX));
    let polled = block_on(async { futures::poll!(&mut waiting).is_pending() });
    assert!(polled);
    drop(waiting);
    drop(reservations);
    assert!(all_capacity_is_free(&journal));
    durable(&journal, append(&journal, &[0; 100]).unwrap()).unwrap();
    assert!(reserved_bytes(100) > 100);
}

#[test]
fn records_beyond_their_reservation_are_counted_nevertheless() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    let large = vec![7; 3 << 20];
    for _ in 0..20 {
        // After the first, these appends exceed the free capacity, and some of it is owed.
        let mut capacity = block_on(journal.reserve(reserved_bytes(1))).unwrap();
        for _ in 0..3 {
            journal.append(&mut capacity, &large);
        }
        drop(capacity);
        durable(&journal, journal.next()).unwrap();
    }
    eventually("all capacity is free", || all_capacity_is_free(&journal));
    assert!(journal.try_reserve(BATCH_BYTES_MAX).is_ok());
    journal.stop().unwrap();
    let (records, _) = records_from(&disk, 0).unwrap();
    assert_eq!(records.len(), 60);
    assert!(records.iter().all(|record| *record == large));
}

#[test]
fn a_panic_after_an_append_returns_only_what_was_not_appended() {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    disk.hold(Operation::Write);
    for _ in 0..4 {
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut capacity = journal.try_reserve(2 << 20).unwrap();
            journal.append(&mut capacity, &vec![7; 1 << 20]);
            std::panic::resume_unwind(Box::new("as a call may"));
        }));
        assert!(panicked.is_err());
    }
    let left = CAPACITY_BYTES_MAX - 4 * reserved_bytes(1 << 20);
    let half = left / 2;
    let reservations = [(); 2].map(|()| journal.try_reserve(half).unwrap());
    assert!(journal.try_reserve(reserved_bytes(1)).is_err());
    drop(reservations);
    disk.release();
    durable(&journal, journal.next()).unwrap();
    eventually("all capacity is free", || all_capacity_is_free(&journal));
}

#[test]
fn no_group_grows_larger_than_a_reader_accepts() {
    let inbox = Inbox::new(Sequence(0));
    let record = vec![7; 3 << 20];
    for _ in 0..5 {
        drop(inbox.append(&record));
    }
    let groups: Vec<_> = std::iter::from_fn(|| inbox.take()).collect();
    let records: Vec<_> = groups
        .iter()
        .map(|group| (group.first.0, group.records))
        .collect();
    assert_eq!(records, [(0, 2), (2, 2), (4, 1)]);
    let largest = groups
        .iter()
        .map(|group| group.bytes.len() - GROUP_HEADER_BYTES);
    assert!(largest.max().unwrap() <= PAYLOAD_BYTES_MAX);
    assert_eq!(inbox.next(), Sequence(5));
}
