//! Sending batches until every line is decided: [`Delivery`].

use megaboard_client::Receipt;

use super::batch::Batch;
use super::report::{Report, lines_of};
use crate::delivery::{Certainty, Halt, LineSender, Outcomes};
use crate::reads::Reads;

/// Sends batches to one server, one at a time.
pub(super) struct Delivery<'a> {
    pub(super) reads: Reads<'a>,
    sender: LineSender,
    pub(super) report: Report<'a>,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(reads: Reads<'a>) -> Self {
        Self {
            reads,
            sender: LineSender::new(reads.client, reads.stop),
            report: Report::new(reads.stop, reads.say),
        }
    }

    /// Sends a batch until all of it is decided, or the retry policy is exhausted.
    pub(super) fn deliver(&mut self, batch: &Batch) -> Result<(), Halt> {
        self.report.unsent(batch);
        let mut outcomes = BatchOutcomes {
            report: &mut self.report,
            batch,
        };
        let sending = self.sender.send(&batch.lines, &mut outcomes);
        match self.reads.runtime.block_on(sending) {
            Some(undone) => Err(self.report.undone(batch, &undone)),
            None => Ok(()),
        }
    }
}

/// Reports the outcomes of a batch.
struct BatchOutcomes<'a, 'b> {
    report: &'a mut Report<'b>,
    batch: &'a Batch,
}

impl Outcomes for BatchOutcomes<'_, '_> {
    fn decided(&mut self, sent: &[usize], read: &[usize], receipt: &Receipt) {
        let summary = &mut self.report.summary;
        summary.applied += receipt.applied;
        summary.partial += receipt.partial_count;
        summary.duplicates += receipt.duplicates;
        summary.rejected += receipt.rejected_count;
        for item in &receipt.rejected {
            let line = self.batch.outgoing[sent[item.index]];
            (self.report.say)(format!("line {line}: {}", item.explain()));
        }
        let (unlisted, _) = receipt.unlisted();
        if unlisted > 0 {
            let lines = lines_of(self.batch, read);
            (self.report.say)(format!(
                "{unlisted} more contributions of lines {lines} were rejected; the server does not list which"
            ));
        }
    }

    fn repeated(&mut self, applied: u64, partial: u64) {
        self.report.summary.applied -= applied;
        self.report.summary.partial -= partial;
    }

    fn failed(&mut self, index: usize, reason: &str, certainty: Certainty) {
        self.report
            .failed_line(self.batch, index, reason, certainty);
    }

    fn unlisted(&mut self, read: &[usize], count: u64) {
        self.report.summary.failed += count;
        let lines = lines_of(self.batch, read);
        (self.report.say)(format!(
            "{count} more contributions of lines {lines} failed; the server does not list which. Check the boards before \
             sending these lines again: those that were applied might count twice"
        ));
    }

    fn name_of(&self, index: usize) -> String {
        format!("line {}", self.batch.outgoing[index])
    }

    fn retrying(&mut self, reason: &str) {
        (self.report.say)(format!("{reason}; trying again"));
    }
}
