//! The counts of an import: [`Summary`], printed as the last line.

use std::fmt;

use serde::Serialize;

/// The counts of an import.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub(super) struct Summary {
    /// Contributions applied, once for each board.
    pub(super) applied: u64,
    /// Of these, those that did not count in all windows of their kind.
    pub(super) partial: u64,
    /// Contributions applied before, once for each board, including those of an earlier attempt of this import.
    pub(super) duplicates: u64,
    /// Rows that lack a required cell.
    pub(super) skipped: u64,
    /// Contributions that the server rejected, once for each board.
    pub(super) rejected: u64,
    /// Rows that are invalid.
    pub(super) unreadable: u64,
    /// 1 if the last row is not imported, since the file ends within it.
    pub(super) unfinished: u64,
    /// Lines that were not applied, or whose outcome is unknown.
    pub(super) failed: u64,
}

impl Summary {
    /// Returns whether every row was accepted or skipped.
    pub(super) fn is_clean(&self) -> bool {
        self.rejected + self.unreadable + self.unfinished + self.failed == 0
    }

    /// Returns whether anything may count on the server.
    pub(super) fn may_have_applied(&self) -> bool {
        self.applied + self.duplicates + self.failed > 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            applied,
            partial,
            duplicates,
            skipped,
            rejected,
            unreadable,
            unfinished,
            failed,
        } = self;
        let rejected = rejected + unreadable;
        write!(
            f,
            "applied {applied}, duplicates {duplicates}, skipped {skipped}, "
        )?;
        write!(f, "rejected {rejected}, failed {failed}")?;
        if *partial > 0 {
            write!(
                f,
                "; of the applied, {partial} did not count in all windows of their kind: some are closed or no \
                 longer kept"
            )?;
        }
        if *unreadable > 0 {
            write!(f, "; of the rejected, {unreadable} could not be read")?;
        }
        if *unfinished > 0 {
            write!(f, "; the last row is unfinished, and not imported")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_have_a_fixed_order() {
        let mut summary = Summary {
            applied: 5,
            partial: 0,
            duplicates: 4,
            skipped: 3,
            rejected: 2,
            unreadable: 0,
            unfinished: 0,
            failed: 1,
        };
        assert_eq!(
            summary.to_string(),
            "applied 5, duplicates 4, skipped 3, rejected 2, failed 1"
        );
        summary.partial = 3;
        assert!(summary.to_string().ends_with(
            "failed 1; of the applied, 3 did not count in all windows of their kind: some are closed or no longer kept"
        ));
        summary.partial = 0;
        summary.unreadable = 7;
        assert_eq!(
            summary.to_string(),
            "applied 5, duplicates 4, skipped 3, rejected 9, failed 1; \
             of the rejected, 7 could not be read"
        );
        summary.unreadable = 0;
        summary.unfinished = 1;
        let text = summary.to_string();
        assert!(text.ends_with("failed 1; the last row is unfinished, and not imported"));
    }
}
