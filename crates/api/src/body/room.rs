//! Room for bodies that are held whole, under one limit for all of them: [`Room`].
//!
//! As many connections as there may be could each send a body of the size that one may have. So bytes take
//! room as they come, and give it back when the handler lets go of the body ([`Whole`]).

use std::ops::Deref;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::{Problem, ProblemType};

/// Bytes of all bodies that are held whole at once, where nothing else is said.
pub(crate) const BODIES_BYTES_MAX: usize = 256 << 20;

/// Bytes of a piece of room.
const PIECE_BYTES: usize = 1 << 10;

/// What room there is.
#[derive(Debug)]
pub(crate) struct Room(Arc<Semaphore>);

/// A whole body, or what has come of it. Its room is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Whole {
    bytes: BytesMut,
    taken: OwnedSemaphorePermit,
}

impl Room {
    /// Room for bodies of so many bytes all together, and for one of so many bytes in any case.
    pub(crate) fn for_bodies_of(bytes_max: usize, all_bytes_max: usize) -> Self {
        Self::of(all_bytes_max.max(bytes_max))
    }

    fn of(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.div_ceil(PIECE_BYTES))))
    }

    /// A body of which nothing has come.
    pub(super) fn body(&self) -> Result<Whole, Problem> {
        Ok(Whole {
            bytes: BytesMut::new(),
            taken: taken(&self.0, 0)?,
        })
    }
}

impl Whole {
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let held = self.taken.num_permits() * PIECE_BYTES;
        let more = (self.len() + bytes.len()).saturating_sub(held);
        if more > 0 {
            let more = taken(self.taken.semaphore(), more.div_ceil(PIECE_BYTES))?;
            self.taken.merge(more);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

fn taken(room: &Arc<Semaphore>, pieces: usize) -> Result<OwnedSemaphorePermit, Problem> {
    let pieces = u32::try_from(pieces).ok();
    let taken = pieces.and_then(|pieces| room.clone().try_acquire_many_owned(pieces).ok());
    taken.ok_or_else(|| {
        let detail = "the bodies of all requests under way take more room than there is";
        Problem::new(ProblemType::Overloaded, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_room_and_give_it_back() {
        let room = Room::of(4 * PIECE_BYTES);
        let mut first = room.body().unwrap();
        for _ in 0..3 {
            first.add(&[b' '; PIECE_BYTES / 2]).unwrap();
        }
        assert_eq!((first.len(), room.0.available_permits()), (1536, 2));
        let mut second = room.body().unwrap();
        second.add(&[b' '; PIECE_BYTES + 1]).unwrap();
        // What there is of the last piece is one's own.
        first.add(&[b' '; PIECE_BYTES / 2]).unwrap();
        let refused = first.add(b" ").unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(first.len(), 2048);
        drop(second);
        first.add(b" ").unwrap();
        drop(first);
        assert_eq!(room.0.available_permits(), 4);
    }
}
