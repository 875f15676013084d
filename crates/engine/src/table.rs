//! [`Table`]: the members of one ranking. Each has a record of its state (some words) and its name.
//!
//! A record is stored in a page of bytes, its state first:
//!
//! ```text
//!   | word | word | .. | length of the member - 1 | member bytes | to a multiple of 4 |
//! ```
//!
//! It is identified by a handle, its offset in units of 4 bytes: 32 bits address 16 GiB. The index
//! holds only the handles. A record of two words and a member of ten bytes takes 28 bytes, and 6 to
//! 8 in the index. Removed records are kept in lists, one for each size, and reused for records of
//! the same size. [`Table::freeze`] copies the records for a snapshot.
//!
//! Deliberately not here: what the state means, the order of members (in `counted_tree`), and compaction:
//! memory of removed records of one size is not reused for another size.

mod frozen;
mod index;

use std::cmp::Ordering;

use board::NameOrder;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::pages::{PAGE_BYTES, Pages};
use crate::counted_tree::Names;
pub(crate) use frozen::FrozenTable;
use index::Index;

/// Maximum words of state of a record.
pub(crate) const STATE_WORDS_MAX: usize = 8;

/// Maximum bytes of a member.
pub(crate) const MEMBER_BYTES_MAX: usize = 128;

/// Bytes of the unit in which handles count.
const UNIT: usize = 4;

/// Pages that a handle can address. No record crosses a page's end.
const PAGES_MAX: usize = (1 << 32) / (PAGE_BYTES / UNIT);

/// End of a list of removed records. No record has this handle: it would cross a page's end.
const NONE: u32 = u32::MAX;

/// Sizes of the member part of a record, in units.
const SIZES: usize = (1 + MEMBER_BYTES_MAX).div_ceil(UNIT) + 1;

/// The table has used all addressable memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a member table is full: its records take 16 GiB")]
pub struct TableFull;

/// Returns the hash that [`Table`] uses.
pub(crate) fn member_hash(member: &[u8]) -> u64 {
    XxHash3_64::oneshot(member)
}

/// Records of members, found by member or by handle.
#[derive(Debug)]
pub(crate) struct Table {
    state_bytes: usize,
    index: Index,
    pages: Pages<u8>,
    pages_max: usize,
    names: NameOrder,
    /// For each size the first removed record, whose first bytes are the handle of the next one.
    removed: [u32; SIZES],
}

impl Table {
    /// Creates a table of records with `state_words` words of state each, 1 to 8, whose names
    /// compare as `names` says.
    pub(crate) fn new(state_words: usize, names: NameOrder) -> Self {
        debug_assert!((1..=STATE_WORDS_MAX).contains(&state_words));
        Self {
            state_bytes: state_words * size_of::<u64>(),
            index: Index::default(),
            pages: Pages::new(),
            pages_max: PAGES_MAX,
            names,
            removed: [NONE; SIZES],
        }
    }

    /// Creates a table with capacity for `members` and a few more: its index does not grow until
    /// then.
    pub(crate) fn with_room(state_words: usize, members: usize, names: NameOrder) -> Self {
        let index = Index::with_capacity(members + members / 16);
        Self {
            index,
            ..Self::new(state_words, names)
        }
    }

    /// Number of members.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns whether a record of any size fits.
    pub(crate) fn has_room(&self) -> bool {
        self.pages.count() < self.pages_max
    }

    /// Heap bytes held, unused capacity included.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.pages.bytes() + self.index.bytes()
    }

    /// Returns the handle of `member`; `hash` is its [`member_hash`].
    pub(crate) fn find(&self, hash: u64, member: &[u8]) -> Option<u32> {
        self.index.find(hash, |handle| self.name(handle) == member)
    }

    /// Returns the handles of many members. A lookup has two cache misses, one in the index and one
    /// in the record. Here the misses of all lookups overlap, first those in the index, then those
    /// in the records.
    pub(crate) fn find_all<'a>(
        &self,
        members: impl Iterator<Item = (u64, &'a [u8])> + Clone,
        handles: &mut Vec<Option<u32>>,
    ) {
        handles.clear();
        // The first handle with a matching tag is almost always the right one.
        let likely = |(hash, _)| self.index.find(hash, |_| true);
        handles.extend(members.clone().map(likely));
        for (handle, (hash, member)) in handles.iter_mut().zip(members) {
            if handle.is_some_and(|handle| self.name(handle) != member) {
                *handle = self.find(hash, member);
            }
        }
    }

    /// Adds a record and returns its handle. `member` must not be in the table, `hash` is its
    /// [`member_hash`], `state` has as many words as the table's records.
    pub(crate) fn insert(
        &mut self,
        hash: u64,
        member: &[u8],
        state: &[u64],
    ) -> Result<u32, TableFull> {
        debug_assert!((1..=MEMBER_BYTES_MAX).contains(&member.len()));
        debug_assert!(self.find(hash, member).is_none());
        if self.index.len() == self.index.capacity() {
            self.grow_index();
        }
        let handle = self.room(size(member.len()))?;
        let (page, at) = position(handle);
        let state_bytes = self.state_bytes;
        let (words, record) = self
            .pages
            .slice_from_mut(page, at)
            .split_at_mut(state_bytes);
        put_words(words, state);
        record[0] = member.len().to_le_bytes()[0].wrapping_sub(1);
        record[1..=member.len()].copy_from_slice(member);
        self.index.insert(hash, handle);
        Ok(handle)
    }

    /// Fills an index that is a third larger from the records, in the order of their memory.
    #[cold]
    fn grow_index(&mut self) {
        let capacity = self.index.capacity();
        let records = self.freeze();
        // The old index is freed first.
        self.index = Index::default();
        self.index = Index::with_capacity(capacity + 1 + capacity / 3);
        records.for_each_member(|handle, member| self.index.insert(member_hash(member), handle));
    }

    /// Removes a record and returns whether it existed. Its handle may be reused for another
    /// member, so it must have been removed from every tree before.
    pub(crate) fn remove(&mut self, hash: u64, handle: u32) -> bool {
        let (pages, state_bytes) = (&self.pages, self.state_bytes);
        let hash_of = |other| member_hash(name(pages, state_bytes, other));
        if !self.index.remove(hash, handle, hash_of) {
            return false;
        }
        let size = size(self.name(handle).len());
        let (page, at) = position(handle);
        let next = self.removed[size].to_le_bytes();
        self.pages.slice_from_mut(page, at)[..UNIT].copy_from_slice(&next);
        self.removed[size] = handle;
        true
    }

    /// Returns the state of a record; words beyond its own are zero.
    pub(crate) fn state(&self, handle: u32) -> [u64; STATE_WORDS_MAX] {
        let (page, at) = position(handle);
        words(&self.pages.slice_from(page, at)[..self.state_bytes])
    }

    /// Returns whether a record has this state.
    pub(crate) fn state_is(&self, handle: u32, state: &[u64]) -> bool {
        let (page, at) = position(handle);
        let record = &self.pages.slice_from(page, at)[..self.state_bytes];
        let words = record.as_chunks().0.iter();
        words
            .map(|bytes| u64::from_le_bytes(*bytes))
            .eq(state.iter().copied())
    }

    /// Reads the member part of a record, so that it is in the cache. The result has no meaning.
    #[inline]
    pub(crate) fn touch(&self, handle: u32) -> u8 {
        let (page, at) = position(handle);
        self.pages.slice_from(page, at + self.state_bytes)[0]
    }

    /// Overwrites the state of a record.
    pub(crate) fn set_state(&mut self, handle: u32, state: &[u64]) {
        let (page, at) = position(handle);
        let record = self.pages.slice_from_mut(page, at);
        put_words(&mut record[..self.state_bytes], state);
    }

    /// Iterates over the handles of all members, in no particular order.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.index.iter()
    }

    /// Allocates a record whose member part has `size` units.
    fn room(&mut self, size: usize) -> Result<u32, TableFull> {
        let handle = self.removed[size];
        if handle != NONE {
            self.removed[size] = next_removed(&self.pages, handle);
            return Ok(handle);
        }
        let bytes = self.state_bytes + size * UNIT;
        if !self.pages.fits_last_page(bytes) && !self.has_room() {
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

/// Returns the member bytes of a record.
fn name(pages: &Pages<u8>, state_bytes: usize, handle: u32) -> &[u8] {
    let (page, at) = position(handle);
    member_at(pages.slice_from(page, at + state_bytes))
}

/// Returns the member at the beginning of the member part of a record.
fn member_at(record: &[u8]) -> &[u8] {
    &record[1..usize::from(record[0]) + 2]
}

/// Returns the words at the beginning of a record; words beyond its own are zero.
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

/// Returns the handle of the record that was removed before the removed one at `handle`.
fn next_removed(pages: &Pages<u8>, handle: u32) -> u32 {
    let (page, at) = position(handle);
    let next = pages.slice_from(page, at).first_chunk();
    next.map_or(NONE, |bytes| u32::from_le_bytes(*bytes))
}

/// Returns the page of a record and its offset in the page.
fn position(handle: u32) -> (usize, usize) {
    let unit = handle as usize;
    (
        unit / (PAGE_BYTES / UNIT),
        unit % (PAGE_BYTES / UNIT) * UNIT,
    )
}

/// Returns the units of the member part of a record.
fn size(member_bytes: usize) -> usize {
    (1 + member_bytes).div_ceil(UNIT)
}

#[cfg(test)]
mod tests;
