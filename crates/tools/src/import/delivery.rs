//! Batches sent until every line is decided: [`Delivery`]. The requests are the client's [`Sender`]'s.
//!
//! Nothing counts twice: a line is sent again where it surely was not applied, or where its id lets
//! the server know it again, or as one of a batch that only sets; and only where it does not come behind
//! a line that it should stand before. Everything else is shown, with its line in the file, and left to
//! people. Where even the lines are not known, the import ends.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures::future::BoxFuture;
use megaboard_client::{
    BatchReply, BatchRequest, Client, Error, Format, Next, Pause, Problem, Receipt, ReceiptItem,
    Sender,
};

use super::batch::Batch;
use super::summary::Summary;
use crate::delivery::{self, Halt, Order, Stop};
use crate::runtime::Runtime;

/// What an attempt left to do.
enum Attempt {
    /// To be sent again; none of it counts twice by that.
    Again(Left),
    /// Whether the lines were applied is unknown.
    Unknown(String),
    /// The same as `Again`, but trying again will not help.
    Refused(Left),
    /// The same, behind others of which it is not known whether they were applied, which was said.
    Ended(Left),
}

/// Lines to be sent again.
struct Left {
    indices: Vec<usize>,
    reason: String,
    /// Whether others were decided.
    progress: bool,
    /// Whether some of these may have been applied.
    in_doubt: bool,
}

/// Sends batches to one server, one at a time.
pub(super) struct Delivery<'a> {
    runtime: &'a Runtime,
    sender: Sender,
    stop: &'a Stop,
    /// Takes messages for people, one line each.
    say: &'a mut (dyn FnMut(String) + Send),
    summary: Summary,
    /// Whether the server has ever answered with a receipt.
    acquainted: bool,
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
            stop,
            say,
            summary: Summary::default(),
            acquainted: false,
        }
    }

    /// What has been done so far.
    pub(super) fn summary(&self) -> Summary {
        self.summary
    }

    /// Sends the batch until all of it is decided, or for as long as the retry policy says.
    pub(super) fn deliver(&mut self, batch: &Batch) -> Result<(), Halt> {
        self.summary.skipped += batch.skipped;
        self.summary.unreadable += batch.unreadable.len() as u64;
        for (line, reason) in &batch.unreadable {
            (self.say)(format!("line {line}: {reason}"));
        }
        let (runtime, sender) = (self.runtime, self.sender.clone());
        let mut under_way = UnderWay {
            delivery: self,
            batch,
            indices: (0..batch.outgoing.len()).collect(),
            reason: String::new(),
            in_doubt: false,
            halt: None,
        };
        runtime.block_on(sender.send(&mut under_way));
        under_way.halt.map_or(Ok(()), Err)
    }

    fn judge(&mut self, batch: &Batch, indices: &[usize], reply: BatchReply) -> Attempt {
        let all = |error: Error| Left::all(indices, error.to_string());
        match reply {
            BatchReply::Receipt {
                receipt,
                problem,
                is_refusal,
                ..
            } => match self.settle(batch, indices, &receipt, problem.as_ref()) {
                Attempt::Again(left) if is_refusal => Attempt::Refused(Left {
                    reason: problem.map_or(left.reason, |problem| problem.to_string()),
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

    /// Counts and shows what a receipt decides; the rest is to be sent again.
    fn settle(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        receipt: &Receipt,
        problem: Option<&Problem>,
    ) -> Attempt {
        self.acquainted = true;
        let read = &indices[..receipt.read.unwrap_or(indices.len())];
        let of_interest = if receipt.failed_count > 0 { read } else { &[] };
        let lines = of_interest.iter().map(|index| (*index, batch.line(*index)));
        let order = Order::of(lines);
        if receipt.unlisted().1 > 0 {
            return self.settle_unlisted(batch, indices, read, receipt, &order);
        }
        self.count_decided(batch, indices, read, receipt);
        let unavailable = receipt.failed.iter().filter(|item| item.is_unavailable());
        let undone = receipt.rejected.iter().chain(unavailable);
        let undone: BTreeSet<usize> = undone.map(|item| indices[item.index]).collect();
        let mut again: BTreeSet<usize> = indices[read.len()..].iter().copied().collect();
        let mut reason = None;
        let mut in_doubt = false;
        for item in &receipt.failed {
            let index = indices[item.index];
            let certainty = Certainty::of_failed(item);
            let behind = order.behind(index, &undone);
            if certainty == Certainty::Unknown && !batch.are_resendable(&[index]) {
                self.give_up_line(batch, index, &item.explain(), certainty);
            } else if let Some(&first) = behind.first().filter(|_| !batch.is_all_sets()) {
                let line = batch.outgoing[first].line;
                let why = format!(
                    "{}; sent again, it would count behind line {line}",
                    item.explain()
                );
                self.give_up_line(batch, index, &why, certainty);
            } else {
                in_doubt |= certainty == Certainty::Unknown || !behind.is_empty();
                again.insert(index);
                reason.get_or_insert_with(|| item.explain());
            }
        }
        // Sets that were applied are set once more, behind what failed as before.
        let repeated = order.repeated(&again, &undone);
        let applied = receipt.applied.saturating_sub(repeated.len() as u64);
        self.summary.applied -= receipt.applied - applied;
        again.extend(repeated);
        let reason = reason.unwrap_or_else(|| match problem {
            Some(problem) => problem.to_string(),
            None => "the server did not accept all lines".to_owned(),
        });
        Attempt::Again(Left {
            progress: applied > 0 || again.len() < indices.len(),
            indices: again.into_iter().collect(),
            reason,
            in_doubt,
        })
    }

    /// The same of a receipt that does not list all that failed.
    fn settle_unlisted(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        read: &[usize],
        receipt: &Receipt,
        order: &Order,
    ) -> Attempt {
        let (_, unlisted) = receipt.unlisted();
        if receipt.is_nothing_applied() {
            let first = receipt.failed.first().map(ReceiptItem::explain);
            let reason = first.unwrap_or_else(|| format!("{unlisted} contributions failed"));
            return Attempt::Again(Left::all(indices, reason));
        }
        let reason = format!("{unlisted} contributions failed and are not listed");
        if batch.are_resendable(read) {
            // What was decided all the same is counted when it is sent again.
            let tied = if batch.is_all_sets() {
                BTreeSet::new()
            } else {
                order.tied()
            };
            for &index in &tied {
                let why = format!("{reason}; sent again, it might count behind a later line");
                self.give_up_line(batch, index, &why, Certainty::Unknown);
            }
            let left = indices.iter().copied();
            let left = left.filter(|index| !tied.contains(index));
            return Attempt::Again(Left {
                indices: left.collect(),
                reason,
                progress: !tied.is_empty(),
                in_doubt: true,
            });
        }
        self.count_decided(batch, indices, read, receipt);
        for item in &receipt.failed {
            let certainty = Certainty::of_failed(item);
            self.give_up_line(batch, indices[item.index], &item.explain(), certainty);
        }
        self.summary.failed += unlisted;
        (self.say)(format!(
            "{unlisted} more contributions of lines {} failed; the server does not list which. Check the \
            boards before sending these lines again: those that were applied might count twice",
            lines_of(batch, read)
        ));
        Attempt::Ended(Left::all(&indices[read.len()..], reason))
    }

    /// Counts what a receipt decides, and shows what was refused. Where the list is cut, some has no line.
    fn count_decided(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        read: &[usize],
        receipt: &Receipt,
    ) {
        self.summary.applied += receipt.applied;
        self.summary.duplicates += receipt.duplicates;
        self.summary.refused += receipt.rejected_count;
        for item in &receipt.rejected {
            let line = batch.outgoing[indices[item.index]].line;
            (self.say)(format!("line {line}: {}", item.explain()));
        }
        let (unlisted, _) = receipt.unlisted();
        if unlisted > 0 {
            (self.say)(format!(
                "{unlisted} more contributions of lines {} were rejected; the server does not list \
                 which",
                lines_of(batch, read)
            ));
        }
    }

    /// Gives up on these lines, and says from which line on to go on another time.
    fn abandon(
        &mut self,
        batch: &Batch,
        indices: &[usize],
        reason: &str,
        certainty: Certainty,
    ) -> Halt {
        // The run of lines that reaches the end of the batch can be named by its first line.
        let after_batch = batch.outgoing.len();
        let run = indices
            .iter()
            .rev()
            .zip((0..after_batch).rev())
            .take_while(|(a, b)| *a == b);
        let (single, run) = indices.split_at(indices.len() - run.count());
        for &index in single {
            self.give_up_line(batch, index, reason, certainty);
        }
        self.summary.failed += run.len() as u64;
        let Some((first, last)) = span(batch, run) else {
            return self.end_before(batch.last_line + 1, reason);
        };
        self.halt(match certainty {
            Certainty::NotDone => format!(
                "{reason}. Lines from {first} on were not applied; \
                 continue with --from-line {first}"
            ),
            Certainty::Known => format!(
                "{reason}. Lines from {first} on may not have been applied; \
                 continue with --from-line {first}, which does not count anything twice"
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
        self.halt(format!("{reason}; continue with --from-line {line}"))
    }

    fn halt(&mut self, text: String) -> Halt {
        if self.stop.requested() {
            (self.say)(text);
            return Halt::Interrupted;
        }
        Halt::Failed(text)
    }

    fn give_up_line(&mut self, batch: &Batch, index: usize, reason: &str, certainty: Certainty) {
        self.summary.failed += 1;
        let what = match certainty {
            Certainty::NotDone => "not applied",
            Certainty::Known => "may or may not have been applied, and can be sent again",
            Certainty::Unknown => "may or may not have been applied",
        };
        (self.say)(format!(
            "line {}: {what}: {reason}",
            batch.outgoing[index].line
        ));
    }
}

/// One batch until it is decided.
struct UnderWay<'a, 'b> {
    delivery: &'a mut Delivery<'b>,
    batch: &'a Batch,
    /// The lines that are not decided.
    indices: Vec<usize>,
    /// Why they are not.
    reason: String,
    /// Whether some of them may have been applied.
    in_doubt: bool,
    halt: Option<Halt>,
}

impl megaboard_client::Batch for UnderWay<'_, '_> {
    fn request(&mut self, is_retry: bool) -> Option<BatchRequest> {
        (!self.indices.is_empty()).then(|| BatchRequest {
            body: Bytes::from(self.batch.body_of(&self.indices)),
            count: self.indices.len(),
            // A server not known yet, or one in trouble, may well refuse: better to know it before the lines leave.
            asks_first: is_retry || !self.delivery.acquainted,
        })
    }

    fn settle(&mut self, reply: BatchReply) -> Next {
        let indices = std::mem::take(&mut self.indices);
        let (left, is_refused) = match self.delivery.judge(self.batch, &indices, reply) {
            Attempt::Again(left) => (left, false),
            Attempt::Refused(left) => (left, true),
            Attempt::Ended(left) => {
                return self.abandon(&left.indices, &left.reason, Certainty::of(self.in_doubt));
            }
            Attempt::Unknown(reason) if self.batch.are_resendable(&indices) => {
                let left = Left {
                    in_doubt: true,
                    ..Left::all(&indices, reason)
                };
                (left, false)
            }
            Attempt::Unknown(reason) => {
                return self.abandon(&indices, &reason, Certainty::Unknown);
            }
        };
        self.in_doubt |= left.in_doubt;
        if left.indices.is_empty() {
            return Next::Continue;
        }
        if is_refused {
            return self.abandon(&left.indices, &left.reason, Certainty::of(self.in_doubt));
        }
        self.indices = left.indices;
        self.reason = left.reason;
        Next::Retry {
            progress: left.progress,
        }
    }

    fn wait(&mut self, pause: Pause) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let Delivery { stop, say, .. } = &mut *self.delivery;
            let goes_on = delivery::wait(pause, &self.reason, stop, &mut **say).await;
            if !goes_on {
                let (indices, reason) = (
                    std::mem::take(&mut self.indices),
                    std::mem::take(&mut self.reason),
                );
                self.abandon(&indices, &reason, Certainty::of(self.in_doubt));
            }
            goes_on
        })
    }
}

impl UnderWay<'_, '_> {
    fn abandon(&mut self, indices: &[usize], reason: &str, certainty: Certainty) -> Next {
        let halt = self
            .delivery
            .abandon(self.batch, indices, reason, certainty);
        self.halt = Some(halt);
        Next::End
    }
}

/// What is known of lines that are given up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Certainty {
    /// Not applied.
    NotDone,
    /// Perhaps applied, some of them; sending them again counts nothing twice.
    Known,
    /// Perhaps applied, and not to be known again.
    Unknown,
}

impl Certainty {
    /// Of what a receipt lists.
    fn of_failed(item: &ReceiptItem) -> Self {
        if item.is_unavailable() {
            Self::NotDone
        } else {
            Self::Unknown
        }
    }

    /// Of lines that are sent again.
    fn of(in_doubt: bool) -> Self {
        if in_doubt { Self::Known } else { Self::NotDone }
    }
}

impl Left {
    /// All of these.
    fn all(indices: &[usize], reason: String) -> Self {
        Self {
            indices: indices.to_vec(),
            reason,
            progress: false,
            in_doubt: false,
        }
    }
}

/// The lines of the file that these lines of the batch lie between.
fn span(batch: &Batch, indices: &[usize]) -> Option<(u64, u64)> {
    let line = |index: &usize| batch.outgoing[*index].line;
    Some((line(indices.first()?), line(indices.last()?)))
}

/// The lines of the file that these lines of the batch are, as runs: `1 to 4, 7`.
fn lines_of(batch: &Batch, indices: &[usize]) -> String {
    let runs = indices.chunk_by(|index, next| index + 1 == *next);
    let runs = runs.filter_map(|run| span(batch, run));
    let runs = runs.map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        }
    });
    runs.collect::<Vec<_>>().join(", ")
}
