//! Counts entries, and reads them by index.

use super::node::Node;
use super::path::{Path, Step};
use super::{Bound, Names, Tree};

impl<const W: usize> Tree<W> {
    /// Returns how many entries are better than `bound`, which is the index of the first one that
    /// is not.
    pub(crate) fn count_better(&self, bound: Bound<'_>, names: &impl Names) -> usize {
        debug_assert!(bound.words.len() <= W && (bound.member.is_none() || bound.words.len() == W));
        if self.len == 0 {
            return 0;
        }
        // A prefix is less than all it starts; the least of these has zeros for the other words.
        let mut words = [0; W];
        for (word, given) in words.iter_mut().zip(bound.words) {
            *word = *given;
        }
        let better = |handle| {
            bound
                .member
                .is_none_or(|member| names.compare(names.name(handle), member).is_gt())
        };
        let (mut node, mut count) = (self.root, 0);
        for _ in 0..self.height {
            let inner = &self.inners[node];
            let slot = inner.firsts.rank(&words, better).saturating_sub(1);
            count += inner.counts[..slot]
                .iter()
                .map(|&n| n as usize)
                .sum::<usize>();
            node = inner.children[slot];
        }
        count + self.leaves[node].rank(&words, better)
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
