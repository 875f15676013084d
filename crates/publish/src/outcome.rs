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

/// Counts the attempts to publish at one target by their outcome.
#[derive(Debug, Default)]
pub(crate) struct OutcomeCounters {
    published: Counter,
    overtaken: Counter,
    unreadable: Counter,
    away: Counter,
    refused: Counter,
    unnamed: Counter,
}

impl OutcomeCounters {
    /// Counts an attempt. Finding the windows of a board, or that it is not published here, is not an attempt.
    pub(crate) fn count(&self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Published(_) => &self.published,
            Outcome::Overtaken(_) => &self.overtaken,
            Outcome::Unreadable(_) => &self.unreadable,
            Outcome::Failed(TargetError::Unreachable(_)) => &self.away,
            Outcome::Failed(TargetError::Rejected(_)) => &self.refused,
            Outcome::Unnamed(_) => &self.unnamed,
            Outcome::NotHere | Outcome::Windows(_) => return,
        };
        counter.inc();
    }

    /// Returns the counters with the values of their label `result`.
    pub(crate) fn by_result(&self) -> [(&'static str, &Counter); 6] {
        [
            ("published", &self.published),
            ("overtaken", &self.overtaken),
            ("unreadable", &self.unreadable),
            ("away", &self.away),
            ("refused", &self.refused),
            ("unnamed", &self.unnamed),
        ]
    }
}
