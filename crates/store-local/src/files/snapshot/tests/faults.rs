//! Each change of the disk fails in turn: every file with the name of a snapshot is complete, also after a crash.

use disk::Disk;
use disk::fixtures::{EIO, Failure, Operation, SimDisk, Times, Trap};

use super::super::{Element, SnapshotError, list};
use super::contents::{Contents, Part, read_all};
use super::gifts::{gifts_head, gifts_rows, small};

/// Crashes for each failure: all, none and some of what was not durable is kept.
const CRASHES: u64 = 12;

const fn failure(times: Times) -> Failure {
    Failure {
        error: EIO,
        times,
        in_effect: false,
    }
}

/// Checks that every snapshot of the disk is complete, and returns their sequences.
fn check(disk: &SimDisk, older: &Contents, newer: &Contents) -> Vec<u64> {
    let found = list(disk).unwrap();
    for name in &found {
        let whole = if name.sequence == older.sequence {
            older
        } else {
            newer
        };
        assert_eq!(read_all(disk, name).unwrap(), *whole);
    }
    found.iter().map(|name| name.sequence).collect()
}

/// Fails each change of writing `newer` beside `older`, and returns the changes.
fn fail_each_change(newer: &Contents, times: Times) -> Vec<Operation> {
    let older = small();
    for passing in 0.. {
        let disk = SimDisk::default();
        older.write(&disk).unwrap();
        let begun = disk.begun().len();
        disk.set(Trap::fails_change(passing as u64, failure(times)));
        let written = newer.write(&disk);
        let changes = disk.begun().split_off(begun);
        let found = check(&disk.killed(), &older, newer);
        let crashed = (0..CRASHES).map(|seed| check(&disk.crash(seed), &older, newer));
        let crashed: Vec<_> = crashed.collect();
        if written.is_ok() {
            assert!(crashed.iter().all(|found| *found == [20, 10]));
            assert_eq!(disk.names().len(), 2);
            return changes;
        }
        let failed = changes[passing];
        let is_renamed = failed == Operation::SyncFolder;
        let expected = if is_renamed { vec![20, 10] } else { vec![10] };
        assert_eq!(found, expected, "{passing}: {failed:?}");
        assert!(crashed.contains(&vec![10]), "{passing}: {failed:?}");
        let is_gone = disk.names().len() == found.len();
        let is_for_good = times == Times::ForGood;
        assert!(is_gone || is_for_good, "the rest of {passing} is left");
    }
    unreachable!("there are not that many changes");
}

#[test]
fn a_change_that_fails_once_leaves_no_incomplete_snapshot() {
    use Operation::{Create, Rename, Sync, SyncFolder, Write};
    let newer = Contents {
        sequence: 20,
        ..small()
    };
    let changes = fail_each_change(&newer, Times::Once);
    // The header, the one unit, the table, the footer.
    let expected = [Create, Write, Write, Write, Write, Sync, Rename, SyncFolder];
    assert_eq!(changes, expected);
}

#[test]
fn changes_that_fail_for_good_leave_no_incomplete_snapshot() {
    let newer = Contents {
        sequence: 20,
        ..small()
    };
    fail_each_change(&newer, Times::ForGood);
}

#[test]
fn a_failed_sync_in_between_is_not_repaired_by_the_last_one() {
    // Two of these are more than 8 MiB.
    let part = |part| Part {
        windows: vec![gifts_rows(150_000)],
        ..Part {
            head: gifts_head("hall", 16, part),
            ..small().parts.remove(1)
        }
    };
    let newer = Contents {
        sequence: 20,
        parts: (0..2).map(part).collect(),
        ..small()
    };
    let disk = SimDisk::default();
    newer.write(&disk).unwrap();
    assert_eq!(disk.count(Operation::Sync), 2);

    let disk = SimDisk::default();
    disk.set(Trap::fails(Operation::Sync, "", 0, EIO, Times::Once));
    let mut writer = newer.begin(&disk).unwrap();
    let mut errors = Vec::new();
    for part in &newer.parts {
        // It continues regardless.
        errors.extend(writer.element(&Element::Head(part.head.clone())).err());
        for (head, rows) in &part.windows {
            errors.extend(writer.element(&Element::Window(*head)).err());
            for (member, words) in rows {
                errors.extend(writer.row(member.as_bytes(), words).err());
            }
        }
        errors.extend(writer.element(&Element::End).err());
    }
    assert!(disk.all_sprung() && !errors.is_empty(), "{errors:?}");
    let finished = writer.finish(&newer.kinds);
    assert!(matches!(finished, Err(SnapshotError::Io { .. })));
    assert_eq!(disk.list().unwrap(), Vec::<String>::new());
}
