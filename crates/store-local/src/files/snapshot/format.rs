//! The framing of a snapshot: its header, its footer, and the checksums of frames.

use super::super::bytes::{Bytes, Malformed, put_u32, put_u64};

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

/// Why the beginning of a file is not the header of a snapshot.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HeaderError {
    /// It is not of this format, whose checksum would show nothing.
    Foreign,
    Damaged(Malformed),
}

impl From<Malformed> for HeaderError {
    fn from(what: Malformed) -> Self {
        Self::Damaged(what)
    }
}

pub(super) fn header(sequence: u64) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put_u32(&mut out, VERSION);
    put_u64(&mut out, sequence);
    let checksum = crc32c::crc32c(&out);
    put_u32(&mut out, checksum);
    out
}

/// Reads the sequence in a header.
pub(super) fn take_header(header: &[u8]) -> Result<u64, HeaderError> {
    const WHAT: &str = "a snapshot's header";
    let mut bytes = Bytes::new(header);
    if bytes.array(WHAT)? != MAGIC || bytes.u32(WHAT)? != VERSION {
        return Err(HeaderError::Foreign);
    }
    let sequence = bytes.u64(WHAT)?;
    let checked = header.len() - bytes.len();
    if bytes.u32(WHAT)? != crc32c::crc32c(&header[..checked]) {
        return Err(Malformed::Wrong("the header does not match its checksum").into());
    }
    Ok(sequence)
}

pub(super) fn footer(sequence: u64, table_offset: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_u64(&mut out, table_offset);
    put_u32(&mut out, footer_checksum(sequence, table_offset));
    out.extend(MAGIC);
    out
}

/// Reads the offset of the table from the footer.
pub(super) fn take_footer(footer: &[u8], sequence: u64) -> Result<u64, Malformed> {
    const WHAT: &str = "a snapshot's footer";
    let mut bytes = Bytes::new(footer);
    let table_offset = bytes.u64(WHAT)?;
    let checksum = bytes.u32(WHAT)?;
    if bytes.array(WHAT)? != MAGIC {
        return Err(Malformed::Wrong("it does not end with a snapshot's footer"));
    }
    if checksum != footer_checksum(sequence, table_offset) {
        return Err(Malformed::Wrong("the footer does not match its checksum"));
    }
    Ok(table_offset)
}

fn footer_checksum(sequence: u64, table_offset: u64) -> u32 {
    let header = crc32c::crc32c(&header(sequence));
    crc32c::crc32c_append(header, &table_offset.to_le_bytes())
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
