//! Room: what is reserved, given back, and refused.

use std::thread;

use super::ram::{Call, RamDisk};
use super::{append, block_on, durable, eventually, open, quick, record, room_of};
use crate::embedded::journal::BATCH_BYTES_MAX;
use crate::embedded::journal::room::ROOM_BYTES_MAX;

/// Whether all room is free, as far as it can be told from outside.
fn all_is_free(journal: &super::Journal) -> bool {
    let batches = ROOM_BYTES_MAX / BATCH_BYTES_MAX;
    let rooms: Vec<_> = (0..batches)
        .map_while(|_| journal.try_reserve(BATCH_BYTES_MAX - (1 << 19)).ok())
        .collect();
    rooms.len() == batches
}

#[test]
fn more_than_a_batch_is_refused() {
    let journal = open(&RamDisk::default(), quick());
    let refused = block_on(journal.reserve(BATCH_BYTES_MAX + 1)).unwrap_err();
    assert!(refused.0.contains("4194304"), "{refused}");
    assert!(journal.try_reserve(usize::MAX).is_err());
    drop(journal.try_reserve(BATCH_BYTES_MAX).unwrap());
}

#[test]
fn what_is_not_used_is_given_back() {
    let journal = open(&RamDisk::default(), quick());
    for turn in 0..100 {
        let room = journal.try_reserve(BATCH_BYTES_MAX).unwrap();
        if turn % 2 == 0 {
            let appended = [journal.append(&record(turn)), journal.append(b"")];
            room.settle(appended.iter().map(|appended| appended.bytes).sum());
        }
    }
    durable(&journal, journal.next()).unwrap();
    eventually("all room is free", || all_is_free(&journal));
}

#[test]
fn what_a_shared_header_saves_is_given_back() {
    const RECORDS: usize = 50_000;
    let disk = RamDisk::default();
    let journal = open(&disk, quick());
    for _ in 0..4 {
        let room = block_on(journal.reserve(RECORDS * room_of(0))).unwrap();
        disk.hold(Call::Write);
        let bytes = (0..RECORDS).map(|_| journal.append(b"").bytes).sum();
        room.settle(bytes);
        disk.release();
        durable(&journal, journal.next()).unwrap();
    }
    eventually("all room is free", || all_is_free(&journal));
}

#[test]
fn room_goes_to_who_asked_first() {
    let journal = open(&RamDisk::default(), quick());
    let rooms = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    thread::scope(|scope| {
        let large = scope.spawn(|| block_on(journal.reserve(BATCH_BYTES_MAX)).map(drop));
        assert!(journal.try_reserve(1_000).is_err());
        drop(rooms);
        large.join().unwrap().unwrap();
    });
    assert!(all_is_free(&journal));
}

#[test]
fn who_gives_up_waiting_leaves_no_trace() {
    let journal = open(&RamDisk::default(), quick());
    let rooms = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    let mut waiting = Box::pin(journal.reserve(BATCH_BYTES_MAX));
    let polled = block_on(async { futures::poll!(&mut waiting).is_pending() });
    assert!(polled);
    drop(waiting);
    drop(rooms);
    assert!(all_is_free(&journal));
    durable(&journal, append(&journal, &[0; 100]).unwrap()).unwrap();
    assert!(room_of(100) > 100);
}
