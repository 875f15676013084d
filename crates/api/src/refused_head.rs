//! Answers to heads that hyper refuses by itself, as problems: [`RefusedHead`].
//!
//! No service hears of a head that is no HTTP or too large: hyper answers it with a status line and an
//! empty body, as the last thing on its connection. So the socket looks at the heads that it is given to
//! write. Every answer of ours has a request id, and one without is hyper's.
//!
//! hyper measures the target of a whole head alone. Where one is so long that the head does not end before
//! the limit of all of it, [`FirstLine`] knows.
//!
//! The preface of HTTP/2 is the one head that hyper ends without an answer. [`FirstLine`] breaks it as it is read, and
//! it is refused like every other head that is not HTTP/1.1.

use axum::http::header;
use axum::response::IntoResponse as _;

use crate::problem::{Problem, ProblemType};
use crate::trace::{REQUEST_ID, new_id};

/// How answers of hyper's own begin: on a connection of an HTTP/1.0 client by that version.
const STARTS: [&[u8]; 2] = [b"HTTP/1.1 4", b"HTTP/1.0 4"];

/// How they end, having no body.
const END: &[u8] = b"\r\n\r\n";

/// Bytes that they have at most: a status line, the length and the date.
const BYTES_MAX: usize = 256;

/// Bytes of a first line that is too long: the target of one that is shorter may be what hyper takes.
const FIRST_LINE_BYTES: usize = 64 << 10;

/// What a client of HTTP/2 sends first (RFC 9113, 3.4).
const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The first line of a request, as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct FirstLine {
    bytes: usize,
    has_ended: bool,
    /// As many bytes of [`HTTP2_PREFACE`] as the request has begun with.
    preface_bytes: usize,
    is_no_preface: bool,
}

impl FirstLine {
    /// Counts what was read. Of a request that was sent before the last one was answered the part that
    /// came before the answer is missing: it may be called too large where its target is too long.
    pub(crate) fn note_read(&mut self, read: &mut [u8]) {
        self.break_preface(read);
        if self.has_ended {
            return;
        }
        let end = read.iter().position(|byte| *byte == b'\n');
        self.has_ended = end.is_some();
        self.bytes += end.unwrap_or(read.len());
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

    const fn is_too_long(&self) -> bool {
        self.bytes >= FIRST_LINE_BYTES
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
    pub(crate) fn in_place_of(head: &[u8], first_line: &FirstLine) -> Option<Self> {
        let problem = match head.get(9..12)? {
            b"400" => Problem::invalid("the head of the request is not HTTP/1.1"),
            b"414" => target_too_long(),
            b"431" if first_line.is_too_long() => target_too_long(),
            b"431" => {
                let detail = "the head of the request has more than 65536 bytes or 100 lines";
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
    let detail = "the first line of the request has more than 65534 bytes";
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
            let (mut line, mut read) = (FirstLine::default(), sent.clone());
            for part in read.chunks_mut(bytes) {
                line.note_read(part);
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
            FirstLine::default().note_read(&mut read);
            assert_eq!(read, other);
        }
    }

    #[test]
    fn a_refused_head_is_answered_by_a_problem() {
        let answer = RefusedHead::in_place_of(OF_HYPER.as_bytes(), &FirstLine::default()).unwrap();
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
        let large = RefusedHead::in_place_of(large.as_bytes(), &FirstLine::default()).unwrap();
        assert!(String::from_utf8_lossy(large.unsent()).contains("head-too-large"));
        assert!(
            RefusedHead::in_place_of(b"HTTP/1.1 408 x\r\n\r\n", &FirstLine::default()).is_none()
        );
    }
}
