//! What became of the requests: [`Tally`].

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use parking_lot::Mutex;

/// Latencies are kept to three digits, in microseconds.
const DIGITS: u8 = 3;
/// What took longer counts as this, in microseconds: an hour.
const LATENCY_US_MAX: u64 = 3_600_000_000;
/// Most different faults that are reported; all are counted.
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

/// How often an operation was answered and how long that took, and how often it was not.
pub(super) struct OperationCounts {
    pub(super) latency_us: Histogram<u64>,
    pub(super) failed: u64,
}

/// Outcomes of contributions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contributions {
    pub(super) applied: u64,
    pub(super) duplicates: u64,
    pub(super) rejected: u64,
    /// Surely not applied, or not known.
    pub(super) undecided: u64,
}

/// What streams have brought.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Streams {
    pub(super) boards: u64,
    pub(super) interruptions: u64,
}

/// All that is counted. Shared by all requests.
#[derive(Default)]
pub(super) struct Tally(Mutex<Counts>);

/// What a tally has come to.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) operations: BTreeMap<Operation, OperationCounts>,
    pub(super) contributions: Contributions,
    pub(super) streams: Streams,
    /// What went wrong, and how often.
    pub(super) faults: BTreeMap<String, u64>,
    /// Faults of which there was no room to say more.
    pub(super) other_faults: u64,
}

impl Tally {
    /// An answer that came after so long.
    pub(super) fn answered(&self, operation: Operation, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.0.lock().of(operation).latency_us.saturating_record(us);
    }

    /// A request without the answer that it is for.
    pub(super) fn failed(&self, operation: Operation, why: String) {
        let mut counts = self.0.lock();
        counts.of(operation).failed += 1;
        counts.fault(why);
    }

    /// A fault that is counted elsewhere.
    pub(super) fn fault(&self, why: String) {
        self.0.lock().fault(why);
    }

    pub(super) fn contributed(&self, outcome: Contributions) {
        let all = &mut self.0.lock().contributions;
        all.applied += outcome.applied;
        all.duplicates += outcome.duplicates;
        all.rejected += outcome.rejected;
        all.undecided += outcome.undecided;
    }

    /// A stream has brought a board.
    pub(super) fn saw(&self) {
        self.0.lock().streams.boards += 1;
    }

    /// A stream broke off, or ended.
    pub(super) fn interrupted(&self, why: String) {
        let mut counts = self.0.lock();
        counts.streams.interruptions += 1;
        counts.fault(why);
    }

    /// What is counted so far: contributions, answers to reads, boards of streams.
    pub(super) fn so_far(&self) -> (u64, u64, u64) {
        let counts = self.0.lock();
        let reads = counts
            .operations
            .iter()
            .filter(|(operation, _)| **operation != Operation::Contribute)
            .map(|(_, answers)| answers.latency_us.len());
        let contributions = counts.contributions.applied + counts.contributions.duplicates;
        (contributions, reads.sum(), counts.streams.boards)
    }

    /// Everything, leaving nothing.
    pub(super) fn take(&self) -> Counts {
        std::mem::take(&mut self.0.lock())
    }
}

impl Counts {
    /// Whether all was answered and taken in.
    pub(super) fn is_clean(&self) -> bool {
        self.contributions.rejected == 0
            && self.contributions.undecided == 0
            && self.streams.interruptions == 0
            && self.operations.values().all(|answers| answers.failed == 0)
    }

    fn of(&mut self, operation: Operation) -> &mut OperationCounts {
        self.operations
            .entry(operation)
            .or_insert_with(|| OperationCounts {
                latency_us: Histogram::new_with_bounds(1, LATENCY_US_MAX, DIGITS)
                    .expect("these bounds are ones of a histogram"),
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
