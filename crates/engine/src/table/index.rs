//! [`Index`]: the handles of a table, found by hash.
//!
//! An open-addressed hash table of chunks, each of one cache line: 12 handles, and for each a tag, a
//! byte of its hash. So a lookup reads one line, and almost always only the right record:
//!
//! ```text
//!   | 12 tags | handles that passed | 12 handles |
//! ```
//!
//! A handle is in the chunk of its hash, or in the first one after that with a free slot. A chunk
//! counts the handles that passed it because it was full: a lookup ends at the first chunk that
//! none has passed. The number of chunks is not a power of two: an index grows by a third, not to the
//! double, so between 66 and 88 % of its slots are used.
//!
//! **Invariant:** a chunk that handles have passed is full. The slot of a removed handle is filled
//! with one that passed it, and so on. Otherwise lookups would become longer as members come and go.
//!
//! The chunks are those of F14 (Bronson, Shi, *Open-sourcing F14 for faster, more memory-efficient
//! hash tables*, 2019), with plain integers instead of vector instructions.
//!
//! Deliberately not here: growth. The table fills a larger index from its records.

/// Handles in a chunk.
const SLOTS: usize = 12;

/// The tag of a free slot.
const FREE: u8 = 0;

/// A byte of 1 for each tag.
const ONES: u128 = u128::from_le_bytes([1; 16]) >> (8 * (16 - SLOTS));

/// One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Chunk {
    tags: [u8; SLOTS],
    /// Number of handles that are in a later chunk because this one was full.
    passed: u32,
    handles: [u32; SLOTS],
}

impl Chunk {
    const EMPTY: Self = Self {
        tags: [FREE; SLOTS],
        passed: 0,
        handles: [0; SLOTS],
    };

    /// Returns the slots with this tag.
    fn slots(&self, tag: u8) -> Slots {
        const SEVEN_BITS: u128 = 0x7F * ONES;
        let mut bytes = [0; 16];
        bytes[..SLOTS].copy_from_slice(&self.tags);
        let differing = u128::from_le_bytes(bytes) ^ (u128::from(tag) * ONES);
        // The top bit of a byte is set unless the byte is 0; no carry leaves a byte.
        let not_zero = ((differing & SEVEN_BITS) + SEVEN_BITS) | differing;
        Slots(!not_zero & (ONES << 7))
    }
}

/// Slots of a chunk: the top bit of the byte of each.
struct Slots(u128);

impl Iterator for Slots {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let slot = self.0.trailing_zeros() as usize / 8;
        self.0 &= self.0.wrapping_sub(1);
        (slot < SLOTS).then_some(slot)
    }
}

/// Handles by hash.
#[derive(Debug, Default)]
pub(super) struct Index {
    chunks: Vec<Chunk>,
    len: usize,
}

impl Index {
    /// Creates an index that is full with `handles` or a few more.
    pub(super) fn with_capacity(handles: usize) -> Self {
        // Slots are filled to seven eighths: 21 handles in two chunks.
        let chunks = (2 * handles).div_ceil(21);
        Self {
            chunks: vec![Chunk::EMPTY; chunks],
            len: 0,
        }
    }

    /// Number of handles.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns how many handles the index can have.
    pub(super) const fn capacity(&self) -> usize {
        self.chunks.len() * 21 / 2
    }

    /// Heap bytes held.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Returns the handle with this hash for which `is_it` returns true. Others with the same tag
    /// are asked for, too.
    pub(super) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let (chunk, slot) = self.search(hash, &mut is_it)?;
        Some(self.chunks[chunk].handles[slot])
    }

    /// Adds a handle, which must not be in the index. The index must not be at its capacity.
    pub(super) fn insert(&mut self, hash: u64, handle: u32) {
        debug_assert!(self.len < self.capacity());
        let mut at = self.first(hash);
        loop {
            let chunk = &mut self.chunks[at];
            if let Some(slot) = chunk.slots(FREE).next() {
                chunk.tags[slot] = tag(hash);
                chunk.handles[slot] = handle;
                self.len += 1;
                return;
            }
            chunk.passed += 1;
            at = self.next(at);
        }
    }

    /// Removes a handle, and returns whether it was in the index. `hash_of` returns the hash of
    /// another one.
    pub(super) fn remove(&mut self, hash: u64, handle: u32, hash_of: impl Fn(u32) -> u64) -> bool {
        let Some((mut chunk, mut slot)) = self.search(hash, &mut |other| other == handle) else {
            return false;
        };
        self.len -= 1;
        self.no_longer_passed(self.first(hash), chunk);
        while self.chunks[chunk].passed > 0 {
            let (later, its_slot) = self.one_that_passed(chunk, &hash_of);
            let Chunk { tags, handles, .. } = self.chunks[later];
            self.chunks[chunk].tags[slot] = tags[its_slot];
            self.chunks[chunk].handles[slot] = handles[its_slot];
            self.no_longer_passed(chunk, later);
            (chunk, slot) = (later, its_slot);
        }
        self.chunks[chunk].tags[slot] = FREE;
        true
    }

    /// Counts a handle less that passed the chunks before `end`.
    fn no_longer_passed(&mut self, mut at: usize, end: usize) {
        while at != end {
            self.chunks[at].passed -= 1;
            at = self.next(at);
        }
    }

    /// Returns the first chunk and slot of a handle that passed this chunk. There must be one.
    fn one_that_passed(&self, chunk: usize, hash_of: impl Fn(u32) -> u64) -> (usize, usize) {
        let mut at = chunk;
        for distance in 1..self.chunks.len() {
            at = self.next(at);
            let Chunk { tags, handles, .. } = &self.chunks[at];
            let passed = (0..SLOTS).find(|slot| {
                tags[*slot] != FREE && {
                    let first = self.first(hash_of(handles[*slot]));
                    (at + self.chunks.len() - first) % self.chunks.len() >= distance
                }
            });
            if let Some(slot) = passed {
                return (at, slot);
            }
        }
        unreachable!("a chunk counts the handles that passed it")
    }

    /// Iterates over all handles, in no particular order.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let slots = self
            .chunks
            .iter()
            .flat_map(|chunk| chunk.tags.iter().zip(chunk.handles));
        slots
            .filter(|(tag, _)| **tag != FREE)
            .map(|(_, handle)| handle)
    }

    fn search(&self, hash: u64, is_it: &mut impl FnMut(u32) -> bool) -> Option<(usize, usize)> {
        let mut at = self.first(hash);
        for _ in 0..self.chunks.len() {
            let chunk = &self.chunks[at];
            for slot in chunk.slots(tag(hash)) {
                if is_it(chunk.handles[slot]) {
                    return Some((at, slot));
                }
            }
            if chunk.passed == 0 {
                return None;
            }
            at = self.next(at);
        }
        None
    }

    /// Returns the chunk of a hash, which its lower 32 bits select: members of a shard have the
    /// same top bits, because those chose the shard.
    const fn first(&self, hash: u64) -> usize {
        let scaled = (hash & 0xFFFF_FFFF) as u128 * self.chunks.len() as u128;
        (scaled >> 32) as usize
    }

    const fn next(&self, at: usize) -> usize {
        if at + 1 == self.chunks.len() {
            0
        } else {
            at + 1
        }
    }
}

/// Returns the tag of a hash: a byte next to the bits that select the chunk.
pub(super) fn tag(hash: u64) -> u8 {
    hash.to_le_bytes()[4].max(FREE + 1)
}

#[cfg(test)]
mod tests;
