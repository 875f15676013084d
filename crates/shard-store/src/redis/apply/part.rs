//! What of a batch goes into one call.

use std::sync::Arc;

use board::{Kind, Timestamp, Windows};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::contract::{Batch, Item, Outcome, StoreError};

/// Items of one call. With the longest names and four fields they take 400 KiB.
pub(super) const ITEMS_A_CALL_MAX: usize = 1000;

/// Changes of windows from item to item within one call: each may name five windows more, and for
/// each window a call takes some 10 µs of the server's time.
pub(super) const RUNS_A_CALL_MAX: usize = 64;

/// What a caller is told of a part.
pub(super) type Answer = Result<Vec<Outcome>, StoreError>;

/// A batch, or as much of one as a call takes, and who waits for it.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) kind: Arc<Kind>,
    pub(super) now: Timestamp,
    pub(super) report: bool,
    pub(super) items: Vec<Item>,
    /// How often the windows change from item to item, the first time included.
    pub(super) runs: usize,
    /// When to give up.
    pub(super) until: Instant,
    pub(super) answer: oneshot::Sender<Answer>,
}

impl Part {
    /// The parts of a batch in order, and for each its number of items and where its answer comes.
    pub(super) fn split(
        kind: &Arc<Kind>,
        batch: &Batch<'_>,
        until: Instant,
    ) -> (Vec<Self>, Vec<(usize, oneshot::Receiver<Answer>)>) {
        let mut left = batch.items;
        let (mut parts, mut answers) = (Vec::new(), Vec::new());
        while !left.is_empty() {
            let (count, runs) = fitting(left);
            let (items, rest) = left.split_at(count);
            left = rest;
            let (answer, answered) = oneshot::channel();
            answers.push((count, answered));
            parts.push(Self {
                kind: kind.clone(),
                now: batch.now,
                report: batch.report,
                items: items.to_vec(),
                runs,
                until,
                answer,
            });
        }
        (parts, answers)
    }

    /// Whether both may go into one call: they remember ids and keep windows for as long.
    pub(super) fn goes_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.kind, &other.kind)
            || self.kind.dedupe() == other.kind.dedupe()
                && self.kind.windows() == other.kind.windows()
    }
}

/// How many of the items one call takes, and the runs in them.
fn fitting(items: &[Item]) -> (usize, usize) {
    let mut runs = 0;
    let mut last: Option<&Windows> = None;
    for (index, item) in items.iter().take(ITEMS_A_CALL_MAX).enumerate() {
        if last.is_none_or(|last| !same_windows(last, &item.windows)) {
            if runs == RUNS_A_CALL_MAX {
                return (index, runs);
            }
            runs += 1;
            last = Some(&item.windows);
        }
    }
    (items.len().min(ITEMS_A_CALL_MAX), runs)
}

pub(super) fn same_windows(a: &Windows, b: &Windows) -> bool {
    Arc::ptr_eq(a, b) || a == b
}
