//! Rebalances neighbours: evenly, two into one, two into three.
//!
//! Everything here works on leaves and inner nodes alike, and then updates the parent. A full node
//! first gives to a neighbour and splits only where both are full: leaves stay nearly four fifths
//! full under random updates, against two thirds with plain splitting.
//!
//! Deliberately not here: when to do which (`insert` and `remove`).

use super::Tree;
use super::arena::Arena;
use super::node::{Inner, Leaf, Node};

impl<const W: usize> Tree<W> {
    /// Moves entries between the children `slot` and `slot + 1` of a node at `depth`, so that the
    /// left one has `left_len`.
    pub(super) fn share(&mut self, depth: usize, node: u32, slot: usize, left_len: usize) {
        let (left, right) = self.pair(node, slot);
        if depth + 1 == self.height {
            level_out(&mut self.leaves, left, right, left_len);
        } else {
            level_out(&mut self.inners, left, right, left_len);
        }
        self.refresh_child(depth, node, slot);
        self.refresh_child(depth, node, slot + 1);
    }

    /// Moves all of the child `slot + 1` into the child `slot`.
    pub(super) fn merge(&mut self, depth: usize, node: u32, slot: usize) {
        let (left, right) = self.pair(node, slot);
        if depth + 1 == self.height {
            let all = self.leaves[left].len() + self.leaves[right].len();
            level_out(&mut self.leaves, left, right, all);
            self.leaves.remove(right);
        } else {
            let all = self.inners[left].len() + self.inners[right].len();
            level_out(&mut self.inners, left, right, all);
            self.inners.remove(right);
        }
        self.inners[node].remove_child(slot + 1);
        self.refresh_child(depth, node, slot);
    }

    /// Splits the child `slot` into two halves. The node has room for one more child.
    pub(super) fn split(&mut self, depth: usize, node: u32, slot: usize) {
        let left = self.inners[node].children[slot];
        let new = if depth + 1 == self.height {
            let n = self.leaves[left].len() / 2;
            cut(&mut self.leaves, left, n)
        } else {
            let n = self.inners[left].len() / 2;
            cut(&mut self.inners, left, n)
        };
        self.adopt(depth, node, slot, new);
    }

    /// Splits the children `slot` and `slot + 1` into three. The node has room for one more child.
    pub(super) fn split_two(&mut self, depth: usize, node: u32, slot: usize) {
        let left_len = self.child_len(depth, node, slot);
        let right_len = self.child_len(depth, node, slot + 1);
        let third = (left_len + right_len) / 3;
        let left = self.inners[node].children[slot];
        let new = if depth + 1 == self.height {
            cut(&mut self.leaves, left, left_len - third)
        } else {
            cut(&mut self.inners, left, left_len - third)
        };
        self.adopt(depth, node, slot, new);
        self.share(depth, node, slot + 1, (left_len + right_len - third) / 2);
    }

    fn adopt(&mut self, depth: usize, node: u32, slot: usize, new: u32) {
        let of = self.summary(depth, new);
        self.inners[node].insert_child(slot + 1, new, of);
        self.refresh_child(depth, node, slot);
    }

    fn refresh_child(&mut self, depth: usize, node: u32, slot: usize) {
        let of = self.summary(depth, self.inners[node].children[slot]);
        self.inners[node].refresh(slot, of);
    }

    fn pair(&self, node: u32, slot: usize) -> (u32, u32) {
        let Inner { children, .. } = &self.inners[node];
        (children[slot], children[slot + 1])
    }
}

/// Moves entries between two neighbours, so that the left one has `left_len`.
///
/// One of them is copied out and back, because an arena cannot be borrowed twice. This is rare.
pub(super) fn level_out<const W: usize, N: Node<W>>(
    nodes: &mut Arena<N>,
    left: u32,
    right: u32,
    left_len: usize,
) {
    let mut node = nodes[left].clone();
    let len = node.len();
    if left_len < len {
        node.move_tail(&mut nodes[right], len - left_len);
    } else {
        node.move_head(&mut nodes[right], left_len - len);
    }
    nodes[left] = node;
}

/// Moves the last `n` of a node into a new right neighbour.
fn cut<const W: usize, N: Node<W>>(nodes: &mut Arena<N>, left: u32, n: usize) -> u32 {
    let mut new = N::empty();
    nodes[left].move_tail(&mut new, n);
    nodes.insert(new)
}

impl<const W: usize> Tree<W> {
    /// Allocates the root of a tree that has none.
    pub(super) fn plant(&mut self) {
        if self.len == 0 {
            *self = Self::new();
            self.root = self.leaves.insert(Leaf::empty());
        }
    }
}
