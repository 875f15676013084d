//! Contributions by what became of them, and how many come together.

use metering::{Counter, CounterFamily, Histogram, Registry, SIZES, labels};
use shard_router::WriteOutcome;
use shard_store::ItemFailure;

use problem::ProblemType;

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
    /// By the place of the reason in [`ProblemType::ALL`].
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
            by_reason: ProblemType::ALL.map(reason).to_vec(),
            requests: Histogram::new(&SIZES),
            outcomes,
            reasons,
        }
    }
}

/// The contributions of one request, counted when it ends, however it does.
pub(crate) struct Request<'a> {
    writes: &'a Writes,
    contributions: usize,
}

impl Writes {
    /// Counts what became of a write.
    pub(crate) fn count(&self, written: &WriteOutcome) {
        let counter = match written {
            WriteOutcome::Applied(_) => &self.applied,
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

    /// Counts what was not tried, by what kept it from that.
    pub(crate) fn leave(&self, problem: ProblemType) {
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

    /// Counts what was found wrong.
    pub(crate) fn reject(&self, reason: ProblemType) {
        self.rejected.inc();
        self.by_reason[reason as usize].inc();
    }

    /// A request whose contributions are counted as they come.
    pub(crate) const fn request(&self) -> Request<'_> {
        Request {
            writes: self,
            contributions: 0,
        }
    }

    /// Names them.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "contributions",
            "Contributions by outcome, those of PUT and DELETE of a member included: each once for each board that it names",
            self.outcomes.clone(),
        );
        registry.register(
            "contributions_rejected",
            "Rejected contributions by reason, the type of their problem",
            self.reasons.clone(),
        );
        registry.register(
            "request_contributions",
            "Contributions that came with one request of POST /v1/contributions",
            self.requests.clone(),
        );
    }
}

impl Request<'_> {
    /// So many more have come.
    pub(crate) const fn add(&mut self, contributions: usize) {
        self.contributions += contributions;
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.writes.requests.observe_count(self.contributions);
    }
}
