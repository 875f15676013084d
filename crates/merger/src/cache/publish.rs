//! Publishes merged boards for all servers, after the reader got its result.
//!
//! A [`HeldLease`] exists while this server merges under it. It is ended by publishing a board or,
//! if the merge failed or was cancelled, by releasing it, so that no server waits for it.

use std::sync::Arc;
use std::time::Duration;

use shard_store::{Lease, ShardStore, SharedMergeResult, SharedTop, StoreServers};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::snapshot::Snapshot;
use super::wire;

/// Boards that are published in the background at once. Beyond that, the reader waits.
pub(super) const PUBLISHING_MAX: usize = 64;

/// How long a published board is kept, in multiples of the maximum staleness of a read.
const KEPT_STALENESSES: u32 = 2;

/// Minimum time that a published board is kept: servers that have it do not fetch it again.
const KEPT_MIN: Duration = Duration::from_secs(10);

/// A lease under which this server merges; released on drop.
pub(super) struct HeldLease {
    /// `None` once it is being ended.
    end: Option<End>,
    permits: Arc<Semaphore>,
}

impl HeldLease {
    /// Holds a lease that this server has acquired.
    pub(super) fn new(end: End, permits: &Arc<Semaphore>) -> Self {
        Self {
            end: Some(end),
            permits: permits.clone(),
        }
    }

    /// Publishes the merged board, in the background if there is a permit.
    pub(super) async fn publish(mut self, snapshot: Arc<Snapshot>) {
        let Some(end) = self.end.take() else { return };
        let end = end.with(Some(snapshot));
        match self.permits.clone().try_acquire_owned() {
            Ok(permit) => {
                tokio::spawn(async move {
                    end.await;
                    drop(permit);
                });
            }
            Err(_) => end.await,
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        // A lease that cannot be released expires by itself.
        if let Some(end) = self.end.take()
            && let Ok(runtime) = Handle::try_current()
            && let Ok(permit) = self.permits.clone().try_acquire_owned()
        {
            runtime.spawn(async move {
                end.with(None).await;
                drop(permit);
            });
        }
    }
}

/// What is needed to end a lease.
pub(super) struct End {
    pub(super) store: Arc<dyn ShardStore>,
    pub(super) top: SharedTop,
    pub(super) lease: Lease,
    /// The maximum staleness of a read of the board.
    pub(super) staleness: Duration,
}

impl End {
    /// Ends the lease by publishing a board, or by releasing it. A failure is harmless: the lease
    /// expires by itself, and the other servers merge on their own.
    async fn with(self, snapshot: Option<Arc<Snapshot>>) {
        if let Some(boards) = self
            .store
            .capabilities()
            .servers
            .and_then(StoreServers::shared)
        {
            let merged = snapshot.map_or(SharedMergeResult::Nothing, |snapshot| {
                merged(&snapshot, &self.lease, boards.bytes_max())
            });
            let kept = (self.staleness * KEPT_STALENESSES).max(KEPT_MIN);
            let published = boards.publish(&self.top, &self.lease, merged, kept);
            let _ = published.await;
        }
    }
}

fn merged(snapshot: &Snapshot, lease: &Lease, bytes_max: usize) -> SharedMergeResult {
    let version = snapshot.version.clone();
    if lease.published.as_ref() == Some(&version) {
        return SharedMergeResult::Unchanged { version };
    }
    let fits = wire::len_max(snapshot) <= bytes_max;
    match fits.then(|| wire::written(snapshot)).flatten() {
        Some(bytes) => SharedMergeResult::Board { version, bytes },
        None => SharedMergeResult::Nothing,
    }
}
