//! Files of the embedded store, whose checksums are made right first: what is behind them is what has to be read with
//! care.

use std::ops::Range;

use crc32c::{crc32c, crc32c_append};
use disk::Disk as _;
use disk::fixtures::SimDisk;
use store_local::LocalStore;

/// Where a snapshot has its sequence.
const SEQUENCE: Range<usize> = 12..20;

/// A journal of one segment is read or rejected, and read alike when it is read again.
pub(crate) fn journal(data: &[u8]) {
    let mut segment = data.to_vec();
    seal_segment(&mut segment);
    read_twice("journal-00000000000000000000.log", &segment);
}

/// A snapshot is read or rejected, and read alike when it is read again.
pub(crate) fn snapshot(data: &[u8]) {
    let mut snapshot = data.to_vec();
    seal_snapshot(&mut snapshot);
    let sequence = snapshot.get(SEQUENCE).and_then(<[u8]>::first_chunk);
    let sequence = sequence.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    read_twice(&format!("snapshot-{sequence:020}.snap"), &snapshot);
}

fn read_twice(name: &str, bytes: &[u8]) {
    let disk = SimDisk::default();
    let file = disk.create(name).expect("an empty disk");
    file.write_at(bytes, 0).expect("a disk without a limit");
    let read = || match LocalStore::inspect(&disk) {
        Ok((_, doubts)) => Ok(doubts),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(read(), read());
}

/// Puts the right checksums and chains into a segment, as far as it consists of whole groups.
fn seal_segment(bytes: &mut [u8]) {
    const HEADER: usize = 32;
    const GROUP_HEADER: usize = 36;
    if bytes.len() < HEADER {
        return;
    }
    put(bytes, 28, crc32c(&bytes[..28]));
    let salt = number(bytes, 24);
    let (mut chain, mut at) = (number(bytes, 20), HEADER);
    while at + GROUP_HEADER <= bytes.len() {
        let end = at + GROUP_HEADER + number(bytes, at + 8) as usize;
        if end > bytes.len() {
            return;
        }
        put(bytes, at + 32, chain);
        chain = crc32c(&bytes[at + 8..end]) ^ salt;
        put(bytes, at + 4, chain);
        at = end;
    }
}

/// Puts the right checksums into the header, the frames and the footer of a snapshot.
fn seal_snapshot(bytes: &mut [u8]) {
    const HEADER: usize = 24;
    const FRAME_HEAD: usize = 8;
    const FOOTER: usize = 20;
    let Some(frames_end) = bytes.len().checked_sub(FOOTER).filter(|end| *end >= HEADER) else {
        return;
    };
    put(bytes, 20, crc32c(&bytes[..20]));
    let mut at = HEADER;
    while at + FRAME_HEAD <= frames_end {
        let end = at + FRAME_HEAD + number(bytes, at) as usize;
        if end > frames_end {
            break;
        }
        let offset = u64::try_from(at).expect("a small file").to_le_bytes();
        let mut checksum = crc32c_append(crc32c(&bytes[SEQUENCE]), &offset);
        checksum = crc32c_append(checksum, &bytes[at..at + 4]);
        put(
            bytes,
            at + 4,
            crc32c_append(checksum, &bytes[at + FRAME_HEAD..end]),
        );
        at = end;
    }
    let checksum = crc32c_append(crc32c(&bytes[..HEADER]), &bytes[frames_end..frames_end + 8]);
    put(bytes, frames_end + 8, checksum);
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let four = bytes[at..].first_chunk().expect("four bytes");
    u32::from_le_bytes(*four)
}

fn put(bytes: &mut [u8], at: usize, number: u32) {
    bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
}
