//! Applies many changes at once.
//!
//! The cost of a change in a large tree is waiting for memory: the leaf that the entry leaves and
//! the leaf it enters are in no cache, and a binary search waits for one line after the other. So
//! changes are processed in groups. All positions of a group are looked up level by level, side by
//! side, and their leaves are read through once; then each change is made on its own, in memory
//! that is cached by now. That more than halves the cost of a random update, at a million members
//! and at ten million.
//!
//! The idea is that of Chen, Gibbons, Mowry, *Improving Index Performance through Prefetching*
//! (SIGMOD 2001), with plain reads: stable Rust has no safe prefetch.
//!
//! Deliberately not here: sorting changes by position. Random changes rarely share a leaf.

use std::hint::black_box;

use super::{Names, Tree};

/// Changes that are looked up together: about 40 lines each of the first-level cache, which has 512
/// or more. Four are too few to keep the memory busy; 16 measured slightly slower.
const GROUP: usize = 8;

/// An entry that is added, removed or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<const W: usize> {
    pub handle: u32,
    /// The words it has in the tree; `None`: it is added.
    pub old: Option<[u64; W]>,
    /// The words it gets; `None`: it is removed.
    pub new: Option<[u64; W]>,
}

impl<const W: usize> Tree<W> {
    /// Applies `changes` in order, skipping those of entries that are not in the tree. Returns
    /// whether none was skipped. All names must exist until the end.
    pub(crate) fn apply(&mut self, changes: &[Change<W>], names: &impl Names) -> bool {
        let mut all = true;
        for group in changes.chunks(GROUP) {
            self.fetch(
                group
                    .iter()
                    .flat_map(|change| [change.old, change.new])
                    .flatten(),
            );
            for &Change { handle, old, new } in group {
                all &= match (old, new) {
                    (Some(old), Some(new)) => self.replace(old, new, handle, names),
                    (Some(old), None) => self.remove(old, handle, names),
                    (None, Some(new)) => {
                        self.insert(new, handle, names);
                        true
                    }
                    (None, None) => true,
                };
            }
        }
        all
    }

    /// Loads the leaves of up to 16 positions into the cache, for changes that are made one by one
    /// right after. Searches by words alone, so it may miss among many ties.
    pub(crate) fn fetch(&self, positions: impl IntoIterator<Item = [u64; W]>) {
        if self.height == 0 {
            return;
        }
        let mut lanes = [([0; W], self.root); 2 * GROUP];
        let mut used = 0;
        for (lane, words) in lanes.iter_mut().zip(positions) {
            lane.0 = words;
            used += 1;
        }
        let lanes = &mut lanes[..used];
        for _ in 0..self.height {
            for (words, node) in &mut *lanes {
                let inner = &self.inners[*node];
                *node = inner.children[inner.firsts.rank_words(words).saturating_sub(1)];
            }
        }
        black_box(
            lanes
                .iter()
                .fold(0, |sum, (_, leaf)| sum ^ self.leaves[*leaf].touch()),
        );
    }
}
