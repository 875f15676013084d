//! Rebalances neighbours: between two, or several into one more or less.
//!
//! Everything here works on leaves and inner nodes alike, and then updates the parent. A full node
//! first gives to a neighbour and splits only where both are full, and up to four nodes merge into
//! one less: leaves stay more than four fifths full under random updates, against two thirds with
//! plain splitting.
//!
//! Deliberately not here: when to do which (`insert` and `remove`).

use smallvec::SmallVec;

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

    /// Moves the entries of `old` children from `slot` on evenly into `new` of them, which is one
    /// more or less or as many. The node has room for one more child.
    pub(super) fn spread(&mut self, depth: usize, node: u32, slot: usize, old: usize, new: usize) {
        let mut ids = Ids::from_slice(&self.inners[node].children[slot..slot + old]);
        if depth + 1 == self.height {
            spread(&mut self.leaves, &mut ids, new);
        } else {
            spread(&mut self.inners, &mut ids, new);
        }
        for at in new..old {
            self.inners[node].remove_child(slot + at);
        }
        for (at, id) in ids.into_iter().enumerate() {
            let of = self.summary(depth, id);
            if at < old {
                self.inners[node].set_child(slot + at, id, of);
            } else {
                self.inners[node].insert_child(slot + at, id, of);
            }
        }
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

/// Neighbouring nodes, in order.
type Ids = SmallVec<[u32; 4]>;

/// Moves the entries of nodes evenly into the first `new` of them, or into more.
fn spread<const W: usize, N: Node<W>>(nodes: &mut Arena<N>, ids: &mut Ids, new: usize) {
    let mut from: SmallVec<[N; 4]> = ids.iter().map(|id| nodes[*id].clone()).collect();
    let all: usize = from.iter().map(Node::len).sum();
    let mut from = from.iter_mut();
    let mut next = from.next();
    for index in 0..new {
        let len = all * (index + 1) / new - all * index / new;
        let mut node = N::empty();
        while let Some(source) = &mut next
            && node.len() < len
        {
            node.move_head(source, source.len().min(len - node.len()));
            if source.len() == 0 {
                next = from.next();
            }
        }
        match ids.get(index) {
            Some(id) => nodes[*id] = node,
            None => ids.push(nodes.insert(node)),
        }
    }
    for id in ids.drain(new..) {
        nodes.remove(id);
    }
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
