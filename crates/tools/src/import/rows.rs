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
    Contribution { resend: Resend },
    /// A cell that it needs is empty or missing.
    Skipped,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// Whether a line may be sent again that was perhaps applied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Resend {
    /// The server would know it again, or refuses it each time.
    Known,
    /// A set at a time of its own: the same each time, and so only beside other sets, since it would
    /// undo what was counted behind it.
    AmongSets,
    /// It might count twice.
    Never,
}

/// A source of rows.
pub(super) trait Rows: Send {
    /// The next row; a contribution is appended to `out` with a newline. None at the end.
    fn next(&mut self, out: &mut Vec<u8>) -> io::Result<Option<Row>>;
}
