//! [`Distinct`]: the members of each distinct value of a board, counted for dense ranks.
//!
//! A value is the words of a member's fields. Members of several shards may have the same one, so
//! counts of the shards' distinct values cannot be added. A split board therefore has one counted
//! tree of values for each window, with the number of members of each, over all its shards. The one
//! vector of a small board is counted by a scan.
//!
//! It follows from the standings: no journal and no snapshot contains it. A start counts it when
//! the shards are in order ([`Distinct::add`]).
//!
//! **Invariant:** while no shard is being written, these are the values of all shards. A writer
//! changes them before it releases its shard; a reader holds all shards. The holder of this lock
//! waits for no other.

use std::cell::RefCell;
use std::cmp::Ordering;

use board::{RankWords, Rules, Window};
use parking_lot::{RwLock, RwLockReadGuard};
use shard_store::Group;

use crate::counted_tree::{Bound, Names, Tree};
use crate::shard::Shard;

/// The values of each window of a board.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    /// By window, sorted.
    windows: RwLock<Vec<(Window, Values)>>,
}

/// What a batch has made of values.
#[derive(Debug, Default)]
pub struct ValueChanges(RefCell<Vec<ValueChange>>);

/// A member's value in a window, before and after an item; `None` if it has no standing.
#[derive(Debug)]
struct ValueChange {
    window: Window,
    old: Option<RankWords>,
    new: Option<RankWords>,
}

impl ValueChanges {
    /// Adds the rank words of a member before and after an item.
    pub(crate) fn push(
        &self,
        rules: &Rules,
        window: Window,
        old: Option<&RankWords>,
        new: Option<&RankWords>,
    ) {
        let value = |words: &RankWords| rules.field_words(words);
        let (old, new) = (old.map(value), new.map(value));
        if old != new {
            self.0.borrow_mut().push(ValueChange { window, old, new });
        }
    }
}

impl Distinct {
    /// Applies the changes of a batch.
    pub(crate) fn apply(&self, rules: &Rules, changes: ValueChanges) {
        let changes = changes.0.into_inner();
        if changes.is_empty() {
            return;
        }
        let mut windows = self.windows.write();
        for ValueChange { window, old, new } in &changes {
            let values = values_of(&mut windows, *window, rules);
            match (old, new) {
                (Some(old), Some(new)) => values.change(old, new),
                (Some(old), None) => values.remove(old),
                (None, Some(new)) => values.add(new, 1),
                (None, None) => {}
            }
        }
    }

    /// Adds the values of a shard that is in order.
    pub(crate) fn add(&self, rules: &Rules, shard: &Shard) {
        let mut windows = self.windows.write();
        for (window, ranking) in shard.rankings() {
            let values = values_of(&mut windows, window, rules);
            ranking.for_each_value(rules, |value, members| values.add(&value, members));
        }
    }

    /// Removes windows that all shards have dropped or emptied. The caller drops the returned
    /// contents without holding a lock.
    pub(crate) fn take(&self, gone: &[Window]) -> impl Sized + use<> {
        let mut windows = self.windows.write();
        let taken = windows.extract_if(.., |(window, _)| gone.contains(window));
        taken.collect::<Vec<_>>()
    }

    /// Reads the values. The caller holds all shards.
    pub(crate) fn read(&self) -> DistinctReader<'_> {
        DistinctReader(self.windows.read())
    }
}

fn values_of<'a>(
    windows: &'a mut Vec<(Window, Values)>,
    window: Window,
    rules: &Rules,
) -> &'a mut Values {
    let found = windows.binary_search_by_key(&window, |(window, _)| *window);
    let position = found.unwrap_or_else(|position| {
        windows.insert(position, (window, Values::new(rules)));
        position
    });
    &mut windows[position].1
}

/// The values of a board, locked for reading.
pub(crate) struct DistinctReader<'a>(RwLockReadGuard<'a, Vec<(Window, Values)>>);

impl DistinctReader<'_> {
    /// Returns the values of a window, if it has any.
    pub(crate) fn window(&self, window: Window) -> Option<&Values> {
        let windows = &self.0;
        let found = windows.binary_search_by_key(&window, |(window, _)| *window);
        Some(&windows[found.ok()?].1)
    }

    /// Returns the windows whose values are not those of these shards.
    pub(crate) fn differing<'s>(
        &self,
        rules: &Rules,
        shards: impl Iterator<Item = &'s Shard>,
    ) -> Vec<Window> {
        let counted = Distinct::default();
        for shard in shards {
            counted.add(rules, shard);
        }
        let counted = counted.read();
        let windows = self.0.iter().chain(counted.0.iter());
        let mut windows: Vec<Window> = windows.map(|(window, _)| *window).collect();
        windows.sort_unstable();
        windows.dedup();
        let all = |reader: &DistinctReader<'_>, window| {
            reader.window(window).map_or_else(Vec::new, Values::all)
        };
        windows.retain(|window| all(self, *window) != all(&counted, *window));
        windows
    }
}

/// The values of one window, best first, each with the number of members that have it.
#[derive(Debug)]
pub(crate) enum Values {
    One(Counted<1>),
    Two(Counted<2>),
    Three(Counted<3>),
    Four(Counted<4>),
}

macro_rules! with_values {
    ($values:expr, $counted:ident => $body:expr) => {
        match $values {
            Values::One($counted) => $body,
            Values::Two($counted) => $body,
            Values::Three($counted) => $body,
            Values::Four($counted) => $body,
        }
    };
}

impl Values {
    pub(crate) fn new(rules: &Rules) -> Self {
        match rules.fields().len() {
            1 => Self::One(Counted::new()),
            2 => Self::Two(Counted::new()),
            3 => Self::Three(Counted::new()),
            _ => Self::Four(Counted::new()),
        }
    }

    /// Adds members with this value.
    pub(crate) fn add(&mut self, value: &RankWords, members: u32) {
        with_values!(self, counted => counted.add(array(value), members));
    }

    /// Removes one member with this value.
    pub(crate) fn remove(&mut self, value: &RankWords) {
        with_values!(self, counted => counted.remove(array(value)));
    }

    /// Gives a member with the value `old` the value `new`.
    pub(crate) fn change(&mut self, old: &RankWords, new: &RankWords) {
        with_values!(self, counted => counted.change(array(old), array(new)));
    }

    /// Returns the group of members with this value.
    pub(crate) fn group(&self, value: &RankWords) -> Group {
        with_values!(self, counted => {
            let (better, slot) = counted.find(value.as_slice());
            let members = slot.map_or(0, |slot| counted.members[slot as usize]);
            Group { better: better as u64, members: u64::from(members) }
        })
    }

    /// Returns every value and its number of members.
    fn all(&self) -> Vec<(RankWords, u32)> {
        with_values!(self, counted => {
            let values = counted.tree.iter_from(0);
            values.map(|(words, slot)| (RankWords::new(&words), counted.members[slot as usize])).collect()
        })
    }
}

fn array<const W: usize>(value: &RankWords) -> [u64; W] {
    let words = value.as_slice().try_into();
    words.expect("a value has a word for each field")
}

/// The values of `W` fields.
#[derive(Debug)]
pub(crate) struct Counted<const W: usize> {
    /// The values, with their slots. A window of a shard has less than 2^32 members, and slots are
    /// enough for the same number of values.
    tree: Tree<W>,
    /// By slot: the number of members.
    members: Vec<u32>,
    free: Vec<u32>,
}

impl<const W: usize> Counted<W> {
    fn new() -> Self {
        Self {
            tree: Tree::new(),
            members: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Returns how many values are better, and the slot of this one.
    fn find(&self, words: &[u64]) -> (usize, Option<u32>) {
        let bound = Bound {
            words,
            member: None,
        };
        // Behind the value itself.
        let mut located = self.tree.locate(bound, &NoNames);
        let better = located.rank;
        match self.tree.previous(&mut located) {
            Some((found, slot)) if found == *words => (better - 1, Some(slot)),
            _ => (better, None),
        }
    }

    fn add(&mut self, words: [u64; W], members: u32) {
        if let (_, Some(slot)) = self.find(&words) {
            self.members[slot as usize] += members;
        } else {
            self.insert(words, members);
        }
    }

    fn insert(&mut self, words: [u64; W], members: u32) {
        let slot = if let Some(slot) = self.free.pop() {
            self.members[slot as usize] = members;
            slot
        } else {
            if self.members.len() == self.members.capacity() {
                // Never twice of what many values need.
                self.members.reserve_exact(8.max(self.members.len() / 8));
            }
            self.members.push(members);
            u32::try_from(self.members.len() - 1).expect("less than 2^32 values")
        };
        self.tree.insert(words, slot, &NoNames);
    }

    fn remove(&mut self, words: [u64; W]) {
        let (_, Some(slot)) = self.find(&words) else {
            debug_assert!(false, "a member had a value that was not counted");
            return;
        };
        self.remove_from(words, slot);
    }

    fn remove_from(&mut self, words: [u64; W], slot: u32) {
        let members = &mut self.members[slot as usize];
        *members -= 1;
        if *members == 0 {
            self.tree.remove(words, slot, &NoNames);
            self.free.push(slot);
            if self.tree.is_empty() {
                *self = Self::new();
            }
        }
    }

    fn change(&mut self, old: [u64; W], new: [u64; W]) {
        match (self.find(&old).1, self.find(&new).1) {
            (Some(old_slot), None) if self.members[old_slot as usize] == 1 => {
                self.tree.replace(old, new, old_slot, &NoNames);
            }
            (Some(old_slot), Some(new_slot)) => {
                self.members[new_slot as usize] += 1;
                self.remove_from(old, old_slot);
            }
            (Some(old_slot), None) => {
                self.members[old_slot as usize] -= 1;
                self.insert(new, 1);
            }
            (None, _) => debug_assert!(false, "a member had a value that was not counted"),
        }
    }
}

/// Values are distinct: no names are compared.
struct NoNames;

impl Names for NoNames {
    fn name(&self, _: u32) -> &[u8] {
        &[]
    }

    fn compare(&self, _: &[u8], _: &[u8]) -> Ordering {
        Ordering::Equal
    }
}

#[cfg(test)]
mod tests;
