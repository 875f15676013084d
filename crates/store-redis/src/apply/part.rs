//! What of a batch goes into one call.

use std::sync::Arc;
use std::time::Duration;

use board::{Kind, Timestamp, Windows};
use smallvec::SmallVec;
use tokio::sync::oneshot;
use tokio::time::Instant;

use redis_boards::call_error::overloaded;
use redis_nodes::{Backlog, Overload, QueuedWork};
use shard_store::{Batch, Item, Outcome, StoreError};
use shard_store::{HeldWeight, Memory, STANDING_WEIGHT};

/// Items of one call. With the longest names and four fields they take 400 KiB.
pub(super) const ITEMS_A_CALL_MAX: usize = 1000;

/// What an item of a call takes beside its member: a time, a value, mostly an id.
const ITEM_BYTES: usize = 24;

/// Different windows that the items of one call count in: each may name five windows more, and for
/// each window a call takes some 10 µs of the server's time.
pub(super) const SETS_A_CALL_MAX: usize = 64;

/// How much longer or shorter than the first part of a call another may have.
const UNTIL_APART_MAX: Duration = Duration::from_secs(1);

/// The result of a part for its caller.
pub(super) type PartResult = Result<Vec<Outcome>, StoreError>;

/// A batch, or as much of one as a call takes, and who waits for it.
#[derive(Debug)]
pub(super) struct BatchPart {
    pub(super) kind: Arc<Kind>,
    pub(super) now: Timestamp,
    pub(super) report: bool,
    pub(super) items: Vec<Item>,
    /// The windows that items count in, each once.
    pub(super) sets: Sets,
    pub(super) until: Until,
    /// Counts it as work that waits for the node, until it is sent.
    pub(super) gathered: Option<QueuedWork>,
    /// The memory that its items take, also where the caller has gone away.
    _held: HeldWeight,
    pub(super) answer: oneshot::Sender<PartResult>,
}

/// When to give up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    pub(super) at: Instant,
    /// When something closes, if anything does: nothing may be applied after that.
    pub(super) closes_at: Option<Instant>,
}

impl Until {
    /// The deadline of a batch, or that of any call where it comes first.
    pub(super) fn of(batch: &Batch<'_>, deadline: Duration) -> Self {
        let last = Instant::now() + deadline;
        let closes_at = batch.until.map(|until| Instant::from(until.instant));
        Self {
            at: closes_at.map_or(last, |at| at.min(last)),
            closes_at,
        }
    }

    /// Whether something closes then: a late caller is to get that error.
    fn closes(&self) -> bool {
        self.closes_at == Some(self.at)
    }

    /// The error of a batch that would wait for too long.
    pub(super) fn refused(&self, overload: Overload) -> StoreError {
        if self.closes() && Instant::now() >= self.at {
            StoreError::DeadlinePassed
        } else {
            StoreError::Overloaded(overloaded(overload))
        }
    }

    /// The error of a part that was definitely not applied.
    pub(super) fn failed(&self, error: &StoreError) -> StoreError {
        // The deadline of a call is that of its first part.
        let passed = Instant::now() + UNTIL_APART_MAX >= self.at;
        match error {
            StoreError::Unavailable(_) | StoreError::Overloaded(_) if self.closes() && passed => {
                StoreError::DeadlinePassed
            }
            error => error.clone(),
        }
    }
}

impl BatchPart {
    /// The parts of a batch in order, and for each its number of items and where its answer comes.
    pub(super) fn split(
        kind: &Arc<Kind>,
        batch: &Batch<'_>,
        until: Until,
        backlog: Option<&Arc<Backlog>>,
        memory: &Arc<Memory>,
    ) -> (Vec<Self>, Vec<(usize, oneshot::Receiver<PartResult>)>) {
        let mut left = batch.items;
        let (mut parts, mut answers) = (Vec::new(), Vec::new());
        while !left.is_empty() {
            let (count, sets) = fitting(left);
            let (items, rest) = left.split_at(count);
            left = rest;
            let (answer, answered) = oneshot::channel();
            answers.push((count, answered));
            let gathered = backlog.map(|backlog| backlog.gather(bytes_of(items)));
            parts.push(Self {
                kind: kind.clone(),
                now: batch.now,
                report: batch.report,
                items: items.to_vec(),
                sets,
                until,
                gathered,
                _held: memory.hold(STANDING_WEIGHT * count as u64),
                answer,
            });
        }
        (parts, answers)
    }

    /// Its weight, as far as that is known to the backlog of its node.
    pub(super) fn weight(&self) -> u64 {
        self.gathered.as_ref().map_or(0, QueuedWork::weight)
    }

    /// Whether one call may be of this weight.
    pub(super) fn may_be_one_call(&self, weight: u64) -> bool {
        let gathered = self.gathered.as_ref();
        gathered.is_none_or(|gathered| gathered.may_be_one_call(weight))
    }

    /// Whether both may go into one call: they remember ids and keep windows for as long, and have
    /// about as long left, since a call has the deadline of its first.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let same_kind = Arc::ptr_eq(&self.kind, &other.kind)
            || self.kind.dedupe() == other.kind.dedupe()
                && self.kind.windows() == other.kind.windows();
        let (mine, others) = (self.until.at, other.until.at);
        let apart = mine.max(others) - mine.min(others);
        same_kind && self.until.closes() == other.until.closes() && apart <= UNTIL_APART_MAX
    }
}

/// Windows that items count in, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Sets(SmallVec<[Windows; 1]>);

impl Sets {
    /// False where it would be one more than a call takes.
    fn add(&mut self, windows: &Windows) -> bool {
        // What came last comes most often.
        let mut latest_first = self.0.iter().rev();
        let known = latest_first.any(|known| same_windows(known, windows));
        let fits = known || self.0.len() < SETS_A_CALL_MAX;
        if fits && !known {
            self.0.push(windows.clone());
        }
        fits
    }

    /// Adds the others; false if a call does not take all of them.
    pub(super) fn add_all(&mut self, others: &Self) -> bool {
        others.0.iter().all(|windows| self.add(windows))
    }
}

/// How many of the items one call takes, and the windows that they count in.
fn fitting(items: &[Item]) -> (usize, Sets) {
    let mut sets = Sets::default();
    let taken = items.iter().take(ITEMS_A_CALL_MAX);
    let count = taken.take_while(|item| sets.add(&item.windows)).count();
    (count, sets)
}

/// About how many bytes the items are of a call.
fn bytes_of(items: &[Item]) -> usize {
    let names = items.iter().map(|item| item.member.as_bytes().len());
    names.sum::<usize>() + items.len() * ITEM_BYTES
}

pub(super) fn same_windows(a: &Windows, b: &Windows) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
