//! The result of an adoption: [`Report`].

use std::time::Duration;

use super::sending::Sent;
use super::standing::Tally;

/// The result of an adoption.
#[derive(Default)]
pub(super) struct Report {
    pub(super) tally: Tally,
    pub(super) sent: Sent,
    /// The number of members in the source.
    pub(super) in_source: u64,
    /// The number of ranked members on the board.
    pub(super) on_board: u64,
    /// Sentences that describe differences between the source and the board.
    pub(super) differences: Vec<String>,
}

impl Report {
    /// Returns whether all members were set, and the board agrees with the source.
    pub(super) fn is_clean(&self) -> bool {
        self.differences.is_empty() && self.tally.skipped + self.sent.rejected == 0
    }

    /// Returns the number of members that the board should have, if it ranks at most `keep`.
    pub(super) fn expected(&self, keep: u64) -> u64 {
        let left_out = self.tally.skipped + self.sent.rejected;
        self.in_source.saturating_sub(left_out).min(keep)
    }

    /// Formats the counts and the duration.
    pub(super) fn summary(&self, took: Duration) -> String {
        let Self {
            tally,
            sent,
            in_source,
            on_board,
            ..
        } = self;
        let seconds = took.as_secs_f64();
        format!(
            "set {}, left out {}, rejected {}; members in the source {in_source}, on the board \
             {on_board}; took {seconds:.2} s",
            sent.applied, tally.skipped, sent.rejected
        )
    }
}
