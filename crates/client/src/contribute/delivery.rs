//! Sending a list of [`Contribution`]s: [`Delivery`] decides which of them are sent again.
//!
//! Nothing counts twice: a contribution is sent again if it definitely was not applied, or if it has an id, by which
//! the server recognizes it. All others are returned to the caller as undecided.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::contribution::Contribution;
use super::outcome::{ContributeError, Outcome, Undecided, merged};
use super::receipt::{PartialItem, Receipt, ReceiptItem, Written};
use super::reply::BatchReply;
use super::request::{BatchRequest, Format};
use super::requests::{BODY_BYTES_MAX, Pending, body_of, next_batch, outcomes_of};
use crate::client::Client;
use crate::error::Error;
use crate::retry::Backoff;

/// Contributions being sent to one server, in their order.
pub(super) struct Delivery<'a> {
    contributions: &'a [Contribution],
    /// The first contribution that no request has contained yet.
    next: usize,
    /// Parts of requests that were too large, the next one last.
    parts: Vec<Vec<Pending>>,
    outcome: Outcome,
    undecided: Vec<Undecided>,
    /// Why some contributions are undecided: the first error.
    cause: Option<Error>,
    /// Whether no further contributions are sent, other than again.
    ends: bool,
}

fn incomplete() -> Error {
    Error::unreadable("the server did not read all contributions")
}

impl<'a> Delivery<'a> {
    pub(super) fn new(contributions: &'a [Contribution]) -> Self {
        Self {
            contributions,
            next: 0,
            parts: Vec::new(),
            outcome: Outcome::default(),
            undecided: Vec::new(),
            cause: None,
            ends: false,
        }
    }

    /// Sends requests to this path until all contributions are decided, or no more may be sent.
    pub(super) async fn send(&mut self, client: &Client, path: &str) {
        let mut backoff: Option<Backoff> = None;
        let mut again: Vec<Pending> = Vec::new();
        loop {
            let mut sent = std::mem::take(&mut again);
            if sent.is_empty() && !self.ends {
                sent = self.next_part();
            }
            if sent.is_empty() {
                return;
            }
            let outcomes = outcomes_of(&sent);
            let request = BatchRequest {
                body: Bytes::from(body_of(self.contributions, &sent)),
                format: Format::Json,
                count: sent.len(),
                asks_first: false,
            };
            let reply = client.send_batch_to(path, request).await;
            let retry_after = reply.retry_after();
            let (left, reason) = self.settle(sent, reply);
            // The pauses start from the shortest if some were decided.
            if outcomes_of(&left) < outcomes {
                backoff = None;
            }
            if left.is_empty() {
                continue;
            }
            let backoff = backoff.get_or_insert_with(|| client.backoff());
            if !backoff.wait(retry_after).await {
                self.give_up(left, reason.unwrap_or_else(incomplete));
                return;
            }
            again = left;
        }
    }

    /// Returns the contributions that are to be sent again, and why.
    fn settle(&mut self, sent: Vec<Pending>, reply: BatchReply) -> (Vec<Pending>, Option<Error>) {
        match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => {
                let (left, reason) = self.settle_receipt(sent, receipt);
                let problem = problem.map(Error::Problem);
                if !is_refusal {
                    return (left, reason.or(problem));
                }
                self.ends = true;
                self.give_up(left, problem.or(reason).unwrap_or_else(incomplete));
            }
            BatchReply::NotApplied(error) => return (sent, Some(error)),
            BatchReply::Unknown(error) => {
                let (with_id, lost) = self.mark_in_doubt(sent);
                if lost.is_empty() {
                    return (with_id, Some(error));
                }
                // The next request may fail in the same way and leave more contributions undecided.
                self.ends = true;
                self.give_up(lost, error);
                return (with_id, None);
            }
            BatchReply::TooLarge(_) if sent.len() > 1 => {
                let mut first = sent;
                let second = first.split_off(first.len() / 2);
                self.parts.extend([second, first]);
            }
            BatchReply::TooLarge(error) | BatchReply::Refused(error) => {
                self.ends = true;
                self.give_up(sent, error);
            }
        }
        (Vec::new(), None)
    }

    /// Returns the outcome, after the last request.
    #[expect(
        clippy::result_large_err,
        reason = "moved once for many contributions, into the future that returns it"
    )]
    pub(super) fn finish(mut self) -> Result<Outcome, ContributeError> {
        loop {
            let unsent = self.next_part();
            if unsent.is_empty() {
                break;
            }
            self.leave_undecided(unsent);
        }
        self.outcome.rejected.sort_by_key(|rejected| rejected.index);
        self.outcome.partial.sort_by_key(|partial| partial.index);
        self.outcome.standings.sort_by_key(|written| written.index);
        match self.cause {
            None => Ok(self.outcome),
            Some(cause) => Err(ContributeError {
                outcome: self.outcome,
                undecided: merged(self.undecided),
                cause,
            }),
        }
    }

    /// Returns the contributions of the next request, after all that were sent. Empty at the end.
    fn next_part(&mut self) -> Vec<Pending> {
        self.parts.pop().unwrap_or_else(|| {
            let batch = next_batch(self.contributions, self.next, BODY_BYTES_MAX);
            self.next += batch.len();
            batch
        })
    }

    /// Adds a receipt to the outcome. Returns the contributions that are to be sent again, and why.
    fn settle_receipt(
        &mut self,
        sent: Vec<Pending>,
        receipt: Receipt,
    ) -> (Vec<Pending>, Option<Error>) {
        self.outcome.applied += receipt.applied;
        self.outcome.duplicates += receipt.duplicates;
        self.outcome.rejected_count += receipt.rejected_count;
        let (_, unlisted) = receipt.unlisted();
        let is_nothing_applied = receipt.is_nothing_applied();
        let rejected: BTreeSet<usize> = receipt.rejected.iter().map(|item| item.index).collect();
        let index_of = |index: usize| sent[index].index;
        self.outcome
            .rejected
            .extend(receipt.rejected.into_iter().map(|item| ReceiptItem {
                index: index_of(item.index),
                ..item
            }));
        self.outcome.partial_count += receipt.partial_count;
        self.outcome
            .partial
            .extend(receipt.partial.into_iter().map(|item| PartialItem {
                index: index_of(item.index),
                ..item
            }));
        self.outcome
            .standings
            .extend(receipt.standings.into_iter().map(|item| Written {
                index: index_of(item.index),
                ..item
            }));
        let mut reason = None;
        let mut failed: BTreeMap<usize, Pending> = BTreeMap::new();
        for item in &receipt.failed {
            let whole = &sent[item.index];
            let pending = Pending {
                boards: item
                    .board
                    .clone()
                    .map_or_else(|| whole.boards.clone(), |it| vec![it]),
                in_doubt: whole.in_doubt || !item.is_unavailable(),
                ..*whole
            };
            if item.is_unavailable() || self.has_id(&pending) {
                reason.get_or_insert_with(|| item.error());
                match failed.get_mut(&item.index) {
                    None => drop(failed.insert(item.index, pending)),
                    Some(other) => {
                        other.in_doubt |= pending.in_doubt;
                        other.boards.extend(pending.boards);
                    }
                }
            } else {
                self.give_up(vec![pending], item.error());
            }
        }
        let read = receipt.read.unwrap_or(sent.len());
        let mut left = Vec::new();
        for (n, pending) in sent.into_iter().enumerate() {
            if n >= read {
                left.push(pending);
            } else if rejected.contains(&n) && pending.boards.len() == 1 {
                // It is decided.
            } else if unlisted > 0 && is_nothing_applied {
                left.push(pending);
            } else if unlisted > 0 {
                // It may be one of the failed ones that the receipt does not list.
                let (with_id, lost) = self.mark_in_doubt(vec![pending]);
                left.extend(with_id);
                self.give_up(
                    lost,
                    Error::unreadable("the server did not list all failed contributions"),
                );
            } else if let Some(failed) = failed.remove(&n) {
                left.push(failed);
            }
        }
        (left, reason)
    }

    /// Marks contributions as possibly applied. Returns those with an id, which may be sent again, and the others.
    fn mark_in_doubt(&self, sent: Vec<Pending>) -> (Vec<Pending>, Vec<Pending>) {
        let marked = sent.into_iter().map(|pending| Pending {
            in_doubt: true,
            ..pending
        });
        marked.partition(|pending| self.has_id(pending))
    }

    fn has_id(&self, pending: &Pending) -> bool {
        self.contributions[pending.index].id.is_some()
    }

    /// Leaves contributions undecided because of an error.
    fn give_up(&mut self, left: Vec<Pending>, reason: Error) {
        if !left.is_empty() {
            self.cause.get_or_insert(reason);
            self.leave_undecided(left);
        }
    }

    fn leave_undecided(&mut self, left: Vec<Pending>) {
        let contributions = self.contributions;
        let undecided = left.into_iter().map(|pending| {
            let contribution = &contributions[pending.index];
            pending.undecided(contribution)
        });
        self.undecided.extend(undecided);
    }
}
