//! The counts of a load: [`Tally`].

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::Mutex;

/// The number of significant digits of latencies.
const DIGITS: u8 = 3;
/// One hour. Longer latencies are recorded as this.
const LATENCY_US_MAX: u64 = 3_600_000_000;
/// The maximum number of different faults that are reported. All are counted.
pub(super) const FAULTS_MAX: usize = 10;

/// The operations, in the order of the report.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Operation {
    Contribute,
    Top,
    Member,
    Around,
    Range,
}

impl Operation {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Contribute => "contribute",
            Self::Top => "top",
            Self::Member => "member",
            Self::Around => "around",
            Self::Range => "range",
        }
    }
}

/// The counts of an operation.
pub(super) struct OperationCounts {
    /// The latencies of successful requests.
    pub(super) latency_us: Histogram<u64>,
    pub(super) failed: u64,
}

/// Outcomes of contributions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contributions {
    pub(super) applied: u64,
    pub(super) duplicates: u64,
    pub(super) rejected: u64,
    /// Not applied, or unknown.
    pub(super) undecided: u64,
}

/// Counts of all streams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streams {
    pub(super) boards: u64,
    pub(super) interruptions: u64,
}

/// The counts, shared by all requests.
#[derive(Default)]
pub(super) struct Tally(Mutex<Counts>);

/// The counts of a load.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) operations: BTreeMap<Operation, OperationCounts>,
    pub(super) contributions: Contributions,
    pub(super) streams: Streams,
    /// Error messages, and how often they occurred.
    pub(super) faults: BTreeMap<String, u64>,
    /// The number of faults beyond [`FAULTS_MAX`] different ones.
    pub(super) other_faults: u64,
}

impl Tally {
    /// Counts a successful request.
    pub(super) fn succeeded(&self, operation: Operation, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.0.lock().of(operation).latency_us.saturating_record(us);
    }

    /// Counts a failed request.
    pub(super) fn failed(&self, operation: Operation, why: String) {
        let mut counts = self.0.lock();
        counts.of(operation).failed += 1;
        counts.fault(why);
    }

    /// Counts a message of which the request or the contribution is counted separately.
    pub(super) fn fault(&self, why: String) {
        self.0.lock().fault(why);
    }

    /// Counts the outcomes of contributions.
    pub(super) fn contributed(&self, outcome: Contributions) {
        let all = &mut self.0.lock().contributions;
        all.applied += outcome.applied;
        all.duplicates += outcome.duplicates;
        all.rejected += outcome.rejected;
        all.undecided += outcome.undecided;
    }

    /// Counts a board that a stream received.
    pub(super) fn received_board(&self) {
        self.0.lock().streams.boards += 1;
    }

    /// Counts a stream that was interrupted, or ended.
    pub(super) fn interrupted(&self, why: String) {
        let mut counts = self.0.lock();
        counts.streams.interruptions += 1;
        counts.fault(why);
    }

    /// Returns the number of contributions, of successful reads, and of boards of streams so far.
    pub(super) fn so_far(&self) -> (u64, u64, u64) {
        let counts = self.0.lock();
        let reads = counts
            .operations
            .iter()
            .filter(|(operation, _)| **operation != Operation::Contribute)
            .map(|(_, requests)| requests.latency_us.len());
        let contributions = counts.contributions.applied + counts.contributions.duplicates;
        (contributions, reads.sum(), counts.streams.boards)
    }

    /// Returns all counts, and resets them.
    pub(super) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock())
    }
}

impl Counts {
    /// Returns whether all requests succeeded and all contributions were accepted.
    pub(super) fn is_clean(&self) -> bool {
        self.contributions.rejected == 0
            && self.contributions.undecided == 0
            && self.streams.interruptions == 0
            && self
                .operations
                .values()
                .all(|requests| requests.failed == 0)
    }

    fn of(&mut self, operation: Operation) -> &mut OperationCounts {
        self.operations
            .entry(operation)
            .or_insert_with(|| OperationCounts {
                latency_us: Histogram::new_with_bounds(1, LATENCY_US_MAX, DIGITS)
                    .expect("the bounds are valid"),
                failed: 0,
            })
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
