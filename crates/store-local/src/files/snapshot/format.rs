//! The framing of a snapshot: its header, its footer, and the checksums of frames.

/// The version of this format. Each file begins with the magic and its version; others are rejected.
pub(super) const VERSION: u32 = 1;
const MAGIC: [u8; 8] = *b"mbsnapsh";

/// Magic 8, version 4, sequence 8, checksum 4.
pub(super) const HEADER_BYTES: usize = 24;

/// Offset of the table 8, checksum 4, magic 8.
pub(super) const FOOTER_BYTES: usize = 20;

/// Length 4, checksum 4.
pub(super) const FRAME_HEAD_BYTES: usize = 8;

/// Maximum bytes of a frame's payload.
pub(super) const FRAME_BYTES_MAX: usize = 1 << 20;

/// A unit with at least this many bytes of payload gets no further part.
pub(super) const UNIT_BYTES: u64 = 256 << 10;

pub(super) fn header(sequence: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..20].copy_from_slice(&sequence.to_le_bytes());
    let checksum = crc32c::crc32c(&header[..20]);
    header[20..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Returns whether this is the header of a snapshot of this format, whatever its sequence. Of another format, the
/// checksum would show nothing.
pub(super) fn is_of_this_format(header: &[u8; HEADER_BYTES]) -> bool {
    header[..8] == MAGIC && header[8..12] == VERSION.to_le_bytes()
}

pub(super) fn footer(sequence: u64, table_offset: u64) -> [u8; FOOTER_BYTES] {
    let mut footer = [0; FOOTER_BYTES];
    footer[..8].copy_from_slice(&table_offset.to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&header(sequence)), &footer[..8]);
    footer[8..12].copy_from_slice(&checksum.to_le_bytes());
    footer[12..].copy_from_slice(&MAGIC);
    footer
}

/// Reads the offset of the table from the footer; `None` if it is not that of a snapshot with this sequence.
pub(super) fn take_footer(bytes: &[u8; FOOTER_BYTES], sequence: u64) -> Option<u64> {
    let table_offset = u64::from_le_bytes(*bytes.first_chunk()?);
    (*bytes == footer(sequence, table_offset)).then_some(table_offset)
}

/// Writes the head of a frame, before its payload.
pub(super) fn seal_frame(frame: &mut [u8], sequence: u64, offset: u64) {
    let (head, payload) = frame.split_at_mut(FRAME_HEAD_BYTES);
    let len = u32::try_from(payload.len()).expect("a frame has at most 1 MiB");
    let checksum = frame_checksum(sequence, offset, len, payload);
    head[..4].copy_from_slice(&len.to_le_bytes());
    head[4..].copy_from_slice(&checksum.to_le_bytes());
}

pub(super) fn frame_checksum(sequence: u64, offset: u64, len: u32, payload: &[u8]) -> u32 {
    let mut place = [0; 20];
    place[..8].copy_from_slice(&sequence.to_le_bytes());
    place[8..16].copy_from_slice(&offset.to_le_bytes());
    place[16..].copy_from_slice(&len.to_le_bytes());
    crc32c::crc32c_append(crc32c::crc32c(&place), payload)
}
