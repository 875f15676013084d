//! A journal whose end is missing: what is known to have been durable is not lost silently.

use disk::Disk as _;
use disk::fixtures::{EIO, Operation, SimDisk, Times, Trap};

use super::{
    ReadError, Recovered, Sequence, TestLog, append, check_continues, durable, eventually, open,
    prefix, quick, record, segments,
};
use crate::format::SEGMENT_HEADER_BYTES;
use crate::{Settings, end};

/// Returns the disk of a stopped journal with two segments and more.
fn stopped() -> SimDisk {
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    for number in 0..40 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    journal.stop().unwrap();
    disk
}

/// Returns the error about a folder whose records are damaged.
fn damage(disk: &SimDisk) -> (String, u64, String) {
    match prefix(disk).unwrap_err() {
        ReadError::Damaged { file, offset, what } => {
            let file = file.file_name().unwrap().to_str().unwrap();
            (file.to_owned(), offset, what)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn every_cut_of_a_stopped_journal_is_found_with_what_is_missing() {
    let disk = stopped();
    let last = segments(&disk).pop().unwrap();
    let end = end::read(&disk).unwrap().unwrap();
    let used = usize::try_from(end.offset).unwrap();
    for cut in SEGMENT_HEADER_BYTES..used {
        for zeros in [0, 5000] {
            let damaged = disk.killed();
            damaged.cut(&last, cut);
            damaged.write_over(&last, &vec![0; zeros], cut);
            let (file, offset, what) = damage(&damaged);
            assert_eq!(file, last);
            assert!(offset <= cut as u64);
            let missing = format!("{} more bytes with ", end.offset - offset);
            assert!(what.contains(&missing), "{what}");
        }
    }
    assert_eq!(prefix(&disk).unwrap().next, Sequence(40));
}

#[test]
fn the_number_of_missing_records_is_reported() {
    let mut written = TestLog::new();
    written.group(2).sync().group(3).sync().group(4).sync();
    written.log.mark();
    let cut = |group: usize| {
        let disk = written.disk.killed();
        disk.cut(&written.file(), written.groups[group].to);
        damage(&disk).2
    };
    assert!(cut(1).contains("with 4 records"), "{}", cut(1));
    assert!(cut(0).contains("with 7 records"), "{}", cut(0));
}

#[test]
fn a_flipped_bit_of_the_last_group_is_found() {
    let disk = stopped();
    let last = segments(&disk).pop().unwrap();
    let end = end::read(&disk).unwrap().unwrap();
    let whole = disk.bytes_of(&last);
    let used = usize::try_from(end.offset).unwrap();
    for (position, byte) in whole[..used].iter().enumerate().skip(SEGMENT_HEADER_BYTES) {
        disk.write_over(&last, &[byte ^ 4], position);
        damage(&disk);
        disk.write_over(&last, &[*byte], position);
    }
    check_continues(&disk);
}

#[test]
fn a_missing_segment_is_found_even_if_it_is_the_last() {
    let disk = stopped();
    for missing in segments(&disk) {
        let damaged = disk.killed();
        damaged.remove(&missing).unwrap();
        assert!(prefix(&damaged).is_err(), "{missing}");
    }
    let last = segments(&disk).pop().unwrap();
    disk.remove(&last).unwrap();
    let error = prefix(&disk).unwrap_err().to_string();
    assert!(error.contains(&last), "{error}");
    assert!(error.contains("before 40 were durable"), "{error}");
    // Also in a folder with a single one.
    let disk = SimDisk::default();
    let journal = open(&disk, quick());
    durable(&journal, append(&journal, &record(0)).unwrap()).unwrap();
    journal.stop().unwrap();
    disk.remove(&segments(&disk)[0]).unwrap();
    assert!(matches!(prefix(&disk), Err(ReadError::Lost { .. })));
}

#[test]
fn an_older_copy_of_a_file_is_found_unless_nothing_is_lost() {
    let disk = stopped();
    let older = disk.killed();
    let journal = open(&disk, quick());
    // The segment stays the same.
    let journal_bytes = segments(&disk).len();
    durable(&journal, append(&journal, &record(40)).unwrap()).unwrap();
    journal.stop().unwrap();
    assert_eq!(segments(&disk).len(), journal_bytes);
    let last = segments(&disk).pop().unwrap();
    let mixed = disk.killed();
    mixed.put(&last, &older.bytes_of(&last));
    assert!(damage(&mixed).2.contains("with 1 records"));
    // An older mark says less, and all records are there.
    let mixed = disk.killed();
    mixed.put(end::NAME, &older.bytes_of(end::NAME));
    assert_eq!(prefix(&mixed).unwrap().next, Sequence(41));
    // A segment of the same length with another history.
    let other = older.killed();
    let journal = open(&other, quick());
    durable(&journal, append(&journal, &[7; 20]).unwrap()).unwrap();
    durable(&journal, append(&journal, &[7; 20]).unwrap()).unwrap();
    journal.stop().unwrap();
    let mixed = disk.killed();
    mixed.put(&last, &other.bytes_of(&last));
    let wrong = super::records_from(&mixed, 0).unwrap_err().to_string();
    assert!(wrong.contains("another group than the durable"), "{wrong}");
}

#[test]
fn after_a_crash_a_segment_that_was_cut_is_found_by_its_length() {
    let disk = SimDisk::default();
    let settings = Settings {
        segment_bytes: 1 << 20,
        ..quick()
    };
    let journal = open(&disk, settings);
    for number in 0..40 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    drop(journal);
    let last = segments(&disk).pop().unwrap();
    let recovered = prefix(&disk).unwrap();
    assert_eq!(recovered.next, Sequence(40));
    let used = usize::try_from(recovered.tail.unwrap().offset).unwrap();
    // Nothing marks the last groups, but the file was longer.
    disk.cut(&last, used - 150);
    let (_, offset, what) = damage(&disk);
    assert_eq!(offset, used as u64 - 150);
    assert!(what.contains("had "), "{what}");
}

#[test]
fn a_start_that_truncates_may_crash_at_any_moment() {
    let mut written = TestLog::new();
    written.group(2).sync().group(3);
    let torn = written.groups[1].clone();
    written.log.mark();
    let disk = written.disk.killed();
    disk.write_over(&torn.file, &[1], torn.from + 40);
    let recovered = prefix(&disk).unwrap();
    assert!(recovered.cut_bytes > 0);
    let resume = |disk: &SimDisk, recovered: &Recovered| {
        super::tail::resume_log(std::sync::Arc::new(disk.clone()), recovered).is_ok()
    };
    for changes in 1.. {
        let halted = disk.killed();
        halted.halt_after(changes);
        if resume(&halted, &recovered) {
            break;
        }
        for seed in 0..20 {
            let left = halted.crash(seed);
            assert_eq!(prefix(&left).unwrap().next, Sequence(2), "{changes}");
            check_continues(&left);
        }
    }
}

#[test]
fn a_mark_is_written_while_others_write() {
    let disk = SimDisk::default();
    let settings = Settings {
        mark_after: std::time::Duration::from_millis(1),
        segment_bytes: 1 << 20,
        ..quick()
    };
    let journal = open(&disk, settings);
    let mut number = 0;
    eventually("a mark between groups", || {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
        number += 1;
        end::read(&disk).unwrap().unwrap().next > Sequence(5)
    });
    assert!(end::read(&disk.killed()).unwrap().unwrap().next <= journal.next());
}

#[test]
fn a_mark_that_cannot_be_written_stops_nothing() {
    let disk = SimDisk::default();
    disk.set(Trap::fails(
        Operation::Write,
        end::NAME,
        0,
        EIO,
        Times::ForGood,
    ));
    let journal = open(&disk, quick());
    for number in 0..20 {
        durable(&journal, append(&journal, &record(number)).unwrap()).unwrap();
    }
    journal.stop().unwrap();
    let recovered = prefix(&disk.killed()).unwrap();
    assert_eq!(recovered.next, Sequence(20));
    assert!(recovered.is_unmarked);
    // The next start creates it.
    let disk = disk.killed();
    check_continues(&disk);
    assert!(!prefix(&disk).unwrap().is_unmarked);
}

#[test]
fn a_torn_mark_leaves_the_earlier_one_and_a_damaged_one_is_rejected() {
    let disk = stopped();
    let before = end::read(&disk).unwrap().unwrap();
    disk.set(Trap::fails(
        Operation::Write,
        end::NAME,
        0,
        EIO,
        Times::ForGood,
    ));
    let journal = open(&disk, quick());
    durable(&journal, append(&journal, &record(40)).unwrap()).unwrap();
    journal.stop().unwrap();
    assert_eq!(end::read(&disk.killed()).unwrap(), Some(before));
    assert_eq!(prefix(&disk).unwrap().next, Sequence(41));
    for bytes in [&b""[..], &[7; 1024], &[0; 1024]] {
        let damaged = disk.killed();
        damaged.put(end::NAME, bytes);
        let (file, ..) = damage(&damaged);
        assert_eq!(file, end::NAME);
        // As its message says, the journal can be read without it.
        damaged.remove(end::NAME).unwrap();
        check_continues(&damaged);
    }
}
