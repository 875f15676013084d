//! A changed bit, a cut, changed content with a valid checksum: never a panic, and never a part that was not written.

use disk::fixtures::SimDisk;

use super::super::format::{FOOTER_BYTES, FRAME_HEAD_BYTES, HEADER_BYTES, seal_frame};
use super::super::{SnapshotError, SnapshotName};
use super::contents::{Contents, read_all};
use super::gifts::small;

const NAME: &str = "snapshot-00000000000000000010.snap";

fn written() -> Vec<u8> {
    let disk = SimDisk::default();
    small().write(&disk).unwrap();
    disk.bytes_of(NAME)
}

fn read(bytes: &[u8]) -> Result<Contents, SnapshotError> {
    let disk = SimDisk::default();
    disk.put(NAME, bytes);
    read_all(&disk, &SnapshotName::parse(NAME).unwrap())
}

/// Checks that it is rejected as damaged, at a position in this file, or as of another format.
fn check_refused(read: Result<Contents, SnapshotError>, len: usize, what: &str) {
    match read {
        Err(SnapshotError::Foreign { file }) => assert!(file.ends_with(NAME), "{what}"),
        Err(SnapshotError::Damaged { file, offset, .. }) => {
            assert!(file.ends_with(NAME), "{what}: {}", file.display());
            assert!(offset <= len as u64, "{what}: {offset}");
        }
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn one_bit_changed_anywhere_is_refused_with_its_place() {
    let whole = written();
    for place in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            let refused = read(&bytes);
            let what = format!("byte {place}, bit {bit}");
            check_refused(refused, whole.len(), &what);
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = written();
    for len in 0..whole.len() {
        check_refused(read(&whole[..len]), len, &format!("cut at {len}"));
        let mut zeros = whole.clone();
        zeros[len..].fill(0);
        check_refused(read(&zeros), whole.len(), &format!("zeros from {len}"));
    }
}

#[test]
fn a_file_with_additional_bytes_is_rejected() {
    let whole = written();
    for more in [vec![0], vec![0; 100], whole.clone()] {
        let bytes = [whole.clone(), more].concat();
        let len = bytes.len();
        if len == 2 * whole.len() {
            // Its end is that of a snapshot, but the table is not where the footer says.
            assert!(read(&bytes).is_err());
        } else {
            check_refused(read(&bytes), len, "longer");
        }
    }
}

#[test]
fn a_snapshot_under_another_name_is_refused() {
    let disk = SimDisk::default();
    let name = SnapshotName::of(11);
    disk.put(&name.name, &written());
    let error = read_all(&disk, &name).unwrap_err();
    assert!(error.to_string().contains(&name.name), "{error}");
}

/// Returns where frames begin and end.
fn frames(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut frames = Vec::new();
    let mut at = HEADER_BYTES;
    while at < bytes.len() - FOOTER_BYTES {
        let len: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
        let end = at + FRAME_HEAD_BYTES + u32::from_le_bytes(len) as usize;
        frames.push(at..end);
        at = end;
    }
    frames
}

#[test]
fn content_changed_under_a_right_checksum_never_panics() {
    let whole = written();
    let frames = frames(&whole);
    assert_eq!(frames.len(), 2, "a unit and the table");
    let mut taken = 0;
    for frame in frames {
        for place in frame.start + FRAME_HEAD_BYTES..frame.end {
            for byte in 0..=u8::MAX {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                seal_frame(&mut bytes[frame.clone()], 10, frame.start as u64);
                taken += usize::from(read(&bytes).is_ok());
            }
        }
    }
    // Numbers, names and words may differ, but not counts and order.
    assert!(taken > 0);
}

#[test]
fn a_frame_moved_to_another_place_is_refused() {
    let whole = written();
    let [unit, table] = frames(&whole).try_into().unwrap();
    let mut bytes = whole[..HEADER_BYTES].to_vec();
    bytes.extend(&whole[table]);
    bytes.extend(&whole[unit]);
    bytes.extend(&whole[whole.len() - FOOTER_BYTES..]);
    check_refused(read(&bytes), whole.len(), "frames swapped");
}
