//! Counting and reporting the outcomes of lines: [`Report`].
//!
//! Lines are reported by their number in the file. If the import ends early, the report has the line to continue from.

use std::collections::BTreeMap;

use super::batch::Batch;
use super::summary::Summary;
use crate::delivery::{Certainty, Halt, Stop, Undone};
use crate::terminal::runs;

/// The lines at which an import has ended early.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Resumption {
    /// The first line to continue with, unless it is applied.
    pub(super) first: u64,
    /// The last line of which that is unknown.
    pub(super) last: u64,
    pub(super) certainty: Certainty,
}

/// Counts outcomes, and reports lines that were not applied.
pub(super) struct Report<'a> {
    pub(super) stop: &'a Stop,
    /// Receives messages for the user, one line each.
    pub(super) say: &'a (dyn Fn(String) + Sync),
    pub(super) summary: Summary,
    /// Where the import can be continued, if it has ended early.
    pub(super) resumption: Option<Resumption>,
}

impl<'a> Report<'a> {
    pub(super) fn new(stop: &'a Stop, say: &'a (dyn Fn(String) + Sync)) -> Self {
        Self {
            stop,
            say,
            summary: Summary::default(),
            resumption: None,
        }
    }

    /// Counts and reports the rows of a batch that are not sent.
    pub(super) fn unsent(&mut self, batch: &Batch) {
        self.summary.skipped += batch.skipped.len() as u64;
        self.summary.unreadable += batch.unreadable.len() as u64;
        self.summary.unfinished += u64::from(batch.unfinished.is_some());
        for warning in &batch.warnings {
            (self.say)(warning.clone());
        }
        for (line, reason) in &batch.unreadable {
            (self.say)(format!("line {line}: {reason}"));
        }
        let mut skipped: BTreeMap<&str, Vec<(u64, u64)>> = BTreeMap::new();
        for (line, columns) in &batch.skipped {
            skipped.entry(columns).or_default().push((*line, *line));
        }
        for (columns, lines) in skipped {
            let noun = if lines.len() == 1 { "line" } else { "lines" };
            (self.say)(format!(
                "{noun} {}: skipped: {columns} is missing",
                runs(&lines)
            ));
        }
        if let Some(line) = batch.unfinished {
            (self.say)(format!(
                "line {line}: the file ends within this row, as if it were still being written, so it is not imported; \
                 --final imports it"
            ));
        }
    }

    /// Counts and reports a line that is not sent again.
    pub(super) fn failed_line(
        &mut self,
        batch: &Batch,
        index: usize,
        reason: &str,
        certainty: Certainty,
    ) {
        self.summary.failed += 1;
        let what = match certainty {
            Certainty::NotApplied => "not applied",
            Certainty::Resendable => "may or may not have been applied, and can be sent again",
            Certainty::Unknown => "may or may not have been applied",
        };
        (self.say)(format!("line {}: {what}: {reason}", batch.outgoing[index]));
    }

    /// Ends the import with lines that are not decided, and reports the line to continue from.
    pub(super) fn undone(&mut self, batch: &Batch, undone: &Undone) -> Halt {
        let halt = self.give_up(batch, undone);
        if let Some((first, last)) = span(batch, &undone.unknown) {
            self.resumption = Some(Resumption {
                first,
                last,
                certainty: Certainty::Unknown,
            });
        }
        halt
    }

    fn give_up(&mut self, batch: &Batch, undone: &Undone) -> Halt {
        let Undone {
            indices,
            reason,
            certainty,
            ..
        } = undone;
        let certainty = *certainty;
        // Consecutive lines up to the end of the batch are reported by the first one.
        let after_batch = batch.outgoing.len();
        let run = indices
            .iter()
            .rev()
            .zip((0..after_batch).rev())
            .take_while(|(a, b)| *a == b);
        let (single, run) = indices.split_at(indices.len() - run.count());
        for &index in single {
            self.failed_line(batch, index, reason, certainty);
        }
        self.summary.failed += run.len() as u64;
        let Some((first, last)) = span(batch, run) else {
            return self.end_before(batch.last_line + 1, reason);
        };
        self.resumption = Some(Resumption {
            first,
            last,
            certainty,
        });
        self.halt(match certainty {
            Certainty::NotApplied => format!(
                "{reason}. Lines from {first} on were not applied; \
                 continue with --from-line {first}"
            ),
            Certainty::Resendable => format!(
                "{reason}. Lines from {first} on may not have been applied; \
                 continue with --from-line {first}, which counts nothing twice within the kind's dedupe span"
            ),
            Certainty::Unknown => format!(
                "{reason}. Whether lines {first} to {last} are applied is unknown, and sending them \
                again might count them twice: neither do all of them have an id, nor are all of them \
                sets with a time. Check their \
                boards, then continue with --from-line {first} if they are not applied, or with \
                --from-line {} if they are",
                last + 1
            ),
        })
    }

    /// Ends the import before this line of the file.
    pub(super) fn end_before(&mut self, line: u64, reason: &str) -> Halt {
        self.resumption = Some(Resumption {
            first: line,
            last: line,
            certainty: Certainty::NotApplied,
        });
        self.halt(format!("{reason}; continue with --from-line {line}"))
    }

    fn halt(&mut self, text: String) -> Halt {
        if self.stop.is_requested() {
            (self.say)(text);
            return Halt::Interrupted;
        }
        Halt::Failed(text)
    }
}

/// Returns the first and the last line of the file of these lines of the batch.
fn span(batch: &Batch, indices: &[usize]) -> Option<(u64, u64)> {
    let line = |index: &usize| batch.outgoing[*index];
    Some((line(indices.first()?), line(indices.last()?)))
}

/// Formats the lines of the file of these lines of the batch as runs: `1 to 4, 7`.
pub(super) fn lines_of(batch: &Batch, indices: &[usize]) -> String {
    let lines = indices
        .iter()
        .map(|&index| (index as u64, batch.outgoing[index]));
    runs(&lines.collect::<Vec<_>>())
}
