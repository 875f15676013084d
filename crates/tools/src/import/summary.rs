//! What an import came to: [`Summary`], the last line it prints.

use std::fmt;
use std::time::Duration;

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Summary {
    /// By contribution and board, as the server counts.
    pub(super) applied: u64,
    /// As `applied`; what was sent again after all is among them when it had been applied already.
    pub(super) duplicates: u64,
    /// Rows without a cell that they need.
    pub(super) skipped: u64,
    /// What the server refused.
    pub(super) refused: u64,
    /// Rows that could not be read.
    pub(super) unreadable: u64,
    /// Lines sent in vain, and those whose outcome is unknown.
    pub(super) failed: u64,
}

impl Summary {
    /// Whether every row was taken in or left out on purpose.
    pub(super) fn is_clean(&self) -> bool {
        self.refused + self.unreadable + self.failed == 0
    }

    /// The summary and how long it took.
    pub(super) fn after(self, took: Duration) -> String {
        format!("{self}; took {:.2} s", took.as_secs_f64())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            applied,
            duplicates,
            skipped,
            refused,
            unreadable,
            failed,
        } = self;
        let rejected = refused + unreadable;
        write!(
            f,
            "applied {applied}, duplicates {duplicates}, skipped {skipped}, "
        )?;
        write!(f, "rejected {rejected}, failed {failed}")?;
        if *unreadable > 0 {
            write!(f, "; of the rejected, {unreadable} could not be read")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_come_first_and_always_alike() {
        let mut summary = Summary {
            applied: 5,
            duplicates: 4,
            skipped: 3,
            refused: 2,
            unreadable: 0,
            failed: 1,
        };
        assert_eq!(
            summary.after(Duration::from_millis(1_234)),
            "applied 5, duplicates 4, skipped 3, rejected 2, failed 1; took 1.23 s"
        );
        summary.unreadable = 7;
        assert_eq!(
            summary.to_string(),
            "applied 5, duplicates 4, skipped 3, rejected 9, failed 1; \
             of the rejected, 7 could not be read"
        );
    }
}
