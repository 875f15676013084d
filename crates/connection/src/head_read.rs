//! The head of a request as it is read: [`HeadRead`].
//!
//! hyper reports little about why it rejects a head. [`HeadRead`] records whether the first line is longer than a whole
//! head may be (414), and whether `Content-Length` exceeds the numbers that hyper can represent (413).
//!
//! The preface of HTTP/2 is the only head to which hyper closes the connection without a response. [`HeadRead`] changes
//! its last byte, so that it is rejected like every other head that is not HTTP/1.1.

use std::io::BufRead as _;

/// The maximum length of a head.
pub const HEAD_BYTES_MAX: usize = 64 << 10;

/// The maximum `Content-Length`: hyper gives the two greater 64-bit numbers another meaning.
pub(crate) const CONTENT_LENGTH_MAX: u64 = u64::MAX - 2;

/// The lower-case beginning of the line of a head with the length of the body.
const CONTENT_LENGTH: &[u8] = b"content-length:";

/// The maximum length of the empty line that ends a head: `\r\n`, or `\n`. All other lines are longer.
const LAST_LINE_BYTES_MAX: usize = 2;

/// The preface of a client of HTTP/2 (RFC 9113, 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The properties of the head of a request, as far as it has been read, that determine the response to a rejected head.
#[derive(Debug, Default)]
pub(crate) struct HeadRead {
    /// The current, incomplete line.
    line: Line,
    /// The length of the first line with its end, once it is complete.
    first_line_bytes: Option<usize>,
    has_ended: bool,
    /// A `Content-Length` exceeds [`CONTENT_LENGTH_MAX`].
    has_huge_length: bool,
    /// The number of bytes of [`HTTP2_PREFACE`] that the request begins with.
    preface_bytes: usize,
    is_not_preface: bool,
}

/// A line of a head, as far as it has been read.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    /// The number of bytes of [`CONTENT_LENGTH`] that the line begins with.
    name_bytes: usize,
    /// The number after the name. It saturates.
    length: u64,
    /// The line is not a `Content-Length`.
    is_other: bool,
}

impl Line {
    fn record(&mut self, part: &[u8]) {
        let is_first = self.bytes == 0;
        self.bytes += part.len();
        if is_first && let Some(name) = part.first_chunk::<{ CONTENT_LENGTH.len() }>() {
            // Most lines: without a look at each byte.
            self.is_other = !name.eq_ignore_ascii_case(CONTENT_LENGTH);
        }
        for byte in part {
            if self.is_other {
                return;
            }
            self.record_byte(*byte);
        }
    }

    fn record_byte(&mut self, byte: u8) {
        if let Some(expected) = CONTENT_LENGTH.get(self.name_bytes) {
            self.is_other = !byte.eq_ignore_ascii_case(expected);
            self.name_bytes += 1;
        } else if byte.is_ascii_digit() {
            let digit = u64::from(byte - b'0');
            self.length = self.length.saturating_mul(10).saturating_add(digit);
        } else {
            self.is_other = !byte.is_ascii_whitespace();
        }
    }

    const fn has_huge_length(&self) -> bool {
        !self.is_other && self.length > CONTENT_LENGTH_MAX
    }
}

impl HeadRead {
    /// Records bytes that were read. If a request was sent before the previous response, the part before that response
    /// is missing, so its first line or the length of its body may not be recognized as too long.
    pub(crate) fn record(&mut self, read: &mut [u8]) {
        self.break_preface(read);
        let mut remaining = &*read;
        while !self.has_ended && !remaining.is_empty() {
            let mut after = remaining;
            // Reading from memory does not fail.
            let bytes = after.skip_until(b'\n').unwrap_or(remaining.len());
            self.record_part(&remaining[..bytes]);
            remaining = after;
        }
    }

    /// Records a line, or a part of it.
    fn record_part(&mut self, part: &[u8]) {
        self.line.record(part);
        if part.last() != Some(&b'\n') {
            return;
        }
        let line = std::mem::take(&mut self.line);
        if self.first_line_bytes.is_none() {
            self.first_line_bytes = Some(line.bytes);
        } else if line.bytes <= LAST_LINE_BYTES_MAX {
            self.has_ended = true;
        } else {
            self.has_huge_length |= line.has_huge_length();
        }
    }

    /// Changes the last byte of a preface. No valid body begins with one.
    fn break_preface(&mut self, read: &mut [u8]) {
        if self.is_not_preface {
            return;
        }
        let expected = &HTTP2_PREFACE[self.preface_bytes..];
        let bytes = expected.len().min(read.len());
        if read[..bytes] != expected[..bytes] {
            self.is_not_preface = true;
            return;
        }
        self.preface_bytes += bytes;
        if self.preface_bytes == HTTP2_PREFACE.len() {
            self.is_not_preface = true;
            if let Some(last) = read[..bytes].last_mut() {
                *last = b' ';
            }
        }
    }

    /// Returns whether the first line alone is longer than a head may be.
    pub(crate) const fn has_long_first_line(&self) -> bool {
        match self.first_line_bytes {
            Some(bytes) => bytes > HEAD_BYTES_MAX,
            // The line is incomplete.
            None => self.line.bytes >= HEAD_BYTES_MAX,
        }
    }

    pub(crate) const fn has_huge_length(&self) -> bool {
        self.has_huge_length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_byte_of_an_http_2_preface_is_changed() {
        let sent = [HTTP2_PREFACE, b"SETTINGS"].concat();
        for bytes in 1..=sent.len() {
            let (mut head, mut read) = (HeadRead::default(), sent.clone());
            for part in read.chunks_mut(bytes) {
                head.record(part);
            }
            let changed: Vec<usize> = (0..sent.len()).filter(|&at| read[at] != sent[at]).collect();
            assert_eq!(changed, [HTTP2_PREFACE.len() - 1], "{bytes}");
        }
        let pipelined = [b"GET / HTTP/1.1\r\n\r\n", HTTP2_PREFACE].concat();
        for other in [
            &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx"[..],
            b"PRI",
            b"",
            &pipelined,
        ] {
            let mut read = other.to_vec();
            HeadRead::default().record(&mut read);
            assert_eq!(read, other);
        }
    }
}
