//! Reading NDJSON: [`NdjsonRows`]. Lines are sent unchanged.
//!
//! Only the server validates a line. It is parsed here only to determine whether it may be sent again.

use std::error::Error;
use std::io;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::lines::{Extent, LINE_BYTES_MAX, Line, Lines};
use super::rows::{NOT_UTF_8, Row, RowKind, Rows};
use crate::delivery::Resend;

/// Reads contributions, one JSON object per line. Blank lines are ignored.
pub(super) struct NdjsonRows {
    lines: Lines,
    line: Vec<u8>,
}

impl NdjsonRows {
    /// Refuses a file that begins with other JSON than one object a line.
    pub(super) fn open(mut lines: Lines) -> Result<Self, Box<dyn Error>> {
        let begin = lines.peek()?.trim_ascii_start();
        let checked = match begin {
            [b'[', ..] => Err(
                "it is a JSON array, but each line has to be one object: convert it by `jq -c '.[]'`",
            ),
            [b'{', b'\n', ..] | [b'{', b'\r', b'\n', ..] => Err(
                "its objects take several lines, but each line has to be one object: convert it by `jq -c .`",
            ),
            _ => Ok(()),
        };
        checked?;
        Ok(Self {
            lines,
            line: Vec::new(),
        })
    }
}

impl Rows for NdjsonRows {
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>> {
        while let Some(read) = self.lines.next(&mut self.line)? {
            let text = self.line.trim_ascii();
            // The server ignores blank lines, too: sending one would shift its indices.
            if text.is_empty() && read != Line::TooLong {
                continue;
            }
            let kind = match read {
                Line::TooLong => RowKind::Unreadable(format!("longer than {LINE_BYTES_MAX} bytes")),
                // An object is whole with its last brace.
                Line::Unfinished if !is_object(text) => RowKind::Unfinished,
                _ if std::str::from_utf8(text).is_err() => {
                    RowKind::Unreadable(NOT_UTF_8.to_owned())
                }
                _ => {
                    if read == Line::Unfinished {
                        self.lines.take_unfinished();
                    }
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

    fn extent(&self) -> Extent {
        self.lines.extent()
    }
}

fn is_object(text: &[u8]) -> bool {
    text.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(text).is_ok()
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
            b"\xef\xbb\xbf{\"b\": 1, \"id\":\"x\"}\r\n\n{\"points\":1e2}\n  \n\xff\n nonsense\n{\"id\":1}";
        let mut rows =
            NdjsonRows::open(Lines::new(io::Cursor::new(file.to_vec())).unwrap()).unwrap();
        let mut out = Vec::new();
        let mut read = Vec::new();
        while let Some(row) = rows.next(&mut out).unwrap() {
            read.push((row.line, row.kind));
        }
        assert_eq!(
            out,
            b"{\"b\": 1, \"id\":\"x\"}\n{\"points\":1e2}\nnonsense\n{\"id\":1}\n"
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
                (5, RowKind::Unreadable(NOT_UTF_8.to_owned())),
                (
                    6,
                    RowKind::Contribution {
                        resend: Resend::Always
                    }
                ),
                (
                    7,
                    RowKind::Contribution {
                        resend: Resend::Always
                    }
                ),
            ]
        );
    }

    #[test]
    fn half_a_last_line_is_unfinished_and_a_whole_object_is_not() {
        for (last, is_taken) in [
            (r#"{"id":1}"#, true),
            (r#"{"id":1} "#, true),
            (r#"{"id":1"#, false),
            ("nonsense", false),
            ("12", false),
        ] {
            let file = format!("{{}}\n{last}");
            let lines = Lines::new(io::Cursor::new(file.clone())).unwrap();
            let mut rows = NdjsonRows::open(lines).unwrap();
            let mut out = Vec::new();
            rows.next(&mut out).unwrap();
            let row = rows.next(&mut out).unwrap().unwrap();
            assert_eq!(row.kind != RowKind::Unfinished, is_taken, "{last}");
            let read = if is_taken { file.len() } else { 3 };
            assert_eq!(rows.extent().bytes, read as u64, "{last}");
        }
    }

    #[test]
    fn other_json_is_refused_with_what_to_do() {
        for (file, part) in [
            ("\n [{\"id\":1}]", "jq -c '.[]'"),
            ("\u{feff}[\n", "array"),
            ("{\r\n  \"id\": 1\n}", "jq -c ."),
        ] {
            let lines = Lines::new(io::Cursor::new(file)).unwrap();
            let error = NdjsonRows::open(lines).err().unwrap().to_string();
            assert!(error.contains(part), "{error}");
        }
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
