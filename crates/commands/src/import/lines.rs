//! Numbered lines of the file: [`Lines`], used by both row readers.
//!
//! Decompresses gzip, which is detected by content, removes a byte order mark, and computes a digest of what was read
//! ([`Extent`]). A last line without a newline may still be being written: [`Line::Unfinished`].

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

/// The maximum length of a line, and of a CSV row that spans several lines.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;
const READ_BYTES: usize = 64 << 10;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginnings of files that are no text in UTF-8, each with what to do about it.
const FOREIGN: [(&[u8], &str); 3] = [
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (
        b"PK\x03\x04",
        "it is a workbook or a ZIP archive: save the sheet as \"CSV UTF-8\"",
    ),
];
const UTF_16: &str =
    "it is UTF-16: save it as \"CSV UTF-8\", or convert it by `iconv -f UTF-16 -t UTF-8`";

/// The result of reading a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Line {
    /// The buffer contains the line, including its newline if it has one.
    Whole,
    /// The line is longer than [`LINE_BYTES_MAX`] and was skipped. The buffer contains its beginning.
    TooLong,
    /// The file ends within the line, of which the buffer contains the beginning.
    Unfinished,
}

/// The beginning of a file: its length, uncompressed, and its XXH3 of 128 bits.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize, Deserialize)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    digest: String,
}

/// The beginning of a file, being read.
#[derive(Clone, Default)]
struct Digest {
    bytes: u64,
    hasher: XxHash3_128,
}

impl Digest {
    fn add(&mut self, piece: &[u8]) {
        self.bytes += piece.len() as u64;
        self.hasher.write(piece);
    }

    fn extent(&self) -> Extent {
        Extent {
            bytes: self.bytes,
            digest: format!("{:032x}", self.hasher.finish_128()),
        }
    }
}

/// How a file compares with an [`Extent`] of it that was read earlier.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Compared {
    /// It is the same, and has nothing more.
    Same,
    /// It has more.
    Grown,
    /// It has something else there, or the last line that was read has become longer.
    Changed,
}

impl Extent {
    /// Compares a file with this extent of it.
    pub(super) fn compare(&self, path: &Path) -> io::Result<Compared> {
        let mut input = text(File::open(path)?)?;
        let mut digest = Digest::default();
        let mut last = b'\n';
        while digest.bytes < self.bytes {
            let piece = input.fill_buf()?;
            let left = usize::try_from(self.bytes - digest.bytes).unwrap_or(usize::MAX);
            let piece = &piece[..piece.len().min(left)];
            let Some(&byte) = piece.last() else { break };
            last = byte;
            digest.add(piece);
            let length = piece.len();
            input.consume(length);
        }
        if digest.extent() != *self {
            return Ok(Compared::Changed);
        }
        // An error after the extent is that of another line.
        Ok(match input.fill_buf().map(<[u8]>::first) {
            Ok(None) => Compared::Same,
            Ok(Some(b'\r' | b'\n')) | Err(_) => Compared::Grown,
            Ok(Some(_)) if last == b'\n' => Compared::Grown,
            Ok(Some(_)) => Compared::Changed,
        })
    }
}

/// Reads a file line by line.
pub(super) struct Lines {
    input: Box<dyn BufRead + Send>,
    number: u64,
    /// Of the whole lines.
    digest: Digest,
    /// Of all lines, once one is unfinished.
    unfinished: Digest,
    /// Whether a last line without a newline is whole.
    pub(super) is_final: bool,
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
        let mut input = text(input)?;
        let begin = input.fill_buf()?;
        let is_like = |(magic, _): &&(&[u8], _)| begin.starts_with(magic);
        if let Some((_, advice)) = FOREIGN.iter().find(is_like) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, *advice));
        }
        Ok(Self {
            input,
            number: 0,
            digest: Digest::default(),
            unfinished: Digest::default(),
            is_final: false,
        })
    }

    /// Returns the number of the last line read. The first line is 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the beginning of the file, before a line is read.
    pub(super) fn peek(&mut self) -> io::Result<&[u8]> {
        let begin = self.input.fill_buf()?;
        Ok(begin.strip_prefix(BYTE_ORDER_MARK).unwrap_or(begin))
    }

    /// Returns the whole lines that were read.
    pub(super) fn extent(&self) -> Extent {
        self.digest.extent()
    }

    /// Reads the next line into `line`, replacing its contents. Returns `None` at the end of the file.
    pub(super) fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Option<Line>> {
        line.clear();
        let limit = LINE_BYTES_MAX as u64 + 1;
        if self.input.by_ref().take(limit).read_until(b'\n', line)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let is_too_long = line.len() > LINE_BYTES_MAX;
        let mut has_end = line.ends_with(b"\n");
        if has_end && !is_too_long {
            self.digest.add(line);
        } else {
            let mut digest = self.digest.clone();
            digest.add(line);
            has_end = has_end || (is_too_long && self.skip(&mut digest)?) || self.is_final;
            let read = if has_end {
                &mut self.digest
            } else {
                &mut self.unfinished
            };
            *read = digest;
        }
        if self.number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(Some(match (has_end, is_too_long) {
            (false, _) => Line::Unfinished,
            (true, true) => Line::TooLong,
            (true, false) => Line::Whole,
        }))
    }

    /// Skips the remainder of a line. Returns whether it has an end.
    fn skip(&mut self, digest: &mut Digest) -> io::Result<bool> {
        loop {
            let piece = self.input.fill_buf()?;
            if piece.is_empty() {
                return Ok(false);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(piece.len(), |end| end + 1);
            digest.add(&piece[..length]);
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Takes the unfinished line, which is whole without a newline.
    pub(super) fn take_unfinished(&mut self) {
        self.digest = std::mem::take(&mut self.unfinished);
    }
}

/// Decompresses a file that is compressed.
fn text(input: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let mut input = BufReader::with_capacity(READ_BYTES, input);
    if !input.fill_buf()?.starts_with(&GZIP_MAGIC) {
        return Ok(Box::new(input));
    }
    let input = MultiGzDecoder::new(input);
    Ok(Box::new(BufReader::with_capacity(READ_BYTES, input)))
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
        let read = all(b"\xef\xbb\xbfa\n\nb\n".to_vec());
        assert_eq!(
            read,
            [
                (1, Line::Whole, b"a\n".to_vec()),
                (2, Line::Whole, b"\n".to_vec()),
                (3, Line::Whole, b"b\n".to_vec())
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

    #[test]
    fn a_last_line_without_a_newline_is_unfinished() {
        let long = vec![b'x'; 2 * LINE_BYTES_MAX];
        for last in [&b"b"[..], b"b\r", &long] {
            let file = [b"a\n", last].concat();
            for (is_final, number) in [(false, 1), (true, 2)] {
                let mut lines = Lines::new(io::Cursor::new(file.clone())).unwrap();
                lines.is_final = is_final;
                let mut line = Vec::new();
                assert_eq!(lines.next(&mut line).unwrap(), Some(Line::Whole));
                let is_unfinished = lines.next(&mut line).unwrap() == Some(Line::Unfinished);
                assert_eq!(is_unfinished, !is_final);
                let read = if number == 1 { 2 } else { file.len() };
                assert_eq!(lines.extent().bytes, read as u64);
                assert_eq!(lines.next(&mut line).unwrap(), None);
            }
        }
    }

    #[test]
    fn a_file_is_compared_with_what_was_read_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let write = |bytes: &[u8]| std::fs::write(&path, bytes).unwrap();
        let read = |is_final: bool| {
            let mut lines = Lines::open(&path, &ProgressBar::hidden()).unwrap();
            lines.is_final = is_final;
            while lines.next(&mut Vec::new()).unwrap().is_some() {}
            lines.extent()
        };
        write(b"\xef\xbb\xbfa\nb\nc");
        let (lines, all) = (read(false), read(true));
        let compare = |extent: &Extent, bytes: &[u8]| {
            write(bytes);
            extent.compare(&path).unwrap()
        };
        let grown = b"\xef\xbb\xbfa\nb\nc2\n";
        assert_eq!(compare(&lines, b"\xef\xbb\xbfa\nb\n"), Compared::Same);
        assert_eq!(compare(&lines, grown), Compared::Grown);
        assert_eq!(
            compare(&lines, b"\xef\xbb\xbfa\nB\nc2\n"),
            Compared::Changed
        );
        assert_eq!(compare(&lines, b"\xef\xbb\xbfa\n"), Compared::Changed);
        assert_eq!(
            compare(&all, grown),
            Compared::Changed,
            "of the last line half was read"
        );
        for ended in [&b"\xef\xbb\xbfa\nb\nc\nd\n"[..], b"\xef\xbb\xbfa\nb\nc\r\n"] {
            assert_eq!(compare(&all, ended), Compared::Grown);
        }
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(grown).unwrap();
        assert_eq!(compare(&lines, &gzip.finish().unwrap()), Compared::Grown);
    }

    #[test]
    fn files_in_other_encodings_are_refused_with_what_to_do() {
        for (begin, part) in [
            (&b"\xff\xfeu\0"[..], "iconv -f UTF-16 -t UTF-8"),
            (b"\xfe\xff\0u", "UTF-16"),
            (b"PK\x03\x04..", "workbook"),
        ] {
            let error = Lines::new(io::Cursor::new(begin))
                .err()
                .unwrap()
                .to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
