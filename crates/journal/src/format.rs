//! The bytes of a segment: its header, then groups, then zeros. Little endian throughout.
//!
//! [`SegmentHeader`] and [`GroupHeader`] are fields and their places; which group may follow which
//! is for `read` to know.

use super::Sequence;
use super::room::ROOM_BYTES_MAX;

/// The version of everything described here, and of what records tell. A folder of a newer one is
/// refused; those of all versions from 1 on are read.
pub(super) const FORMAT_VERSION: u32 = 2;

/// What a segment begins with.
const SEGMENT_MAGIC: [u8; 8] = *b"megajrnl";

/// Magic 8, version 4, first sequence 8, chain 4, salt 4, checksum 4.
pub(super) const SEGMENT_HEADER_BYTES: usize = 32;

/// What a group begins with. 0xFF is in no UTF-8, so that no text holds one.
pub(super) const GROUP_MAGIC: [u8; 4] = [0xFF, b'g', b'r', 0xFF];

/// Magic 4, checksum 4, payload bytes 4, records 4, first sequence 8, synced sequence 8, chain 4.
pub(super) const GROUP_HEADER_BYTES: usize = 36;

/// Before each record of a group: its length.
pub(super) const RECORD_HEADER_BYTES: usize = 4;

/// No longer payload is written: no more room than this is ever given out. Longer ones are read, since
/// earlier servers wrote some; what a header may claim is bounded by the length of its file.
pub(super) const PAYLOAD_BYTES_MAX: usize = ROOM_BYTES_MAX;

/// How a segment begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    /// The first record that it may hold.
    pub(super) first: Sequence,
    /// The checksum of the last group of the segment before, 0 if there is none.
    pub(super) chain: u32,
    /// Drawn at random. It is part of every checksum in the segment, so that nobody who chooses what
    /// a record holds can put a group into it, and no group of another segment is taken for one.
    pub(super) salt: u32,
}

/// Why the head of a file is not one of a segment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoSegment {
    Newer(u32),
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

    /// The header, and the version that it tells.
    pub(super) fn decode(bytes: &[u8; SEGMENT_HEADER_BYTES]) -> Result<(Self, u32), NoSegment> {
        if bytes[..8] != SEGMENT_MAGIC {
            return Err(NoSegment::Damaged("this is no segment of a journal"));
        }
        // Before the checksum: where a newer version keeps its own is not known here.
        let version = match u32_at(bytes, 8) {
            0 => return Err(NoSegment::Damaged("its version is none")),
            newer if newer > FORMAT_VERSION => return Err(NoSegment::Newer(newer)),
            known => known,
        };
        if u32_at(bytes, 28) != crc32c::crc32c(&bytes[..28]) {
            return Err(NoSegment::Damaged("its header does not match its checksum"));
        }
        let header = Self {
            first: Sequence(u64_at(bytes, 12)),
            chain: u32_at(bytes, 20),
            salt: u32_at(bytes, 24),
        };
        Ok((header, version))
    }
}

/// How a group begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GroupHeader {
    pub(super) payload_bytes: u32,
    /// How many records it holds; none, if it is a mark.
    pub(super) records: u32,
    pub(super) first: Sequence,
    /// How far the log was known to be synced when this was written.
    pub(super) synced: Sequence,
    /// The checksum of the group before.
    pub(super) chain: u32,
}

impl GroupHeader {
    /// Fills in the header at the front of a group, whose payload stands behind it; its checksum.
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

    /// The fields of a header that may be one; whether it is, its group's checksum says.
    pub(super) fn decode(bytes: &[u8; GROUP_HEADER_BYTES]) -> Option<Self> {
        let header = Self {
            payload_bytes: u32_at(bytes, 8),
            records: u32_at(bytes, 12),
            first: Sequence(u64_at(bytes, 16)),
            synced: Sequence(u64_at(bytes, 24)),
            chain: u32_at(bytes, 32),
        };
        let plausible = bytes[..4] == GROUP_MAGIC
            && header.synced <= header.first
            && header
                .first
                .0
                .checked_add(u64::from(header.records))
                .is_some();
        plausible.then_some(header)
    }

    /// Header and payload.
    pub(super) const fn group_bytes(&self) -> usize {
        GROUP_HEADER_BYTES + self.payload_bytes as usize
    }

    /// The sequence after its last record.
    pub(super) const fn end(&self) -> Sequence {
        self.first.plus(self.records)
    }
}

/// The checksum that a group carries, if it is whole.
pub(super) fn checksum_of_whole(group: &[u8], salt: u32) -> Option<u32> {
    let told = u32_at(group, 4);
    (told == checksum(group, salt)).then_some(told)
}

/// Over all that stands behind it in the group.
fn checksum(group: &[u8], salt: u32) -> u32 {
    crc32c::crc32c(&group[8..]) ^ salt
}

/// The records of a payload, in order; `None` where their lengths do not add up.
pub(super) fn records(mut payload: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    std::iter::from_fn(move || {
        if payload.is_empty() {
            return None;
        }
        let split = payload
            .split_first_chunk()
            .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
        payload = split.map_or(&[], |(_, rest)| rest);
        Some(split.map(|(record, _)| record))
    })
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(array_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(array_at(bytes, at))
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    *bytes[at..]
        .first_chunk()
        .expect("fields lie inside headers")
}
