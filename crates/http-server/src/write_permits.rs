//! Limits the memory of contributions that are being written, of all requests together: [`WritePermits`].
//!
//! A chunk of a stream holds up to 1,000 contributions, and each may count on 16 boards. A chunk acquires a permit
//! for each write before it makes it. If none is free, a chunk that holds writes is written at once; an empty chunk
//! waits, and is rejected as overloaded after [`WAIT_MAX`].

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use wire::BOARDS_MAX;

/// Default limit of the memory of all writes.
pub(crate) const WRITES_BYTES_MAX: usize = 256 << 20;

/// Memory of one write with its future and its outcome, rounded up.
const WRITE_BYTES: usize = 2 << 10;

/// Permits that a chunk acquires at a time if as many are free.
const ACQUIRED_AT_ONCE: usize = 256;

/// How long an empty chunk waits: the default write deadline of a store on Redis.
const WAIT_MAX: Duration = Duration::from_secs(15);

/// A permit for each write.
#[derive(Debug)]
pub struct WritePermits {
    free: Arc<Semaphore>,
    count: usize,
}

/// The permits of one chunk, released on drop.
#[derive(Debug, Default)]
pub struct ChunkPermits(Option<OwnedSemaphorePermit>);

impl WritePermits {
    /// Permits for writes of so many bytes in all, and for one contribution in any case.
    #[must_use]
    pub fn of_bytes(bytes: usize) -> Self {
        let count = (bytes / WRITE_BYTES).clamp(BOARDS_MAX, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(count)),
            count,
        }
    }

    fn try_acquire(&self, count: usize) -> Option<OwnedSemaphorePermit> {
        let count = u32::try_from(count).ok()?;
        self.free.clone().try_acquire_many_owned(count).ok()
    }
}

impl ChunkPermits {
    /// Makes sure that a chunk of `writes` writes has permits for another contribution; `to_come` contributions may
    /// follow. Returns `false` if none are free.
    pub fn try_grow(&mut self, all: &WritePermits, writes: usize, to_come: usize) -> bool {
        if self.count() >= writes + BOARDS_MAX {
            return true;
        }
        let usual = to_come.clamp(BOARDS_MAX, ACQUIRED_AT_ONCE);
        let more = all
            .try_acquire(usual)
            .or_else(|| all.try_acquire(BOARDS_MAX));
        more.map(|more| self.merge(more)).is_some()
    }

    /// Waits for the permits of a whole chunk of `to_come` contributions, while it holds none. Returns `false` after
    /// `WAIT_MAX`.
    pub async fn wait(&mut self, all: &WritePermits, to_come: usize) -> bool {
        let count = (to_come + BOARDS_MAX).min(all.count);
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let acquired = timeout(WAIT_MAX, all.free.clone().acquire_many_owned(count)).await;
        acquired
            .map(|more| self.merge(more.expect("the semaphore is never closed")))
            .is_ok()
    }

    fn count(&self) -> usize {
        self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn merge(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(permits) => permits.merge(more),
            None => self.0 = Some(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn chunks_share_permits_and_release_them() {
        let all = WritePermits::of_bytes(300 * WRITE_BYTES);
        let (mut first, mut second) = (ChunkPermits::default(), ChunkPermits::default());
        assert!(first.try_grow(&all, 0, 1_000));
        assert_eq!(first.count(), 256);
        // No more are acquired while enough are left.
        assert!(first.try_grow(&all, 240, 760));
        assert_eq!(first.count(), 256);
        assert!(second.try_grow(&all, 0, 1_000) && second.try_grow(&all, 16, 984));
        assert!(!second.try_grow(&all, 32, 968) && !first.try_grow(&all, 241, 759));
        let mut third = ChunkPermits::default();
        assert!(!third.try_grow(&all, 0, 1));
        assert!(!third.wait(&all, 1).await);
        let mut waiting = Box::pin(third.wait(&all, 1));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(second);
        assert!(waiting.await);
        assert_eq!(third.count(), 17);
        drop((first, third));
        assert_eq!(all.free.available_permits(), 300);
    }

    #[tokio::test]
    async fn one_contribution_always_gets_its_permits() {
        let all = WritePermits::of_bytes(0);
        assert!(ChunkPermits::default().try_grow(&all, 0, 1));
        assert!(ChunkPermits::default().wait(&all, 1_000).await);
    }
}
