//! The outcome of an attempt to publish an item: [`Outcome`].

use std::time::Duration;

use board::Window;
use merger::ReadError;
use metering::Counter;

use crate::item::Extent;
use crate::target::TargetError;

/// The outcome of an attempt to publish an item.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Readers see the current state of the window.
    Published(Published),
    /// The item is not, or no longer, to be published at this target.
    NotHere,
    /// Another server published the window in the meantime, possibly an older state. The value is the minimum interval
    /// of the kind.
    Overtaken(Duration),
    /// These windows are to be published, each as an item of its own.
    Windows(Vec<Window>),
    /// The board cannot be read now.
    Unreadable(ReadError),
    /// The target failed.
    Failed(TargetError),
    /// The board's name is invalid at the target.
    Unnamed(String),
}

/// A window that was published.
#[derive(Debug)]
pub(crate) struct Published {
    /// The minimum interval between two publications.
    pub(crate) every: Duration,
    /// What is to be published next, and the time until then.
    pub(crate) next: Option<(Duration, Extent)>,
    /// Why the sorted set was omitted.
    pub(crate) inexact: Option<String>,
    /// Whether the window has to be checked once more, because the board may have been deleted in the meantime.
    pub(crate) check_again: bool,
}

/// The outcomes of attempts, as a label.
const RESULTS: [&str; 6] = [
    "published",
    "overtaken",
    "unreadable",
    "away",
    "refused",
    "unnamed",
];

/// Counts the attempts to publish at one target by their outcome, in the order of [`RESULTS`].
#[derive(Debug, Default)]
pub(crate) struct OutcomeCounters([Counter; RESULTS.len()]);

impl OutcomeCounters {
    /// Counts an attempt. Finding the windows of a board, or that it is not published here, is not an attempt.
    pub(crate) fn count(&self, outcome: &Outcome) {
        let result = match outcome {
            Outcome::Published(_) => 0,
            Outcome::Overtaken(_) => 1,
            Outcome::Unreadable(_) => 2,
            Outcome::Failed(TargetError::Unreachable(_)) => 3,
            Outcome::Failed(TargetError::Rejected(_)) => 4,
            Outcome::Unnamed(_) => 5,
            Outcome::NotHere | Outcome::Windows(_) => return,
        };
        self.0[result].inc();
    }

    /// Returns the counters with the values of their label `result`.
    pub(crate) fn by_result(&self) -> impl Iterator<Item = (&'static str, &Counter)> {
        RESULTS.into_iter().zip(&self.0)
    }
}
