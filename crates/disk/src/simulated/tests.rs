//! Crashes, failures and limits of the simulated disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Disk;

use super::{EIO, ENOSPC, Operation, SimDisk, Times, Trap};

/// Two pages and some.
const LONG: usize = 10_000;

/// Creates a durable file of ones.
fn with_ones(disk: &SimDisk) -> Box<dyn crate::DiskFile> {
    let file = disk.create("a").unwrap();
    file.write_at(&[1; LONG], 0).unwrap();
    file.sync().unwrap();
    disk.sync_folder().unwrap();
    file
}

/// Returns the contents of `a` after a crash, for many seeds.
fn after_crashes(disk: &SimDisk) -> Vec<Vec<u8>> {
    let crashed = (0..200).map(|seed| disk.crash(seed));
    crashed.map(|disk| disk.bytes_of("a")).collect()
}

#[test]
fn synced_data_survives() {
    let disk = SimDisk::default();
    with_ones(&disk);
    assert!(after_crashes(&disk).iter().all(|bytes| *bytes == [1; LONG]));
}

#[test]
fn data_that_was_not_synced_is_lost_kept_or_torn() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    file.write_at(&[2; LONG], 0).unwrap();
    let found = after_crashes(&disk);
    assert!(found.contains(&vec![1; LONG]));
    assert!(found.contains(&vec![2; LONG]));
    let is_torn = |bytes: &Vec<u8>| bytes.contains(&1) && bytes.contains(&2);
    assert!(found.iter().any(is_torn));
    assert_eq!(disk.killed().bytes_of("a"), [2; LONG]);
}

#[test]
fn a_file_that_grew_may_have_any_size() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    file.write_at(&[2; LONG], LONG as u64).unwrap();
    let sizes: Vec<usize> = after_crashes(&disk).iter().map(Vec::len).collect();
    assert!(sizes.contains(&LONG) && sizes.contains(&(2 * LONG)));
    assert!(sizes.iter().any(|size| *size > LONG && *size < 2 * LONG));
}

#[test]
fn truncated_bytes_may_reappear_until_the_truncation_is_synced() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    file.set_size(100).unwrap();
    let sizes: Vec<usize> = after_crashes(&disk).iter().map(Vec::len).collect();
    assert!(sizes.contains(&LONG) && sizes.contains(&100));
    file.sync().unwrap();
    file.set_size(LONG as u64).unwrap();
    file.sync().unwrap();
    let expected = [vec![1; 100], vec![0; LONG - 100]].concat();
    assert!(after_crashes(&disk).iter().all(|bytes| *bytes == expected));
}

#[test]
fn a_later_sync_does_not_repair_a_failed_one() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    file.write_at(&[2; 100], 0).unwrap();
    disk.set(Trap::fails(Operation::Sync, "", 0, EIO, Times::Once));
    assert_eq!(file.sync().unwrap_err().raw_os_error(), Some(EIO));
    file.sync().unwrap();
    assert!(after_crashes(&disk).contains(&vec![1; LONG]));
    file.write_at(&[3], 0).unwrap();
    file.sync().unwrap();
    assert!(
        after_crashes(&disk)
            .iter()
            .all(|bytes| bytes[..2] == [3, 2])
    );
}

#[test]
fn names_are_durable_with_their_folder() {
    let disk = SimDisk::default();
    with_ones(&disk);
    disk.rename("a", "b").unwrap();
    disk.create("c").unwrap();
    let names = |seed| disk.crash(seed).names();
    let found: Vec<Vec<String>> = (0..200).map(names).collect();
    for possible in [vec!["a"], vec!["a", "c"], vec!["b"], vec!["b", "c"]] {
        assert!(found.iter().any(|names| *names == possible), "{possible:?}");
    }
    disk.sync_folder().unwrap();
    disk.remove("b").unwrap();
    assert!((0..200).all(|seed| names(seed).contains(&"c".to_owned())));
    assert!((0..200).any(|seed| names(seed) == ["b", "c"]));
}

#[test]
fn a_failed_write_writes_a_part() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    disk.set(Trap::fails(Operation::Write, "a", 1, EIO, Times::ForGood));
    file.write_at(&[2; 8], 0).unwrap();
    assert!(!disk.all_sprung());
    for _ in 0..2 {
        file.write_at(&[3; 8], 0).unwrap_err();
    }
    assert!(disk.all_sprung());
    assert_eq!(disk.bytes_of("a")[..8], [3, 3, 3, 3, 3, 2, 2, 2]);
}

#[test]
fn a_full_disk_can_overwrite_existing_bytes() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    disk.limit(Some(disk.taken_bytes() + 4096));
    file.write_at(&[2; LONG], 0).unwrap();
    let full = file.write_at(&[2; LONG], LONG as u64).unwrap_err();
    assert_eq!(full.raw_os_error(), Some(ENOSPC));
    file.set_size(1 << 30).unwrap();
    disk.limit(None);
    file.write_at(&[2; LONG], LONG as u64).unwrap();
}

#[test]
fn nothing_changes_after_a_power_cut() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    let before = disk.changes();
    disk.halt_after(1);
    file.write_at(&[2], 0).unwrap();
    assert!(disk.is_halted());
    file.write_at(&[3], 0).unwrap_err();
    file.sync().unwrap_err();
    disk.remove("a").unwrap_err();
    disk.list().unwrap_err();
    assert_eq!(disk.changes(), before + 1);
    assert_eq!(disk.killed().bytes_of("a")[0], 2);
}

#[test]
fn a_hook_runs_before_its_operation() {
    let disk = SimDisk::default();
    let file = with_ones(&disk);
    let first_byte = Arc::new(AtomicU64::new(0));
    let (in_hook, hook_disk) = (first_byte.clone(), disk.clone());
    disk.set(Trap::runs(Operation::Write, "a", 1, move || {
        in_hook.store(hook_disk.bytes_of("a")[0].into(), Ordering::Relaxed);
    }));
    for number in 2..5 {
        file.write_at(&[number], 0).unwrap();
    }
    assert_eq!(first_byte.load(Ordering::Relaxed), 2);
}
