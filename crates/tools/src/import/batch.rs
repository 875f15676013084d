//! Rows gathered to what one request carries: [`Batch`], made by [`Batches`].
//!
//! A batch remembers which line of the file each of its lines is, since the server knows only
//! indices in the batch. Sending is `delivery`'s.

use std::io;
use std::ops::Range;

use super::rows::{Resend, Row, RowKind, Rows};

/// As many entries as the server lists of what it refused and of what failed, where it has memory for
/// that.
pub(super) const BATCH_ROWS_MAX: usize = 1_000;
/// A batch that has reached this many bytes takes no more rows.
pub(super) const BATCH_BYTES_MAX: usize = 1 << 20;

/// A line to be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    /// Where the row begins in the file.
    pub(super) line: u64,
    resend: Resend,
    bytes: Range<usize>,
}

/// What was read of the file since the batch before.
#[derive(Debug, Default)]
pub(super) struct Batch {
    body: Vec<u8>,
    pub(super) outgoing: Vec<Outgoing>,
    /// Line and reason.
    pub(super) unreadable: Vec<(u64, String)>,
    pub(super) skipped: u64,
    /// Where its last row begins in the file.
    pub(super) last_line: u64,
}

impl Batch {
    /// The request that sends these of its lines.
    pub(super) fn body_of(&self, indices: &[usize]) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.body.len());
        for &index in indices {
            body.extend_from_slice(self.line(index));
        }
        body
    }

    /// A line as it is sent.
    pub(super) fn line(&self, index: usize) -> &[u8] {
        &self.body[self.outgoing[index].bytes.clone()]
    }

    /// Whether all of these may be sent again in their order, though they were perhaps applied.
    pub(super) fn are_resendable(&self, indices: &[usize]) -> bool {
        let mut asked = indices.iter().map(|&index| &self.outgoing[index]);
        asked.all(|line| line.resend == Resend::Known) || self.is_all_sets()
    }

    /// Whether all of its lines are sets at times of their own: any run of them may be sent again.
    pub(super) fn is_all_sets(&self) -> bool {
        let mut lines = self.outgoing.iter();
        lines.all(|line| line.resend == Resend::AmongSets)
    }

    fn is_full(&self) -> bool {
        self.outgoing.len() + self.unreadable.len() >= BATCH_ROWS_MAX
            || self.body.len() >= BATCH_BYTES_MAX
    }

    fn is_empty(&self) -> bool {
        self.outgoing.is_empty() && self.unreadable.is_empty() && self.skipped == 0
    }
}

/// Reading stopped before the end of the file.
#[derive(Debug, thiserror::Error)]
#[error("reading stopped after line {after_line}: {cause}")]
pub(super) struct ReadError {
    after_line: u64,
    cause: io::Error,
}

/// Gathers rows; what was read before an error comes before the error, and nothing after it.
pub(super) struct Batches {
    rows: Box<dyn Rows>,
    /// Rows that begin before it are passed over.
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
}

impl Iterator for Batches {
    type Item = Result<Batch, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut batch = Batch::default();
        while !self.ended && !batch.is_full() {
            let start = batch.body.len();
            match self.rows.next(&mut batch.body) {
                Ok(Some(Row { line, kind })) => {
                    self.last_line = line;
                    if line < self.from_line {
                        batch.body.truncate(start);
                        continue;
                    }
                    match kind {
                        RowKind::Contribution { resend } => {
                            let bytes = start..batch.body.len();
                            batch.outgoing.push(Outgoing {
                                line,
                                resend,
                                bytes,
                            });
                        }
                        RowKind::Skipped => batch.skipped += 1,
                        RowKind::Unreadable(reason) => batch.unreadable.push((line, reason)),
                    }
                }
                Ok(None) => self.ended = true,
                Err(cause) => {
                    self.ended = true;
                    self.error = Some(ReadError {
                        after_line: self.last_line,
                        cause,
                    });
                }
            }
        }
        batch.last_line = self.last_line;
        if batch.is_empty() {
            self.error.take().map(Err)
        } else {
            Some(Ok(batch))
        }
    }
}
