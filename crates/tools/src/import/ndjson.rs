//! Reading NDJSON: [`NdjsonRows`]. Lines are sent unchanged.
//!
//! Only the server validates a line. It is parsed here only to determine whether it may be sent again.

use std::io;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::lines::{LINE_BYTES_MAX, Line, Lines};
use super::rows::{Resend, Row, RowKind, Rows};

/// Reads contributions, one JSON object per line. Blank lines are ignored.
pub(super) struct NdjsonRows {
    lines: Lines,
    line: Vec<u8>,
}

impl NdjsonRows {
    pub(super) fn new(lines: Lines) -> Self {
        Self {
            lines,
            line: Vec::new(),
        }
    }
}

impl Rows for NdjsonRows {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>> {
        while let Some(kind) = self.lines.next(&mut self.line)? {
            let text = self.line.trim_ascii_end();
            let kind = match kind {
                Line::TooLong => RowKind::Unreadable(format!("longer than {LINE_BYTES_MAX} bytes")),
                // The server ignores blank lines, too: sending one would shift its indices.
                Line::Whole if text.is_empty() => continue,
                Line::Whole if std::str::from_utf8(text).is_err() => {
                    RowKind::Unreadable("not UTF-8".to_owned())
                }
                Line::Whole => {
                    out.extend_from_slice(text);
                    out.push(b'\n');
                    RowKind::Contribution {
                        resend: resend(text),
                    }
                }
            };
            return Ok(Some(Row {
                line: self.lines.number(),
                kind,
            }));
        }
        Ok(None)
    }
}

/// Returns whether a line may be sent again: it has an id, it is a set with a time, which results in the same standing
/// each time, or it is not JSON, which is rejected each time.
fn resend(line: &[u8]) -> Resend {
    #[derive(Deserialize)]
    struct Resendable {
        id: Option<IgnoredAny>,
        at: Option<IgnoredAny>,
        #[serde(default)]
        set: bool,
    }
    match serde_json::from_slice::<Resendable>(line) {
        Ok(line) if line.id.is_some() => Resend::Always,
        Ok(line) if line.set && line.at.is_some() => Resend::AmongSets,
        Err(_) if serde_json::from_slice::<IgnoredAny>(line).is_err() => Resend::Always,
        _ => Resend::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_unchanged_and_keep_their_numbers() {
        let file =
            b"\xef\xbb\xbf{\"b\": 1, \"id\":\"x\"}\r\n\n{\"points\":1e2}\n  \n\xff\n nonsense";
        let mut rows = NdjsonRows::new(Lines::new(io::Cursor::new(file.to_vec())).unwrap());
        let mut out = Vec::new();
        let mut read = Vec::new();
        while let Some(row) = rows.next(&mut out).unwrap() {
            read.push((row.line, row.kind));
        }
        assert_eq!(
            out,
            b"{\"b\": 1, \"id\":\"x\"}\n{\"points\":1e2}\n nonsense\n"
        );
        assert_eq!(
            read,
            [
                (
                    1,
                    RowKind::Contribution {
                        resend: Resend::Always
                    }
                ),
                (
                    3,
                    RowKind::Contribution {
                        resend: Resend::Never
                    }
                ),
                (5, RowKind::Unreadable("not UTF-8".to_owned())),
                (
                    6,
                    RowKind::Contribution {
                        resend: Resend::Always
                    }
                ),
            ]
        );
    }

    #[test]
    fn an_id_is_a_field_of_the_object_itself() {
        assert_eq!(resend(br#"{"member":"u","id":"e1"}"#), Resend::Always);
        for line in [
            &br#"{"member":"u","id":null}"#[..],
            br#"{"member":"id","values":{"id":1}}"#,
            // Valid JSON with two different ids: which of them the server uses is unspecified.
            br#"{"id":"a","id":"b"}"#,
        ] {
            assert_eq!(resend(line), Resend::Never);
        }
    }

    #[test]
    fn a_set_with_a_time_may_be_sent_again_among_sets() {
        let set = br#"{"member":"u","set":true,"at":1}"#;
        assert_eq!(resend(set), Resend::AmongSets);
        for line in [
            &br#"{"member":"u","set":true}"#[..],
            br#"{"member":"u","set":false,"at":1}"#,
            br#"{"member":"u","set":"true","at":1}"#,
        ] {
            assert_eq!(resend(line), Resend::Never);
        }
    }
}
