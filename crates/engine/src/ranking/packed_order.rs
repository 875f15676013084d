//! [`PackedOrder`]: the order of a large ranking, as a tree of the width of its packed rank keys.
//!
//! A [`PackedOrder`] has a tree whose width is a constant, the columns of its keys, and the changes of
//! the current batch. A key outside of the columns packs the whole tree again, perhaps into wider
//! keys. While a shard is recovered it is [`PackedOrder::Unordered`]: changes are ignored, nothing can be
//! read, and [`PackedOrder::of`] later builds the order of all scores at once.

use std::hint::black_box;

use board::{RankWords, Rules};

use super::columns::{Columns, Ranges};
use crate::counted_tree::{Bound, Change, Iter, Located, Names, Tree, Walk};
use crate::table::Table;

/// Entries whose names are loaded together, so that their cache misses overlap.
const LOADED: usize = 32;

#[derive(Debug)]
pub(super) enum PackedOrder {
    Unordered,
    One(Ordered<1>),
    Two(Ordered<2>),
    Three(Ordered<3>),
    Four(Ordered<4>),
    Five(Ordered<5>),
}

/// A tree of packed keys, and the changes of the current batch, which are applied together so that
/// their cache misses overlap.
#[derive(Debug)]
pub(super) struct Ordered<const W: usize> {
    tree: Tree<W>,
    columns: Columns,
    pending: Vec<Change<W>>,
}

impl<const W: usize> Ordered<W> {
    fn of(table: &Table, rules: &Rules, columns: &Columns) -> Self {
        let mut entries = Vec::with_capacity(table.len());
        table.freeze().for_each(|handle, _, state| {
            let words = rules.rank_words_of(&rules.standing_from(state));
            entries.push((fitting::<W>(columns, &words), handle));
        });
        entries.sort_unstable_by(|(a, of_a), (b, of_b)| {
            let by_name = || table.compare(table.name(*of_b), table.name(*of_a));
            b.cmp(a).then_with(by_name)
        });
        Self {
            tree: Tree::from_sorted(entries),
            columns: *columns,
            pending: Vec::new(),
        }
    }

    /// Creates an order of `entries`, which come best first.
    fn of_sorted(columns: &Columns, entries: Entries<'_>) -> Self {
        Self {
            tree: Tree::from_sorted(
                entries.map(|(words, handle)| (fitting(columns, &words), handle)),
            ),
            columns: *columns,
            pending: Vec::new(),
        }
    }

    /// Returns whether the new key fits, and the change was added.
    fn push(&mut self, handle: u32, old: Option<&RankWords>, new: Option<&RankWords>) -> bool {
        let new = match new.map(|words| self.columns.pack(words)) {
            Some(None) => return false,
            Some(packed) => packed,
            None => None,
        };
        let old = old.map(|words| fitting(&self.columns, words));
        self.pending.push(Change { handle, old, new });
        true
    }

    fn flush(&mut self, table: &Table) {
        if !self.pending.is_empty() {
            let all_there = self.tree.apply(&std::mem::take(&mut self.pending), table);
            debug_assert!(all_there, "every old key was in the tree");
        }
    }

    /// Returns the position of `bound`.
    fn locate(&self, bound: Bound<'_>, table: &Table) -> Located {
        let Some((words, is_exact)) = self.columns.cut(bound.words) else {
            return self.tree.locate_rank(0);
        };
        let bound = Bound {
            words: words.as_slice(),
            member: bound.member.filter(|_| is_exact),
        };
        self.tree.locate(bound, table)
    }

    fn entries(&self) -> impl Iterator<Item = (RankWords, u32)> {
        let entries = self.tree.iter_from(0);
        entries.map(|(packed, handle)| (self.columns.unpack(&packed), handle))
    }

    /// Returns `make` of the next `len` of these entries.
    fn made<T>(
        &self,
        mut entries: Iter<'_, W>,
        len: usize,
        table: &Table,
        mut make: impl FnMut(RankWords, u32) -> T,
    ) -> Vec<T> {
        let mut all = Vec::with_capacity(len);
        let mut loaded = [([0; W], 0); LOADED];
        while all.len() < len {
            let mut count = 0;
            let next = entries.by_ref().take(len - all.len());
            for (loaded, entry) in loaded.iter_mut().zip(next) {
                *loaded = entry;
                count += 1;
            }
            let loaded = &loaded[..count];
            if loaded.is_empty() {
                break;
            }
            let names = loaded.iter().map(|(_, handle)| table.touch(*handle));
            black_box(names.fold(0, |all, one| all ^ one));
            let loaded = loaded.iter();
            all.extend(loaded.map(|(packed, handle)| make(self.columns.unpack(packed), *handle)));
        }
        all
    }
}

/// Entries of any width, best first.
type Entries<'a> = Box<dyn Iterator<Item = (RankWords, u32)> + 'a>;

/// Packs a key for which the columns were made.
fn fitting<const W: usize>(columns: &Columns, words: &RankWords) -> [u64; W] {
    columns
        .pack(words)
        .expect("the columns are made for all keys of the order")
}

macro_rules! with_order {
    ($width:expr, $order:ident => $body:expr, unordered => $unordered:expr) => {
        match $width {
            PackedOrder::Unordered => $unordered,
            PackedOrder::One($order) => $body,
            PackedOrder::Two($order) => $body,
            PackedOrder::Three($order) => $body,
            PackedOrder::Four($order) => $body,
            PackedOrder::Five($order) => $body,
        }
    };
    ($width:expr, $order:ident => $body:expr) => {
        with_order!($width, $order => $body, unordered => unreachable!(
            "a ranking is not read before it is ordered"
        ))
    };
}

impl PackedOrder {
    /// Builds the order of all members of a table.
    pub(super) fn of(table: &Table, rules: &Rules) -> Self {
        let mut ranges = Ranges::new(rules.rank_words_len());
        table.freeze().for_each(|_, _, state| {
            let words = rules.rank_words_of(&rules.standing_from(state));
            ranges.add(words.as_slice());
        });
        let columns = Columns::of(&ranges);
        match columns.packed_len() {
            1 => Self::One(Ordered::of(table, rules, &columns)),
            2 => Self::Two(Ordered::of(table, rules, &columns)),
            3 => Self::Three(Ordered::of(table, rules, &columns)),
            4 => Self::Four(Ordered::of(table, rules, &columns)),
            _ => Self::Five(Ordered::of(table, rules, &columns)),
        }
    }

    pub(super) const fn is_ordered(&self) -> bool {
        !matches!(self, Self::Unordered)
    }

    /// Adds a change to the batch: of a member that is new, moved or removed. The table has its
    /// name.
    pub(super) fn push(
        &mut self,
        handle: u32,
        old: Option<&RankWords>,
        new: Option<&RankWords>,
        table: &Table,
    ) {
        let push = |this: &mut Self| with_order!(this, order => order.push(handle, old, new), unordered => true);
        if !push(self)
            && let Some(new) = new
        {
            self.pack_again(new, table);
            push(self);
        }
    }

    /// Packs all keys into columns that `new` fits, too.
    #[cold]
    fn pack_again(&mut self, new: &RankWords, table: &Table) {
        self.flush(table);
        // Ranges never shrink: each time one of them has more than doubled.
        let mut ranges = with_order!(&*self, order => order.columns.ranges());
        ranges.add(new.as_slice());
        for (words, _) in self.entries() {
            ranges.add(words.as_slice());
        }
        let columns = Columns::of(&ranges);
        let entries = self.entries();
        let packed = match columns.packed_len() {
            1 => Self::One(Ordered::of_sorted(&columns, entries)),
            2 => Self::Two(Ordered::of_sorted(&columns, entries)),
            3 => Self::Three(Ordered::of_sorted(&columns, entries)),
            4 => Self::Four(Ordered::of_sorted(&columns, entries)),
            _ => Self::Five(Ordered::of_sorted(&columns, entries)),
        };
        *self = packed;
    }

    /// Applies the changes of the batch.
    pub(super) fn flush(&mut self, table: &Table) {
        with_order!(self, order => order.flush(table), unordered => {});
    }

    pub(super) fn len(&self) -> usize {
        with_order!(self, order => order.tree.len())
    }

    /// Iterates best first, over the words and handles of all entries.
    pub(super) fn entries(&self) -> Entries<'_> {
        with_order!(self, order => Box::new(order.entries()))
    }

    /// Returns the position of a bound.
    pub(super) fn locate(&self, bound: Bound<'_>, table: &Table) -> Located {
        with_order!(self, order => order.locate(bound, table))
    }

    /// Returns the position before the entry of a rank, or the end.
    pub(super) fn locate_rank(&self, rank: usize) -> Located {
        with_order!(self, order => order.tree.locate_rank(rank))
    }

    /// Returns the entry after a position, and moves the position behind it.
    pub(super) fn next(&self, located: &mut Located) -> Option<(RankWords, u32)> {
        with_order!(self, order => {
            let (packed, handle) = order.tree.next(located)?;
            Some((order.columns.unpack(&packed), handle))
        })
    }

    /// Returns the entry before a position, and moves the position before it.
    pub(super) fn previous(&self, located: &mut Located) -> Option<(RankWords, u32)> {
        with_order!(self, order => {
            let (packed, handle) = order.tree.previous(located)?;
            Some((order.columns.unpack(&packed), handle))
        })
    }

    /// Returns words that cut the packed keys where `words`, or a prefix of a key's, cut the keys, as far
    /// as words can; `None` if all keys are less.
    pub(super) fn packed(&self, words: &RankWords) -> Option<RankWords> {
        let cut = with_order!(self, order => order.columns.cut(words.as_slice()));
        cut.map(|(packed, _)| packed)
    }

    /// Starts a search of the tree.
    pub(super) fn walk(&self) -> Walk {
        with_order!(self, order => order.tree.walk())
    }

    /// See [`Tree::step`]. The words are packed.
    pub(super) fn step(&self, walk: &mut Walk, words: &RankWords) -> bool {
        with_order!(self, order => order.tree.step(walk, words.as_slice()))
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
        with_order!(self, order => order.made(order.tree.iter_from(from), len, table, make))
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
            let located = order.locate(bound, table);
            let before = before.min(located.rank);
            let len = before + after.min(order.tree.len() - located.rank);
            if len == 0 {
                return (located.rank, Vec::new());
            }
            let entries = order.tree.iter_before(&located, before);
            (located.rank, order.made(entries, len, table, make))
        })
    }
}

#[cfg(test)]
mod tests;
