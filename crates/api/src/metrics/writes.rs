//! Contributions by their outcome, and how many come together.

use metering::{Counter, CounterFamily, Histogram, Registry, SIZES, labels};
use shard_router::WriteOutcome;
use shard_store::ItemFailure;
use wire::problem::ProblemType;

/// Contributions, each once for each board that it names.
#[derive(Debug)]
pub(crate) struct Writes {
    outcomes: CounterFamily,
    reasons: CounterFamily,
    applied: Counter,
    duplicates: Counter,
    rejected: Counter,
    overloaded: Counter,
    unavailable: Counter,
    unknown: Counter,
    /// By the index of the reason in [`ProblemType::ALL`].
    by_reason: Vec<Counter>,
    requests: Histogram,
}

impl Default for Writes {
    fn default() -> Self {
        let (outcomes, reasons) = (CounterFamily::default(), CounterFamily::default());
        let outcome = |outcome| outcomes.get_or_create_owned(&labels([("outcome", outcome)]));
        let reason =
            |kind: ProblemType| reasons.get_or_create_owned(&labels([("reason", kind.word())]));
        Self {
            applied: outcome("applied"),
            duplicates: outcome("duplicate"),
            rejected: outcome("rejected"),
            overloaded: outcome("overloaded"),
            unavailable: outcome("unavailable"),
            unknown: outcome("unknown"),
            by_reason: ProblemType::ALL.iter().map(|kind| reason(*kind)).collect(),
            requests: Histogram::new(&SIZES),
            outcomes,
            reasons,
        }
    }
}

/// The contributions of one request, counted on drop.
pub(crate) struct Request<'a> {
    writes: &'a Writes,
    contributions: usize,
}

impl Writes {
    /// Counts the outcome of a write.
    pub(crate) fn count(&self, written: &WriteOutcome) {
        let counter = match written {
            // Removing an absent member counts as applied.
            _ if written.removed() == Some(false) => &self.applied,
            WriteOutcome::Applied(_) | WriteOutcome::Partial(..) => &self.applied,
            WriteOutcome::Duplicate(_) => &self.duplicates,
            WriteOutcome::Rejected(reason) => {
                self.reject(reason.into());
                return;
            }
            WriteOutcome::Failed(ItemFailure::Overloaded(_)) => &self.overloaded,
            WriteOutcome::Failed(ItemFailure::Unavailable(_)) => &self.unavailable,
            WriteOutcome::Failed(ItemFailure::Unknown(_)) => &self.unknown,
        };
        counter.inc();
    }

    /// Counts a contribution that was not sent to the store, by the reason.
    pub(crate) fn count_unsent(&self, problem: ProblemType) {
        let counter = match problem {
            ProblemType::Overloaded => &self.overloaded,
            ProblemType::Unavailable => &self.unavailable,
            ProblemType::Unknown => &self.unknown,
            reason => {
                self.reject(reason);
                return;
            }
        };
        counter.inc();
    }

    /// Counts a rejected contribution.
    pub(crate) fn reject(&self, reason: ProblemType) {
        self.rejected.inc();
        self.by_reason[reason as usize].inc();
    }

    /// Starts counting the contributions of a request.
    pub(crate) const fn request(&self) -> Request<'_> {
        Request {
            writes: self,
            contributions: 0,
        }
    }

    /// Registers the metrics.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "contributions",
            "Contributions by outcome, including PUT and DELETE of a member: each counts once for each of its boards",
            self.outcomes.clone(),
        );
        registry.register(
            "contributions_rejected",
            "Rejected contributions by reason, the type of their problem",
            self.reasons.clone(),
        );
        registry.register(
            "request_contributions",
            "Contributions of one request of POST /v1/contributions",
            self.requests.clone(),
        );
    }
}

impl Request<'_> {
    /// Adds contributions that were received.
    pub(crate) const fn add(&mut self, contributions: usize) {
        self.contributions += contributions;
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.writes.requests.observe_count(self.contributions);
    }
}
