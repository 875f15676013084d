//! Removes an entry, and keeps the nodes dense.
//!
//! A node merges with a neighbour as soon as both fit into one node with room to spare, and borrows
//! from it when it has become short: memory shrinks with the number of entries.

use super::node::FANOUT;
use super::node::Node;
use super::path::{Path, Step};
use super::{Names, Tree};

/// Neighbours that together hold at most this many are merged. Less than `FANOUT`, so that the next
/// insert does not split the node again.
const MERGE_MAX: usize = FANOUT - FANOUT / 16;

/// Minimum entries of a node other than the root.
pub(super) const LEN_MIN: usize = FANOUT * 3 / 8;

impl<const W: usize> Tree<W> {
    /// Removes exactly this entry and returns whether it was in the tree. The name of its handle,
    /// and those of all others, must still exist.
    pub(crate) fn remove(&mut self, words: [u64; W], handle: u32, names: &impl Names) -> bool {
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
            let len = self.child_len(depth, node, slot);
            let last = self.inners[node].len() - 1;
            let left = if slot > 0 {
                self.child_len(depth, node, slot - 1)
            } else {
                usize::MAX
            };
            let right = if slot < last {
                self.child_len(depth, node, slot + 1)
            } else {
                usize::MAX
            };
            let (pair, neighbour) = if left < right {
                (slot - 1, left)
            } else {
                (slot, right)
            };
            if neighbour <= MERGE_MAX - len.min(MERGE_MAX) {
                self.merge(depth, node, pair);
            } else {
                if len < LEN_MIN {
                    self.share(depth, node, pair, usize::midpoint(len, neighbour));
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
