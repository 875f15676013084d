//! The members of one ranking: for each one its state, some words, and its bytes.
//!
//! The main type is [`Table`]. A record lies in a page of bytes, its state first:
//!
//! ```text
//!   | word | word | .. | length of the member - 1 | member bytes | to a multiple of 4 |
//! ```
//!
//! and is named by a handle, its place in units of 4 bytes: 32 bits reach 16 GiB. The index holds
//! the handles only. A record of two words and a member of ten bytes takes 28 bytes, and 6 to 11
//! in the index. Removed records wait in a list for a record of the same size. [`Table::freeze`] keeps
//! what the records are at a moment.
//!
//! Deliberately not here: what the state means, the order of members (the tree beside this
//! module), and compaction: room given up by records of one size is not used by another size.

mod frozen;

use std::cmp::Ordering;

use board::NameOrder;
use hashbrown::HashTable;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::pages::{PAGE_BYTES, Pages};
use super::tree::Names;
pub(crate) use frozen::FrozenTable;

/// Most words of state a record has.
pub(crate) const STATE_WORDS_MAX: usize = 8;

/// Most bytes of a member.
pub(crate) const MEMBER_BYTES_MAX: usize = 128;

/// Bytes that a handle counts by.
const UNIT: usize = 4;

/// Pages that a handle can reach. No record reaches over the end of one.
const PAGES_MAX: usize = (1 << 32) / (PAGE_BYTES / UNIT);

/// The end of a list of removed records. No record is there: it would reach over a page's end.
const NONE: u32 = u32::MAX;

/// Sizes of the member part of a record, in units.
const SIZES: usize = (1 + MEMBER_BYTES_MAX).div_ceil(UNIT) + 1;

/// All the room that handles can name is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a member table is full: its records take 16 GiB")]
pub struct TableFull;

/// The hash that [`Table`] goes by.
pub(crate) fn member_hash(member: &[u8]) -> u64 {
    XxHash3_64::oneshot(member)
}

/// Records of members, found by member or by handle.
#[derive(Debug)]
pub(crate) struct Table {
    state_bytes: usize,
    index: HashTable<u32>,
    pages: Pages<u8>,
    pages_max: usize,
    names: NameOrder,
    /// For each size the first removed record; its first bytes name the next one.
    removed: [u32; SIZES],
}

impl Table {
    /// A table of records with `state_words` words of state each, 1 to 8, and of names that compare so.
    pub(crate) fn new(state_words: usize, names: NameOrder) -> Self {
        debug_assert!((1..=STATE_WORDS_MAX).contains(&state_words));
        Self {
            state_bytes: state_words * size_of::<u64>(),
            index: HashTable::new(),
            pages: Pages::new(),
            pages_max: PAGES_MAX,
            names,
            removed: [NONE; SIZES],
        }
    }

    /// A table that will have so many members: its index does not grow on the way.
    pub(crate) fn with_room(state_words: usize, members: usize, names: NameOrder) -> Self {
        let index = HashTable::with_capacity(members);
        Self {
            index,
            ..Self::new(state_words, names)
        }
    }

    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether a record of any size has room.
    pub(crate) fn has_room(&self) -> bool {
        self.pages.count() < self.pages_max
    }

    /// Heap bytes held, unused capacity included.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.pages.bytes() + self.index.allocation_size()
    }

    /// The handle of `member`; `hash` is its [`member_hash`].
    pub(crate) fn find(&self, hash: u64, member: &[u8]) -> Option<u32> {
        self.index
            .find(spread(hash), |&handle| self.name(handle) == member)
            .copied()
    }

    /// The handles of many members at once. A find waits for memory twice, for the index and for the
    /// record. Here the first wait is shared by all, and then the second.
    pub(crate) fn find_all<'a>(
        &self,
        members: impl Iterator<Item = (u64, &'a [u8])> + Clone,
        handles: &mut Vec<Option<u32>>,
    ) {
        handles.clear();
        // The first handle with the right tag is almost always the one.
        let likely = |(hash, _)| self.index.find(spread(hash), |_| true).copied();
        handles.extend(members.clone().map(likely));
        for (handle, (hash, member)) in handles.iter_mut().zip(members) {
            if handle.is_some_and(|handle| self.name(handle) != member) {
                *handle = self.find(hash, member);
            }
        }
    }

    /// Adds a record, and answers its handle. `member` must not be in the table already, `hash` is
    /// its [`member_hash`], `state` has as many words as the table's records.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        member: &[u8],
        state: &[u64],
    ) -> Result<u32, TableFull> {
        debug_assert!((1..=MEMBER_BYTES_MAX).contains(&member.len()));
        debug_assert!(self.find(hash, member).is_none());
        let handle = self.room(size(member.len()))?;
        let (page, at) = place(handle);
        let state_bytes = self.state_bytes;
        let (words, record) = self.pages.behind_mut(page, at).split_at_mut(state_bytes);
        put_words(words, state);
        record[0] = member.len().to_le_bytes()[0].wrapping_sub(1);
        record[1..=member.len()].copy_from_slice(member);
        let pages = &self.pages;
        let rehash = |&handle: &u32| spread(member_hash(name(pages, state_bytes, handle)));
        self.index.insert_unique(spread(hash), handle, rehash);
        Ok(handle)
    }

    /// Removes a record; answers whether it was there. Its handle may come back for another member,
    /// so it must have left every tree before.
    pub(crate) fn remove(&mut self, hash: u64, handle: u32) -> bool {
        let Ok(entry) = self
            .index
            .find_entry(spread(hash), |&other| other == handle)
        else {
            return false;
        };
        entry.remove();
        let size = size(self.name(handle).len());
        let (page, at) = place(handle);
        let next = self.removed[size].to_le_bytes();
        self.pages.behind_mut(page, at)[..UNIT].copy_from_slice(&next);
        self.removed[size] = handle;
        true
    }

    /// The state of a record; what is beyond its words is zero.
    pub(crate) fn state(&self, handle: u32) -> [u64; STATE_WORDS_MAX] {
        let (page, at) = place(handle);
        words(&self.pages.behind(page, at)[..self.state_bytes])
    }

    /// Overwrites the state of a record.
    pub(crate) fn set_state(&mut self, handle: u32, state: &[u64]) {
        let (page, at) = place(handle);
        let record = self.pages.behind_mut(page, at);
        put_words(&mut record[..self.state_bytes], state);
    }

    /// The handles of all members, in no order.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.index.iter().copied()
    }

    /// Room for a record whose member part has `size` units.
    fn room(&mut self, size: usize) -> Result<u32, TableFull> {
        let handle = self.removed[size];
        if handle != NONE {
            self.removed[size] = next_removed(&self.pages, handle);
            return Ok(handle);
        }
        let bytes = self.state_bytes + size * UNIT;
        if !self.pages.last_takes(bytes) && !self.has_room() {
            return Err(TableFull);
        }
        let (page, at) = self.pages.extend(bytes);
        u32::try_from((page * PAGE_BYTES + at) / UNIT).map_err(|_| TableFull)
    }
}

impl Names for Table {
    fn name(&self, handle: u32) -> &[u8] {
        name(&self.pages, self.state_bytes, handle)
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.names.compare(a, b)
    }
}

/// The member bytes of a record.
fn name(pages: &Pages<u8>, state_bytes: usize, handle: u32) -> &[u8] {
    let (page, at) = place(handle);
    member_at(pages.behind(page, at + state_bytes))
}

/// The member at the beginning of the member part of a record.
fn member_at(record: &[u8]) -> &[u8] {
    &record[1..usize::from(record[0]) + 2]
}

/// The words that are at the beginning of a record; what is beyond them is zero.
fn words(state: &[u8]) -> [u64; STATE_WORDS_MAX] {
    let mut words = [0; STATE_WORDS_MAX];
    for (word, bytes) in words.iter_mut().zip(state.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

fn put_words(state: &mut [u8], words: &[u64]) {
    debug_assert_eq!(size_of_val(words), state.len());
    for (bytes, word) in state.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// The record that was removed before the removed one at `handle`.
fn next_removed(pages: &Pages<u8>, handle: u32) -> u32 {
    let (page, at) = place(handle);
    let next = pages.behind(page, at).first_chunk();
    next.map_or(NONE, |bytes| u32::from_le_bytes(*bytes))
}

/// The page of a record, and where in it the record begins.
fn place(handle: u32) -> (usize, usize) {
    let unit = handle as usize;
    (
        unit / (PAGE_BYTES / UNIT),
        unit % (PAGE_BYTES / UNIT) * UNIT,
    )
}

/// Units of the member part of a record.
fn size(member_bytes: usize) -> usize {
    (1 + member_bytes).div_ceil(UNIT)
}

/// The members of a shard share the top bits of their hashes: those chose the shard. The index
/// tells neighbours apart by its top 7 bits, so lower ones are folded into them.
fn spread(hash: u64) -> u64 {
    hash ^ (hash << 13)
}

#[cfg(test)]
mod tests;
