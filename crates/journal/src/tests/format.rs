//! The bytes of headers, which later servers have to read.

use super::{Group, Inbox, ReadError, Sequence, TestLog, check_continues, prefix, records_from};
use crate::format::{
    FORMAT_VERSION, GROUP_HEADER_BYTES, GroupHeader, PAYLOAD_BYTES_MAX, SegmentHeader,
    intact_checksum, records,
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
        *b"megajrnl\x04\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x14\x13\x12\x11\x24\x23\x22\x21"
    );
    assert_eq!(SegmentHeader::decode(&bytes), Ok((SEGMENT, 4)));
}

/// Returns a segment header as version 1 wrote it.
fn of_version_1(header: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes[8] = 1;
    let checksum = crc32c::crc32c(&bytes[..28]);
    bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn a_segment_of_version_1_is_read_and_left_behind() {
    let mut written = TestLog::new();
    written.group(2).sync().group(3).sync();
    let file = written.file();
    let disk = written.with(&file, &of_version_1(&written.used(&file)));
    assert_eq!(prefix(&disk).unwrap().next, Sequence(5));
    check_continues(&disk);
    let follower = crate::segment::name_of(Sequence(5));
    assert_eq!(disk.names(), [file.clone(), follower.clone()]);
    let version = |file: &str| disk.bytes_of(file)[8];
    assert_eq!((version(&file), version(&follower)), (1, 4));
    // An empty segment has the name that the next one would have, so it is continued.
    let written = TestLog::new();
    let file = written.file();
    let empty = super::SimDisk::default();
    empty.put(&file, &of_version_1(&written.disk.bytes_of(&file)));
    check_continues(&empty);
    assert_eq!(empty.names(), [file]);
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
fn a_newer_version_is_rejected_by_number() {
    let mut written = TestLog::new();
    written.group(1);
    let file = written.file();
    let mut bytes = written.used(&file);
    bytes[8] = 5;
    let refused = prefix(&written.with(&file, &bytes)).unwrap_err();
    assert!(matches!(refused, ReadError::Newer { version: 5, .. }));
    let text = refused.to_string();
    assert!(text.contains(&file) && text.contains("version 5"), "{text}");
    assert_eq!(FORMAT_VERSION, 4);
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

/// Creates a log with a group as earlier servers wrote it if more was appended than they had capacity for.
fn with_a_large_group(cut_bytes: usize) -> (TestLog, Vec<u8>) {
    let mut written = TestLog::new();
    written.group(2).sync();
    let large = vec![7; PAYLOAD_BYTES_MAX + 5000];
    let mut group = vec![0; GROUP_HEADER_BYTES];
    group.extend(u32::try_from(large.len()).unwrap().to_le_bytes());
    group.extend(&large);
    let header = GroupHeader {
        payload_bytes: u32::try_from(group.len() - GROUP_HEADER_BYTES).unwrap(),
        records: 1,
        first: Sequence(2),
        synced: Sequence(2),
        chain: written.log.chain,
    };
    let log = &mut written.log;
    log.chain = header.seal(&mut group, log.header.salt);
    let written_bytes = &group[..group.len() - cut_bytes];
    log.segment.write_at(written_bytes, log.offset).unwrap();
    log.offset += group.len() as u64;
    log.zeros_end = log.offset;
    log.written = Sequence(3);
    written.inbox = Inbox::new(Sequence(3));
    (written, large)
}

#[test]
fn a_group_larger_than_the_format_is_read_and_so_is_what_follows_it() {
    let (mut written, large) = with_a_large_group(0);
    written.sync().group(1).sync().group(0);
    let records = records_from(&written.disk, 0).unwrap().0;
    assert_eq!(records.len(), 4);
    assert!(records[2] == large);
    assert_eq!(records[3], super::record(3));
    let journal = super::open(&written.disk, super::quick());
    let until = super::append(&journal, b"behind it").unwrap();
    super::durable(&journal, until).unwrap();
    journal.stop().unwrap();
    let records = records_from(&written.disk, 0).unwrap().0;
    assert_eq!(records[4], b"behind it");
}

#[test]
fn a_large_group_that_is_not_intact_ends_the_log_or_is_damage() {
    // Torn, and no group records that it was synced.
    let (written, _) = with_a_large_group(100);
    let recovered = prefix(&written.disk).unwrap();
    assert_eq!(recovered.next, Sequence(2));
    check_continues(&written.disk);
    // A later group records it.
    let (mut written, _) = with_a_large_group(100);
    written.sync().group(1).sync().group(0);
    assert!(matches!(
        prefix(&written.disk),
        Err(ReadError::Damaged { .. })
    ));
}
