//! The part of a batch that goes into one call.

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, Kind, Timestamp};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::windows::CallWindows;
use redis_nodes::{Backlog, QueuedWork};
use shard_store::{
    Batch, HeldWeight, Item, Memory, Outcome, Overload, STANDING_WEIGHT, StoreError,
};

/// The maximum number of items of one call. With the longest names and four fields they take 400
/// KiB.
pub(super) const ITEMS_A_CALL_MAX: usize = 1000;

/// The bytes of an item in addition to its member: a time, a value, mostly an id.
const ITEM_BYTES: usize = 24;

/// The maximum difference between the deadlines of the first part of a call and another.
const UNTIL_APART_MAX: Duration = Duration::from_secs(1);

/// The result of a part for its caller.
pub(super) type PartResult = Result<Vec<Outcome>, StoreError>;

/// A batch, or as much of one as fits into a call, and the caller that waits for it.
#[derive(Debug)]
pub(super) struct BatchPart {
    pub(super) kind: Arc<Kind>,
    /// The activity of the board, as the caller has seen it.
    pub(super) activity: Activity,
    pub(super) now: Timestamp,
    pub(super) report: bool,
    pub(super) items: Vec<Item>,
    /// The windows that they count in.
    pub(super) windows: CallWindows,
    pub(super) until: Until,
    /// Counts it as work that waits for the node, until it is sent.
    pub(super) gathered: Option<QueuedWork>,
    /// The memory that its items take, also if the caller has gone away.
    _held: HeldWeight,
    pub(super) answer: oneshot::Sender<PartResult>,
}

/// When a part is too late.
#[derive(Debug, Clone, Copy)]
pub(super) struct Until {
    pub(super) at: Instant,
    /// When something closes, if anything does: nothing may be applied after that.
    pub(super) closes_at: Option<Instant>,
    /// Until when the caller waits for an unavailable node, if it does so until the deadline. Shorter waits are those
    /// of the router: parts in one call would wait for the longest of them.
    pub(super) wait_ends_at: Option<Instant>,
}

impl Until {
    /// Returns the deadline of a batch, or that of any call if that is earlier.
    pub(super) fn of(batch: &Batch<'_>, deadline: Duration) -> Self {
        let last = Instant::now() + deadline;
        let closes_at = batch.until.map(|until| Instant::from(until.instant));
        Self {
            at: closes_at.map_or(last, |at| at.min(last)),
            closes_at,
            wait_ends_at: batch
                .waits_until
                .map(Instant::from)
                .filter(|at| *at + UNTIL_APART_MAX >= last),
        }
    }

    /// Returns whether something closes then: a late caller is to get that error.
    fn closes(&self) -> bool {
        self.closes_at == Some(self.at)
    }

    /// Returns the error of a batch that would wait for too long.
    pub(super) fn refused(&self, overload: Overload) -> StoreError {
        if self.closes() && Instant::now() >= self.at {
            StoreError::DeadlinePassed
        } else {
            StoreError::Overloaded(overload)
        }
    }

    /// Returns the error of a part that was definitely not applied.
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
    /// Returns the parts of a batch in order, and for each its number of items and the receiver of
    /// its result.
    pub(super) fn split(
        activity: Activity,
        batch: &Batch<'_>,
        until: Until,
        backlog: Option<&Arc<Backlog>>,
        memory: &Arc<Memory>,
    ) -> (Vec<Self>, Vec<(usize, oneshot::Receiver<PartResult>)>) {
        let mut left = batch.items;
        let (mut parts, mut answers) = (Vec::new(), Vec::new());
        while !left.is_empty() {
            let (count, windows) = fitting(left);
            let (items, rest) = left.split_at(count);
            left = rest;
            let (answer, answered) = oneshot::channel();
            answers.push((count, answered));
            let gathered = backlog.map(|backlog| backlog.gather(bytes_of(items)));
            parts.push(Self {
                kind: batch.kind.clone(),
                activity,
                now: batch.now,
                report: batch.report,
                items: items.to_vec(),
                windows,
                until,
                gathered,
                _held: memory.hold(STANDING_WEIGHT * count as u64),
                answer,
            });
        }
        (parts, answers)
    }

    /// Returns its weight, if the backlog of its node is known.
    pub(super) fn weight(&self) -> u64 {
        self.gathered.as_ref().map_or(0, QueuedWork::weight)
    }

    /// Returns whether one call may have this weight.
    pub(super) fn may_be_one_call(&self, weight: u64) -> bool {
        let gathered = self.gathered.as_ref();
        gathered.is_none_or(|gathered| gathered.may_be_one_call(weight))
    }

    /// Returns whether both may be in one call: their callers have seen the same settings, they remember ids and keep
    /// windows for the same time, and have about the same time left, since a call has the deadline of its first part.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        let same_kind = Arc::ptr_eq(&self.kind, &other.kind)
            || self.kind.dedupe() == other.kind.dedupe()
                && self.kind.windows() == other.kind.windows();
        let (mine, others) = (self.until.at, other.until.at);
        let apart = mine.max(others) - mine.min(others);
        let same_board = self.activity == other.activity;
        same_kind
            && same_board
            && self.until.closes() == other.until.closes()
            && apart <= UNTIL_APART_MAX
    }
}

/// Returns how many of the items fit into one call, and the windows that they count in.
fn fitting(items: &[Item]) -> (usize, CallWindows) {
    let mut windows = CallWindows::default();
    let taken = items.iter().take(ITEMS_A_CALL_MAX);
    let fits = |item: &&Item| windows.add(&item.windows);
    (taken.take_while(fits).count(), windows)
}

/// Returns the approximate bytes of the items in a call.
fn bytes_of(items: &[Item]) -> usize {
    let names = items.iter().map(|item| item.member.as_bytes().len());
    names.sum::<usize>() + items.len() * ITEM_BYTES
}
