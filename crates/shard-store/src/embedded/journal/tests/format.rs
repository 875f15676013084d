//! The bytes of headers, which later servers have to read.

use super::super::format::{
    FORMAT_VERSION, GROUP_HEADER_BYTES, GroupHeader, SegmentHeader, checksum_of_whole, records,
};
use super::{ReadError, Sequence, Written, prefix};

const SEGMENT: SegmentHeader = SegmentHeader {
    first: Sequence(0x0102_0304_0506_0708),
    chain: 0x1112_1314,
    salt: 0x2122_2324,
};

#[test]
fn a_segment_begins_as_it_always_did() {
    let bytes = SEGMENT.encode();
    assert_eq!(
        bytes[..28],
        *b"megajrnl\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x14\x13\x12\x11\x24\x23\x22\x21"
    );
    assert_eq!(SegmentHeader::decode(&bytes), Ok(SEGMENT));
}

#[test]
fn a_group_begins_as_it_always_did() {
    let header = GroupHeader {
        payload_bytes: 7,
        records: 1,
        first: Sequence(0x0102_0304_0506_0708),
        synced: Sequence(0x0102_0304_0506_0707),
        chain: 0x1112_1314,
    };
    let mut group = vec![0; GROUP_HEADER_BYTES];
    group.extend(b"\x03\0\0\0abc");
    let checksum = header.seal(&mut group, SEGMENT.salt);
    assert_eq!(group[..4], *b"\xFFgr\xFF");
    assert_eq!(
        group[8..],
        *b"\x07\0\0\0\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x07\x07\x06\x05\x04\x03\x02\x01\x14\x13\x12\x11\x03\0\0\0abc"
    );
    assert_eq!(
        GroupHeader::decode(group.first_chunk().unwrap()),
        Some(header)
    );
    assert_eq!(checksum_of_whole(&group, SEGMENT.salt), Some(checksum));
    assert_eq!(checksum_of_whole(&group, SEGMENT.salt ^ 1), None);
    // CRC-32C of what stands behind it, and the salt.
    assert_eq!(crc32c::crc32c(b"123456789"), 0xE306_9283);
    assert_eq!(checksum, crc32c::crc32c(&group[8..]) ^ SEGMENT.salt);
}

#[test]
fn lengths_that_do_not_add_up_are_seen() {
    let read = |payload: &[u8]| -> Vec<Option<usize>> {
        records(payload)
            .map(|record| record.map(<[u8]>::len))
            .collect()
    };
    assert_eq!(read(b""), []);
    assert_eq!(read(b"\0\0\0\0\x01\0\0\0a"), [Some(0), Some(1)]);
    assert_eq!(read(b"\x02\0\0\0a"), [None]);
    assert_eq!(read(b"\0\0\0\0\0\0\0"), [Some(0), None]);
    assert_eq!(read(b"\xFF\xFF\xFF\xFF"), [None]);
}

#[test]
fn a_newer_version_is_refused_by_name() {
    let mut written = Written::new();
    written.group(1);
    let file = written.file();
    let mut bytes = written.used(&file);
    bytes[8] = 2;
    let refused = prefix(&written.with(&file, &bytes)).unwrap_err();
    assert!(matches!(refused, ReadError::Newer { version: 2, .. }));
    let text = refused.to_string();
    assert!(text.contains(&file) && text.contains("version 2"), "{text}");
    assert_eq!(FORMAT_VERSION, 1);
}

#[test]
fn what_a_reader_cannot_take_is_told_with_its_place() {
    let mut written = Written::new();
    written.group(2).sync().group(2);
    let read = super::read(&written.disk, Sequence(0), &mut |sequence, _| {
        if sequence == Sequence(3) {
            Err("no board")
        } else {
            Ok(())
        }
    });
    let text = read.unwrap_err().to_string();
    let place = written.groups[1].from;
    assert_eq!(
        text,
        format!("ram/{}: at byte {place}: no board", written.file())
    );
}
