//! Applies many changes at once.
//!
//! The cost of a change in a large tree is waiting for memory: the leaf that the entry leaves and
//! the leaf it enters are in no cache, and a binary search waits for one line after the other. So
//! changes are processed in groups. All positions of a group are looked up level by level, side by
//! side, and their leaves are read through once; then each change is made on its own, in memory
//! that is cached by now, and along the paths that were looked up. That more than halves the cost of a random update, at a million members
//! and at ten million.
//!
//! The idea is that of Chen, Gibbons, Mowry, *Improving Index Performance through Prefetching*
//! (SIGMOD 2001), with plain reads: stable Rust has no safe prefetch.
//!
//! A path is looked up by words alone, and changes before it may have moved its position, so it is
//! checked: the leaf has the old entry, and entries on both sides of the new one. Otherwise, near
//! the ends of leaves and among ties, the change is made from the root like any other.
//!
//! Deliberately not here: sorting changes by position. Random changes rarely share a leaf.

use std::hint::black_box;

use super::path::{Path, Step};
use super::{Names, Tree};

/// Changes that are looked up together: about 40 lines each of the first-level cache, which has 512
/// or more. Four are too few to keep the memory busy; 16 measured slightly slower.
const GROUP: usize = 8;

/// An entry that is added, removed or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change<const W: usize> {
    pub handle: u32,
    /// The words it has in the tree; `None`: it is added.
    pub old: Option<[u64; W]>,
    /// The words it gets; `None`: it is removed.
    pub new: Option<[u64; W]>,
}

/// The paths to the old and the new position of each change of a group.
type Paths = [[Path; 2]; GROUP];

impl<const W: usize> Tree<W> {
    /// Applies `changes` in order, skipping those of entries that are not in the tree. Returns
    /// whether none was skipped. All names must exist until the end.
    pub(crate) fn apply(&mut self, changes: &[Change<W>], names: &impl Names) -> bool {
        let mut all = true;
        let mut paths = Paths::default();
        for group in changes.chunks(GROUP) {
            // A tree of one leaf, or of none, has no paths.
            let shape = (self.height > 0).then_some(self.shape);
            if shape.is_some() {
                self.look_up(group, &mut paths);
            }
            for (change, paths) in group.iter().zip(&paths) {
                all &= self.change(change, paths, shape, names);
            }
        }
        all
    }

    /// Looks up both positions of each change by their words, and loads their leaves into the cache.
    fn look_up(&self, group: &[Change<W>], paths: &mut Paths) {
        for [from, to] in &mut *paths {
            (from.leaf, to.leaf) = (self.root, self.root);
        }
        for depth in 0..self.height {
            for (change, [from, to]) in group.iter().zip(&mut *paths) {
                let either = [change.old.or(change.new), change.new.or(change.old)];
                for (path, words) in [from, to].into_iter().zip(either) {
                    let inner = &self.inners[path.leaf];
                    let words = words.unwrap_or([0; W]);
                    let slot = inner.firsts.rank_through(&words).saturating_sub(1);
                    path.steps[depth] = Step {
                        node: path.leaf,
                        slot,
                    };
                    path.leaf = inner.children[slot];
                }
            }
        }
        let leaves = paths[..group.len()].iter().flatten();
        black_box(leaves.fold(0, |all, path| all ^ self.leaves[path.leaf].touch()));
    }

    /// Makes one change, by paths that were looked up when the tree had this shape.
    fn change(
        &mut self,
        &Change { handle, old, new }: &Change<W>,
        [from, to]: &[Path; 2],
        shape: Option<u32>,
        names: &impl Names,
    ) -> bool {
        let Some(old) = old else {
            if let Some(new) = new {
                self.insert_along(to, shape, new, handle, names);
            }
            return true;
        };
        let found = (shape == Some(self.shape))
            .then(|| self.leaves[from.leaf].find(&old, handle, names))
            .flatten();
        let Some(at) = found else {
            return match new {
                Some(new) => self.replace(old, new, handle, names),
                None => self.remove(old, handle, names),
            };
        };
        let Some(new) = new else {
            self.remove_at(from, at);
            return true;
        };
        if from.leaf != to.leaf || !self.shift(from.leaf, at, new, handle, names) {
            self.remove_at(from, at);
            self.insert_along(to, shape, new, handle, names);
        }
        true
    }

    fn insert_along(
        &mut self,
        path: &Path,
        shape: Option<u32>,
        words: [u64; W],
        handle: u32,
        names: &impl Names,
    ) {
        if shape == Some(self.shape) {
            let leaf = &self.leaves[path.leaf];
            if !leaf.is_full()
                && let Some(at) = leaf.inside(&words, handle, names)
            {
                return self.insert_at(path, at, (words, handle));
            }
        }
        self.insert(words, handle, names);
    }
}
