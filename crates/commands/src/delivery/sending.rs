//! Sending lines until each is decided: [`LineSender`].
//!
//! Nothing counts twice: a line is sent again if it was definitely not applied, if it has an id, or if all lines are
//! sets with a time; and only if it is not applied after a later line that it is ordered with ([`LineOrder`]). Other
//! lines are reported. If a receipt does not say which lines these are, sending ends.

use std::collections::BTreeSet;

use bytes::Bytes;
use megaboard_client::{
    Backoff, BatchReply, BatchRequest, Client, Error, Format, Receipt, ReceiptItem,
};

use super::order::LineOrder;
use super::stop::Stop;
use crate::server::advice;

/// Whether a line that may have been applied may be sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Resend {
    /// It has an id, or the server rejects it each time.
    Always,
    /// It is a set with a time, which results in the same standing each time. It may be sent again only if all lines
    /// are sets: it would discard other contributions that were applied after it.
    AmongSets,
    /// It might count twice.
    Never,
}

/// Lines for one request.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) body: Vec<u8>,
    /// The end of each line in the body.
    ends: Vec<(usize, Resend)>,
}

impl Lines {
    /// Ends a line that was appended to the body.
    pub(crate) fn end_line(&mut self, resend: Resend) {
        self.ends.push((self.body.len(), resend));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a line, as it is sent.
    pub(crate) fn line(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before].0);
        &self.body[start..self.ends[index].0]
    }

    /// Returns whether all these lines may be sent again, in their order, even if they were applied.
    pub(crate) fn are_resendable(&self, indices: &[usize]) -> bool {
        let mut lines = indices.iter().map(|index| self.ends[*index].1);
        lines.all(|resend| resend == Resend::Always) || self.is_all_sets()
    }

    /// Returns whether all lines are sets with a time, so that any run of them may be sent again.
    pub(crate) fn is_all_sets(&self) -> bool {
        let mut lines = self.ends.iter();
        lines.all(|(_, resend)| *resend == Resend::AmongSets)
    }
}

/// What is known about lines that are not sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Certainty {
    /// They were not applied.
    NotApplied,
    /// Some may have been applied, but count once if they are sent again.
    Resendable,
    /// Some may have been applied, and might count twice if they are sent again.
    Unknown,
}

impl Certainty {
    /// Returns what a receipt says about a failed line.
    fn of_failed(item: &ReceiptItem) -> Self {
        if item.is_unavailable() {
            Self::NotApplied
        } else {
            Self::Unknown
        }
    }

    /// Returns what is known about lines that may be sent again.
    fn of_resendable(in_doubt: bool) -> Self {
        if in_doubt {
            Self::Resendable
        } else {
            Self::NotApplied
        }
    }
}

/// What a command does with the outcomes of its lines, which it gets by index.
pub(crate) trait Outcomes: Send {
    /// Counts what a receipt decides. `read` are those of the lines `sent` that the server read.
    fn decided(&mut self, sent: &[usize], read: &[usize], receipt: &Receipt);

    /// Subtracts so many applied lines, which are sent again, and those of them that did not count in all windows.
    fn repeated(&mut self, _applied: u64, _partial: u64) {}

    /// Reports a line that is not sent again.
    fn failed(&mut self, _index: usize, _reason: &str, _certainty: Certainty) {}

    /// Reports failures of these lines that the receipt does not list. They are not sent again.
    fn unlisted(&mut self, _read: &[usize], _count: u64) {}

    /// Returns how messages refer to a line.
    fn name_of(&self, _index: usize) -> String {
        "a later line".to_owned()
    }

    /// Reports the first failure of a series, before a retry.
    fn retrying(&mut self, reason: &str);

    /// All lines of a request are decided.
    fn accepted(&mut self) {}

    /// Returns whether a line may be sent now.
    fn may_send(&self, _index: usize) -> bool {
        true
    }

    /// Returns whether the outcome of each line is needed: failed lines are then sent again whatever was applied after
    /// them, and lines that a receipt does not list one by one.
    fn needs_each(&self) -> bool {
        false
    }
}

/// Lines that were not decided when sending ended.
#[derive(Debug)]
pub(crate) struct Undone {
    pub(crate) indices: Vec<usize>,
    /// Empty if they may not be sent any more ([`Outcomes::may_send`]).
    pub(crate) reason: String,
    pub(crate) certainty: Certainty,
    /// Other lines, of which it was reported that their outcomes are unknown.
    pub(crate) unknown: Vec<usize>,
}

/// Sends lines to one server, in one request at a time.
pub(crate) struct LineSender {
    client: Client,
    stop: Stop,
    /// Whether the server has returned a receipt before.
    has_receipt: bool,
}

impl LineSender {
    pub(crate) fn new(client: &Client, stop: &Stop) -> Self {
        Self {
            client: client.clone(),
            stop: stop.clone(),
            has_receipt: false,
        }
    }

    /// Sends lines until all of them are decided, a signal is received, the server refuses a request, or the retry
    /// policy is exhausted. Returns those that are not decided.
    pub(crate) async fn send(
        &mut self,
        lines: &Lines,
        outcomes: &mut dyn Outcomes,
    ) -> Option<Undone> {
        let mut in_flight = InFlight {
            lines,
            outcomes,
            left: (0..lines.len()).collect(),
            lines_max: usize::MAX,
            in_doubt: false,
        };
        let mut backoff: Option<Backoff> = None;
        loop {
            let sent = in_flight.next();
            if sent.is_empty() {
                return (!in_flight.left.is_empty())
                    .then(|| in_flight.end_with(String::new(), Certainty::Resendable));
            }
            let bodies = sent.iter().map(|index| lines.line(*index));
            let request = BatchRequest {
                body: Bytes::from(bodies.collect::<Vec<_>>().concat()),
                format: Format::Ndjson,
                count: sent.len(),
                // The first request and retries are likely to be refused. Before the body is sent, a refusal is
                // definite.
                asks_first: backoff.is_some() || !self.has_receipt,
            };
            let reply = self.client.send_batch(request).await;
            self.has_receipt |= matches!(reply, BatchReply::Receipt { .. });
            let retry_after = reply.retry_after();
            let left = match in_flight.settle(&sent, reply) {
                Ok(left) => left,
                Err(undone) => return Some(undone),
            };
            if left.indices.is_empty() {
                in_flight.outcomes.accepted();
                backoff = None;
                continue;
            }
            if left.progress {
                backoff = None;
            }
            let is_first = backoff.is_none();
            let backoff = backoff.get_or_insert_with(|| self.client.backoff());
            let pause = backoff.next(retry_after);
            if is_first {
                in_flight.outcomes.retrying(&left.reason);
            }
            self.stop.wait(pause.unwrap_or_default()).await;
            if pause.is_none() || self.stop.is_requested() {
                return Some(in_flight.end(left.reason));
            }
        }
    }
}

/// Lines being sent.
struct InFlight<'a> {
    lines: &'a Lines,
    outcomes: &'a mut dyn Outcomes,
    /// The lines that are not decided.
    left: BTreeSet<usize>,
    /// The maximum number of lines of a request.
    lines_max: usize,
    /// Whether some of the lines that are sent again may have been applied.
    in_doubt: bool,
}

/// What a reply leaves undecided, to be sent again.
struct Undecided {
    indices: Vec<usize>,
    reason: String,
    /// Whether others were decided.
    progress: bool,
}

impl Undecided {
    fn all(indices: &[usize], reason: String) -> Self {
        Self {
            indices: indices.to_vec(),
            reason,
            progress: false,
        }
    }
}

impl InFlight<'_> {
    /// Returns the lines of the next request.
    fn next(&self) -> Vec<usize> {
        let left = self.left.iter().copied();
        let sendable = left.filter(|index| self.outcomes.may_send(*index));
        sendable.take(self.lines_max).collect()
    }

    /// Processes the reply to these lines. Returns the lines to send again, or the end.
    fn settle(&mut self, sent: &[usize], reply: BatchReply) -> Result<Undecided, Undone> {
        let mut left = match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => {
                let mut left = self.settle_receipt(sent, &receipt)?;
                let problem = problem.map(Error::Problem);
                if let Some(problem) = problem.filter(|_| is_refusal || left.reason.is_empty()) {
                    left.reason = format!("{problem}{}", advice(&problem));
                }
                self.leave(sent, &left.indices);
                if is_refusal && !left.indices.is_empty() {
                    return Err(self.end(left.reason));
                }
                left
            }
            BatchReply::NotApplied(error) => Undecided::all(sent, error.to_string()),
            BatchReply::Unknown(error) if self.lines.are_resendable(sent) => {
                self.in_doubt = true;
                Undecided::all(sent, error.to_string())
            }
            BatchReply::Unknown(error) => {
                return Err(self.end_with(error.to_string(), Certainty::Unknown));
            }
            BatchReply::TooLarge(error) | BatchReply::Refused(error) => {
                return Err(self.end(error.to_string()));
            }
        };
        if left.reason.is_empty() {
            "the server did not accept all lines".clone_into(&mut left.reason);
        }
        Ok(left)
    }

    /// Ends sending with lines that may be sent again.
    fn end(&mut self, reason: String) -> Undone {
        self.end_with(reason, Certainty::of_resendable(self.in_doubt))
    }

    fn end_with(&mut self, reason: String, certainty: Certainty) -> Undone {
        Undone {
            indices: std::mem::take(&mut self.left).into_iter().collect(),
            reason,
            certainty,
            unknown: Vec::new(),
        }
    }

    /// Leaves only these of the lines that were sent undecided.
    fn leave(&mut self, sent: &[usize], undecided: &[usize]) {
        self.left.retain(|index| !sent.contains(index));
        self.left.extend(undecided);
    }

    /// Processes a receipt. Returns the lines to send again, with a reason if the receipt has one, or the end.
    fn settle_receipt(&mut self, sent: &[usize], receipt: &Receipt) -> Result<Undecided, Undone> {
        let read = &sent[..receipt.read.unwrap_or(sent.len())];
        let needs_each = self.outcomes.needs_each();
        let with_failures = if receipt.failed_count > 0 && !needs_each {
            read
        } else {
            &[]
        };
        let lines = with_failures
            .iter()
            .map(|index| (*index, self.lines.line(*index)));
        let order = LineOrder::parse(lines);
        let (unlisted_rejected, unlisted_failed) = receipt.unlisted();
        if unlisted_failed > 0 || (needs_each && unlisted_rejected > 0) {
            return self.settle_unlisted(sent, read, receipt, &order);
        }
        self.outcomes.decided(sent, read, receipt);
        let unavailable = receipt.failed.iter().filter(|item| item.is_unavailable());
        let not_applied = receipt.rejected.iter().chain(unavailable);
        let not_applied: BTreeSet<usize> = not_applied.map(|item| sent[item.index]).collect();
        let mut again: BTreeSet<usize> = sent[read.len()..].iter().copied().collect();
        let mut reason = None;
        for item in &receipt.failed {
            let index = sent[item.index];
            let certainty = if order.has_several_boards(index) {
                Certainty::Unknown
            } else {
                Certainty::of_failed(item)
            };
            let after = order.ordered_after(index, &not_applied);
            if certainty == Certainty::Unknown && !self.lines.are_resendable(&[index]) {
                self.outcomes.failed(index, &item.explain(), certainty);
            } else if !after.is_empty() && !self.lines.is_all_sets() {
                let later = self.outcomes.name_of(after[0]);
                let why = format!(
                    "{}; if sent again, it would be applied after {later}",
                    item.explain()
                );
                self.outcomes.failed(index, &why, certainty);
            } else {
                self.in_doubt |= certainty == Certainty::Unknown || !after.is_empty();
                again.insert(index);
                reason.get_or_insert_with(|| item.explain());
            }
        }
        // Applied sets are sent again, after the failed ones that they are ordered with.
        let repeated = order.to_repeat(&again, &not_applied);
        let applied = receipt.applied.min(repeated.len() as u64);
        let partial = receipt.partial.iter();
        let partial = partial.filter(|item| repeated.contains(&sent[item.index]));
        self.outcomes.repeated(applied, partial.count() as u64);
        again.extend(repeated);
        Ok(Undecided {
            progress: receipt.applied > applied || again.len() < sent.len(),
            indices: again.into_iter().collect(),
            reason: reason.unwrap_or_default(),
        })
    }

    /// Processes a receipt that does not list all outcomes.
    fn settle_unlisted(
        &mut self,
        sent: &[usize],
        read: &[usize],
        receipt: &Receipt,
        order: &LineOrder,
    ) -> Result<Undecided, Undone> {
        let (unlisted_rejected, unlisted) = receipt.unlisted();
        let first = receipt.failed.first().map(ReceiptItem::explain);
        if self.outcomes.needs_each() {
            self.in_doubt = true;
            if !receipt.is_nothing_applied() {
                self.lines_max = 1;
            }
            self.outcomes.decided(sent, read, receipt);
            // Rejected lines that are sent again will be listed again.
            let decided: BTreeSet<usize> = match unlisted {
                0 => receipt.rejected.iter().map(|it| sent[it.index]).collect(),
                _ => BTreeSet::new(),
            };
            let again: BTreeSet<usize> = &sent.iter().copied().collect() - &decided;
            return Ok(Undecided {
                progress: again.len() < sent.len(),
                indices: again.into_iter().collect(),
                reason: first
                    .unwrap_or_else(|| format!("{unlisted_rejected} rejected are not listed")),
            });
        }
        if receipt.is_nothing_applied() {
            let reason = first.unwrap_or_else(|| format!("{unlisted} contributions failed"));
            return Ok(Undecided::all(sent, reason));
        }
        let reason = format!("{unlisted} contributions failed and are not listed");
        if self.lines.are_resendable(read) {
            // Lines that were decided are counted when they are sent again.
            let ordered = if self.lines.is_all_sets() {
                BTreeSet::new()
            } else {
                order.ordered()
            };
            for &index in &ordered {
                let why =
                    format!("{reason}; if sent again, it might be applied after a later line");
                self.outcomes.failed(index, &why, Certainty::Unknown);
            }
            self.in_doubt = true;
            let left = sent.iter().copied();
            return Ok(Undecided {
                indices: left.filter(|index| !ordered.contains(index)).collect(),
                reason,
                progress: !ordered.is_empty(),
            });
        }
        self.outcomes.decided(sent, read, receipt);
        for item in &receipt.failed {
            let certainty = Certainty::of_failed(item);
            self.outcomes
                .failed(sent[item.index], &item.explain(), certainty);
        }
        self.outcomes.unlisted(read, unlisted);
        self.leave(sent, &sent[read.len()..]);
        Err(Undone {
            unknown: read.to_vec(),
            ..self.end(reason)
        })
    }
}
