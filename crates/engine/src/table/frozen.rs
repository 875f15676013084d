//! [`FrozenTable`]: a copy of the records of a table for a snapshot.
//!
//! It shares the table's pages and knows which records were removed. It is read on another thread
//! without a lock, page by page; it has no index, so members cannot be looked up.

use std::convert::Infallible;

use super::{NONE, PAGE_BYTES, SIZES, STATE_WORDS_MAX, Table, UNIT};
use super::{member_at, next_removed, size, words};
use crate::pages::Pages;

/// Records that no longer change.
#[derive(Debug)]
pub(crate) struct FrozenTable {
    state_bytes: usize,
    pages: Pages<u8>,
    removed: [u32; SIZES],
    len: usize,
}

impl Table {
    /// Copies the records as they are now. The cost is per page, not per member.
    pub(crate) fn freeze(&self) -> FrozenTable {
        FrozenTable {
            state_bytes: self.state_bytes,
            pages: self.pages.clone(),
            removed: self.removed,
            len: self.len(),
        }
    }
}

impl FrozenTable {
    /// Number of members.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Visits every record in the order of handles: its handle, member and state.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32, &[u8], &[u64])) {
        let Ok(()) = self.try_for_each(|handle, member, state| {
            visit(handle, member, state);
            Ok::<_, Infallible>(())
        });
    }

    /// Visits every record like [`for_each`](Self::for_each), until the first error.
    pub(crate) fn try_for_each<E>(
        &self,
        mut visit: impl FnMut(u32, &[u8], &[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let state_words = self.state_bytes / size_of::<u64>();
        self.try_for_each_record(|handle, state, member| {
            let words: [u64; STATE_WORDS_MAX] = words(state);
            visit(handle, member, &words[..state_words])
        })
    }

    /// Visits every record in the order of handles: its handle and member.
    pub(super) fn for_each_member(&self, mut visit: impl FnMut(u32, &[u8])) {
        let Ok(()) = self.try_for_each_record(|handle, _, member| {
            visit(handle, member);
            Ok::<_, Infallible>(())
        });
    }

    fn try_for_each_record<E>(
        &self,
        mut visit: impl FnMut(u32, &[u8], &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let holes = self.holes();
        let mut holes_passed = 0;
        for (page, records) in self.pages.iter().enumerate() {
            let mut at = 0;
            while at < records.len() {
                let (state, rest) = records[at..].split_at(self.state_bytes);
                let member = member_at(rest);
                let handle = u32::try_from((page * PAGE_BYTES + at) / UNIT)
                    .expect("records are only at offsets that a handle can express");
                at += self.state_bytes + size(member.len()) * UNIT;
                if holes.get(holes_passed) == Some(&handle) {
                    holes_passed += 1;
                } else {
                    visit(handle, state, member)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the removed records, sorted. The length of its member stays in a removed record.
    fn holes(&self) -> Vec<u32> {
        let mut holes = Vec::new();
        for first in self.removed {
            let mut handle = first;
            while handle != NONE {
                holes.push(handle);
                handle = next_removed(&self.pages, handle);
            }
        }
        holes.sort_unstable();
        holes
    }
}
