//! Applies many changes at once.
//!
//! The cost of a change in a large tree is waiting for memory: the leaf that the entry leaves and
//! the leaf it enters are in no cache, and a binary search waits for one line after the other. So
//! changes are processed in groups. All positions of a group are looked up level by level, side by
//! side, and their leaves are read through once; then each change is made on its own, in memory
//! that is cached by now, and along the paths that were looked up. That more than halves the cost
//! of a random update, at a million members and at ten million.
//!
//! The idea is that of Chen, Gibbons, Mowry, *Improving Index Performance through Prefetching*
//! (SIGMOD 2001), with plain reads: stable Rust has no safe prefetch.
//!
//! A path is looked up by words alone, and changes before it may have moved its position or its
//! nodes, so it is checked: it leads from the root to the leaf, and the leaf has the old entry, or
//! entries on both sides of the new one. Otherwise, near the ends of leaves and among ties, the
//! change is made from the root like any other.
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
pub struct Change<const W: usize> {
    /// The entry.
    pub handle: u32,
    /// The words it has in the tree; `None`: it is added.
    pub old: Option<[u64; W]>,
    /// The words it gets; `None`: it is removed.
    pub new: Option<[u64; W]>,
}

impl<const W: usize> Tree<W> {
    /// Applies `changes` in order, skipping those of entries that are not in the tree. Returns
    /// whether none was skipped. All names must exist until the end.
    pub fn apply(&mut self, changes: &[Change<W>], names: &impl Names) -> bool {
        let mut all = true;
        let mut paths = [[Path::default(); 2]; GROUP];
        for group in changes.chunks(GROUP) {
            if self.len > 0 {
                self.look_up(group, &mut paths);
            }
            for (change, [from, to]) in group.iter().zip(&paths) {
                all &= self.change(change, from, to, names);
            }
        }
        all
    }

    /// Looks up the old and the new position of each change by their words, and loads their leaves
    /// into the cache.
    fn look_up(&self, group: &[Change<W>], paths: &mut [[Path; 2]; GROUP]) {
        for path in paths.iter_mut().flatten() {
            path.leaf = self.root;
        }
        for depth in 0..self.height {
            for (change, [from, to]) in group.iter().zip(&mut *paths) {
                // Either is looked up twice if there is no other.
                self.look_up_level(depth, from, change.old.or(change.new));
                self.look_up_level(depth, to, change.new.or(change.old));
            }
        }
        let paths = paths[..group.len()].iter();
        black_box(paths.fold(0, |all, [from, to]| {
            all ^ self.leaves[from.leaf].touch() ^ self.leaves[to.leaf].touch()
        }));
    }

    fn look_up_level(&self, depth: usize, path: &mut Path, words: Option<[u64; W]>) {
        let inner = &self.inners[path.leaf];
        let words = words.unwrap_or([0; W]);
        let slot = inner.firsts.rank_through(&words).saturating_sub(1);
        path.steps[depth] = Step {
            node: path.leaf,
            slot,
        };
        path.leaf = inner.children[slot];
    }

    /// Makes one change, along paths that were looked up before other changes.
    fn change(
        &mut self,
        &Change { handle, old, new }: &Change<W>,
        from: &Path,
        to: &Path,
        names: &impl Names,
    ) -> bool {
        let Some(old) = old else {
            if let Some(new) = new {
                self.insert_along(to, new, handle, names);
            }
            return true;
        };
        let found = self
            .is_path(from)
            .then(|| self.leaves[from.leaf].find(&old, handle, names));
        let Some(at) = found.flatten() else {
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
            self.insert_along(to, new, handle, names);
        }
        true
    }

    /// Inserts an entry, if possible along a path that was looked up before.
    fn insert_along(&mut self, path: &Path, words: [u64; W], handle: u32, names: &impl Names) {
        if self.is_path(path) {
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
