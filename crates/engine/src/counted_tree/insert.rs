//! Inserts an entry.
//!
//! If a node on the path is full, room is made first and the path is then computed again: the tree
//! is consistent between the two steps, so neither has to know the other. Room is needed about once
//! in thirty inserts.
//!
//! Deliberately not here: whether the member is already ranked. The caller checks it.

use super::node::FANOUT;
use super::node::{Inner, Node, up_to};
use super::path::{Path, Step};
use super::{Names, Tree};

/// Free entries that a neighbour needs before it takes any: a node that gives away a single entry
/// is full again at once.
const ROOM_MIN: usize = FANOUT / 32;

impl<const W: usize> Tree<W> {
    /// Inserts an entry. It must not be in the tree.
    pub fn insert(&mut self, words: [u64; W], handle: u32, names: &impl Names) {
        self.plant();
        let mut path = self.descend(&words, handle, names);
        loop {
            let leaf = &self.leaves[path.leaf];
            let at = leaf.rank(&words, up_to(handle, names));
            if leaf.is_full() {
                self.make_room(&path, self.height, at);
                path = self.descend(&words, handle, names);
                continue;
            }
            return self.insert_at(&path, at, (words, handle));
        }
    }

    /// Inserts an entry at a position of the leaf of `path`, which is not full.
    pub(super) fn insert_at(&mut self, path: &Path, at: usize, entry: ([u64; W], u32)) {
        self.leaves[path.leaf].insert(at, entry);
        self.len += 1;
        self.count(path, 1);
        if at == 0 {
            self.refresh_firsts(path);
        }
    }

    /// Makes room in the full node at `depth`, into which something is to be inserted at `at`, or
    /// in a node above it.
    fn make_room(&mut self, path: &Path, depth: usize, at: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.raise();
        };
        let Step { node, slot } = path.steps[depth];
        let last = self.inners[node].len() - 1;
        let room = |slot: usize| FANOUT - self.child_len(depth, node, slot);
        let left = if slot > 0 { room(slot - 1) } else { 0 };
        let right = if slot < last { room(slot + 1) } else { 0 };

        // Inserts at an end usually continue there: leave the other node full.
        let (at_front, at_end) = (at == 0 && slot == 0, at == FANOUT && slot == last);
        if left >= ROOM_MIN && left >= right {
            let moved = if at_end {
                left.min(FANOUT / 2)
            } else {
                left.div_ceil(2)
            };
            self.share(depth, node, slot - 1, FANOUT - left + moved);
        } else if right >= ROOM_MIN {
            let moved = if at_front {
                right.min(FANOUT / 2)
            } else {
                right.div_ceil(2)
            };
            self.share(depth, node, slot, FANOUT - moved);
        } else if last + 1 == FANOUT {
            self.make_room(path, depth, if slot == 0 { 0 } else { slot + 1 });
        } else if at_front || at_end || last == 0 {
            self.spread(depth, node, slot, 1, 2);
        } else {
            self.spread(depth, node, slot.saturating_sub(1), 2, 3);
        }
    }

    /// Adds a new root above the root.
    fn raise(&mut self) {
        let below = self.root;
        let mut root = Inner::empty();
        self.height += 1;
        root.insert_child(0, below, self.summary(0, below));
        self.root = self.inners.insert(root);
    }
}
