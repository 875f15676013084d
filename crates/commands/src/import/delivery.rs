//! Sending batches until every line is decided: [`Delivery`].
//!
//! Nothing counts twice: a line is sent again if it was definitely not applied, if it has an id, or if all lines of its
//! batch are sets with a time; and only if it is not applied after a later line that it is ordered with
//! ([`LineOrder`]). Other lines are reported to the user. If a receipt does not say which lines these are, the import
//! ends.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures::future::BoxFuture;
use megaboard_client::{
    BatchReply, BatchRequest, Client, Error, Format, Next, Pause, Problem, Receipt, ReceiptItem,
    Sender,
};

use super::batch::Batch;
use super::report::{Certainty, Report, Resumption, span};
use crate::delivery::{self, Halt, LineOrder, Stop};
use crate::runtime::Runtime;
use crate::server::explained;

/// What to do after an attempt.
enum Attempt {
    /// Send these lines again.
    Again(Undecided),
    /// It is unknown whether the lines were applied.
    Unknown(String),
    /// These lines were not applied, and a retry will not help.
    Refused(Undecided),
    /// These lines were not applied. The outcome of others, those of the span, is unknown, which was reported.
    Ended(Undecided, Option<(u64, u64)>),
}

/// Lines that are not decided, and count once if they are sent again.
struct Undecided {
    indices: Vec<usize>,
    reason: String,
    /// Whether others were decided.
    progress: bool,
    /// Whether some of these may have been applied.
    in_doubt: bool,
}

impl Undecided {
    fn new(indices: &[usize], reason: String) -> Self {
        Self {
            indices: indices.to_vec(),
            reason,
            progress: false,
            in_doubt: false,
        }
    }
}

/// Sends batches to one server, one at a time.
pub(super) struct Delivery<'a> {
    runtime: &'a Runtime,
    sender: Sender,
    pub(super) report: Report<'a>,
    /// Whether the server has returned a receipt before.
    has_receipt: bool,
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
            sender: Sender::new(client, Format::Ndjson),
            report: Report::new(stop, say),
            has_receipt: false,
        }
    }

    /// Sends a batch until all of it is decided, or the retry policy is exhausted.
    pub(super) fn deliver(&mut self, batch: &Batch) -> Result<(), Halt> {
        self.report.unsent(batch);
        let (runtime, sender) = (self.runtime, self.sender.clone());
        let mut in_flight = InFlight {
            delivery: self,
            batch,
            indices: (0..batch.outgoing.len()).collect(),
            reason: String::new(),
            in_doubt: false,
            halt: None,
        };
        runtime.block_on(sender.send(&mut in_flight));
        in_flight.halt.map_or(Ok(()), Err)
    }

    /// Processes the reply to a request with these lines.
    fn settle(&mut self, batch: &Batch, indices: &[usize], reply: BatchReply) -> Attempt {
        let all = |error: Error| Undecided::new(indices, error.to_string());
        match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => match self.settle_receipt(batch, indices, &receipt, problem.as_ref()) {
                Attempt::Again(left) if is_refusal => Attempt::Refused(Undecided {
                    reason: problem.as_ref().map_or(left.reason, explained),
                    ..left
                }),
                other => other,
            },
            BatchReply::NotApplied(error) => Attempt::Again(all(error)),
            BatchReply::Unknown(error) => Attempt::Unknown(error.to_string()),
            BatchReply::TooLarge(error) | BatchReply::Refused(error) => {
                Attempt::Refused(all(error))
            }
        }
    }

    fn settle_receipt(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        receipt: &Receipt,
        problem: Option<&Problem>,
    ) -> Attempt {
        self.has_receipt = true;
        let read = &indices[..receipt.read.unwrap_or(indices.len())];
        let with_failures = if receipt.failed_count > 0 { read } else { &[] };
        let lines = with_failures
            .iter()
            .map(|index| (*index, batch.line(*index)));
        let order = LineOrder::parse(lines);
        if receipt.unlisted().1 > 0 {
            return self.settle_unlisted(batch, indices, read, receipt, &order);
        }
        self.report.decided(batch, indices, read, receipt);
        let unavailable = receipt.failed.iter().filter(|item| item.is_unavailable());
        let not_applied = receipt.rejected.iter().chain(unavailable);
        let not_applied: BTreeSet<usize> = not_applied.map(|item| indices[item.index]).collect();
        let mut again: BTreeSet<usize> = indices[read.len()..].iter().copied().collect();
        let mut reason = None;
        let mut in_doubt = false;
        for item in &receipt.failed {
            let index = indices[item.index];
            let certainty = Certainty::of_failed(item);
            let after = order.ordered_after(index, &not_applied);
            if certainty == Certainty::Unknown && !batch.are_resendable(&[index]) {
                self.report
                    .failed_line(batch, index, &item.explain(), certainty);
            } else if let Some(&first) = after.first().filter(|_| !batch.is_all_sets()) {
                let line = batch.outgoing[first].line;
                let why = format!(
                    "{}; if sent again, it would be applied after line {line}",
                    item.explain()
                );
                self.report.failed_line(batch, index, &why, certainty);
            } else {
                in_doubt |= certainty == Certainty::Unknown || !after.is_empty();
                again.insert(index);
                reason.get_or_insert_with(|| item.explain());
            }
        }
        // Applied sets are sent again, after the failed ones that they are ordered with.
        let repeated = order.to_repeat(&again, &not_applied);
        let applied = receipt.applied.saturating_sub(repeated.len() as u64);
        self.report.summary.applied -= receipt.applied - applied;
        let partial = receipt.partial.iter();
        let partial = partial.filter(|item| repeated.contains(&indices[item.index]));
        self.report.summary.partial -= partial.count() as u64;
        again.extend(repeated);
        let reason = reason.unwrap_or_else(|| match problem {
            Some(problem) => problem.to_string(),
            None => "the server did not accept all lines".to_owned(),
        });
        Attempt::Again(Undecided {
            progress: applied > 0 || again.len() < indices.len(),
            indices: again.into_iter().collect(),
            reason,
            in_doubt,
        })
    }

    /// Processes a receipt that does not list all failures.
    fn settle_unlisted(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        read: &[usize],
        receipt: &Receipt,
        order: &LineOrder,
    ) -> Attempt {
        let (_, unlisted) = receipt.unlisted();
        if receipt.is_nothing_applied() {
            let first = receipt.failed.first().map(ReceiptItem::explain);
            let reason = first.unwrap_or_else(|| format!("{unlisted} contributions failed"));
            return Attempt::Again(Undecided::new(indices, reason));
        }
        let reason = format!("{unlisted} contributions failed and are not listed");
        if batch.are_resendable(read) {
            // Lines that were decided are counted when they are sent again.
            let ordered = if batch.is_all_sets() {
                BTreeSet::new()
            } else {
                order.ordered()
            };
            for &index in &ordered {
                let why =
                    format!("{reason}; if sent again, it might be applied after a later line");
                self.report
                    .failed_line(batch, index, &why, Certainty::Unknown);
            }
            let left = indices.iter().copied();
            let left = left.filter(|index| !ordered.contains(index));
            return Attempt::Again(Undecided {
                indices: left.collect(),
                reason,
                progress: !ordered.is_empty(),
                in_doubt: true,
            });
        }
        self.report.decided(batch, indices, read, receipt);
        for item in &receipt.failed {
            let certainty = Certainty::of_failed(item);
            self.report
                .failed_line(batch, indices[item.index], &item.explain(), certainty);
        }
        self.report.unlisted_failures(batch, read, unlisted);
        let unknown = span(batch, read);
        Attempt::Ended(Undecided::new(&indices[read.len()..], reason), unknown)
    }
}

/// A batch being sent.
struct InFlight<'a, 'b> {
    delivery: &'a mut Delivery<'b>,
    batch: &'a Batch,
    /// The lines that are not decided.
    indices: Vec<usize>,
    /// Why they are not decided.
    reason: String,
    /// Whether some of them may have been applied.
    in_doubt: bool,
    halt: Option<Halt>,
}

impl megaboard_client::Batch for InFlight<'_, '_> {
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest> {
        (!self.indices.is_empty()).then(|| BatchRequest {
            body: Bytes::from(self.batch.body_of(&self.indices)),
            count: self.indices.len(),
            // The first request and retries are likely to be refused. Before the body is sent, a refusal is definite.
            asks_first: is_retry || !self.delivery.has_receipt,
        })
    }

    fn settle(&mut self, reply: BatchReply) -> Next {
        let indices = std::mem::take(&mut self.indices);
        let (left, is_refused) = match self.delivery.settle(self.batch, &indices, reply) {
            Attempt::Again(left) => (left, false),
            Attempt::Refused(left) => (left, true),
            Attempt::Ended(left, unknown) => {
                let certainty = Certainty::of_resendable(self.in_doubt);
                let end = self.give_up(&left.indices, &left.reason, certainty);
                if let Some((first, last)) = unknown {
                    let report = &mut self.delivery.report;
                    report.resumption = Some(Resumption {
                        first,
                        last,
                        certainty: Certainty::Unknown,
                    });
                }
                return end;
            }
            Attempt::Unknown(reason) if self.batch.are_resendable(&indices) => {
                let left = Undecided {
                    in_doubt: true,
                    ..Undecided::new(&indices, reason)
                };
                (left, false)
            }
            Attempt::Unknown(reason) => {
                return self.give_up(&indices, &reason, Certainty::Unknown);
            }
        };
        self.in_doubt |= left.in_doubt;
        if left.indices.is_empty() {
            return Next::Continue;
        }
        if is_refused {
            let certainty = Certainty::of_resendable(self.in_doubt);
            return self.give_up(&left.indices, &left.reason, certainty);
        }
        self.indices = left.indices;
        self.reason = left.reason;
        Next::Retry {
            progress: left.progress,
        }
    }

    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let Report { stop, say, .. } = &mut self.delivery.report;
            let is_retried = delivery::wait(pause, &self.reason, stop, &mut **say).await;
            if !is_retried {
                let (indices, reason) = (
                    std::mem::take(&mut self.indices),
                    std::mem::take(&mut self.reason),
                );
                let certainty = Certainty::of_resendable(self.in_doubt);
                self.give_up(&indices, &reason, certainty);
            }
            is_retried
        })
    }
}

impl InFlight<'_, '_> {
    fn give_up(&mut self, indices: &[usize], reason: &str, certainty: Certainty) -> Next {
        let report = &mut self.delivery.report;
        self.halt = Some(report.give_up(self.batch, indices, reason, certainty));
        Next::End
    }
}
