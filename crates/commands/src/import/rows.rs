//! Rows of the file: [`Row`], read by implementations of [`Rows`] in `csv` and `ndjson`.

use std::io;

use super::lines::Extent;
use crate::delivery::Resend;

/// Why a line, or a cell, is invalid that has other bytes.
pub(super) const NOT_UTF_8: &str = "not UTF-8; if it is GBK, as spreadsheets with a Chinese locale write it, or \
                                    Windows-1252, convert the file, as by `iconv -f GBK -t UTF-8`";

/// One row of the file.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Row {
    /// The line of the file on which the row begins.
    pub(super) line: u64,
    pub(super) kind: RowKind,
}

/// The result of reading a row.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum RowKind {
    /// A contribution, which was appended to the output as one line.
    Contribution { resend: Resend },
    /// The cells of this column, which is required, or of these columns are empty.
    Skipped(String),
    /// The file ends within the row, as if it were still being written. It is the last one.
    Unfinished,
    /// The row is invalid, for this reason.
    Unreadable(String),
}

/// A source of rows.
pub(super) trait Rows: Send {
    /// Reads the next row. A contribution is appended to `out`, with a newline. Returns `None` at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>>;

    /// Returns what was read so far.
    fn extent(&self) -> Extent;

    /// Returns warnings about the rows read since the last call.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
}
