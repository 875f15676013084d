//! [`Width`]: the order of a large ranking, as a tree of the width of its packed rank keys.
//!
//! A [`Width`] has a tree whose width is a constant, the columns of its keys, and the changes of
//! the current batch. A key outside of the columns packs the whole tree again, perhaps into wider
//! keys. While a shard is recovered it is [`Width::Unordered`]: changes are ignored, nothing can be
//! read, and [`Width::of`] later builds the order of all scores at once.

use board::{RankWords, Rules};

use super::columns::{Columns, Ranges};
use crate::table::Table;
use crate::tree::{Bound, Change, Names, Tree};

#[derive(Debug)]
pub(super) enum Width {
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

    fn count_better(&self, bound: Bound<'_>, table: &Table) -> usize {
        let Some((words, is_exact)) = self.columns.cut(bound.words) else {
            return 0;
        };
        let bound = Bound {
            words: words.as_slice(),
            member: bound.member.filter(|_| is_exact),
        };
        self.tree.count_better(bound, table)
    }

    fn entries_from(&self, index: usize) -> impl Iterator<Item = (RankWords, u32)> {
        let entries = self.tree.iter_from(index);
        entries.map(|(packed, handle)| (self.columns.unpack(&packed), handle))
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

impl Width {
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
        let push = |width: &mut Self| with_order!(width, order => order.push(handle, old, new), unordered => true);
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
        with_order!(self, order => Box::new(order.entries_from(0)))
    }

    pub(super) fn count_better(&self, bound: Bound<'_>, table: &Table) -> usize {
        with_order!(self, order => order.count_better(bound, table))
    }

    /// Returns `make` of up to `len` entries from the rank `from` on.
    pub(super) fn stretch<T>(
        &self,
        from: usize,
        len: usize,
        mut make: impl FnMut(RankWords, u32) -> T,
    ) -> Vec<T> {
        with_order!(self, order => {
            let entries = order.entries_from(from).take(len);
            entries.map(|(words, handle)| make(words, handle)).collect()
        })
    }
}

#[cfg(test)]
mod tests;
