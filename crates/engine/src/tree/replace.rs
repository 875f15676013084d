//! Moves an entry to its new position.

use super::node::{exceeds, up_to};
use super::{Names, Tree};

impl<const W: usize> Tree<W> {
    /// Gives the entry (`old`, `handle`) the words `new`, and returns whether it was in the tree.
    pub(crate) fn replace(
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
        let leaf = &mut self.leaves[path.leaf];
        let Some(at) = leaf.find(&old, handle, names) else {
            return false;
        };
        if at > 0
            && leaf.get(0).is_some_and(|(first, _)| exceeds(&first, &new))
            && leaf
                .get(leaf.len() - 1)
                .is_some_and(|(last, _)| exceeds(&new, &last))
        {
            // The entry stays inside its leaf and is not the first: nothing above the leaf changes.
            let to = leaf.rank(&new, up_to(handle, names));
            leaf.shift(at, to, new);
            return true;
        }
        self.remove_at(&path, at);
        self.insert(new, handle, names);
        true
    }
}
