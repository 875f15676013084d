//! A full disk: writers are refused, nothing is lost, and space is all it takes to go on.

use std::time::Duration;

use super::ram::RamDisk;
use super::{
    Durability, append, block_on, durable, eventually, open, prefix, quick, record, room_of,
};
use super::{Sequence, Settings};
use crate::BATCH_BYTES_MAX;

#[test]
fn a_full_disk_refuses_writers_until_it_has_space() {
    let disk = RamDisk::default();
    disk.limit((1 << 20) + (200 << 10));
    let journal = open(&disk, quick());
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
    // All but the last 64 KiB of what there is was used.
    assert!(taken * 10_000 > (1 << 20) + (100 << 10), "{taken}");
    let waiting = block_on(journal.reserve(BATCH_BYTES_MAX)).unwrap_err();
    assert_eq!(waiting, refused);
    disk.limit(1 << 30);
    eventually("room again", || {
        journal.try_reserve(BATCH_BYTES_MAX).is_ok()
    });
    durable(&journal, append(&journal, &record_of(taken)).unwrap()).unwrap();
    journal.stop().unwrap();
    let (records, _) = super::records_from(&disk, 0).unwrap();
    assert_eq!(records.len() as u64, taken + 1);
    for (number, record) in (0..).zip(records) {
        assert_eq!(record, record_of(number));
    }
}

#[test]
fn who_waits_for_room_is_refused_when_the_disk_is_full() {
    let disk = RamDisk::default();
    let settings = Settings {
        segment_bytes: 1 << 30,
        ..quick()
    };
    let journal = open(&disk, settings);
    disk.limit(8 << 20);
    // Two batches take all there is; the third may hope, until they are written.
    let batch = vec![1; BATCH_BYTES_MAX - room_of(0)];
    let rooms = [(); 2].map(|()| journal.try_reserve(BATCH_BYTES_MAX).unwrap());
    std::thread::scope(|scope| {
        let third = scope.spawn(|| block_on(journal.reserve(BATCH_BYTES_MAX)).map(drop));
        for mut room in rooms {
            journal.append(&mut room, &batch);
        }
        let refused = third.join().unwrap().unwrap_err();
        assert!(refused.0.starts_with("the disk is full"), "{refused}");
    });
    assert_eq!(journal.next(), Sequence(2));
    durable(&journal, journal.next()).unwrap();
}

#[test]
fn a_group_that_finds_no_space_is_lost_to_who_waits_and_kept() {
    for durability in [
        Durability::Always,
        Durability::Interval(Duration::from_millis(1)),
    ] {
        let disk = RamDisk::default();
        let settings = Settings {
            durability,
            ..quick()
        };
        let journal = open(&disk, settings);
        durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
        disk.refuse_writes(true);
        let until = append(&journal, &record(1)).unwrap();
        let lost = durable(&journal, until).unwrap_err();
        assert!(lost.0.starts_with("the disk is full"), "{lost}");
        assert!(journal.durable_blocking(until).is_err());
        let refused = append(&journal, b"refused").unwrap_err();
        assert!(refused.0.starts_with("the disk is full"), "{refused}");
        assert!(block_on(journal.reserve(1)).is_err());
        disk.refuse_writes(false);
        let mut next = None;
        eventually("room again", || {
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
fn a_journal_that_finds_no_space_stops_all_the_same() {
    let disk = RamDisk::default();
    let journal = open(&disk, quick());
    durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
    disk.refuse_writes(true);
    let until = append(&journal, &record(1)).unwrap();
    durable(&journal, until).unwrap_err();
    let lost = journal.stop().unwrap_err();
    assert!(lost.0.contains("the disk is full"), "{lost}");
    assert_eq!(prefix(&disk.after_kill()).unwrap().next, Sequence(1));
}

#[test]
fn without_space_for_another_segment_the_old_one_goes_on() {
    let disk = RamDisk::default();
    let journal = open(&disk, quick());
    let used = disk
        .names()
        .into_iter()
        .map(|name| disk.content(&name).len());
    disk.limit(used.sum::<usize>() + 1_000);
    for number in 0..40 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    assert_eq!(disk.names().len(), 1, "{:?}", disk.names());
    disk.limit(1 << 30);
    eventually("a new segment", || {
        let number = journal.next().0;
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
        disk.names().len() > 1
    });
    let next = journal.next();
    journal.stop().unwrap();
    assert_eq!(prefix(&disk).unwrap().next, next);
}
