//! Room for bodies, under one limit for all of them: [`BodyMemory`].
//!
//! As many connections as there may be could each send a body of the size that one may have. So bytes take
//! room as they come, and give it back when the handler lets go of the body ([`Whole`], or a stream of lines). What
//! counts is the memory that they take: a buffer doubles, but for one whose length is known.

use std::ops::Deref;

use serde_json::value::RawValue;

use crate::pool::{HeldBytes, Pool};
use problem::{Problem, ProblemType};

/// Elements of an array; more of them are sent as lines.
pub const ARRAY_ITEMS_MAX: usize = 100_000;

/// Memory of an item beside its text.
pub(super) const ITEM_BYTES: usize = size_of::<&RawValue>();

/// Bytes of the shortest item, with its comma.
const ITEM_BYTES_MIN: usize = 2;

/// What room there is.
#[derive(Debug)]
pub struct BodyMemory(Pool);

/// Room that is taken. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct BodyBytes(HeldBytes);

/// A whole body, or what has come of it. Its room is free again when this is dropped.
#[derive(Debug)]
pub struct Whole {
    bytes: Vec<u8>,
    bytes_max: usize,
    taken: BodyBytes,
}

impl BodyMemory {
    /// Room for bodies of so many bytes all together, and for one of so many bytes, with the items of its array, in any
    /// case.
    #[must_use]
    pub fn for_bodies_of(pool: &Pool, bytes_max: usize, all_bytes_max: usize) -> Self {
        let items = (bytes_max / ITEM_BYTES_MIN + 1).min(ARRAY_ITEMS_MAX) * ITEM_BYTES;
        pool.limit_to(all_bytes_max.max(bytes_max + items));
        Self(pool.clone())
    }

    /// A body of at most so many bytes, of which nothing has come.
    pub(super) fn body(&self, bytes_max: usize) -> Whole {
        Whole {
            bytes: Vec::new(),
            bytes_max,
            taken: self.taken(),
        }
    }

    /// Takes no room yet.
    pub(super) fn taken(&self) -> BodyBytes {
        BodyBytes(self.0.hold())
    }
}

impl BodyBytes {
    /// Takes room for so many bytes in all.
    pub(super) fn resize(&mut self, bytes: usize) -> Result<(), Problem> {
        if self.0.resize(bytes) {
            return Ok(());
        }
        let detail = "the bodies of all requests under way take more room than there is";
        Err(Problem::new(ProblemType::Overloaded, detail))
    }
}

impl Whole {
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let capacity = self.bytes.capacity();
        let needed = self.len() + bytes.len();
        if needed > capacity {
            let capacity = grown(capacity, needed, self.bytes_max);
            self.taken.resize(capacity)?;
            self.bytes.reserve_exact(capacity - self.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes room for so many bytes that are made of the body.
    pub(super) fn take_more(&mut self, bytes: usize) -> Result<(), Problem> {
        self.taken.resize(self.bytes.capacity() + bytes)
    }
}

/// Returns the capacity that a buffer grows to: twice as much, but no more than it can come to need.
pub(super) fn grown(capacity: usize, needed: usize, needed_max: usize) -> usize {
    capacity.saturating_mul(2).min(needed_max).max(needed)
}

impl Deref for Whole {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_room_and_give_it_back() {
        let pool = Pool::up_to(0);
        let room = BodyMemory::for_bodies_of(&pool, 1, 4096);
        let mut first = room.body(1536);
        for _ in 0..2 {
            first.add(&[b' '; 512]).unwrap();
        }
        let mut second = room.body(4096);
        second.add(&[b' '; 2000]).unwrap();
        second.take_more(1072).unwrap();
        let refused = first.add(b" ").unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(first.len(), 1024);
        drop(second);
        first.add(b" ").unwrap();
        drop(first);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn a_body_counts_as_the_memory_that_it_takes() {
        const PIECE: usize = 1000;
        // Of a known length, and of any.
        for (pieces_max, capacity) in [(100, 100), (1000, 128)] {
            let pool = Pool::up_to(0);
            let bytes_max = pieces_max * PIECE;
            let mut body = BodyMemory::for_bodies_of(&pool, bytes_max, 0).body(bytes_max);
            for _ in 0..100 {
                body.add(&[b' '; PIECE]).unwrap();
                assert_eq!(pool.bytes(), body.bytes.capacity());
            }
            assert_eq!(pool.bytes(), capacity * PIECE);
        }
    }
}
