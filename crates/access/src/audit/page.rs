//! The log as it is read from its end: [`AuditPage`].

use std::fs::File;
use std::hash::{DefaultHasher, Hasher as _};
use std::io;
use std::os::unix::fs::FileExt as _;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::audit::file::Files;

/// The maximum bytes that are read of the log for one page.
const READ_BYTES_MAX: u64 = 1 << 20;

/// Lines of the audit log, the newest first.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditPage {
    /// The newest first.
    pub entries: Vec<AuditLine>,
    /// To be passed as `before` for older entries; null at the end.
    #[cfg_attr(feature = "schema", schema(required))]
    pub next: Option<String>,
}

/// One line of the audit log. An operation has two of them, `begun` and `ended`, with the same `operation`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditLine {
    /// When it was written.
    #[cfg_attr(feature = "schema", schema(format = DateTime))]
    pub at: String,
    /// Identifies the operation; not in `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub operation: Option<String>,
    /// `begun`, `ended`, or `refused`: the request was rejected before it changed anything.
    #[cfg_attr(feature = "schema", schema(example = "begun"))]
    pub event: String,
    /// The name of the key; not in `ended`, and not without keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub key: Option<String>,
    /// The client's address; not in `ended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub address: Option<String>,
    /// The method of the request; not in `ended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub method: Option<String>,
    /// The path and query of the request, cut to 512 characters; not in `ended`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub path: Option<String>,
    /// The `X-Request-Id` of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub request_id: Option<String>,
    /// The status of the response; not in `begun`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub status: Option<u16>,
    /// How many refused requests before this one have no line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub unlisted: Option<u64>,
    /// What was erased or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Object, nullable = false))]
    pub details: Option<Json>,
}

/// The first bytes of a file, which tell it from others: they contain the time and the id of its first entry.
const HEAD_BYTES: usize = 64;

/// The position of a line: its file, by a hash of the head, and the offset of its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    head: u64,
    offset: u64,
}

impl Cursor {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (head, offset) = text.split_once('-')?;
        let cursor = Self {
            head: number(head)?,
            offset: number(offset)?,
        };
        // The same position has one text.
        (cursor.text() == text).then_some(cursor)
    }

    fn text(self) -> String {
        format!("{:x}-{:x}", self.head, self.offset)
    }
}

impl Files {
    /// Returns up to `limit` lines that were written before the cursor, or the last ones; `None` if there is no line at
    /// the cursor. Lines that are not JSON, such as those that a crash has torn, are left out.
    pub(crate) fn newest(
        &self,
        before: Option<Cursor>,
        limit: usize,
    ) -> io::Result<Option<AuditPage>> {
        let mut page = AuditPage::default();
        let mut left = READ_BYTES_MAX;
        let mut from = before;
        let mut last = None;
        for file in self.newest_first() {
            let file = file?;
            let (head, bytes) = (head_of(&file)?, file.metadata()?.len());
            let end = match from {
                Some(cursor) if cursor.head != head => continue,
                Some(cursor) if !begins_line(&file, cursor.offset, bytes)? => return Ok(None),
                Some(cursor) => cursor.offset,
                None => bytes,
            };
            from = None;
            // There is something older in this file, for the next page.
            if page.entries.len() == limit || left == 0 {
                page.next = last.filter(|_| end > 0).map(Cursor::text);
                if page.next.is_some() {
                    return Ok(Some(page));
                }
                continue;
            }
            let start = end.saturating_sub(left);
            let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
            file.read_exact_at(&mut bytes, start)?;
            left -= end - start;
            let mut rest = &bytes[..];
            while !rest.is_empty() && page.entries.len() < limit {
                let text = rest.strip_suffix(b"\n").unwrap_or(rest);
                let begin = text.iter().rposition(|byte| *byte == b'\n');
                let begin = match begin {
                    Some(line_feed) => line_feed + 1,
                    None if start == 0 => 0,
                    // The line begins before what was read.
                    None => break,
                };
                page.entries
                    .extend(serde_json::from_slice(&text[begin..]).ok());
                rest = &rest[..begin];
            }
            let offset = start + rest.len() as u64;
            if offset == end && end > 0 {
                // It does not fit beside what was read of newer files: the next page begins with it.
                if end - start < READ_BYTES_MAX {
                    page.next = last.map(Cursor::text);
                    return Ok(Some(page));
                }
                let why = format!("a line is longer than {READ_BYTES_MAX} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            last = Some(Cursor { head, offset });
            if offset > 0 {
                page.next = last.map(Cursor::text);
                return Ok(Some(page));
            }
        }
        Ok(from.is_none().then_some(page))
    }
}

/// Returns a hash of the first line of a file, or of its begin. It stays the same when lines are appended.
fn head_of(file: &File) -> io::Result<u64> {
    let mut bytes = [0; HEAD_BYTES];
    let count = file.read_at(&mut bytes, 0)?;
    let head = bytes[..count].split(|byte| *byte == b'\n').next();
    let mut hasher = DefaultHasher::new();
    hasher.write(head.unwrap_or_default());
    Ok(hasher.finish())
}

/// Returns whether a line begins, or the file ends, at an offset.
fn begins_line(file: &File, offset: u64, bytes: u64) -> io::Result<bool> {
    if offset == 0 || offset > bytes {
        return Ok(offset == 0);
    }
    let mut before = [0];
    file.read_exact_at(&mut before, offset - 1)?;
    Ok(before == *b"\n")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;
    use crate::audit::file::AuditLimits;

    fn line(number: usize) -> String {
        format!("{{\"at\":\"{number}\",\"event\":\"ended\",\"status\":200}}\n")
    }

    fn files(folder: &Path, file_bytes_max: u64) -> Files {
        let limits = AuditLimits {
            file_bytes_max,
            files_kept: 3,
        };
        Files::new(folder.join("audit.log"), limits)
    }

    /// Returns the times of all lines, page by page, and the number of pages.
    fn read_all(files: &Files, limit: usize) -> (Vec<String>, usize) {
        let (mut all, mut pages, mut before) = (Vec::new(), 0, None);
        loop {
            let page = files.newest(before, limit).unwrap().unwrap();
            assert!(page.entries.len() <= limit);
            pages += 1;
            all.extend(page.entries.into_iter().map(|entry| entry.at));
            match page.next {
                Some(next) => before = Some(Cursor::parse(&next).unwrap()),
                None => return (all, pages),
            }
        }
    }

    #[test]
    fn the_newest_lines_of_all_files_are_read_first() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 200);
        assert_eq!(read_all(&files, 5), (Vec::new(), 1));
        for number in 0..15 {
            files.append(line(number).into_bytes()).unwrap();
        }
        let newest: Vec<_> = (0..15).rev().map(|number| number.to_string()).collect();
        for (limit, pages) in [(1, 15), (2, 8), (4, 4), (15, 1), (100, 1)] {
            assert_eq!(read_all(&files, limit), (newest.clone(), pages));
        }
    }

    #[test]
    fn a_page_continues_after_a_rotation() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 200);
        for number in 0..4 {
            files.append(line(number).into_bytes()).unwrap();
        }
        let first = files.newest(None, 2).unwrap().unwrap();
        let next = Cursor::parse(&first.next.unwrap());
        for number in 4..8 {
            files.append(line(number).into_bytes()).unwrap();
        }
        let second = files.newest(next, 2).unwrap().unwrap();
        let times: Vec<_> = second.entries.iter().map(|entry| &*entry.at).collect();
        assert_eq!((times, second.next), (vec!["1", "0"], None));
        // Until the file is deleted.
        for number in 8..40 {
            files.append(line(number).into_bytes()).unwrap();
        }
        assert!(files.newest(next, 2).unwrap().is_none());
    }

    #[test]
    fn torn_lines_are_left_out_and_a_page_reads_no_more_than_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 64 << 20);
        let mut text = format!("{}torn\n", line(0));
        let count = usize::try_from(READ_BYTES_MAX).unwrap() / line(1_000_000).len() + 10;
        for number in 0..count {
            text.write_str(&line(1_000_000 + number)).unwrap();
        }
        text.push_str("{\"at\":\"torn");
        std::fs::write(folder.path().join("audit.log"), text).unwrap();
        let (all, pages) = read_all(&files, usize::MAX);
        assert_eq!((all.len(), pages), (count + 1, 2));
        assert_eq!(all[0], (1_000_000 + count - 1).to_string());
        assert_eq!(all[count], "0");
    }

    #[test]
    fn a_line_that_does_not_fit_beside_newer_files_is_on_the_next_page() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 64 << 20);
        let path = folder.path().join("audit.log");
        let limit = usize::try_from(READ_BYTES_MAX).unwrap();
        let mut long = line(0);
        long.insert_str(
            long.len() - 2,
            &format!(",\"path\":\"{}\"", "x".repeat(2_000)),
        );
        std::fs::write(path.with_extension("log.1"), format!("{}{long}", line(1))).unwrap();
        // Torn lines, and room for less than the older file's last line.
        let torn = format!("{}\n", "t".repeat(limit - 1_000 - line(2).len()));
        std::fs::write(&path, format!("{}{torn}", line(2))).unwrap();
        let (all, pages) = read_all(&files, 10);
        assert_eq!((all, pages), (["2", "0", "1"].map(str::to_owned).into(), 2));
        // A line longer than a page is still an error, not a page without end.
        std::fs::write(path.with_extension("log.1"), "t".repeat(limit + 1)).unwrap();
        let next = files.newest(None, 10).unwrap().unwrap().next.unwrap();
        assert!(files.newest(Cursor::parse(&next), 10).is_err());
    }

    #[test]
    fn a_cursor_that_names_no_line_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path(), 1_000);
        for number in 0..4 {
            files.append(line(number).into_bytes()).unwrap();
        }
        let next = files.newest(None, 1).unwrap().unwrap().next.unwrap();
        let cursor = Cursor::parse(&next).unwrap();
        for offset in [cursor.offset + 1, 100_000] {
            let wrong = Cursor { offset, ..cursor };
            assert!(files.newest(Some(wrong), 1).unwrap().is_none());
        }
        let wrong = Cursor { head: 1, offset: 0 };
        assert!(files.newest(Some(wrong), 1).unwrap().is_none());
        for text in ["", "-", "1", "1-", "g-0", "01-0", "+1-0", "1-0-0"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
