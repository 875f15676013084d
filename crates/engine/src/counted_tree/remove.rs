//! Removes an entry, and keeps the nodes dense.
//!
//! Up to four neighbours merge into one less as soon as they fit into it with room to spare, so
//! memory shrinks with the number of entries, and random moves leave no gaps. A simulation of
//! random moves: leaves were 0.77 full if only two merge, 0.83 with three and 0.85 with four, which
//! copies 14 % more entries.

use super::node::FANOUT;
use super::node::Node;
use super::path::{Path, Step};
use super::{Names, Tree};

/// Nodes that merge.
const MERGED_MAX: usize = 4;

/// Neighbours are only compared with a node when its length is a multiple of this: soon enough,
/// since every removal makes it shorter by one.
const MERGE_EVERY: usize = 4;

/// Maximum entries of a node after a merge, on average. Less than `FANOUT`, so that the next insert
/// does not split it again.
const LEN_MERGED_MAX: usize = FANOUT - FANOUT / 16;

/// Minimum entries of a node other than the root.
pub(super) const LEN_MIN: usize = FANOUT * 3 / 8;

impl<const W: usize> Tree<W> {
    /// Removes exactly this entry and returns whether it was in the tree. The name of its handle,
    /// and those of all others, must still exist.
    pub fn remove(&mut self, words: [u64; W], handle: u32, names: &impl Names) -> bool {
        if self.len == 0 {
            return false;
        }
        let path = self.descend(&words, handle, names);
        let Some(at) = self.leaves[path.leaf].find(&words, handle, names) else {
            return false;
        };
        self.remove_at(&path, at);
        true
    }

    pub(super) fn remove_at(&mut self, path: &Path, at: usize) {
        self.leaves[path.leaf].remove(at);
        self.len -= 1;
        if self.len == 0 {
            *self = Self::new();
            return;
        }
        self.count(path, -1);
        if at == 0 {
            self.refresh_firsts(path);
        }
        self.thicken(path);
    }

    /// Merges or refills the nodes along `path` that have become short, from the leaf up.
    fn thicken(&mut self, path: &Path) {
        for depth in (0..self.height).rev() {
            let Step { node, slot } = path.steps[depth];
            let children = self.inners[node].len();
            let len = self.child_len(depth, node, slot);
            if !len.is_multiple_of(MERGE_EVERY) && len >= LEN_MIN {
                return;
            }
            // The neighbours, from the shortest on.
            let (mut first, mut count, mut all) = (slot, 1, len);
            let mut is_merged = false;
            while count < MERGED_MAX.min(children) && !is_merged {
                let end = first + count;
                let left = first.checked_sub(1);
                let left = left.map(|slot| self.child_len(depth, node, slot));
                let right = (end < children).then(|| self.child_len(depth, node, end));
                match (left, right) {
                    (Some(left), right) if right.is_none_or(|right| left < right) => {
                        first -= 1;
                        all += left;
                    }
                    (_, right) => all += right.unwrap_or(0),
                }
                count += 1;
                is_merged = all <= (count - 1) * LEN_MERGED_MAX;
            }
            if is_merged {
                self.spread(depth, node, first, count, count - 1);
            } else {
                if len < LEN_MIN && count > 1 {
                    self.spread(depth, node, first, count, count);
                }
                return;
            }
        }
        while self.height > 0 && self.inners[self.root].len() == 1 {
            let child = self.inners[self.root].children[0];
            self.inners.remove(self.root);
            self.root = child;
            self.height -= 1;
        }
    }
}
