//! A journal in which one bit is flipped.

use super::{Position, ReadError, TestLog, check_continues, prefix};
use crate::format::SEGMENT_HEADER_BYTES;

/// Returns whether an intact group records that the log was synced past the beginning of `group`.
fn is_proven(written: &TestLog, group: &Position) -> bool {
    let later = written.groups.iter().filter(|later| {
        (&later.file, later.from) > (&group.file, group.from) && later.synced > group.first
    });
    group.file != written.file() || later.count() > 0
}

#[test]
fn a_flipped_bit_is_rejected_where_it_was_synced_and_truncates_the_tail_elsewhere() {
    let written = TestLog::two_segments();
    let files = [written.groups[0].file.clone(), written.file()];
    for file in &files {
        let whole = written.used(file);
        for bit in 0..whole.len() * 8 {
            let position = bit / 8;
            let mut bytes = whole.clone();
            bytes[position] ^= 1 << (bit % 8);
            let disk = written.with(file, &bytes);
            let mut groups = written.groups.iter();
            let group = groups
                .find(|group| group.file == *file && (group.from..group.to).contains(&position));
            let offset = match (group, prefix(&disk)) {
                (None, Ok(recovered)) if position >= SEGMENT_HEADER_BYTES => {
                    assert_eq!(recovered.next, written.log.written);
                    None
                }
                (Some(group), Ok(recovered)) => {
                    assert!(!is_proven(&written, group), "bit {bit} of {file}");
                    assert_eq!(recovered.next, group.first);
                    None
                }
                (_, Err(ReadError::Foreign { .. })) if position < SEGMENT_HEADER_BYTES => continue,
                (
                    group,
                    Err(ReadError::Damaged {
                        file: reported,
                        offset,
                        ..
                    }),
                ) => {
                    assert!(reported.ends_with(file), "bit {bit} of {file}");
                    assert!(group.is_none_or(|group| is_proven(&written, group)));
                    Some((group.map_or(0, |group| group.from), offset))
                }
                (_, other) => panic!("bit {bit} of {file}: {other:?}"),
            };
            match offset {
                Some((from, offset)) => assert_eq!(offset, from as u64, "bit {bit} of {file}"),
                None if bit % 131 == 0 => check_continues(&disk),
                None => {}
            }
        }
    }
}

#[test]
fn a_record_that_contains_a_group_is_not_evidence() {
    // An intact group of another journal, which records that this much was synced.
    let mut other = TestLog::new();
    other.group(2).sync().group(40).sync().group(1);
    let group = &other.groups[2];
    let forged = other.used(&group.file)[group.from..group.to].to_vec();
    let mut written = TestLog::new();
    written.group(2).sync();
    drop(written.inbox.append(&forged));
    let mut last = written.inbox.take().unwrap();
    let from = usize::try_from(written.log.offset).unwrap();
    written.log.write(&mut last).unwrap();
    let mut bytes = written.disk.bytes_of(&written.file());
    bytes[from] ^= 1;
    let disk = written.with(&written.file(), &bytes);
    assert_eq!(prefix(&disk).unwrap().next, written.groups[0].end);
}
