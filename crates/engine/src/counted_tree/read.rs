//! Counts entries, and reads them by index.

use super::node::{Inner, Leaf, Node as _};
use super::path::{Path, Step};
use super::{Bound, Names, Tree};

/// A position in a tree, between two entries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Located {
    /// How many entries are better than it.
    pub rank: usize,
    path: Path,
    /// Its index in the leaf.
    at: usize,
}

impl Located {
    /// Creates a position in a sorted vector.
    #[must_use]
    pub fn of_index(index: usize) -> Self {
        Self {
            rank: index,
            path: Path::default(),
            at: index,
        }
    }

    /// Returns the index in the leaf, or in the vector.
    #[must_use]
    pub fn index(&self) -> usize {
        self.at
    }
}

/// A search by words alone, of one node after the other, so that searches of several trees can take
/// turns. Among many ties it may end at another leaf.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    path: Path,
    /// Inner nodes passed.
    depth: usize,
    /// How many entries are before the last of these nodes.
    before: usize,
    /// In the end: the position in the leaf.
    at: usize,
    /// Whether an entry of equal words was seen: then only names show which is better.
    is_tied: bool,
}

impl Walk {
    /// Returns the position, after the last step; `None` if entries have equal words.
    #[must_use]
    pub fn located(&self) -> Option<Located> {
        (!self.is_tied).then_some(Located {
            rank: self.before + self.at,
            path: self.path,
            at: self.at,
        })
    }
}

impl<const W: usize> Tree<W> {
    /// Starts a search.
    #[must_use]
    pub fn walk(&self) -> Walk {
        Walk {
            path: self.path_from_root(),
            depth: 0,
            before: 0,
            at: 0,
            is_tied: false,
        }
    }

    /// Searches one node for these words, or a prefix. Returns whether another node follows.
    pub fn step(&self, walk: &mut Walk, words: &[u64]) -> bool {
        let words = padded(words);
        let Some(step) = walk.path.steps[..self.height].get_mut(walk.depth) else {
            if self.len > 0 {
                let leaf = &self.leaves[walk.path.leaf];
                walk.at = leaf.rank_words(&words);
                walk.is_tied |= leaf.has_at(walk.at, &words);
            }
            return false;
        };
        let inner = &self.inners[walk.path.leaf];
        let worse = inner.firsts.rank_words(&words);
        walk.is_tied |= inner.firsts.has_at(worse, &words);
        let slot = worse.saturating_sub(1);
        walk.before += inner.entries_before(slot);
        *step = Step {
            node: walk.path.leaf,
            slot,
        };
        walk.path.leaf = inner.children[slot];
        walk.depth += 1;
        true
    }

    /// Returns how many entries are better than `bound`, which is the index of the first one that
    /// is not.
    #[cfg(test)]
    pub fn count_better(&self, bound: Bound<'_>, names: &impl Names) -> usize {
        self.locate(bound, names).rank
    }

    /// Returns the position of `bound`.
    pub fn locate(&self, bound: Bound<'_>, names: &impl Names) -> Located {
        debug_assert!(bound.words.len() <= W && (bound.member.is_none() || bound.words.len() == W));
        let mut path = self.path_from_root();
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
            rank += inner.entries_before(slot);
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
    #[must_use]
    pub fn iter_before(&self, located: &Located, before: usize) -> Iter<'_, W> {
        let from = located.rank.saturating_sub(before);
        match located.at.checked_sub(before) {
            Some(at) if from < self.len => Iter::new(self, Some((located.path, at))),
            _ => self.iter_from(from),
        }
    }

    /// Returns the entry at `index`, counted from the best.
    #[cfg(test)]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<([u64; W], u32)> {
        let (path, at) = self.seek(index)?;
        self.leaves[path.leaf].get(at)
    }

    /// Iterates over the entries from `index` on, best first.
    #[must_use]
    pub fn iter_from(&self, index: usize) -> Iter<'_, W> {
        Iter::new(self, self.seek(index))
    }

    /// Returns the position before the entry of rank `rank`, or the end.
    #[must_use]
    pub fn locate_rank(&self, rank: usize) -> Located {
        let rank = rank.min(self.len);
        let (path, at) = match (self.seek(rank), rank.checked_sub(1)) {
            (Some(there), _) => there,
            (None, Some(last)) => self
                .seek(last)
                .map_or_else(|| self.start(), |(path, at)| (path, at + 1)),
            (None, None) => self.start(),
        };
        Located { rank, path, at }
    }

    /// Returns the entry after a position, and moves the position behind it.
    pub fn next(&self, located: &mut Located) -> Option<([u64; W], u32)> {
        if self.len == 0 {
            return None;
        }
        let leaf = &self.leaves[located.path.leaf];
        let entry = if let Some(entry) = leaf.get(located.at) {
            entry
        } else {
            (located.path, located.at) = (self.next_leaf(located.path)?, 0);
            self.leaves[located.path.leaf].get(0)?
        };
        located.at += 1;
        Some(entry)
    }

    /// Returns the entry before a position, and moves the position before it.
    pub fn previous(&self, located: &mut Located) -> Option<([u64; W], u32)> {
        if self.len == 0 {
            return None;
        }
        if located.at == 0 {
            located.path = self.leaf_before(located.path)?;
            located.at = self.leaves[located.path.leaf].len();
        }
        located.at -= 1;
        self.leaves[located.path.leaf].get(located.at)
    }

    fn start(&self) -> (Path, usize) {
        (self.path_from_root(), 0)
    }

    fn path_from_root(&self) -> Path {
        Path {
            leaf: self.root,
            ..Path::default()
        }
    }

    fn seek(&self, index: usize) -> Option<(Path, usize)> {
        if index >= self.len {
            return None;
        }
        let mut at = index;
        let mut path = self.path_from_root();
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
    fn next_leaf(&self, path: Path) -> Option<Path> {
        let mut steps = path.steps[..self.height].iter();
        let up = steps.rposition(|s| s.slot + 1 < self.inners[s.node].len())?;
        Some(self.beside(path, up, path.steps[up].slot + 1, |_| 0))
    }

    /// Returns the path to the leaf before that of `path`.
    fn leaf_before(&self, path: Path) -> Option<Path> {
        let up = path.steps[..self.height].iter().rposition(|s| s.slot > 0)?;
        let slot = path.steps[up].slot - 1;
        Some(self.beside(path, up, slot, |inner| inner.len() - 1))
    }

    /// Returns the path that takes child `slot` at depth `up`, and below it those that `child` chooses.
    fn beside(
        &self,
        mut path: Path,
        up: usize,
        slot: usize,
        child: impl Fn(&Inner<W>) -> usize,
    ) -> Path {
        let steps = &mut path.steps[..self.height];
        steps[up].slot = slot;
        for depth in up..self.height {
            let Step { node, slot } = steps[depth];
            let node = self.inners[node].children[slot];
            match steps.get_mut(depth + 1) {
                Some(below) => {
                    let slot = child(&self.inners[node]);
                    *below = Step { node, slot };
                }
                None => path.leaf = node,
            }
        }
        path
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
pub struct Iter<'a, const W: usize> {
    tree: &'a Tree<W>,
    /// The leaf, the path to it, and the index of the next entry in it.
    at: Option<(&'a Leaf<W>, Path, usize)>,
}

impl<'a, const W: usize> Iter<'a, W> {
    fn new(tree: &'a Tree<W>, at: Option<(Path, usize)>) -> Self {
        Self {
            tree,
            at: at.map(|(path, at)| (&tree.leaves[path.leaf], path, at)),
        }
    }
}

impl<const W: usize> Iterator for Iter<'_, W> {
    type Item = ([u64; W], u32);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (leaf, path, at) = self.at.as_mut()?;
        if let Some(entry) = leaf.get(*at) {
            *at += 1;
            return Some(entry);
        }
        let next = self.tree.next_leaf(*path).map(|path| (path, 0));
        *self = Self::new(self.tree, next);
        let (leaf, _, at) = self.at.as_mut()?;
        *at = 1;
        leaf.get(0)
    }
}
