//! [`Path`]: the path from the root to a leaf, and updates along it.
//!
//! A path has the inner nodes passed and the child taken in each, so that nodes need no pointers to
//! their parents.
//!
//! Deliberately not here: changes of the leaf.

use super::node::{Node, Summary, up_to};
use super::{Names, Tree};

/// Maximum inner nodes on a path. Each has 24 children or more, except the root: 2^32 entries need
/// less than eight levels.
const HEIGHT_MAX: usize = 8;

/// An inner node, and the slot of the child on the path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    pub(super) node: u32,
    pub(super) slot: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Path {
    pub(super) steps: [Step; HEIGHT_MAX],
    pub(super) leaf: u32,
}

impl<const W: usize> Tree<W> {
    /// Returns the path to the leaf that contains this entry, or would contain it.
    pub(super) fn descend(&self, words: &[u64; W], handle: u32, names: &impl Names) -> Path {
        let mut path = Path {
            leaf: self.root,
            ..Path::default()
        };
        for step in &mut path.steps[..self.height] {
            let inner = &self.inners[path.leaf];
            let slot = inner
                .firsts
                .rank(words, up_to(handle, names))
                .saturating_sub(1);
            *step = Step {
                node: path.leaf,
                slot,
            };
            path.leaf = inner.children[slot];
        }
        path
    }

    /// Returns whether this leads from the root to its leaf, as the nodes are now.
    pub(super) fn is_path(&self, path: &Path) -> bool {
        let mut node = self.root;
        for step in &path.steps[..self.height] {
            let inner = &self.inners[node];
            if step.node != node || step.slot >= inner.len() {
                return false;
            }
            node = inner.children[step.slot];
        }
        node == path.leaf && self.len > 0
    }

    /// Adds `change` to the counts along `path`, after its leaf gained or lost an entry.
    pub(super) fn count(&mut self, path: &Path, change: i32) {
        for step in &path.steps[..self.height] {
            let count = &mut self.inners[step.node].counts[step.slot];
            *count = count.wrapping_add_signed(change);
        }
    }

    /// Updates the copies of a leaf's first entry after it changed: in the parent, and further up
    /// as long as the node is a first child.
    pub(super) fn refresh_firsts(&mut self, path: &Path) {
        let Some(first) = self.leaves[path.leaf].get(0) else {
            return;
        };
        for step in path.steps[..self.height].iter().rev() {
            self.inners[step.node].firsts.set(step.slot, first);
            if step.slot > 0 {
                return;
            }
        }
    }

    /// Returns what a parent at `depth` stores about its child `id`.
    pub(super) fn summary(&self, depth: usize, id: u32) -> Summary<W> {
        if depth + 1 == self.height {
            self.leaves[id].summary()
        } else {
            self.inners[id].summary()
        }
    }

    /// Returns the number of entries or children of the child `slot` of an inner node at `depth`.
    /// Does not read a leaf: its parent has the count.
    pub(super) fn child_len(&self, depth: usize, node: u32, slot: usize) -> usize {
        let inner = &self.inners[node];
        if depth + 1 == self.height {
            inner.counts[slot] as usize
        } else {
            self.inners[inner.children[slot]].len()
        }
    }
}
