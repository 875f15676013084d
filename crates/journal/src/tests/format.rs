//! The bytes of headers, which later servers have to read.

use super::{Group, Sequence, TestLog, prefix};
use crate::format::{
    GROUP_HEADER_BYTES, GroupHeader, PAYLOAD_BYTES_MAX, SegmentHeader, intact_checksum, records,
};

const SEGMENT: SegmentHeader = SegmentHeader {
    first: Sequence(0x0102_0304_0506_0708),
    chain: 0x1112_1314,
    salt: 0x2122_2324,
};

#[test]
fn the_segment_header_never_changes() {
    let bytes = SEGMENT.encode();
    assert_eq!(
        bytes[..28],
        *b"mbjournl\x01\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x14\x13\x12\x11\x24\x23\x22\x21"
    );
    assert_eq!(SegmentHeader::decode(&bytes), Ok(SEGMENT));
}

#[test]
fn the_group_header_never_changes() {
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
    assert_eq!(intact_checksum(&group, SEGMENT.salt), Some(checksum));
    assert_eq!(intact_checksum(&group, SEGMENT.salt ^ 1), None);
    // The CRC-32C of the bytes after it, combined with the salt.
    assert_eq!(crc32c::crc32c(b"123456789"), 0xE306_9283);
    assert_eq!(checksum, crc32c::crc32c(&group[8..]) ^ SEGMENT.salt);
}

#[test]
fn lengths_that_do_not_add_up_are_detected() {
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
fn a_record_that_the_caller_rejects_is_reported_with_its_offset() {
    let mut written = TestLog::new();
    written.group(2).sync().group(2);
    let read = super::read(&written.disk, Sequence(0), &mut |sequence, _| {
        if sequence == Sequence(3) {
            Err("no board")
        } else {
            Ok(())
        }
    });
    let text = read.unwrap_err().to_string();
    let position = written.groups[1].from;
    assert_eq!(
        text,
        format!("sim/{}: at byte {position}: no board", written.file())
    );
}

#[test]
fn a_group_larger_than_the_format_is_not_written() {
    let mut written = TestLog::new();
    written.group(2).sync();
    let mut group = Group::empty(Vec::new(), Sequence(2));
    group.records = 1;
    group
        .bytes
        .resize(GROUP_HEADER_BYTES + PAYLOAD_BYTES_MAX + 1, 7);
    let refused = written.log.write(&mut group).unwrap_err().to_string();
    assert!(refused.contains("8388609"), "{refused}");
    written.group(1).sync();
    assert_eq!(prefix(&written.disk).unwrap().next, Sequence(3));
}

#[test]
fn a_length_beyond_the_maximum_is_not_that_of_a_group() {
    let mut written = TestLog::new();
    written.group(2).sync().group(1).sync().group(1);
    let (file, from) = (written.file(), written.groups[1].from);
    let mut bytes = written.used(&file);
    let length = u32::try_from(PAYLOAD_BYTES_MAX + 1).unwrap();
    bytes[from + 8..from + 12].copy_from_slice(&length.to_le_bytes());
    let refused = prefix(&written.with(&file, &bytes)).unwrap_err();
    assert!(refused.to_string().contains("not a group"), "{refused}");
}
