//! Every step fails in turn: what has a snapshot's name is whole, after a crash too.

use super::super::{SnapshotError, list};
use super::contents::{Contents, Part, read_all};
use super::gifts::{gifts_head, gifts_rows, small};
use super::memory::{Crash, MemoryDisk};
use disk::Disk;

/// What every snapshot of the disk has to be.
fn check(disk: &MemoryDisk, older: &Contents, newer: &Contents) -> Vec<u64> {
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

/// Fails each step of writing `newer` beside `older`; what the steps were.
fn fail_each_step(newer: &Contents, for_good: bool) -> Vec<&'static str> {
    let older = small();
    for step in 0.. {
        let disk = MemoryDisk::default();
        older.write(&disk).unwrap();
        disk.fail_at(step, for_good);
        let written = newer.write(&disk);
        let steps = disk.steps();
        let worlds = [
            disk.clone(),
            disk.after(Crash::NamesLost),
            disk.after(Crash::NamesKept),
        ];
        let whole = worlds.map(|world| check(&world, &older, newer));
        if written.is_ok() {
            assert_eq!(whole, [[20, 10], [20, 10], [20, 10]].map(Vec::from));
            assert_eq!(disk.list().unwrap().len(), 2);
            return steps;
        }
        let renamed = steps[step] == "sync_folder";
        let expected = if renamed { vec![20, 10] } else { vec![10] };
        assert_eq!(whole[0], expected, "{step}: {}", steps[step]);
        assert_eq!(whole[1], [10], "{step}: {}", steps[step]);
        let is_gone = disk.list().unwrap().len() == whole[0].len();
        assert!(is_gone || for_good, "the rest of step {step} is left");
    }
    unreachable!("there are not that many steps");
}

#[test]
fn a_step_that_fails_once_leaves_no_half_snapshot() {
    let newer = Contents {
        sequence: 20,
        ..small()
    };
    let steps = fail_each_step(&newer, false);
    assert_eq!(
        steps,
        // The header, the one unit, the table, the footer.
        [
            "create",
            "write",
            "write",
            "write",
            "write",
            "sync",
            "rename",
            "sync_folder"
        ]
    );
}

#[test]
fn steps_that_fail_for_good_leave_no_half_snapshot() {
    let newer = Contents {
        sequence: 20,
        ..small()
    };
    fail_each_step(&newer, true);
}

#[test]
fn a_sync_on_the_way_that_fails_is_not_made_good_by_the_last_one() {
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
    let disk = MemoryDisk::default();
    disk.fail_at(usize::MAX, false);
    newer.write(&disk).unwrap();
    let syncs = || disk.steps().iter().filter(|step| **step == "sync").count();
    assert_eq!(syncs(), 2);
    let first = disk
        .steps()
        .iter()
        .position(|step| *step == "sync")
        .unwrap();

    let disk = MemoryDisk::default();
    disk.fail_at(first, false);
    let mut writer = newer.begin(&disk).unwrap();
    let mut errors = Vec::new();
    for part in &newer.parts {
        // Goes on regardless.
        errors.extend(writer.begin_part(&part.head).err());
        for (head, rows) in &part.windows {
            errors.extend(writer.window(head).err());
            for (member, words) in rows {
                errors.extend(writer.row(member.as_bytes(), words).err());
            }
        }
        errors.extend(writer.end_part().err());
    }
    assert!(
        errors[0].to_string().ends_with("sync fails"),
        "{}",
        errors[0]
    );
    let finished = writer.finish(&newer.kinds);
    assert!(matches!(finished, Err(SnapshotError::Io { .. })));
    assert_eq!(disk.list().unwrap(), Vec::<String>::new());
}
