//! Rows of the file: [`Row`], read by implementations of [`Rows`] in `csv` and `ndjson`.

use std::io;

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
    /// A required cell is empty or missing.
    Skipped,
    /// The row is invalid, for this reason.
    Unreadable(String),
}

/// Whether a line that may have been applied may be sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Resend {
    /// It has an id, or the server rejects it each time.
    Always,
    /// It is a set with a time, which results in the same standing each time. It may be sent again only if all lines of
    /// the batch are sets: it would discard other contributions that were applied after it.
    AmongSets,
    /// It might count twice.
    Never,
}

/// A source of rows.
pub(super) trait Rows: Send {
    /// Reads the next row. A contribution is appended to `out`, with a newline. Returns `None` at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>>;
}
