//! Snapshots come back as they were told; one that is damaged, cut or unfinished is not taken.

mod damage;
mod faults;
mod given;
mod golden;
mod memory;
mod shape;

use std::fs;

use proptest::prelude::*;

use super::{
    PartVisitor, Refusal, SnapshotError, SnapshotName, SnapshotReader, WindowHead, list,
    remove_before, remove_unfinished,
};
use given::{Given, Heard, given, read_all, small};
use journal::{Disk, LocalDisk};
use memory::MemoryDisk;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_was_told_comes_back(given in given()) {
        let disk = MemoryDisk::default();
        let bytes = given.write(&disk).unwrap();
        let name = SnapshotName::of(given.sequence);
        prop_assert_eq!(bytes, disk.open(&name.name).unwrap().size().unwrap());
        prop_assert_eq!(read_all(&disk, &name).unwrap(), given);
    }
}

#[test]
fn a_snapshot_of_nothing_is_whole() {
    let disk = MemoryDisk::default();
    let given = Given::default();
    given.write(&disk).unwrap();
    let found = list(&disk).unwrap();
    assert_eq!(found, [SnapshotName::of(0)]);
    assert_eq!(SnapshotReader::open(&disk, &found[0]).unwrap().units(), 0);
    assert_eq!(read_all(&disk, &found[0]).unwrap(), given);
}

#[test]
fn a_folder_takes_and_gives_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = LocalDisk::open(folder.path()).unwrap();
    let given = small();
    given.write(&disk).unwrap();
    let found = list(&disk).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(read_all(&disk, &found[0]).unwrap(), given);
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
        let given = Given {
            sequence,
            ..Given::default()
        };
        given.write(&disk).unwrap();
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
    let disk = MemoryDisk::default();
    let mut writer = small().begin(&disk).unwrap();
    writer.begin_part(&small().parts[0].head).unwrap();
    assert_eq!(disk.list().unwrap().len(), 1);
    drop(writer);
    assert_eq!(disk.list().unwrap(), Vec::<String>::new());
}

/// Hears everything up to the row of a member.
struct Until(&'static [u8], Heard);

impl PartVisitor for Until {
    fn head(&mut self, head: &super::PartHead) -> Result<(), Refusal> {
        self.1.head(head)
    }

    fn watermarks(&mut self, watermarks: &super::Watermarks) -> Result<(), Refusal> {
        self.1.watermarks(watermarks)
    }

    fn ids_generation(&mut self, began: board::Timestamp, count: u64) -> Result<(), Refusal> {
        self.1.ids_generation(began, count)
    }

    fn id(&mut self, id: [u32; 4]) -> Result<(), Refusal> {
        self.1.id(id)
    }

    fn window(&mut self, head: &WindowHead) -> Result<(), Refusal> {
        self.1.window(head)
    }

    fn row(&mut self, member: &[u8], words: &[u64]) -> Result<(), Refusal> {
        if member == self.0 {
            return Err(Refusal("no such member".to_owned()));
        }
        self.1.row(member, words)
    }

    fn end(&mut self) -> Result<(), Refusal> {
        self.1.end()
    }
}

#[test]
fn what_the_visitor_refuses_is_told_with_its_place() {
    let disk = MemoryDisk::default();
    small().write(&disk).unwrap();
    let name = &list(&disk).unwrap()[0];
    let reader = SnapshotReader::open(&disk, name).unwrap();
    let mut visitor = Until(b"ben", Heard::default());
    let error = reader.read_unit(0, &mut visitor).unwrap_err();
    assert!(matches!(error, SnapshotError::Refused { .. }));
    let text = error.to_string();
    assert!(
        text.contains(&name.name) && text.contains("no such member"),
        "{text}"
    );
    let heard = &visitor.1.parts[0].windows[0].1;
    assert_eq!(heard.len(), 1, "{heard:?}");
}
