//! Putting an entry in.
//!
//! A full node on the way makes room first, then the way is taken anew: the tree is whole between
//! the two steps, so neither has to know the other. Room is needed once in some thirty inserts.
//!
//! Deliberately not here: whether the member is already ranked. The caller knows.

use super::node::{Inner, Node, up_to};
use super::path::{Path, Step};
use super::{FANOUT, Names, Tree};

/// A neighbour takes entries only if it has this much room: a node that gives one entry away is
/// full again at once.
const ROOM_MIN: usize = FANOUT / 32;

impl<const W: usize> Tree<W> {
    /// Puts an entry in. It must not be in the tree already.
    pub(crate) fn insert(&mut self, words: [u64; W], handle: u32, names: &impl Names) {
        self.plant();
        let mut path = self.descend(&words, handle, names);
        loop {
            let leaf = &mut self.leaves[path.leaf];
            let at = leaf.rank(&words, up_to(handle, names));
            if leaf.is_full() {
                self.make_room(&path, self.height, at);
                path = self.descend(&words, handle, names);
                continue;
            }
            leaf.insert(at, (words, handle));
            self.len += 1;
            self.count(&path, 1);
            if at == 0 {
                self.refresh_firsts(&path);
            }
            return;
        }
    }

    /// Makes room in, or nearer to, the full node at `depth`, which is to take something at `at`.
    fn make_room(&mut self, path: &Path, depth: usize, at: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return self.raise();
        };
        let Step { node, slot } = path.steps[depth];
        let last = self.inners[node].len() - 1;
        let room = |slot: usize| FANOUT - self.child_len(depth, node, slot);
        let left = if slot > 0 { room(slot - 1) } else { 0 };
        let right = if slot < last { room(slot + 1) } else { 0 };

        // Whoever inserts at an end will probably go on there: fill what is left behind.
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
            self.split(depth, node, slot);
        } else {
            self.split_two(depth, node, if slot > 0 { slot - 1 } else { slot });
        }
    }

    /// Puts a new root above the root.
    fn raise(&mut self) {
        let below = self.root;
        let mut root = Inner::empty();
        self.height += 1;
        root.insert_child(0, below, self.summary(0, below));
        self.root = self.inners.insert(root);
    }
}
