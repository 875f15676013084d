//! The counts of a load: [`Tally`].

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::Mutex;

use crate::mix::Operation;

/// The number of significant digits of latencies.
const DIGITS: u8 = 3;
/// One hour. Longer latencies are recorded as this.
const LATENCY_US_MAX: u64 = 3_600_000_000;
/// The maximum number of different faults that are reported. All are counted.
pub(crate) const FAULTS_MAX: usize = 10;

/// The counts of an operation.
#[derive(Clone)]
pub(crate) struct OperationCounts {
    /// The latencies of successful requests.
    pub(crate) latency_us: Histogram<u64>,
    pub(crate) failed: u64,
    /// Requests that were due and not sent, since too many had no response.
    pub(crate) missed: u64,
}

/// Outcomes of contributions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contributions {
    pub(crate) applied: u64,
    pub(crate) duplicates: u64,
    pub(crate) rejected: u64,
    /// Not applied, or unknown.
    pub(crate) undecided: u64,
}

/// Counts of all streams.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Streams {
    pub(crate) boards: u64,
    pub(crate) interruptions: u64,
}

/// The counts, shared by all requests.
#[derive(Default)]
pub(crate) struct Tally(Mutex<Counts>);

/// The counts of a load.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) operations: BTreeMap<Operation, OperationCounts>,
    pub(crate) contributions: Contributions,
    pub(crate) streams: Streams,
    /// Error messages, and how often they occurred.
    pub(crate) faults: BTreeMap<String, u64>,
    /// The number of faults beyond [`FAULTS_MAX`] different ones.
    pub(crate) other_faults: u64,
}

impl Tally {
    /// Counts a successful request.
    pub(crate) fn succeeded(&self, operation: Operation, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.0.lock().of(operation).latency_us.saturating_record(us);
    }

    /// Counts a failed request.
    pub(crate) fn failed(&self, operation: Operation, why: String) {
        let mut counts = self.0.lock();
        counts.of(operation).failed += 1;
        counts.fault(why);
    }

    /// Counts a request that was due and not sent.
    pub(crate) fn missed(&self, operation: Operation) {
        self.0.lock().of(operation).missed += 1;
    }

    /// Counts a message of which the request or the contribution is counted separately.
    pub(crate) fn fault(&self, why: String) {
        self.0.lock().fault(why);
    }

    /// Counts the outcomes of contributions.
    pub(crate) fn contributed(&self, outcome: Contributions) {
        let all = &mut self.0.lock().contributions;
        all.applied += outcome.applied;
        all.duplicates += outcome.duplicates;
        all.rejected += outcome.rejected;
        all.undecided += outcome.undecided;
    }

    /// Counts a board that a stream received.
    pub(crate) fn received_board(&self) {
        self.0.lock().streams.boards += 1;
    }

    /// Counts a stream that was interrupted, or ended.
    pub(crate) fn interrupted(&self, why: String) {
        let mut counts = self.0.lock();
        counts.streams.interruptions += 1;
        counts.fault(why);
    }

    /// Returns the number of successful requests, and of boards of streams so far.
    pub(crate) fn so_far(&self) -> (u64, u64) {
        let counts = self.0.lock();
        let requests = counts.operations.values().map(|it| it.latency_us.len());
        (requests.sum(), counts.streams.boards)
    }

    #[cfg(test)]
    pub(crate) fn missed_so_far(&self) -> u64 {
        self.0.lock().all().missed
    }

    /// Returns all counts, and resets them.
    pub(crate) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock())
    }
}

impl Counts {
    /// Returns whether all requests were sent and succeeded, and all contributions were accepted.
    pub(crate) fn is_clean(&self) -> bool {
        self.contributions.rejected == 0
            && self.contributions.undecided == 0
            && self.streams.interruptions == 0
            && self
                .operations
                .values()
                .all(|it| it.failed == 0 && it.missed == 0)
    }

    /// Returns the sum of all operations.
    pub(crate) fn all(&self) -> OperationCounts {
        let mut all = OperationCounts::new();
        for counts in self.operations.values() {
            all.latency_us += &counts.latency_us;
            all.failed += counts.failed;
            all.missed += counts.missed;
        }
        all
    }

    fn of(&mut self, operation: Operation) -> &mut OperationCounts {
        let counts = self.operations.entry(operation);
        counts.or_insert_with(OperationCounts::new)
    }

    fn fault(&mut self, why: String) {
        if let Some(count) = self.faults.get_mut(&why) {
            *count += 1;
        } else if self.faults.len() < FAULTS_MAX {
            self.faults.insert(why, 1);
        } else {
            self.other_faults += 1;
        }
    }
}

impl OperationCounts {
    fn new() -> Self {
        Self {
            latency_us: Histogram::new_with_bounds(1, LATENCY_US_MAX, DIGITS)
                .expect("the bounds are valid"),
            failed: 0,
            missed: 0,
        }
    }
}
