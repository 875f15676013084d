//! The memory of bodies: [`Whole`].
//!
//! Bytes count in the share of bodies as they arrive, until the handler drops the body ([`Whole`], or a stream of
//! lines). The capacity of the buffer counts: it doubles when it is full, unless the length of the body is known.

use std::ops::Deref;

use serde_json::value::RawValue;
use wire::problem::{Problem, ProblemType};

use crate::share::{HeldBytes, Share};

/// The maximum elements of an array. Clients send more of them as lines.
pub const ARRAY_ITEMS_MAX: usize = 100_000;

/// The memory of an item besides its text.
pub(super) const ITEM_BYTES: usize = size_of::<&RawValue>();

/// The length of the shortest item, with its comma.
const ITEM_BYTES_MIN: usize = 2;

/// A whole body, or the part that has arrived. Its memory is counted until this is dropped.
#[derive(Debug)]
pub struct Whole {
    bytes: Vec<u8>,
    bytes_max: usize,
    counted: HeldBytes,
}

/// Returns the memory of a body of `bytes_max`, with the items of its array.
pub(crate) fn memory_of_body(bytes_max: usize) -> usize {
    let items = (bytes_max / ITEM_BYTES_MIN + 1).min(ARRAY_ITEMS_MAX);
    bytes_max + items * ITEM_BYTES
}

/// Counts this number of bytes instead of the previous one.
pub(super) fn count(counted: &mut HeldBytes, bytes: usize) -> Result<(), Problem> {
    if counted.resize(bytes) {
        return Ok(());
    }
    let detail = "the bodies of all current requests exceed the memory for bodies";
    Err(Problem::new(ProblemType::Overloaded, detail))
}

impl Whole {
    /// Creates an empty body that grows to at most `bytes_max`, and counts in this share.
    pub(super) fn new(share: &Share, bytes_max: usize) -> Self {
        Self {
            bytes: Vec::new(),
            bytes_max,
            counted: share.hold(),
        }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let capacity = self.bytes.capacity();
        let needed = self.len() + bytes.len();
        if needed > capacity {
            let capacity = grown(capacity, needed, self.bytes_max);
            count(&mut self.counted, capacity)?;
            self.bytes.reserve_exact(capacity - self.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Counts the memory of values that are parsed from the body.
    pub(super) fn count_parsed(&mut self, bytes: usize) -> Result<(), Problem> {
        count(&mut self.counted, self.bytes.capacity() + bytes)
    }
}

/// Returns the capacity that a buffer grows to: twice as much, but at most the maximum that it can need.
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
    fn bodies_share_a_limit_until_they_are_dropped() {
        let share = Share::up_to(4096);
        let mut first = Whole::new(&share, 1536);
        for _ in 0..2 {
            first.add(&[b' '; 512]).unwrap();
        }
        let mut second = Whole::new(&share, 4096);
        second.add(&[b' '; 2000]).unwrap();
        second.count_parsed(1072).unwrap();
        let rejected = first.add(b" ").unwrap_err();
        assert_eq!(rejected.kind, ProblemType::Overloaded);
        assert_eq!(first.len(), 1024);
        drop(second);
        first.add(b" ").unwrap();
        drop(first);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn the_capacity_of_a_body_is_counted() {
        const PIECE: usize = 1000;
        // A body of a known length, and one of an unknown length.
        for (pieces_max, capacity) in [(100, 100), (1000, 128)] {
            let share = Share::up_to(1 << 20);
            let mut body = Whole::new(&share, pieces_max * PIECE);
            for _ in 0..100 {
                body.add(&[b' '; PIECE]).unwrap();
                assert_eq!(share.bytes(), body.bytes.capacity());
            }
            assert_eq!(share.bytes(), capacity * PIECE);
        }
    }
}
