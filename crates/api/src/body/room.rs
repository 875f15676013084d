//! Room for bodies, under one limit for all of them: [`Room`].
//!
//! As many connections as there may be could each send a body of the size that one may have. So bytes take
//! room as they come, and give it back when the handler lets go of the body ([`Whole`], or a stream of lines).

use std::ops::Deref;

use bytes::BytesMut;
use serde_json::value::RawValue;

use crate::pool::{Held, Pool};
use crate::problem::{Problem, ProblemType};

/// Elements of an array; more of them are sent as lines.
pub(crate) const ARRAY_ITEMS_MAX: usize = 100_000;

/// Memory of an item beside its text.
pub(super) const ITEM_BYTES: usize = size_of::<&RawValue>();

/// Bytes of the shortest item, with its comma.
const ITEM_BYTES_MIN: usize = 2;

/// What room there is.
#[derive(Debug)]
pub(crate) struct Room(Pool);

/// Room that is taken. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Taken(Held);

/// A whole body, or what has come of it. Its room is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Whole {
    bytes: BytesMut,
    taken: Taken,
}

impl Room {
    /// Room for bodies of so many bytes all together, and for one of so many bytes, with the items of its array, in any
    /// case.
    pub(crate) fn for_bodies_of(pool: &Pool, bytes_max: usize, all_bytes_max: usize) -> Self {
        let items = (bytes_max / ITEM_BYTES_MIN + 1).min(ARRAY_ITEMS_MAX) * ITEM_BYTES;
        pool.limit_to(all_bytes_max.max(bytes_max + items));
        Self(pool.clone())
    }

    /// A body of which nothing has come.
    pub(super) fn body(&self) -> Whole {
        Whole {
            bytes: BytesMut::new(),
            taken: self.taken(),
        }
    }

    /// Takes no room yet.
    pub(super) fn taken(&self) -> Taken {
        Taken(self.0.hold())
    }
}

impl Taken {
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
        self.taken.resize(self.len() + bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes room for so many bytes that are made of the body.
    pub(super) fn take_more(&mut self, bytes: usize) -> Result<(), Problem> {
        self.taken.resize(self.len() + bytes)
    }
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
        let room = Room::for_bodies_of(&pool, 1, 4096);
        let mut first = room.body();
        for _ in 0..3 {
            first.add(&[b' '; 512]).unwrap();
        }
        assert_eq!((first.len(), pool.bytes()), (1536, 1536));
        let mut second = room.body();
        second.add(&[b' '; 2000]).unwrap();
        second.take_more(560).unwrap();
        let refused = first.add(b" ").unwrap_err();
        assert_eq!(refused.kind, ProblemType::Overloaded);
        assert_eq!(first.len(), 1536);
        drop(second);
        first.add(b" ").unwrap();
        drop(first);
        assert_eq!(pool.bytes(), 0);
    }
}
