//! Counts entries, and reads them by index.

use super::node::Node;
use super::path::{Path, Step};
use super::{Bound, Names, Tree};

/// A position in a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located {
    /// How many entries are better than it.
    pub(crate) rank: usize,
    path: Path,
    /// Its index in the leaf.
    at: usize,
}

/// A search by words alone, of one node after the other, so that searches of several trees can take
/// turns. Among many ties it may end at another leaf.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walk {
    node: u32,
    /// Inner nodes before the leaf.
    levels: usize,
    /// In the end: the position in the leaf.
    at: usize,
}

impl<const W: usize> Tree<W> {
    /// Starts a search.
    pub(crate) fn walk(&self) -> Walk {
        Walk {
            node: self.root,
            levels: self.height,
            at: 0,
        }
    }

    /// Searches one node for these words, or a prefix. Returns whether another node follows.
    pub(crate) fn step(&self, walk: &mut Walk, words: &[u64]) -> bool {
        let words = padded(words);
        match walk.levels.checked_sub(1) {
            Some(levels) => {
                let inner = &self.inners[walk.node];
                let slot = inner.firsts.rank_words(&words).saturating_sub(1);
                walk.node = inner.children[slot];
                walk.levels = levels;
                true
            }
            None if self.len > 0 => {
                walk.at = self.leaves[walk.node].rank_words(&words);
                false
            }
            None => false,
        }
    }

    /// Returns the handles of the entries before and after the position of a search in its leaf.
    pub(crate) fn neighbours(&self, walk: &Walk) -> [Option<u32>; 2] {
        if self.len == 0 {
            return [None; 2];
        }
        let leaf = &self.leaves[walk.node];
        let handle = |at| leaf.get(at).map(|(_, handle)| handle);
        [walk.at.checked_sub(1).and_then(handle), handle(walk.at)]
    }

    /// Returns how many entries are better than `bound`, which is the index of the first one that
    /// is not.
    #[cfg(test)]
    pub(crate) fn count_better(&self, bound: Bound<'_>, names: &impl Names) -> usize {
        self.locate(bound, names).rank
    }

    /// Returns the position of `bound`.
    pub(crate) fn locate(&self, bound: Bound<'_>, names: &impl Names) -> Located {
        debug_assert!(bound.words.len() <= W && (bound.member.is_none() || bound.words.len() == W));
        let mut path = Path {
            leaf: self.root,
            ..Path::default()
        };
        if self.len == 0 {
            let (rank, at) = (0, 0);
            return Located { rank, path, at };
        }
        let words = padded(bound.words);
        let better = |handle| {
            bound
                .member
                .is_none_or(|member| names.compare(names.name(handle), member).is_gt())
        };
        let mut rank = 0;
        for step in &mut path.steps[..self.height] {
            let inner = &self.inners[path.leaf];
            let slot = inner.firsts.rank(&words, better).saturating_sub(1);
            // Never more than there are handles, which have 32 bits.
            rank += inner.counts[..slot].iter().sum::<u32>() as usize;
            *step = Step {
                node: path.leaf,
                slot,
            };
            path.leaf = inner.children[slot];
        }
        let at = self.leaves[path.leaf].rank(&words, better);
        Located {
            rank: rank + at,
            path,
            at,
        }
    }

    /// Iterates over the entries from `before` entries above a position on, best first. If those
    /// are in its leaf, it is not searched again.
    pub(crate) fn iter_before(&self, located: &Located, before: usize) -> Iter<'_, W> {
        let from = located.rank.saturating_sub(before);
        match located.at.checked_sub(before) {
            Some(at) if from < self.len => Iter {
                tree: self,
                at: Some((located.path, at)),
            },
            _ => self.iter_from(from),
        }
    }

    /// Returns the entry at `index`, counted from the best.
    #[cfg(test)]
    pub(crate) fn get(&self, index: usize) -> Option<([u64; W], u32)> {
        let (path, at) = self.seek(index)?;
        self.leaves[path.leaf].get(at)
    }

    /// Iterates over the entries from `index` on, best first.
    pub(crate) fn iter_from(&self, index: usize) -> Iter<'_, W> {
        Iter {
            tree: self,
            at: self.seek(index),
        }
    }

    fn seek(&self, index: usize) -> Option<(Path, usize)> {
        if index >= self.len {
            return None;
        }
        let mut at = index;
        let mut path = Path {
            leaf: self.root,
            ..Path::default()
        };
        for step in &mut path.steps[..self.height] {
            let inner = &self.inners[path.leaf];
            let mut slot = 0;
            while at >= inner.counts[slot] as usize {
                at -= inner.counts[slot] as usize;
                slot += 1;
            }
            *step = Step {
                node: path.leaf,
                slot,
            };
            path.leaf = inner.children[slot];
        }
        Some((path, at))
    }

    /// Returns the path to the leaf after that of `path`.
    fn next_leaf(&self, mut path: Path) -> Option<Path> {
        let steps = &mut path.steps[..self.height];
        let up = steps
            .iter()
            .rposition(|s| s.slot + 1 < self.inners[s.node].len())?;
        steps[up].slot += 1;
        for depth in up..self.height {
            let Step { node, slot } = steps[depth];
            let child = self.inners[node].children[slot];
            match steps.get_mut(depth + 1) {
                Some(below) => {
                    *below = Step {
                        node: child,
                        slot: 0,
                    }
                }
                None => path.leaf = child,
            }
        }
        Some(path)
    }
}

/// Returns the words of a bound. A prefix is less than all it starts; the least of these has zeros
/// for the other words.
fn padded<const W: usize>(given: &[u64]) -> [u64; W] {
    let mut words = [0; W];
    for (word, given) in words.iter_mut().zip(given) {
        *word = *given;
    }
    words
}

/// The iterator of [`Tree::iter_from`].
#[derive(Debug)]
pub(crate) struct Iter<'a, const W: usize> {
    tree: &'a Tree<W>,
    at: Option<(Path, usize)>,
}

impl<const W: usize> Iterator for Iter<'_, W> {
    type Item = ([u64; W], u32);

    fn next(&mut self) -> Option<Self::Item> {
        let (path, at) = self.at.as_mut()?;
        if let Some(entry) = self.tree.leaves[path.leaf].get(*at) {
            *at += 1;
            return Some(entry);
        }
        self.at = self.tree.next_leaf(*path).map(|path| (path, 0));
        let (path, at) = self.at.as_mut()?;
        *at = 1;
        self.tree.leaves[path.leaf].get(0)
    }
}
