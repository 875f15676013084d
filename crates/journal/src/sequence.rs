//! [`Sequence`]: a position in the log.

use std::fmt;

/// A position in the log: the number of records appended before it. Records are numbered 0, 1, 2, ... over the lifetime
/// of the folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(pub u64);

impl Sequence {
    /// Returns the sequence this many records later.
    #[must_use]
    pub const fn plus(self, records: u32) -> Self {
        // Only a forged file has sequences near the maximum.
        Self(self.0.saturating_add(records as u64))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
