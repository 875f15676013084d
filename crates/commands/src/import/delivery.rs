//! Sending batches until every line is decided: [`Delivery`].

use megaboard_client::{Client, Receipt};

use super::batch::Batch;
use super::report::Report;
use crate::delivery::{Certainty, Halt, LineSender, Outcomes, Stop};
use crate::runtime::Runtime;

/// Sends batches to one server, one at a time.
pub(super) struct Delivery<'a> {
    pub(super) runtime: &'a Runtime,
    sender: LineSender,
    pub(super) report: Report<'a>,
}

impl<'a> Delivery<'a> {
    pub(super) fn new(
        runtime: &'a Runtime,
        client: &Client,
        stop: &'a Stop,
        say: &'a mut (dyn FnMut(String) + Send),
    ) -> Self {
        Self {
            runtime,
            sender: LineSender::new(client, stop),
            report: Report::new(stop, say),
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
        match self.runtime.block_on(sending) {
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
        self.report.decided(self.batch, sent, read, receipt);
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
        self.report.unlisted_failures(self.batch, read, count);
    }

    fn name_of(&self, index: usize) -> String {
        format!("line {}", self.batch.outgoing[index])
    }

    fn retrying(&mut self, reason: &str) {
        (self.report.say)(format!("{reason}; trying again"));
    }
}
