//! [`price`]: what a read costs, by the merger's counters.

use merger::Merger;

/// Round trips and entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Price {
    pub(crate) round_trips: u64,
    pub(crate) entries: u64,
}

impl Price {
    /// The greater of each.
    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            round_trips: self.round_trips.max(other.round_trips),
            entries: self.entries.max(other.entries),
        }
    }
}

fn spent(merger: &Merger) -> Price {
    Price {
        round_trips: merger.counters().round_trips(),
        entries: merger.counters().entries_fetched(),
    }
}

/// Returns what `read` costs. Nothing else may read through this merger.
pub(crate) async fn price<T>(merger: &Merger, read: impl Future<Output = T>) -> (Price, T) {
    let before = spent(merger);
    let answer = read.await;
    let after = spent(merger);
    let price = Price {
        round_trips: after.round_trips - before.round_trips,
        entries: after.entries - before.entries,
    };
    (price, answer)
}
