//! Builds a tree from sorted entries.

use super::Tree;
use super::arena::Arena;
use super::node::FANOUT;
use super::node::{Inner, Leaf, Node};
use super::share::level_out;

/// Entries of a node when it is built: leaves capacity for a few inserts, so that the first updates
/// do not split every leaf.
const LEN_BUILT: usize = FANOUT - FANOUT / 16;

impl<const W: usize> Tree<W> {
    /// Builds a tree of `entries`, which come best first and without duplicates.
    pub fn from_sorted(entries: impl IntoIterator<Item = ([u64; W], u32)>) -> Self {
        let mut tree = Self::new();
        let mut level = Vec::new();
        let mut leaf = Leaf::empty();
        for entry in entries {
            if leaf.len() == LEN_BUILT {
                level.push(tree.leaves.insert(leaf));
                leaf = Leaf::empty();
            }
            leaf.push(entry);
            tree.len += 1;
        }
        if tree.len == 0 {
            return tree;
        }
        level.push(tree.leaves.insert(leaf));
        fill_last(&mut tree.leaves, &level);
        while level.len() > 1 {
            tree.height += 1;
            level = tree.build_above(&level);
        }
        tree.root = level[0];
        tree
    }

    /// Builds the level of inner nodes above a level of nodes.
    fn build_above(&mut self, below: &[u32]) -> Vec<u32> {
        let mut level = Vec::with_capacity(below.len().div_ceil(LEN_BUILT));
        for children in below.chunks(LEN_BUILT) {
            let mut inner = Inner::empty();
            for &child in children {
                let of = if self.height == 1 {
                    self.leaves[child].summary()
                } else {
                    self.inners[child].summary()
                };
                inner.insert_child(inner.len(), child, of);
            }
            level.push(self.inners.insert(inner));
        }
        fill_last(&mut self.inners, &level);
        level
    }
}

/// If the last node of a level is too short, shares the entries of the previous one evenly with it.
fn fill_last<const W: usize, N: Node<W>>(nodes: &mut Arena<N>, level: &[u32]) {
    if let [.., left, right] = *level {
        let all = nodes[left].len() + nodes[right].len();
        level_out(nodes, left, right, all.div_ceil(2));
    }
}
