//! What a node's clock says: [`NodeClock`].

use tokio::time::Instant;

/// A node's clock as it was read once. It runs on with ours, which no change of the date moves.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeClock {
    /// Milliseconds since 1970.
    ms: u64,
    /// When the answer was here: the node's clock was at least that far ahead of `ms` by then.
    read: Instant,
}

impl NodeClock {
    pub(super) const fn new(ms: u64, read: Instant) -> Self {
        Self { ms, read }
    }

    /// How far ahead of the node's clock one is that shows `own_ms` at `moment`.
    pub(super) fn skew_ms(&self, own_ms: i64, moment: Instant) -> i64 {
        own_ms.saturating_sub(i64::try_from(self.at(moment)).unwrap_or(i64::MAX))
    }

    /// What the node's clock shows at `moment`, or shortly before: who stops there stops in time.
    pub(super) fn at(&self, moment: Instant) -> u64 {
        let ms = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(0);
        let ahead = ms(moment.saturating_duration_since(self.read));
        let behind = ms(self.read.saturating_duration_since(moment));
        (self.ms + ahead).saturating_sub(behind)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_runs_on() {
        let read = Instant::now();
        let clock = NodeClock::new(1_000_000, read);
        assert_eq!(clock.at(read + Duration::from_millis(1_500)), 1_001_500);
        assert_eq!(clock.at(read), 1_000_000);
        let before = read.checked_sub(Duration::from_millis(10)).unwrap();
        assert_eq!(clock.at(before), 999_990);
    }
}
