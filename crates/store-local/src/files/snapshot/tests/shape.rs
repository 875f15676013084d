//! How parts share units and frames, and reading units in any order, by several threads at once.

use std::thread;

use disk::fixtures::SimDisk;

use super::super::format::{FRAME_BYTES_MAX, UNIT_BYTES};
use super::super::{SnapshotReader, list};
use super::contents::{Contents, Part, ReadParts};
use super::gifts::{gifts_head, gifts_rows, small};

fn part(subject: &str, rows: u64) -> Part {
    Part {
        head: gifts_head(subject, 1, 0),
        windows: vec![gifts_rows(rows)],
        ..small().parts.remove(1)
    }
}

fn written(parts: Vec<Part>) -> SnapshotReader {
    let disk = SimDisk::default();
    let contents = Contents { parts, ..small() };
    contents.write(&disk).unwrap();
    SnapshotReader::open(&disk, &list(&disk).unwrap()[0]).unwrap()
}

#[test]
fn small_parts_share_units_of_some_256_kib() {
    let rooms = 3000;
    let parts: Vec<Part> = (0..rooms)
        .map(|room| part(&format!("room-{room}"), 10))
        .collect();
    let reader = written(parts.clone());
    let bytes: Vec<u64> = (0..reader.units())
        .map(|unit| reader.unit_bytes(unit))
        .collect();
    let (last, full) = bytes.split_last().unwrap();
    assert!(full.len() > 2);
    for bytes in full {
        assert!((UNIT_BYTES..UNIT_BYTES + 1000).contains(bytes), "{bytes}");
    }
    assert!(*last < UNIT_BYTES + 1000);

    let mut read_parts: Vec<(usize, Vec<Part>)> = thread::scope(|scope| {
        let reader = &reader;
        let threads = [0, 1].map(|first| {
            scope.spawn(move || {
                let units = (first..reader.units()).step_by(2).rev();
                let read = |unit| {
                    let mut read_parts = ReadParts::default();
                    reader.read_unit(unit, &mut read_parts).unwrap();
                    (unit, read_parts.parts)
                };
                units.map(read).collect::<Vec<_>>()
            })
        });
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    read_parts.sort_by_key(|(unit, _)| *unit);
    let read_parts: Vec<Part> = read_parts
        .into_iter()
        .flat_map(|(_, parts)| parts)
        .collect();
    assert!(read_parts == parts);
}

#[test]
fn a_large_part_is_one_unit_of_several_frames() {
    let parts = vec![
        part("large", 100_000),
        part("small", 3),
        part("larger", 200_000),
    ];
    let reader = written(parts.clone());
    // The small one shares a unit with the part after it.
    assert_eq!(reader.units(), 2);
    assert!(reader.unit_bytes(0) > 2 * FRAME_BYTES_MAX as u64);
    let mut read_parts = ReadParts::default();
    reader.read_unit(1, &mut read_parts).unwrap();
    assert!(read_parts.parts == parts[1..]);
    reader.read_unit(0, &mut read_parts).unwrap();
    assert!(read_parts.parts[2..] == parts[..1]);
}

#[test]
fn a_table_longer_than_a_frame_is_read_back() {
    let mut contents = small();
    let kind = contents.kinds[0].clone();
    contents.kinds = vec![kind; 5000];
    let disk = SimDisk::default();
    let bytes = contents.write(&disk).unwrap();
    assert!(bytes > FRAME_BYTES_MAX as u64, "{bytes}");
    let reader = SnapshotReader::open(&disk, &list(&disk).unwrap()[0]).unwrap();
    assert_eq!(reader.kinds(), contents.kinds);
}

#[test]
#[should_panic(expected = "more follow an element than it announced")]
fn a_row_too_many_is_a_bug() {
    let mut too_many = part("room", 2);
    too_many.windows[0].0.rows = 1;
    written(vec![too_many]);
}

#[test]
#[should_panic(expected = "End follows too few")]
fn a_row_too_few_is_a_bug() {
    let mut too_few = part("room", 2);
    too_few.windows[0].0.rows = 3;
    written(vec![too_few]);
}
