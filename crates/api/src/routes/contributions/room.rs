//! Contributions that are read and not answered yet, of all requests together, under one limit: [`WriteRoom`].
//!
//! A stream of lines has a chunk of them in memory, and a line may count on sixteen boards. So each write takes
//! room before it is made. A chunk for which there is none is written as it is; an empty one waits for its turn.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::wire::BOARDS_MAX;

/// Bytes of all writes that are held at once, where nothing else is said.
pub const WRITES_BYTES_MAX: usize = 256 << 20;

/// What one write takes with its future and its outcome, rounded up.
const WRITE_BYTES: usize = 2 << 10;

/// Writes that a chunk takes room for at a time, where there is as much.
const TAKEN_AT_ONCE: u32 = 256;

/// Those that one contribution may need.
const NEEDED: u32 = 16;

const _: () = assert!(NEEDED as usize == BOARDS_MAX);

/// What room there is: a permit a write.
#[derive(Debug)]
pub(crate) struct WriteRoom(Arc<Semaphore>);

/// The room that a chunk has taken; free again when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Taken(Option<OwnedSemaphorePermit>);

impl WriteRoom {
    /// Room for so many bytes of writes, and for one contribution in any case.
    pub(crate) fn of_bytes(bytes: usize) -> Self {
        let writes = (bytes / WRITE_BYTES).clamp(BOARDS_MAX, Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(writes)))
    }
}

impl Taken {
    /// Takes room for another contribution beside so many writes. `false`: there is none now.
    pub(super) fn try_grow(&mut self, room: &WriteRoom, writes: usize) -> bool {
        if self.writes() >= writes + BOARDS_MAX {
            return true;
        }
        let mut tries = [TAKEN_AT_ONCE, NEEDED].into_iter();
        let taken = tries.find_map(|writes| room.0.clone().try_acquire_many_owned(writes).ok());
        taken.map(|taken| self.merge(taken)).is_some()
    }

    /// Waits for the room of the first contribution: who has none holds nobody else up.
    pub(super) async fn wait(&mut self, room: &WriteRoom) {
        let taken = room.0.clone().acquire_many_owned(NEEDED).await;
        self.merge(taken.expect("the room is never closed"));
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

    #[test]
    fn chunks_share_room_and_give_it_back() {
        let room = WriteRoom::of_bytes(300 * WRITE_BYTES);
        let (mut first, mut second) = (Taken::default(), Taken::default());
        assert!(first.try_grow(&room, 0));
        assert_eq!(first.writes(), 256);
        // As long as there is some left nothing more is taken.
        assert!(first.try_grow(&room, 240));
        assert_eq!(first.writes(), 256);
        assert!(second.try_grow(&room, 0) && second.try_grow(&room, 16));
        assert!(!second.try_grow(&room, 32) && !first.try_grow(&room, 241));
        let mut third = Taken::default();
        assert!(!third.try_grow(&room, 0));
        assert!(third.wait(&room).now_or_never().is_none());
        drop(second);
        assert!(third.wait(&room).now_or_never().is_some());
        assert_eq!(third.writes(), 16);
        drop((first, third));
        assert_eq!(room.0.available_permits(), 300);
    }

    #[test]
    fn there_is_room_for_one_contribution_in_any_case() {
        let mut taken = Taken::default();
        assert!(taken.try_grow(&WriteRoom::of_bytes(0), 0));
    }
}
