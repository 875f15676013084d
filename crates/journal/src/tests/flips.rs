//! A journal of which one bit is another.

use super::{Place, ReadError, Written, goes_on, prefix};
use crate::format::SEGMENT_HEADER_BYTES;

/// Whether something that remains shows that the log was synced past the beginning of a group.
fn is_proven(written: &Written, group: &Place) -> bool {
    let later = written.groups.iter().filter(|later| {
        (&later.file, later.from) > (&group.file, group.from) && later.synced > group.first
    });
    group.file != written.file() || later.count() > 0
}

#[test]
fn a_flipped_bit_is_refused_where_it_was_synced_and_cuts_the_tail_elsewhere() {
    let written = Written::two_segments();
    let files = [written.groups[0].file.clone(), written.file()];
    for file in &files {
        let whole = written.used(file);
        for bit in 0..whole.len() * 8 {
            let place = bit / 8;
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << (bit % 8);
            let disk = written.with(file, &bytes);
            let mut groups = written.groups.iter();
            let group =
                groups.find(|group| group.file == *file && (group.from..group.to).contains(&place));
            let offset = match (group, prefix(&disk)) {
                (None, Ok(recovered)) if place >= SEGMENT_HEADER_BYTES => {
                    assert_eq!(recovered.next, written.log.written);
                    None
                }
                (Some(group), Ok(recovered)) => {
                    assert!(!is_proven(&written, group), "bit {bit} of {file}");
                    assert_eq!(recovered.next, group.first);
                    None
                }
                (_, Err(ReadError::Newer { .. })) if place < SEGMENT_HEADER_BYTES => continue,
                (
                    group,
                    Err(ReadError::Damaged {
                        file: told, offset, ..
                    }),
                ) => {
                    assert!(told.ends_with(file), "bit {bit} of {file}");
                    assert!(group.is_none_or(|group| is_proven(&written, group)));
                    Some((group.map_or(0, |group| group.from), offset))
                }
                (_, other) => panic!("bit {bit} of {file}: {other:?}"),
            };
            match offset {
                Some((from, offset)) => assert_eq!(offset, from as u64, "bit {bit} of {file}"),
                None if bit % 131 == 0 => goes_on(&disk),
                None => {}
            }
        }
    }
}

#[test]
fn the_last_group_is_proven_by_a_mark() {
    let mut written = Written::new();
    written.group(2).sync().group(3).sync();
    let last = written.groups[1].clone();
    let flipped = |written: &Written| {
        let mut bytes = written.used(&last.file);
        bytes[last.to - 1] ^= 4;
        prefix(&written.with(&last.file, &bytes))
    };
    assert_eq!(flipped(&written).unwrap().next, last.first);
    written.group(0);
    assert!(matches!(
        flipped(&written),
        Err(ReadError::Damaged { offset, .. }) if offset == last.from as u64
    ));
}

#[test]
fn a_record_that_holds_a_group_is_no_evidence() {
    // A whole group that says that much was synced, as another journal would have it.
    let mut other = Written::new();
    other.group(2).sync().group(40).sync().group(1);
    let group = &other.groups[2];
    let forged = other.used(&group.file)[group.from..group.to].to_vec();
    let mut written = Written::new();
    written.group(2).sync();
    written.inbox.append(&forged);
    let mut last = written.inbox.take().unwrap();
    let from = usize::try_from(written.log.offset).unwrap();
    written.log.write(&mut last).unwrap();
    let mut bytes = written.disk.content(&written.file());
    bytes[from] ^= 1;
    let disk = written.with(&written.file(), &bytes);
    assert_eq!(prefix(&disk).unwrap().next, written.groups[0].end);
}
