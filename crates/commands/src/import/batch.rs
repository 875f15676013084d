//! Batches of rows for one request each: [`Batch`], read by [`Batches`].
//!
//! A batch stores the line number in the file of each of its lines, since responses refer to the index in the batch.
//! The module `delivery` sends them.

use std::io;

use super::lines::Extent;
use super::rows::{Row, RowKind, Rows};
use crate::delivery::Lines;

/// The number of rejected, and of failed, contributions that the server lists, unless it is short of memory.
pub(super) const BATCH_ROWS_MAX: usize = 1_000;
/// A batch is full when it has reached this number of bytes.
pub(super) const BATCH_BYTES_MAX: usize = 1 << 20;

/// The rows that were read from the file since the batch before.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) lines: Lines,
    /// The line of the file on which each of `lines` begins.
    pub(super) outgoing: Vec<u64>,
    /// Line in the file, and reason.
    pub(super) unreadable: Vec<(u64, String)>,
    /// Line in the file, and the columns that are empty.
    pub(super) skipped: Vec<(u64, String)>,
    /// The line of the last row, if the file ends within it.
    pub(super) unfinished: Option<u64>,
    pub(super) warnings: Vec<String>,
    /// The line of the file on which the last row begins that is not unfinished.
    pub(super) last_line: u64,
    /// What was read of the file.
    pub(super) extent: Extent,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.outgoing.len() + self.unreadable.len() + self.skipped.len() >= BATCH_ROWS_MAX
            || self.lines.body.len() >= BATCH_BYTES_MAX
    }

    fn is_empty(&self) -> bool {
        self.outgoing.is_empty()
            && self.unreadable.is_empty()
            && self.skipped.is_empty()
            && self.unfinished.is_none()
    }
}

/// The file could not be read to its end.
#[derive(Debug, thiserror::Error)]
#[error("reading stopped after line {after_line}: {cause}")]
pub(super) struct ReadError {
    after_line: u64,
    cause: io::Error,
}

/// Reads batches. After an error, it returns the rows before it, then the error, then nothing.
pub(super) struct Batches {
    rows: Box<dyn Rows>,
    /// Rows that begin before this line are ignored.
    pub(super) from_line: u64,
    last_line: u64,
    ended: bool,
    error: Option<ReadError>,
}

impl Batches {
    pub(super) fn new(rows: Box<dyn Rows>, from_line: u64) -> Self {
        Self {
            rows,
            from_line,
            last_line: 0,
            ended: false,
            error: None,
        }
    }

    /// Adds a row. `start` is where its line begins in the body.
    fn add(&mut self, batch: &mut Batch, Row { line, kind }: Row, start: usize) {
        match kind {
            RowKind::Unfinished => {
                batch.unfinished = Some(line);
                self.ended = true;
                return;
            }
            _ if line < self.from_line => batch.lines.body.truncate(start),
            RowKind::Contribution { resend } => {
                batch.lines.end_line(resend);
                batch.outgoing.push(line);
            }
            RowKind::Skipped(columns) => batch.skipped.push((line, columns)),
            RowKind::Unreadable(reason) => batch.unreadable.push((line, reason)),
        }
        self.last_line = line;
    }
}

impl Iterator for Batches {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = Batch::default();
        while !self.ended && !batch.is_full() {
            let start = batch.lines.body.len();
            match self.rows.next(&mut batch.lines.body) {
                Ok(Some(row)) => self.add(&mut batch, row, start),
                Ok(None) => self.ended = true,
                Err(cause) => {
                    self.ended = true;
                    self.error = Some(ReadError {
                        after_line: self.last_line,
                        cause,
                    });
                }
            }
            batch.warnings.extend(self.rows.warnings());
        }
        batch.last_line = self.last_line;
        batch.extent = self.rows.extent();
        if batch.is_empty() {
            self.error.take().map(Err)
        } else {
            Some(Ok(batch))
        }
    }
}
