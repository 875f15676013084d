//! What a row reader gives: [`Row`], from anything that is [`Rows`].
//!
//! The readers stand in `csv` and `ndjson`.

use std::io;

/// One row of the file.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Row {
    /// The line of the file that it begins on.
    pub(super) line: u64,
    pub(super) kind: RowKind,
}

/// What became of a row.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum RowKind {
    /// A contribution, appended to the output as one line.
    Contribution {
        /// Whether the server would know it again, so that it may be sent twice.
        is_resendable: bool,
    },
    /// A cell that it needs is empty or missing.
    Skipped,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// A source of rows.
pub(super) trait Rows: Send {
    /// The next row; a contribution is appended to `out` with a newline. None at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>>;
}
