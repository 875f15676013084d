//! [`GlobalBoards`]: all caches of a merger, under their limits.

use std::sync::Arc;

use board::BoardName;
use moka::sync::Cache;
use shard_router::Changes;
use tokio::sync::Semaphore;

use super::publish::PUBLISHING_MAX;
use super::shown_times::ShownTimes;
use super::single_flight::SingleFlight;
use super::snapshot::{Key, Snapshot};
use crate::version::Version;

/// Maximum bytes of versions that are known to be final.
const FINALS_BYTES_MAX: u64 = 16 << 20;

/// Estimated bytes of each of them beside its shards, mostly the cache's own.
const FINAL_BYTES: usize = 300;

/// Maximum names without a board that are cached.
const UNCREATED_MAX: u64 = 65_536;

/// Snapshots by board incarnation and window, under a limit of bytes.
pub(crate) struct GlobalBoards {
    pub(crate) snapshots: Cache<Key, Arc<Snapshot>>,
    /// Of `snapshots`. Those that are evicted do not count.
    pub(super) changes: Changes,
    /// The last version of each closed window that is known to be durable.
    pub(crate) finals: Cache<Key, Version>,
    pub(super) merges: SingleFlight<Key>,
    pub(super) shown: ShownTimes,
    /// The permits to publish in the background.
    pub(super) publishing: Arc<Semaphore>,
    pub(crate) uncreated: Cache<BoardName, Arc<Snapshot>>,
    pub(super) creations: SingleFlight<BoardName>,
}

impl GlobalBoards {
    pub(crate) fn new(bytes_max: u64) -> Self {
        let snapshots = Cache::builder()
            .max_capacity(bytes_max)
            .weigher(|_, snapshot: &Arc<Snapshot>| snapshot.weight())
            .build();
        let finals = Cache::builder()
            .max_capacity(FINALS_BYTES_MAX)
            .weigher(|_, version: &Version| {
                u32::try_from(FINAL_BYTES + version.bytes()).unwrap_or(u32::MAX)
            })
            .build();
        Self {
            snapshots,
            changes: Changes::default(),
            finals,
            merges: SingleFlight::default(),
            shown: ShownTimes::default(),
            publishing: Arc::new(Semaphore::new(PUBLISHING_MAX)),
            uncreated: Cache::new(UNCREATED_MAX),
            creations: SingleFlight::default(),
        }
    }

    pub(crate) fn free_evicted(&self) {
        self.snapshots.run_pending_tasks();
        self.finals.run_pending_tasks();
        self.uncreated.run_pending_tasks();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use board::{Incarnation, RankStyle, Window};
    use shard_store::ShardVersion;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(20);

    #[test]
    fn known_final_versions_stay_within_their_limit() {
        const VERSIONS: u64 = 100_000;
        let boards = GlobalBoards::new(0);
        let finals = &boards.finals;
        for number in 0..VERSIONS {
            let incarnation = Incarnation(number);
            let shards = vec![ShardVersion::default()];
            let version = Version::new(incarnation, RankStyle::Ordinal, shards);
            finals.insert((incarnation, Window::ALL_TIME), version);
            if number == 0 {
                boards.free_evicted();
                assert_eq!(finals.entry_count(), 1);
            }
        }
        // Evicted entries are freed a little later.
        let deadline = Instant::now() + DEADLINE;
        let kept_max = FINALS_BYTES_MAX / FINAL_BYTES as u64;
        while finals.entry_count() > kept_max {
            assert!(Instant::now() < deadline, "too many are kept");
            boards.free_evicted();
        }
        assert!(finals.entry_count() > kept_max / 2);
    }
}
