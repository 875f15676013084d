//! Numbered lines of the file: [`Lines`], used by both row readers.
//!
//! Decompresses gzip, which is detected by content, and removes a byte order mark.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;

/// The maximum length of a line, and of a CSV row that spans several lines.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;
const READ_BYTES: usize = 64 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The result of reading a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Line {
    /// The buffer contains the line, including its newline if it has one.
    Whole,
    /// The line is longer than [`LINE_BYTES_MAX`] and was skipped. The buffer contains its beginning.
    TooLong,
}

/// Reads a file line by line.
pub(super) struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
}

impl Lines {
    /// Opens the file, or standard input for `-`. `progress` counts the bytes read, before decompression.
    pub(super) fn open(path: &Path, progress: &ProgressBar) -> io::Result<Self> {
        if path.as_os_str() == "-" {
            return Self::new(progress.wrap_read(io::stdin()));
        }
        let file = File::open(path)?;
        let about = file.metadata()?;
        if about.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if about.is_file() {
            progress.set_length(about.len());
        }
        Self::new(progress.wrap_read(file))
    }

    pub(super) fn new(input: impl Read + Send + 'static) -> io::Result<Self> {
        let mut input = BufReader::with_capacity(READ_BYTES, input);
        let is_gzip = input.fill_buf()?.starts_with(&GZIP_MAGIC);
        let input: Box<dyn BufRead + Send> = if is_gzip {
            Box::new(BufReader::with_capacity(
                READ_BYTES,
                MultiGzDecoder::new(input),
            ))
        } else {
            Box::new(input)
        };
        Ok(Self { input, number: 0 })
    }

    /// Returns the number of the last line read. The first line is 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line into `line`, replacing its contents. Returns `None` at the end of the file.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Option<Line>> {
        line.clear();
        let limit = LINE_BYTES_MAX as u64 + 1;
        if self.input.by_ref().take(limit).read_until(b'\n', line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        if line.len() > LINE_BYTES_MAX {
            if line.last() != Some(&b'\n') {
                self.input.skip_until(b'\n')?;
            }
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Whole))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn all(bytes: Vec<u8>) -> Vec<(u64, Line, Vec<u8>)> {
        let mut lines = Lines::new(io::Cursor::new(bytes)).unwrap();
        let mut line = Vec::new();
        let mut read = Vec::new();
        while let Some(kind) = lines.next(&mut line).unwrap() {
            read.push((lines.number(), kind, line.clone()));
        }
        read
    }

    #[test]
    fn lines_are_numbered_from_one_and_a_byte_order_mark_is_removed() {
        let read = all(b"\xef\xbb\xbfa\n\nb".to_vec());
        assert_eq!(
            read,
            [
                (1, Line::Whole, b"a\n".to_vec()),
                (2, Line::Whole, b"\n".to_vec()),
                (3, Line::Whole, b"b".to_vec())
            ]
        );
    }

    #[test]
    fn gzip_is_detected_by_content_and_may_have_several_members() {
        let mut compressed = Vec::new();
        for part in ["a\nb", "c\nd\n"] {
            let mut encoder =
                flate2::write::GzEncoder::new(&mut compressed, flate2::Compression::default());
            encoder.write_all(part.as_bytes()).unwrap();
            encoder.finish().unwrap();
        }
        let read: Vec<_> = all(compressed)
            .into_iter()
            .map(|(_, _, line)| line)
            .collect();
        assert_eq!(read, [b"a\n".to_vec(), b"bc\n".to_vec(), b"d\n".to_vec()]);
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let mut bytes = vec![b'x'; 3 * LINE_BYTES_MAX];
        bytes.extend_from_slice(b"\nnext\n");
        let read = all(bytes);
        assert_eq!(read[0].1, Line::TooLong);
        assert_eq!(read[1], (2, Line::Whole, b"next\n".to_vec()));
    }
}
