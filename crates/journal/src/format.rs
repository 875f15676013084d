//! The bytes of a segment: a header, then groups, then zeros. All numbers are little endian.
//!
//! [`SegmentHeader`] and [`GroupHeader`] are the fields with their offsets. `read` checks whether one group may follow
//! another.

use crate::limits::CAPACITY_BYTES_MAX;
use crate::sequence::Sequence;

/// The version of this format and of the records. Files of other versions are rejected.
pub(super) const FORMAT_VERSION: u32 = 1;

/// The first bytes of a segment.
const SEGMENT_MAGIC: [u8; 8] = *b"mbjournl";

/// Magic 8, version 4, first sequence 8, chain 4, salt 4, checksum 4.
pub(super) const SEGMENT_HEADER_BYTES: usize = 32;

/// The first bytes of a group. 0xFF does not occur in UTF-8, so no text contains them.
pub(super) const GROUP_MAGIC: [u8; 4] = [0xFF, b'g', b'r', 0xFF];

/// Magic 4, checksum 4, payload bytes 4, records 4, first sequence 8, synced sequence 8, chain 4.
pub(super) const GROUP_HEADER_BYTES: usize = 36;

/// The length of the prefix of each record in a group, which is the length of the record.
pub(super) const RECORD_HEADER_BYTES: usize = 4;

/// Returns the capacity for a record of this length, including a group header: the record may be alone in its group.
#[must_use]
pub const fn reserved_bytes(record_bytes: usize) -> usize {
    record_bytes + RECORD_HEADER_BYTES + GROUP_HEADER_BYTES
}

/// The maximum payload, since no more capacity is ever granted. It limits the memory of a reader.
pub(super) const PAYLOAD_BYTES_MAX: usize = CAPACITY_BYTES_MAX;

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    /// The first record that the segment may contain.
    pub(super) first: Sequence,
    /// The checksum of the last group of the previous segment, or 0 if there is none.
    pub(super) chain: u32,
    /// A random number that is part of every checksum in the segment. So a client that chooses the bytes of a record
    /// cannot forge a group, and a group of another segment is never mistaken for one of this segment.
    pub(super) salt: u32,
}

/// Why the beginning of a file is not a segment header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    /// It is not of this format, whose checksum would show nothing.
    Foreign,
    Damaged(&'static str),
}

impl SegmentHeader {
    pub(super) fn encode(self) -> [u8; SEGMENT_HEADER_BYTES] {
        let mut bytes = [0; SEGMENT_HEADER_BYTES];
        bytes[..8].copy_from_slice(&SEGMENT_MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[12..20].copy_from_slice(&self.first.0.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.chain.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.salt.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[..28]);
        bytes[28..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    pub(super) fn decode(bytes: &[u8; SEGMENT_HEADER_BYTES]) -> Result<Self, HeaderError> {
        if bytes[..8] != SEGMENT_MAGIC || u32_at(bytes, 8) != FORMAT_VERSION {
            return Err(HeaderError::Foreign);
        }
        if u32_at(bytes, 28) != crc32c::crc32c(&bytes[..28]) {
            return Err(HeaderError::Damaged(
                "its header does not match its checksum",
            ));
        }
        Ok(Self {
            first: Sequence(u64_at(bytes, 12)),
            chain: u32_at(bytes, 20),
            salt: u32_at(bytes, 24),
        })
    }
}

/// The header of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupHeader {
    pub(super) payload_bytes: u32,
    /// Number of records.
    pub(super) records: u32,
    pub(super) first: Sequence,
    /// How far the log was known to be synced when the group was written.
    pub(super) synced: Sequence,
    /// The checksum of the previous group.
    pub(super) chain: u32,
}

impl GroupHeader {
    /// Writes the header to the beginning of a group, before its payload, and returns the checksum.
    pub(super) fn seal(self, group: &mut [u8], salt: u32) -> u32 {
        group[..4].copy_from_slice(&GROUP_MAGIC);
        group[8..12].copy_from_slice(&self.payload_bytes.to_le_bytes());
        group[12..16].copy_from_slice(&self.records.to_le_bytes());
        group[16..24].copy_from_slice(&self.first.0.to_le_bytes());
        group[24..32].copy_from_slice(&self.synced.0.to_le_bytes());
        group[32..36].copy_from_slice(&self.chain.to_le_bytes());
        let checksum = checksum(group, salt);
        group[4..8].copy_from_slice(&checksum.to_le_bytes());
        checksum
    }

    /// Decodes the fields of a possible header. Only the checksum of the group shows whether it is one.
    pub(super) fn decode(bytes: &[u8; GROUP_HEADER_BYTES]) -> Option<Self> {
        let header = Self {
            payload_bytes: u32_at(bytes, 8),
            records: u32_at(bytes, 12),
            first: Sequence(u64_at(bytes, 16)),
            synced: Sequence(u64_at(bytes, 24)),
            chain: u32_at(bytes, 32),
        };
        let plausible = bytes[..4] == GROUP_MAGIC
            && header.payload_bytes as usize <= PAYLOAD_BYTES_MAX
            && header.synced <= header.first
            && header
                .first
                .0
                .checked_add(u64::from(header.records))
                .is_some();
        plausible.then_some(header)
    }

    /// Returns the length of the header and the payload.
    pub(super) const fn group_bytes(&self) -> usize {
        GROUP_HEADER_BYTES + self.payload_bytes as usize
    }

    /// Returns the sequence after its last record.
    pub(super) const fn end(&self) -> Sequence {
        self.first.plus(self.records)
    }
}

/// Returns the checksum of a group, if the group is intact.
pub(super) fn intact_checksum(group: &[u8], salt: u32) -> Option<u32> {
    let stored = u32_at(group, 4);
    (stored == checksum(group, salt)).then_some(stored)
}

/// Computes the checksum of everything that follows it in the group.
fn checksum(group: &[u8], salt: u32) -> u32 {
    crc32c::crc32c(&group[8..]) ^ salt
}

/// Iterates over the records of a payload, in order. The last item is `None` if the lengths do not add up.
pub(super) fn records(mut payload: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    std::iter::from_fn(move || {
        if payload.is_empty() {
            return None;
        }
        let split = payload.split_first_chunk().and_then(|(length, after)| {
            after.split_at_checked(u32::from_le_bytes(*length) as usize)
        });
        payload = split.map_or(&[], |(_, after)| after);
        Some(split.map(|(record, _)| record))
    })
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    *bytes[at..]
        .first_chunk()
        .expect("fields are inside headers")
}
