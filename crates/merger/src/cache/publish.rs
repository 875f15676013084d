//! Publishing what was merged for all servers, behind the reader's answer.
//!
//! A lease is [`Held`] while this server merges under it. It ends with a board for the others, or,
//! where the merge failed or was given up, with nothing, so that nobody waits for it.

use std::sync::Arc;
use std::time::Duration;

use shard_store::{Lease, Merged, ShardStore, SharedTop};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::snapshot::Snapshot;
use super::wire;

/// Boards that are being published in the background at once. For one more, its reader waits.
const PUBLISHING_MAX: usize = 64;

/// How long a published board is kept, in times of what a read may be old.
const KEPT_STALENESSES: u32 = 2;

/// How long a published board is kept at least: whoever has it need not be sent it again.
const KEPT_MIN: Duration = Duration::from_secs(10);

/// Who may publish in the background.
pub(super) struct Publishers {
    permits: Arc<Semaphore>,
}

impl Default for Publishers {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(PUBLISHING_MAX)),
        }
    }
}

impl Publishers {
    /// A lease in the hands of this server.
    pub(super) fn held(
        &self,
        store: &Arc<dyn ShardStore>,
        top: SharedTop,
        lease: Lease,
        staleness: Duration,
    ) -> Held {
        Held {
            end: Some(End {
                store: store.clone(),
                top,
                lease,
                kept: (staleness * KEPT_STALENESSES).max(KEPT_MIN),
            }),
            permits: self.permits.clone(),
        }
    }
}

/// A lease under which this server merges; given back when it is dropped.
pub(super) struct Held {
    /// None once it is on its way.
    end: Option<End>,
    permits: Arc<Semaphore>,
}

impl Held {
    /// Publishes what was merged, without waiting for it where there is room in the background.
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

impl Drop for Held {
    fn drop(&mut self) {
        // A lease that cannot be given back ends by itself.
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

/// What the end of a lease is told to, and where.
struct End {
    store: Arc<dyn ShardStore>,
    top: SharedTop,
    lease: Lease,
    kept: Duration,
}

impl End {
    /// Ends it with a board, or with nothing. That it fails is no harm: the lease ends by itself, and
    /// others merge for themselves.
    async fn with(self, snapshot: Option<Arc<Snapshot>>) {
        if let Some(boards) = self.store.shared() {
            let merged = snapshot.map_or(Merged::Nothing, |snapshot| {
                merged(&snapshot, &self.lease, boards.bytes_max())
            });
            let published = boards.publish(&self.top, &self.lease, merged, self.kept);
            let _ = published.await;
        }
    }
}

fn merged(snapshot: &Snapshot, lease: &Lease, bytes_max: usize) -> Merged {
    let version = snapshot.version.clone();
    if lease.published.as_ref() == Some(&version) {
        return Merged::Same { version };
    }
    let fits = wire::len(snapshot) <= bytes_max;
    match fits.then(|| wire::written(snapshot)).flatten() {
        Some(bytes) => Merged::Board { version, bytes },
        None => Merged::Nothing,
    }
}
