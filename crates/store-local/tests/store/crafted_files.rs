//! Files that someone has made: what they claim takes no memory, and a start does not wait for them.

use std::borrow::Cow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use board::{Activity, Incarnation, Kind, ShardCount};
use engine::Event;
use journal::{Journal, Sequence, Settings, reserved_bytes};
use shard_store::{BoardRecord, KindRecord, Revision};
use store_local::files::record::{self, Record};
use store_local::files::snapshot::{Element, PartHead, SnapshotWriter};
use store_local::{LocalDisk, LocalStore};
use tempfile::TempDir;
use testkit::conformance::fixtures::{NOW, gifts};

use crate::own_process::{in_own_process, peak_resident_bytes, resident_bytes};

/// Boards that claim to have many shards, in about 1.2 MB.
const BOARDS: u64 = 20_000;

const FILE_BYTES_MAX: u64 = 1 << 21;

const SHARDS: u64 = 4096;

/// Many times the file, and a hundredth of what the shards of all boards would take.
const LOADED_BYTES_MAX: usize = 64 << 20;

fn kind() -> Arc<Kind> {
    Arc::new(gifts(|spec| spec.shards = SHARDS))
}

fn kind_record(kind: &Arc<Kind>) -> KindRecord {
    KindRecord {
        name: kind.name().clone(),
        revision: Revision(1),
        kind: Some(kind.clone()),
    }
}

/// Creates a journal with these records.
fn write_journal(disk: &Arc<LocalDisk>, events: &[Event<'_>]) {
    let empty = journal::read::<std::convert::Infallible>(&**disk, Sequence(0), &mut |_, _| Ok(()));
    let journal = Journal::start(disk.clone(), &empty.unwrap(), Settings::default()).unwrap();
    for some in events.chunks(1000) {
        let records: Vec<Vec<u8>> = some
            .iter()
            .map(|event| record::encoded(&Record::Event(event.clone())))
            .collect();
        let bytes = records.iter().map(|record| reserved_bytes(record.len()));
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let mut capacity = runtime
            .unwrap()
            .block_on(journal.reserve(bytes.sum()))
            .unwrap();
        journal.append_together(&mut capacity, &records);
        drop(capacity);
        journal.durable_blocking(journal.next()).unwrap();
    }
    journal.stop().unwrap();
}

/// Loads a folder, and asserts that this takes little memory.
fn assert_takes_little(folder: &Path, loads: bool) {
    let disk = LocalDisk::open_read_only(folder).unwrap();
    let before = resident_bytes();
    let loaded = LocalStore::inspect(&disk);
    assert_eq!(loaded.is_ok(), loads, "{:?}", loaded.err());
    drop(loaded);
    let bytes = peak_resident_bytes() - before;
    println!("{} MiB for {BOARDS} boards", bytes >> 20);
    assert!(bytes <= LOADED_BYTES_MAX, "{bytes}");
}

#[test]
fn parts_of_boards_that_are_not_there_take_no_memory() {
    let test = concat!(
        module_path!(),
        "::parts_of_boards_that_are_not_there_take_no_memory"
    );
    in_own_process(test, || {
        let folder = TempDir::new().unwrap();
        let disk = Arc::new(LocalDisk::open(folder.path()).unwrap());
        write_journal(&disk, &[]);
        let kind = kind();
        let mut snapshot = SnapshotWriter::create(&*disk, 0).unwrap();
        let definition = snapshot.add_kind(&kind);
        for number in 0..BOARDS {
            let head = PartHead {
                subject: number.to_string().parse().unwrap(),
                incarnation: Incarnation(number),
                shards: ShardCount::new(SHARDS).unwrap(),
                activity: Activity::ALWAYS,
                created: true,
                last_write: NOW,
                kind: definition,
                parts: u16::try_from(SHARDS).unwrap(),
                part: 0,
                sequence: 0,
            };
            snapshot.element(&Element::Head(head)).unwrap();
            snapshot.element(&Element::End).unwrap();
        }
        let bytes = snapshot.finish([&kind_record(&kind)]).unwrap();
        assert!(bytes < FILE_BYTES_MAX, "{bytes}");
        drop(disk);
        assert_takes_little(folder.path(), true);
    });
}

#[test]
fn boards_that_were_not_large_enough_to_be_split_are_rejected() {
    let test = concat!(
        module_path!(),
        "::boards_that_were_not_large_enough_to_be_split_are_rejected"
    );
    in_own_process(test, || {
        let folder = TempDir::new().unwrap();
        let disk = Arc::new(LocalDisk::open(folder.path()).unwrap());
        let kind = kind();
        let written = kind_record(&kind);
        let boards: Vec<BoardRecord> = (0..BOARDS)
            .map(|number| BoardRecord {
                name: format!("gifts/{number}").parse().unwrap(),
                incarnation: Incarnation(number),
                shards: ShardCount::new(SHARDS).unwrap(),
                meaning: kind.meaning(),
                activity: Activity::ALWAYS,
                created: true,
            })
            .collect();
        let mut events = vec![Event::KindWritten {
            record: Cow::Borrowed(&written),
            without_boards: true,
        }];
        events.extend(boards.iter().flat_map(|record| {
            let incarnation = record.incarnation;
            [
                Event::BoardMade {
                    record: Cow::Borrowed(record),
                    at: NOW,
                },
                Event::BoardSplit { incarnation },
            ]
        }));
        write_journal(&disk, &events);
        drop(disk);
        assert_takes_little(folder.path(), false);
    });
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_an_error() {
    for name in [
        "journal-00000000000000000000.log",
        "journal-end",
        "snapshot-00000000000000000001.snap",
        "lock",
    ] {
        let folder = TempDir::new().unwrap();
        let disk = Arc::new(LocalDisk::open(folder.path()).unwrap());
        write_journal(&disk, &[]);
        drop(disk);
        let path = folder.path().join(name);
        let _ = std::fs::remove_file(&path);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let opened = LocalDisk::open_read_only(folder.path()).map_err(|error| error.to_string());
        let read = opened.and_then(|disk| {
            let loaded = LocalStore::inspect(&disk);
            loaded.map(drop).map_err(|error| error.to_string())
        });
        let error = read.unwrap_err();
        assert!(error.contains("is not a regular file"), "{name}: {error}");
    }
}
