//! Snapshots are read as they were written; a damaged, cut or unfinished one is rejected.

mod any_contents;
mod contents;
mod damage;
mod faults;
mod gifts;
mod golden;
mod shape;

use std::fs;

use disk::fixtures::SimDisk;
use disk::{Disk, LocalDisk};
use proptest::prelude::*;

use super::{
    Element, SnapshotError, SnapshotName, SnapshotReader, list, remove_before, remove_unfinished,
};
use any_contents::any_contents;
use contents::{Contents, ReadParts, read_all};
use gifts::small;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_contents_are_read_as_written(contents in any_contents()) {
        let disk = SimDisk::default();
        let bytes = contents.write(&disk).unwrap();
        let name = SnapshotName::of(contents.sequence);
        prop_assert_eq!(bytes, disk.open(&name.name).unwrap().size().unwrap());
        prop_assert_eq!(read_all(&disk, &name).unwrap(), contents);
    }
}

#[test]
fn an_empty_snapshot_is_complete() {
    let disk = SimDisk::default();
    let contents = Contents::default();
    contents.write(&disk).unwrap();
    let found = list(&disk).unwrap();
    assert_eq!(found, [SnapshotName::of(0)]);
    assert_eq!(SnapshotReader::open(&disk, &found[0]).unwrap().units(), 0);
    assert_eq!(read_all(&disk, &found[0]).unwrap(), contents);
}

#[test]
fn a_folder_stores_and_returns_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = LocalDisk::open(folder.path()).unwrap();
    let contents = small();
    contents.write(&disk).unwrap();
    let found = list(&disk).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(read_all(&disk, &found[0]).unwrap(), contents);
}

#[test]
fn the_newest_is_listed_first_and_older_ones_can_go() {
    let folder = tempfile::tempdir().unwrap();
    let disk = LocalDisk::open(folder.path()).unwrap();
    let others = [
        "snapshot-1.snap",
        "snapshot-+0000000000000000007.snap",
        "snapshot-99999999999999999999.snap",
        "snapshot-00000000000000000004.snapshot",
        "journal-00000000000000000004.log.tmp",
    ];
    let unfinished = "snapshot-00000000000000000020.snap.tmp";
    for name in others.iter().chain([&unfinished]) {
        fs::write(folder.path().join(name), "x").unwrap();
    }
    for sequence in [7, u64::MAX, 3, 10] {
        let contents = Contents {
            sequence,
            ..Contents::default()
        };
        contents.write(&disk).unwrap();
    }
    let sequences = || -> Vec<u64> {
        let found = list(&disk).unwrap();
        found.iter().map(|snapshot| snapshot.sequence).collect()
    };
    assert_eq!(sequences(), [u64::MAX, 10, 7, 3]);
    remove_before(&disk, 10).unwrap();
    assert_eq!(sequences(), [u64::MAX, 10]);
    assert!(folder.path().join(unfinished).exists());
    remove_unfinished(&disk).unwrap();
    assert!(!folder.path().join(unfinished).exists());
    for name in others {
        assert!(folder.path().join(name).exists(), "{name}");
    }
}

#[test]
fn one_that_is_dropped_before_its_end_leaves_nothing() {
    let disk = SimDisk::default();
    let mut writer = small().begin(&disk).unwrap();
    let head = small().parts[0].head.clone();
    writer.element(&Element::Head(head)).unwrap();
    assert_eq!(disk.list().unwrap().len(), 1);
    drop(writer);
    assert_eq!(disk.list().unwrap(), Vec::<String>::new());
}

#[test]
fn what_the_visitor_refuses_is_reported_with_the_file() {
    let disk = SimDisk::default();
    small().write(&disk).unwrap();
    let name = &list(&disk).unwrap()[0];
    let reader = SnapshotReader::open(&disk, name).unwrap();
    let mut visitor = ReadParts {
        rejects: Some(b"ben"),
        ..ReadParts::default()
    };
    let error = reader.read_unit(0, &mut visitor).unwrap_err();
    assert!(matches!(error, SnapshotError::Refused { .. }));
    let text = error.to_string();
    assert!(
        text.contains(&name.name) && text.contains("no such member"),
        "{text}"
    );
    let read_parts = &visitor.parts[0].windows[0].1;
    assert_eq!(read_parts.len(), 1, "{read_parts:?}");
}
