//! Contributions that are read and not answered yet, of all requests together, under one limit: [`WriteRoom`].
//!
//! A stream of lines has a chunk of them in memory, and a line may count on sixteen boards. So each write takes
//! room before it is made. A chunk for which there is none is written as it is; an empty one waits for its turn,
//! and is refused where that takes too long.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::wire::BOARDS_MAX;

/// Bytes of all writes that are held at once, where nothing else is said.
pub const WRITES_BYTES_MAX: usize = 256 << 20;

/// What one write takes with its future and its outcome, rounded up.
const WRITE_BYTES: usize = 2 << 10;

/// Writes that a chunk takes room for at a time, where there is as much.
const TAKEN_AT_ONCE: usize = 256;

/// How long a chunk waits for room: as long as writes have where nothing else is said.
const WAIT_MAX: Duration = Duration::from_secs(15);

/// What room there is: a permit a write.
#[derive(Debug)]
pub(crate) struct WriteRoom {
    permits: Arc<Semaphore>,
    writes: usize,
}

/// The room that a chunk has taken; free again when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Taken(Option<OwnedSemaphorePermit>);

impl WriteRoom {
    /// Room for so many bytes of writes, and for one contribution in any case.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        let writes = (bytes / WRITE_BYTES).clamp(BOARDS_MAX, Semaphore::MAX_PERMITS);
        Self {
            permits: Arc::new(Semaphore::new(writes)),
            writes,
        }
    }

    fn try_take(&self, writes: usize) -> Option<OwnedSemaphorePermit> {
        let writes = u32::try_from(writes).ok()?;
        self.permits.clone().try_acquire_many_owned(writes).ok()
    }
}

impl Taken {
    /// Takes room for another contribution beside so many writes, of as many contributions as may come. `false`:
    /// there is none now.
    pub(super) fn try_grow(&mut self, room: &WriteRoom, writes: usize, to_come: usize) -> bool {
        if self.writes() >= writes + BOARDS_MAX {
            return true;
        }
        let usual = to_come.clamp(BOARDS_MAX, TAKEN_AT_ONCE);
        let taken = room.try_take(usual).or_else(|| room.try_take(BOARDS_MAX));
        taken.map(|taken| self.merge(taken)).is_some()
    }

    /// Waits for the room of a whole chunk: who has none holds nobody else up. `false`: there was none for long.
    pub(super) async fn wait(&mut self, room: &WriteRoom, to_come: usize) -> bool {
        let writes = (to_come + BOARDS_MAX).min(room.writes);
        let writes = u32::try_from(writes).unwrap_or(u32::MAX);
        let taken = timeout(WAIT_MAX, room.permits.clone().acquire_many_owned(writes)).await;
        taken
            .map(|taken| self.merge(taken.expect("the room is never closed")))
            .is_ok()
    }

    fn writes(&self) -> usize {
        self.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits)
    }

    fn merge(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some(taken) => taken.merge(more),
            None => self.0 = Some(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn chunks_share_room_and_give_it_back() {
        let room = WriteRoom::of_bytes(300 * WRITE_BYTES);
        let (mut first, mut second) = (Taken::default(), Taken::default());
        assert!(first.try_grow(&room, 0, 1_000));
        assert_eq!(first.writes(), 256);
        // As long as there is some left nothing more is taken.
        assert!(first.try_grow(&room, 240, 760));
        assert_eq!(first.writes(), 256);
        assert!(second.try_grow(&room, 0, 1_000) && second.try_grow(&room, 16, 984));
        assert!(!second.try_grow(&room, 32, 968) && !first.try_grow(&room, 241, 759));
        let mut third = Taken::default();
        assert!(!third.try_grow(&room, 0, 1));
        assert!(!third.wait(&room, 1).await);
        let mut waiting = Box::pin(third.wait(&room, 1));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(second);
        assert!(waiting.await);
        assert_eq!(third.writes(), 17);
        drop((first, third));
        assert_eq!(room.permits.available_permits(), 300);
    }

    #[tokio::test]
    async fn there_is_room_for_one_contribution_in_any_case() {
        let room = WriteRoom::of_bytes(0);
        assert!(Taken::default().try_grow(&room, 0, 1));
        assert!(Taken::default().wait(&room, 1_000).await);
    }
}
