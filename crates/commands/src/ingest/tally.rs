//! The counts of an ingest: [`Tally`], reported periodically and at the end.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;

/// The interval of reports, unless nothing has changed.
const SHOWN_EVERY: Duration = Duration::from_secs(10);

/// Counts of outcomes.
#[derive(Serialize)]
pub(super) struct Tally {
    pub(super) applied: u64,
    pub(super) duplicates: u64,
    pub(super) rejected: u64,
    /// Pending entries that were trimmed before they were acknowledged.
    pub(super) trimmed: u64,
    /// The time of the last report, and the total at that time.
    #[serde(skip)]
    shown: (Instant, u64),
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            applied: 0,
            duplicates: 0,
            rejected: 0,
            trimmed: 0,
            shown: (Instant::now(), 0),
        }
    }

    /// Returns a line to report, if it is time for one.
    pub(super) fn due(&mut self) -> Option<String> {
        let (at, before) = self.shown;
        let total = self.applied + self.duplicates + self.rejected;
        if at.elapsed() < SHOWN_EVERY || total == before {
            return None;
        }
        let took = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let rate = (total - before).saturating_mul(1000) / took.max(1);
        self.shown = (Instant::now(), total);
        Some(format!("{self}; {rate} a second"))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            applied,
            duplicates,
            rejected,
            trimmed,
            ..
        } = self;
        write!(
            f,
            "applied {applied}, duplicates {duplicates}, rejected {rejected}"
        )?;
        if *trimmed > 0 {
            write!(f, "; {trimmed} were trimmed before they were acknowledged")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimmed_entries_are_shown_if_there_are_any() {
        let mut tally = Tally::new();
        tally.applied = 3;
        assert_eq!(tally.to_string(), "applied 3, duplicates 0, rejected 0");
        tally.trimmed = 2;
        assert!(tally.to_string().contains("; 2 were trimmed"));
        assert_eq!(tally.due(), None);
    }
}
