//! [`Width`]: the order of a large ranking, as a tree of the width of its rules' rank keys.
//!
//! A [`Width`] has a tree whose width is a constant, and the changes of the current batch. While a
//! shard is recovered it is [`Width::Unordered`]: changes are ignored, nothing can be read, and
//! [`Width::of`] later builds the order of all scores at once.

use std::hint::black_box;

use board::{RankWords, Rules};
use smallvec::SmallVec;

use crate::table::Table;
use crate::tree::{Bound, Change, Iter, Names, Tree, Walk};

#[derive(Debug)]
pub(super) enum Width {
    Unordered,
    One(Ordered<1>),
    Two(Ordered<2>),
    Three(Ordered<3>),
    Four(Ordered<4>),
    Five(Ordered<5>),
}

/// A tree, and the changes of the current batch, which are applied together so that their cache
/// misses overlap.
#[derive(Debug)]
pub(super) struct Ordered<const W: usize> {
    tree: Tree<W>,
    pending: Vec<Change<W>>,
}

impl<const W: usize> Ordered<W> {
    fn of(table: &Table, rules: &Rules) -> Self {
        let mut entries = Vec::with_capacity(table.len());
        table.freeze().for_each(|handle, _, state| {
            let standing = rules.standing_from(state);
            entries.push((array::<W>(&rules.rank_words_of(&standing)), handle));
        });
        entries.sort_unstable_by(|(a, of_a), (b, of_b)| {
            let by_name = || table.compare(table.name(*of_b), table.name(*of_a));
            b.cmp(a).then_with(by_name)
        });
        Self {
            tree: Tree::from_sorted(entries),
            pending: Vec::new(),
        }
    }

    fn push(&mut self, handle: u32, old: Option<&RankWords>, new: Option<&RankWords>) {
        self.pending.push(Change {
            handle,
            old: old.map(array),
            new: new.map(array),
        });
    }

    fn flush(&mut self, table: &Table) {
        if !self.pending.is_empty() {
            let all_there = self.tree.apply(&std::mem::take(&mut self.pending), table);
            debug_assert!(all_there, "every old key was in the tree");
        }
    }

    fn handles(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new(self.tree.iter_from(0).map(|(_, handle)| handle))
    }
}

macro_rules! with_order {
    ($width:expr, $order:ident => $body:expr, unordered => $unordered:expr) => {
        match $width {
            Width::Unordered => $unordered,
            Width::One($order) => $body,
            Width::Two($order) => $body,
            Width::Three($order) => $body,
            Width::Four($order) => $body,
            Width::Five($order) => $body,
        }
    };
    ($width:expr, $order:ident => $body:expr) => {
        with_order!($width, $order => $body, unordered => unreachable!(
            "a ranking is not read before it is ordered"
        ))
    };
}

/// Returns the words of a key as an array of the tree's width, which the rules determine.
fn array<const W: usize>(words: &RankWords) -> [u64; W] {
    words
        .as_slice()
        .try_into()
        .expect("a tree is as wide as its rules' rank keys")
}

impl Width {
    /// Builds the order of all members of a table.
    pub(super) fn of(table: &Table, rules: &Rules) -> Self {
        match rules.rank_words_len() {
            1 => Self::One(Ordered::of(table, rules)),
            2 => Self::Two(Ordered::of(table, rules)),
            3 => Self::Three(Ordered::of(table, rules)),
            4 => Self::Four(Ordered::of(table, rules)),
            _ => Self::Five(Ordered::of(table, rules)),
        }
    }

    pub(super) const fn is_ordered(&self) -> bool {
        !matches!(self, Self::Unordered)
    }

    /// Adds a change to the batch: of a member that is new, moved or removed.
    pub(super) fn push(&mut self, handle: u32, old: Option<&RankWords>, new: Option<&RankWords>) {
        with_order!(self, order => order.push(handle, old, new), unordered => {});
    }

    /// Applies the changes of the batch.
    pub(super) fn flush(&mut self, table: &Table) {
        with_order!(self, order => order.flush(table), unordered => {});
    }

    pub(super) fn len(&self) -> usize {
        with_order!(self, order => order.tree.len())
    }

    /// Iterates best first.
    pub(super) fn handles(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        with_order!(self, order => order.handles())
    }

    pub(super) fn count_better(&self, bound: Bound<'_>, table: &Table) -> usize {
        with_order!(self, order => order.tree.count_better(bound, table))
    }

    /// Starts a search of the tree.
    pub(super) fn walk(&self) -> Walk {
        with_order!(self, order => order.tree.walk())
    }

    /// See [`Tree::step`].
    pub(super) fn step(&self, walk: &mut Walk, words: &RankWords) -> bool {
        with_order!(self, order => order.tree.step(walk, words.as_slice()))
    }

    /// See [`Tree::neighbours`].
    pub(super) fn neighbours(&self, walk: &Walk) -> [Option<u32>; 2] {
        with_order!(self, order => order.tree.neighbours(walk))
    }

    /// Returns `make` of up to `len` entries from the rank `from` on.
    pub(super) fn stretch<T>(
        &self,
        from: usize,
        len: usize,
        table: &Table,
        make: impl FnMut(RankWords, u32) -> T,
    ) -> Vec<T> {
        let len = len.min(self.len().saturating_sub(from));
        if len == 0 {
            return Vec::new();
        }
        with_order!(self, order => made(order.tree.iter_from(from), len, table, make))
    }

    /// Returns how many entries are better than the bound, and `make` of up to `before` of them and
    /// of up to `after` of the others.
    pub(super) fn around<T>(
        &self,
        bound: Bound<'_>,
        (before, after): (usize, usize),
        table: &Table,
        make: impl FnMut(RankWords, u32) -> T,
    ) -> (usize, Vec<T>) {
        with_order!(self, order => {
            let located = order.tree.locate(bound, table);
            let before = before.min(located.rank);
            let len = before + after.min(order.tree.len() - located.rank);
            if len == 0 {
                return (located.rank, Vec::new());
            }
            let entries = order.tree.iter_before(&located, before);
            (located.rank, made(entries, len, table, make))
        })
    }
}

/// Entries whose names are loaded together, so that their cache misses overlap.
const LOADED: usize = 32;

/// Returns `make` of the next `len` entries.
fn made<T, const W: usize>(
    mut entries: Iter<'_, W>,
    len: usize,
    table: &Table,
    mut make: impl FnMut(RankWords, u32) -> T,
) -> Vec<T> {
    let mut all = Vec::with_capacity(len);
    let mut loaded: SmallVec<[([u64; W], u32); LOADED]> = SmallVec::new();
    while all.len() < len {
        loaded.clear();
        loaded.extend(entries.by_ref().take(LOADED.min(len - all.len())));
        if loaded.is_empty() {
            break;
        }
        let names = loaded.iter().map(|(_, handle)| table.touch(*handle));
        black_box(names.fold(0, |all, one| all ^ one));
        let loaded = loaded.iter();
        all.extend(loaded.map(|(words, handle)| make(RankWords::new(words), *handle)));
    }
    all
}
