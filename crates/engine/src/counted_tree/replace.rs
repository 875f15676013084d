//! Moves an entry to its new position.

use super::{Names, Tree};

impl<const W: usize> Tree<W> {
    /// Gives the entry (`old`, `handle`) the words `new`, and returns whether it was in the tree.
    pub fn replace(
        &mut self,
        old: [u64; W],
        new: [u64; W],
        handle: u32,
        names: &impl Names,
    ) -> bool {
        if self.len == 0 {
            return false;
        }
        let path = self.descend(&old, handle, names);
        let Some(at) = self.leaves[path.leaf].find(&old, handle, names) else {
            return false;
        };
        if !self.shift(path.leaf, at, new, handle, names) {
            self.remove_at(&path, at);
            self.insert(new, handle, names);
        }
        true
    }

    /// Gives the entry at a position of a leaf the words `new`, if it stays inside the leaf and is
    /// not the first: then nothing above the leaf changes. Returns whether it does.
    pub(super) fn shift(
        &mut self,
        leaf: u32,
        at: usize,
        new: [u64; W],
        handle: u32,
        names: &impl Names,
    ) -> bool {
        let leaf = &mut self.leaves[leaf];
        if at == 0 {
            return false;
        }
        let to = leaf.inside(&new, handle, names);
        to.inspect(|to| leaf.shift(at, *to, new)).is_some()
    }
}
