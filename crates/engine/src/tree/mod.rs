//! One ranking in memory: a counted B+ tree over (words, handle), best first.
//!
//! The main type is [`Tree`]. Index 0 is the best entry, so an index is a local rank. Leaves hold
//! the entries; an inner node holds, for every child, how many entries lie below it and an exact
//! copy of the child's first entry:
//!
//! ```text
//!            ┌─ (9,a) ×3 ──── (5,d) ×4 ─┐        inner: first entry of the child × its count
//!   [(9,a) (8,c) (7,b)]   [(5,d) (5,b) (2,f) (1,e)]      leaves: words and handle
//! ```
//!
//! An entry carries a 4-byte handle in place of its member: where words are equal, the name behind
//! the handle decides. Separators are exact copies and change with what they copy, so no handle is
//! ever read after its entry left the tree, and a million entries of equal words are ordered like
//! any others.
//!
//! Counted B+ trees are described in Knuth, *The Art of Computer Programming* 3, §6.2.3 (linear
//! lists by position) and §6.2.4 (B-trees; two full neighbours split into three, the B*-tree).
//!
//! Deliberately not here: members and their state (the member table beside this module), what the
//! words mean, and locking. Node memory is kept for reuse and returned when the tree is empty.

mod apply;
mod arena;
mod build;
mod insert;
mod node;
mod path;
mod read;
mod remove;
mod replace;
mod share;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

pub(crate) use apply::Change;
use arena::Arena;
use node::{Inner, Leaf};

/// Entries of a leaf, and children of an inner node. A leaf of 64 entries of two words takes
/// 1.3 KB; 32 measured no faster.
const FANOUT: usize = 64;

/// Who is behind a handle. Asked only where words are equal.
pub(crate) trait Names {
    /// The member bytes behind `handle`, the same for as long as an entry has the handle.
    fn name(&self, handle: u32) -> &[u8];

    /// Compares two names: the greater is the better.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;
}

/// A place in the order, whether or not an entry stands there.
///
/// `words` may be a prefix of an entry's words. A prefix is less than anything it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a> {
    /// At most as many words as the tree's entries have.
    pub words: &'a [u64],
    /// Given only together with all words.
    pub member: Option<&'a [u8]>,
}

/// A ranking of entries of `W` words, best (greatest) first.
#[derive(Debug)]
pub(crate) struct Tree<const W: usize> {
    leaves: Arena<Leaf<W>>,
    inners: Arena<Inner<W>>,
    /// A leaf when `height` is 0, an inner node otherwise.
    root: u32,
    /// Inner nodes on the way from the root to any leaf.
    height: usize,
    len: usize,
}

impl<const W: usize> Tree<W> {
    /// A tree without entries, and without memory.
    pub(crate) fn new() -> Self {
        Self {
            leaves: Arena::new(),
            inners: Arena::new(),
            root: 0,
            height: 0,
            len: 0,
        }
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Heap bytes held, unused capacity included.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.leaves.bytes() + self.inners.bytes()
    }
}
