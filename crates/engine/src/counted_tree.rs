//! [`Tree`]: one ranking in memory, a counted B+ tree over (words, handle), best first.
//!
//! Index 0 is the best entry, so an index is a local rank. Leaves hold the entries; an inner node
//! holds, for every child, the number of entries below it and an exact copy of the child's first
//! entry:
//!
//! ```text
//!            ┌─ (9,a) ×3 ──── (5,d) ×4 ─┐        inner: first entry of the child × its count
//!   [(9,a) (8,c) (7,b)]   [(5,d) (5,b) (2,f) (1,e)]      leaves: words and handle
//! ```
//!
//! An entry has a 4-byte handle instead of its member: where words are equal, the names of the
//! handles are compared. Separators are exact copies and change with their originals, so no handle
//! is ever used after its entry left the tree, and a million entries of equal words are ordered
//! like any others.
//!
//! Counted B+ trees are described in Knuth, *The Art of Computer Programming* 3, §6.2.3 (linear
//! lists by position) and §6.2.4 (B-trees; two full neighbours split into three, the B*-tree).
//!
//! Deliberately not here: members and their state (in crate `engine`), the meaning of the words, and
//! locking. Node memory is kept for reuse and freed when the tree is empty.

mod apply;
mod arena;
mod build;
mod insert;
mod names;
mod node;
mod path;
mod read;
mod remove;
mod replace;
mod share;
#[cfg(test)]
mod tests;

pub use apply::Change;
use arena::Arena;
pub use names::Names;
use node::{Inner, Leaf};
pub use read::{Iter, Located, Walk};

/// A position in the order, whether or not there is an entry at it.
///
/// `words` may be a prefix of an entry's words. A prefix is less than anything it starts.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// At most as many words as the tree's entries have.
    pub words: &'a [u64],
    /// `Some` requires all words.
    pub member: Option<&'a [u8]>,
}

/// A ranking of entries of `W` words, best (greatest) first.
#[derive(Debug)]
pub struct Tree<const W: usize> {
    leaves: Arena<Leaf<W>>,
    inners: Arena<Inner<W>>,
    /// A leaf when `height` is 0, an inner node otherwise.
    root: u32,
    /// Inner nodes on the path from the root to any leaf.
    height: usize,
    len: usize,
}

impl<const W: usize> Default for Tree<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const W: usize> Tree<W> {
    /// Creates a tree without entries, which allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self {
            leaves: Arena::new(),
            inners: Arena::new(),
            root: 0,
            height: 0,
            len: 0,
        }
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Heap bytes held, unused capacity included.
    #[cfg(test)]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.leaves.bytes() + self.inners.bytes()
    }
}
