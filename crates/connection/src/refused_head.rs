//! Answers to heads that hyper refuses by itself, as problems: [`RefusedHead`].
//!
//! No service hears of a head that is no HTTP or too large: hyper answers it with a status line and an
//! empty body, as the last thing on its connection. So the socket looks at the heads that it is given to
//! write. Every answer of ours has a request id, and one without is hyper's.
//!
//! hyper says little of why. [`HeadRead`] knows what the head was like, as it was read: a first line that is longer
//! than a whole head may be is 414, and a `Content-Length` that hyper cannot count is 413.
//!
//! The preface of HTTP/2 is the one head that hyper ends without an answer. [`HeadRead`] breaks it as it is read, and
//! it is refused like every other head that is not HTTP/1.1.

use std::io::BufRead as _;

use axum::http::header;
use axum::response::IntoResponse as _;

use problem::{Problem, ProblemType};
use request_trace::{REQUEST_ID, new_id};

/// How answers of hyper's own begin: on a connection of an HTTP/1.0 client by that version.
const STARTS: [&[u8]; 2] = [b"HTTP/1.1 4", b"HTTP/1.0 4"];

/// How they end, having no body.
const END: &[u8] = b"\r\n\r\n";

/// Bytes that they have at most: a status line, the length and the date.
const BYTES_MAX: usize = 256;

/// Bytes of a head.
pub const HEAD_BYTES_MAX: usize = 64 << 10;

/// The most that a `Content-Length` may say: the two numbers of 64 bits above mean something else to hyper.
const CONTENT_LENGTH_MAX: u64 = u64::MAX - 2;

/// How a line of a head begins that says the length of the body.
const CONTENT_LENGTH: &[u8] = b"content-length:";

/// Bytes of the line that ends a head, and of no other: `\r\n`, or `\n` alone.
const LAST_LINE_BYTES_MAX: usize = 2;

/// What a client of HTTP/2 sends first (RFC 9113, 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What a refusal depends on, of the head of a request as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct HeadRead {
    /// The line that has not ended.
    line: Line,
    /// With its end, once that has been read.
    first_line_bytes: Option<usize>,
    has_ended: bool,
    /// It has a `Content-Length` above [`CONTENT_LENGTH_MAX`].
    has_huge_length: bool,
    /// As many bytes of [`HTTP2_PREFACE`] as the request has begun with.
    preface_bytes: usize,
    is_no_preface: bool,
}

/// A line of a head as far as it has been read.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    /// As many bytes of [`CONTENT_LENGTH`] as it has begun with.
    name_bytes: usize,
    /// The number behind the name; the highest there is for a higher one.
    length: u64,
    /// It is of something else than a length.
    is_other: bool,
}

impl Line {
    fn note_read(&mut self, part: &[u8]) {
        self.bytes += part.len();
        for byte in part {
            if self.is_other {
                return;
            }
            self.note_byte(*byte);
        }
    }

    fn note_byte(&mut self, byte: u8) {
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
    /// Notes what was read. Of a request that was sent before the last one was answered the part that came before the
    /// answer is missing: it may be called too large where its first line is, or the length of its body.
    pub(crate) fn note_read(&mut self, read: &mut [u8]) {
        self.break_preface(read);
        let mut left = &*read;
        while !self.has_ended && !left.is_empty() {
            let mut behind = left;
            // Reading from memory does not fail.
            let bytes = behind.skip_until(b'\n').unwrap_or(left.len());
            self.note_part(&left[..bytes]);
            left = behind;
        }
    }

    /// Notes a line, or as much of it as was read.
    fn note_part(&mut self, part: &[u8]) {
        self.line.note_read(part);
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

    /// Changes the last byte of a preface. No body that is accepted begins with one.
    fn break_preface(&mut self, read: &mut [u8]) {
        if self.is_no_preface {
            return;
        }
        let left = &HTTP2_PREFACE[self.preface_bytes..];
        let bytes = left.len().min(read.len());
        if read[..bytes] != left[..bytes] {
            self.is_no_preface = true;
            return;
        }
        self.preface_bytes += bytes;
        if self.preface_bytes == HTTP2_PREFACE.len() {
            self.is_no_preface = true;
            if let Some(last) = read[..bytes].last_mut() {
                *last = b' ';
            }
        }
    }

    /// Whether the first line alone is longer than a head may be.
    const fn has_long_first_line(&self) -> bool {
        match self.first_line_bytes {
            Some(bytes) => bytes > HEAD_BYTES_MAX,
            // Its end is yet to come.
            None => self.line.bytes >= HEAD_BYTES_MAX,
        }
    }
}

/// An answer on its way in place of hyper's.
#[derive(Debug)]
pub(crate) struct RefusedHead {
    bytes: Vec<u8>,
    sent: usize,
    /// Bytes of the answer that it takes the place of.
    pub(crate) stands_for: usize,
}

/// Where an answer of hyper's own begins that ends what is written.
pub(crate) fn start_of(written: &[u8]) -> Option<usize> {
    if !written.ends_with(END) {
        return None;
    }
    let from = written.len().saturating_sub(BYTES_MAX);
    let last = &written[from..];
    let start = last
        .windows(STARTS[0].len())
        .rposition(|part| STARTS.contains(&part))?;
    let id = REQUEST_ID;
    let has_id = last[start..]
        .windows(id.as_str().len())
        .any(|part| part.eq_ignore_ascii_case(id.as_str().as_bytes()));
    (!has_id).then_some(from + start)
}

impl RefusedHead {
    /// What is sent in place of an answer of hyper's; none where that is not one to a refused head.
    pub(crate) fn in_place_of(head: &[u8], read: &HeadRead) -> Option<Self> {
        let problem = match head.get(9..12)? {
            b"400" | b"431" if read.has_huge_length => {
                let detail = format!("content-length: is more than {CONTENT_LENGTH_MAX}");
                Problem::new(ProblemType::TooLarge, detail)
            }
            b"400" => Problem::invalid("the head of the request is not HTTP/1.1"),
            b"414" => target_too_long(),
            b"431" if read.has_long_first_line() => target_too_long(),
            b"431" => {
                let detail = format!(
                    "the head of the request has more than {HEAD_BYTES_MAX} bytes or 100 lines"
                );
                Problem::new(ProblemType::HeadTooLarge, detail)
            }
            _ => return None,
        };
        let date = head
            .split(|byte| *byte == b'\n')
            .find_map(|line| line.strip_prefix(b"date: "));
        Some(Self {
            bytes: last_answer(problem, date),
            sent: 0,
            stands_for: head.len(),
        })
    }

    pub(crate) fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    pub(crate) const fn note_sent(&mut self, bytes: usize) {
        self.sent += bytes;
    }
}

/// A problem as the last answer on its connection.
pub(crate) fn last_answer(problem: Problem, date: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {}", problem.kind.status()).into_bytes();
    let mut add = |name: &str, value: &[u8]| {
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(value);
    };
    let body = problem.json();
    for (name, value) in problem.into_response().headers() {
        if name != header::CONTENT_LENGTH {
            add(name.as_str(), value.as_bytes());
        }
    }
    let id = new_id();
    tracing::debug!(id = id.to_str().unwrap_or_default(), "a head was refused");
    add(REQUEST_ID.as_str(), id.as_bytes());
    add("x-content-type-options", b"nosniff");
    add("connection", b"close");
    add("content-length", body.len().to_string().as_bytes());
    if let Some(date) = date {
        add("date", date.trim_ascii_end());
    }
    bytes.extend_from_slice(END);
    bytes.extend_from_slice(&body);
    bytes
}

fn target_too_long() -> Problem {
    let detail = format!("the first line of the request has more than {HEAD_BYTES_MAX} bytes");
    Problem::new(ProblemType::TargetTooLong, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_HYPER: &str = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: Fri, 20 Nov 2026 10:00:00 GMT\r\n\r\n";

    #[test]
    fn answers_of_hyper_are_found_behind_ours_and_ours_are_not() {
        let ours = "HTTP/1.1 404 Not Found\r\nx-request-id: a-1\r\ncontent-length: 2\r\n\r\n{}";
        let bare = "HTTP/1.1 400 Bad Request\r\nX-Request-Id: a-1\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(start_of(OF_HYPER.as_bytes()), Some(0));
        let behind = format!("{ours}{OF_HYPER}");
        assert_eq!(start_of(behind.as_bytes()), Some(ours.len()));
        let of_1_0 = OF_HYPER.replace("1.1", "1.0");
        assert_eq!(start_of(of_1_0.as_bytes()), Some(0));
        for other in [ours, bare, "", "\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"] {
            assert_eq!(start_of(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn the_preface_of_http_2_is_broken_however_it_is_cut_and_nothing_else_is_changed() {
        let sent = [HTTP2_PREFACE, b"SETTINGS"].concat();
        for bytes in 1..=sent.len() {
            let (mut head, mut read) = (HeadRead::default(), sent.clone());
            for part in read.chunks_mut(bytes) {
                head.note_read(part);
            }
            let changed: Vec<usize> = (0..sent.len()).filter(|&at| read[at] != sent[at]).collect();
            assert_eq!(changed, [HTTP2_PREFACE.len() - 1], "{bytes}");
        }
        let behind = [b"GET / HTTP/1.1\r\n\r\n", HTTP2_PREFACE].concat();
        for other in [
            &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rx"[..],
            b"PRI",
            b"",
            &behind,
        ] {
            let mut read = other.to_vec();
            HeadRead::default().note_read(&mut read);
            assert_eq!(read, other);
        }
    }

    /// The type of the problem that stands for hyper's answer of this status, however the head is cut.
    fn refused_as(head: &str, status: u16) -> String {
        let words = [1, 7, head.len()].map(|bytes| {
            let mut read = HeadRead::default();
            for part in head.as_bytes().to_vec().chunks_mut(bytes) {
                read.note_read(part);
            }
            let of_hyper = OF_HYPER.replace("400", &status.to_string());
            let answer = RefusedHead::in_place_of(of_hyper.as_bytes(), &read).unwrap();
            let body = answer.bytes.rsplit(|byte| *byte == b'\n').next().unwrap();
            let problem: serde_json::Value = serde_json::from_slice(body).unwrap();
            problem["type"].as_str().unwrap().to_owned()
        });
        assert!(words.iter().all(|word| *word == words[0]), "{words:?}");
        words[0].clone()
    }

    #[test]
    fn a_first_line_that_is_longer_than_a_head_is_a_long_target() {
        for (bytes, word) in [
            (HEAD_BYTES_MAX, "head-too-large"),
            (HEAD_BYTES_MAX + 1, "target-too-long"),
        ] {
            let (begin, end) = ("GET /", " HTTP/1.1\r\n");
            let target = "x".repeat(bytes - begin.len() - end.len());
            let line = format!("{begin}{target}{end}");
            assert_eq!(refused_as(&line, 431), word, "{bytes}");
            assert_eq!(refused_as(&format!("{line}host: a\r\n\r\n"), 431), word);
        }
        // Of which all that is read was read.
        let half = "x".repeat(HEAD_BYTES_MAX);
        assert_eq!(refused_as(&half, 431), "target-too-long");
        assert_eq!(refused_as(&half[1..], 431), "head-too-large");
    }

    #[test]
    fn a_length_that_hyper_cannot_count_is_a_large_body() {
        let head = |line: &str| format!("POST / HTTP/1.1\r\nhost: a\r\n{line}\r\nx: y\r\n\r\n");
        for (line, status, word) in [
            ("content-length: 18446744073709551614", 431, "too-large"),
            ("Content-Length:18446744073709551615 ", 431, "too-large"),
            ("CONTENT-LENGTH: 18446744073709551616", 400, "too-large"),
            ("content-length: 99999999999999999999999", 400, "too-large"),
            (
                "content-length: 18446744073709551613",
                431,
                "head-too-large",
            ),
            ("content-length: 99999999999999999999x", 400, "invalid"),
            ("content-length: -1", 400, "invalid"),
            ("content-length-x: 99999999999999999999", 400, "invalid"),
            ("x: content-length: 99999999999999999999", 400, "invalid"),
            (
                "x: \r\n\r\ncontent-length: 99999999999999999999",
                400,
                "invalid",
            ),
        ] {
            assert_eq!(refused_as(&head(line), status), word, "{line}");
        }
    }

    #[test]
    fn a_refused_head_is_answered_by_a_problem() {
        let answer = RefusedHead::in_place_of(OF_HYPER.as_bytes(), &HeadRead::default()).unwrap();
        assert_eq!(answer.stands_for, OF_HYPER.len());
        let text = String::from_utf8(answer.unsent().to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{head}");
        for line in [
            "content-type: application/problem+json",
            "connection: close",
            "x-request-id: ",
            "date: Fri, 20 Nov 2026 10:00:00 GMT",
            &format!("content-length: {}", body.len()),
        ] {
            assert_eq!(head.matches(line).count(), 1, "{line} in {head}");
        }
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            (problem["type"].as_str(), problem["status"].as_u64()),
            (Some("invalid"), Some(400))
        );
        let large = OF_HYPER.replace("400 Bad Request", "431 Request Header Fields Too Large");
        let large = RefusedHead::in_place_of(large.as_bytes(), &HeadRead::default()).unwrap();
        assert!(String::from_utf8_lossy(large.unsent()).contains("head-too-large"));
        assert!(
            RefusedHead::in_place_of(b"HTTP/1.1 408 x\r\n\r\n", &HeadRead::default()).is_none()
        );
    }
}
