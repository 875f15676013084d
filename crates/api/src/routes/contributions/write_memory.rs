//! [`WriteMemory`]: the memory of the contributions that a chunk writes.
//!
//! A chunk holds up to 1,000 contributions, and each may count on 16 boards. A chunk holds the memory of a write before
//! it makes it, in a share for the writes of all requests. If none is free, a chunk that has writes is written at once;
//! an empty chunk waits, and is rejected as overloaded after [`WAIT_MAX`].

use std::time::Duration;

use http_server::{HeldBytes, Share, WRITE_BYTES};
use tokio::time::timeout;
use wire::BOARDS_MAX;

/// The writes whose memory a chunk takes at a time if as much is free.
const TAKEN_AT_ONCE: usize = 256;

/// How long an empty chunk waits: the default write deadline of a store on Redis.
const WAIT_MAX: Duration = Duration::from_secs(15);

/// The memory of the writes of one chunk, released on drop.
pub(super) struct WriteMemory<'a> {
    share: &'a Share,
    held: HeldBytes,
}

impl<'a> WriteMemory<'a> {
    /// Holds no memory yet.
    pub(super) fn of(share: &'a Share) -> Self {
        let held = share.hold();
        Self { share, held }
    }

    /// Makes sure that a chunk of `writes` writes has memory for another contribution; `to_come` contributions may
    /// follow. Returns `false` if none is free.
    pub(super) fn try_grow(&mut self, writes: usize, to_come: usize) -> bool {
        let usual = to_come.clamp(BOARDS_MAX, TAKEN_AT_ONCE);
        self.held.bytes() >= (writes + BOARDS_MAX) * WRITE_BYTES
            || self.held.grow_in_turn(usual * WRITE_BYTES)
            || self.held.grow_in_turn(BOARDS_MAX * WRITE_BYTES)
    }

    /// Waits for the memory of a whole chunk of `to_come` contributions, while it holds none. Returns `false` after
    /// `WAIT_MAX`.
    pub(super) async fn wait(&mut self, to_come: usize) -> bool {
        let bytes = (to_come + BOARDS_MAX) * WRITE_BYTES;
        let grown = self.held.wait_to_grow(bytes.min(self.share.bytes_max()));
        timeout(WAIT_MAX, grown).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use http_server::{MemoryBudget, MemorySettings};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn chunks_share_memory_and_release_it() {
        let share = Share::up_to(300 * WRITE_BYTES);
        let [mut first, mut second, mut third] = [(); 3].map(|()| WriteMemory::of(&share));
        assert!(first.try_grow(0, 1_000));
        assert_eq!(share.bytes(), 256 * WRITE_BYTES);
        // No more is taken while enough is left.
        assert!(first.try_grow(240, 760));
        assert_eq!(share.bytes(), 256 * WRITE_BYTES);
        assert!(second.try_grow(0, 1_000) && second.try_grow(16, 984));
        assert!(!second.try_grow(32, 968) && !first.try_grow(241, 759));
        assert!(!third.try_grow(0, 1));
        assert!(!third.wait(1).await);
        let mut waiting = Box::pin(third.wait(1));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(second);
        assert!(waiting.await);
        assert_eq!(share.bytes(), (256 + 17) * WRITE_BYTES);
        drop((first, third));
        assert_eq!(share.bytes(), 0);
    }

    #[tokio::test]
    async fn one_contribution_always_gets_its_memory() {
        let budget = MemoryBudget::new(MemorySettings {
            limit: Some(1),
            ..MemorySettings::default()
        });
        assert!(WriteMemory::of(&budget.writes).try_grow(0, 1));
        assert!(WriteMemory::of(&budget.writes).wait(1_000).await);
    }
}
