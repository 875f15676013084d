//! Applies a batch to a shard.
//!
//! First every member of the batch is looked up in every window: those loads do not depend on one
//! another, so their cache misses overlap, which halves the cost of a contribution to a large
//! board. Then, for each item: whether the id was applied before, the fold in every window,
//! capacity; only then the writes. The order of a large ranking is changed at the end of the batch,
//! all changes together.
//!
//! **Invariant:** an item counts in all its windows or in none. Everything that can reject it is
//! checked before its first write.

use std::sync::Arc;
use std::time::Duration;

use board::{Rules, Timestamp, Windows};
use smallvec::{SmallVec, smallvec};

use super::Shard;
use super::touched::{Positions, Run, Runs, Touched};
use crate::distinct::ValueChanges;
use crate::ids::{IdBudget, RememberedIds};
use crate::ranking::{MemberRef, Ranking, Rewrite, RowHandle, SMALL_ROWS_MAX};
use shard_store::{Change, Item, ItemFailure, ItemRejected, Outcome, WindowStanding};
use shard_store::{Memory, STANDING_WEIGHT};

/// The parameters of a batch.
#[derive(Debug, Clone, Copy)]
pub struct ApplyContext<'a> {
    /// The rules of the kind.
    pub rules: &'a Rules,
    /// The server's clock, from which ids are remembered.
    pub now: Timestamp,
    /// How long ids are remembered.
    pub dedupe: Duration,
    /// Whether outcomes carry the standings after them.
    pub report: bool,
    /// The batch is replayed: its ids are remembered without a check.
    pub again: bool,
    /// The memory limit for standings and ids, if there is one.
    pub memory: Option<&'a Memory>,
    /// Gets the changes of members' values, if the board counts distinct ones.
    pub values: Option<&'a ValueChanges>,
}

/// For each item in order, and each of its windows: the row of its member. Inline for an item of its own.
type Rows = SmallVec<[Option<RowHandle>; 5]>;

/// What an item makes of the standing in each of its windows, and in how many windows in a row: a
/// board's windows that began together have the same standings.
type Rewrites<'a> = SmallVec<[(Rewrite<'a>, usize); 2]>;

impl Shard {
    /// Applies the items in order. `shard_of` returns the shard of a placement hash. Returns an
    /// outcome for each item, and the rankings that may have changed.
    pub fn apply(
        &mut self,
        items: &[Item],
        context: &ApplyContext<'_>,
        shard_of: impl Fn(u64) -> u16,
        budget: &IdBudget,
    ) -> (Vec<Outcome>, Touched) {
        let mut removed = false;
        let runs = self.runs(items);
        let mut rows = match items {
            // A look-up of its own: `confirm` makes it.
            [_] => smallvec![None; runs[0].positions.len()],
            _ => self.look_up(items, &runs),
        };
        let mut rows_stay_valid = true;
        let mut outcomes = Vec::with_capacity(items.len());
        let mut run = 0;
        let mut next_spot = 0;
        for (index, item) in items.iter().enumerate() {
            while runs.get(run + 1).is_some_and(|next| next.first <= index) {
                run += 1;
            }
            let positions = &runs[run].positions;
            let found = &mut rows[next_spot..next_spot + positions.len()];
            next_spot += positions.len();
            let target = MemberRef {
                member: &item.member,
                hash: item.hash,
                shard: shard_of(item.hash),
            };
            let outcome = match item.change {
                Change::Remove | Change::RemoveFrom | Change::Expire => {
                    rows_stay_valid = false;
                    removed = true;
                    self.take_off(context, target, item)
                }
                Change::Fold(_) | Change::Set(_) => {
                    self.confirm(item, positions, found, rows_stay_valid);
                    self.write(context, item, target, positions, found, budget)
                }
            };
            outcomes.push(outcome);
        }
        let is_applied = |outcome: &Outcome| matches!(outcome, Outcome::Applied(_));
        let touched = Touched::of(runs, removed);
        if !outcomes.iter().all(is_applied) && self.has_untouched(&touched) {
            // Moves the positions of the others.
            self.drop_untouched();
            return (outcomes, Touched::all(self.rankings.len()));
        }
        (outcomes, touched)
    }

    /// Ends a batch on a shard of a split board: rankings may become large. The one shard of a
    /// small board keeps its vectors, to be split later.
    pub fn finish(&mut self, rules: &Rules, touched: &Touched) {
        let unordered = self.unordered;
        if touched.removed {
            for (_, ranking) in &mut self.rankings {
                ranking.finish(rules, unordered);
            }
        } else {
            for position in &touched.positions {
                self.rankings[*position as usize].1.finish(rules, unordered);
            }
        }
    }

    /// Returns whether a batch opened a window for items that were all rejected.
    fn has_untouched(&self, touched: &Touched) -> bool {
        let mut positions = touched.positions.iter();
        positions.any(|position| self.rankings[*position as usize].1.is_untouched())
    }

    /// Returns whether the batch made a window outgrow one vector for all shards.
    #[must_use]
    pub fn outgrew_small(&self, touched: &Touched) -> bool {
        let mut touched = touched.positions.iter();
        touched.any(|position| self.rankings[*position as usize].1.len() > SMALL_ROWS_MAX)
    }

    /// Returns whether any window has outgrown one vector for all shards.
    #[must_use]
    pub fn is_large(&self) -> bool {
        let mut rankings = self.rankings.iter();
        rankings.any(|(_, ranking)| ranking.len() > SMALL_ROWS_MAX)
    }

    /// Groups the items by their windows, and creates rankings for new windows.
    fn runs(&mut self, items: &[Item]) -> Runs {
        let mut firsts: SmallVec<[usize; 4]> = SmallVec::new();
        let mut last: Option<&Windows> = None;
        let mut opened = false;
        for (index, item) in items.iter().enumerate() {
            if last.is_none_or(|windows| !Arc::ptr_eq(windows, &item.windows)) {
                firsts.push(index);
                last = Some(&item.windows);
                opened = false;
            }
            // A removal may lead the run: it opens no window, but the items after it do.
            if !opened && !item.change.is_removal() {
                self.open_windows(&item.windows);
                opened = true;
            }
        }
        // Opening a window moves the others: positions are determined when all are open.
        let run = |first: usize| Run {
            first,
            positions: self.positions_of(&items[first]),
        };
        firsts.into_iter().map(run).collect()
    }

    fn open_windows(&mut self, windows: &Windows) {
        for window in windows.iter() {
            if let Err(position) = self.position(*window)
                && !self.was_dropped(*window)
            {
                if self.rankings.len() == self.rankings.capacity() {
                    // Most boards have few windows: do not reserve three that are never used.
                    self.rankings.reserve_exact(1 + self.rankings.len() / 4);
                }
                self.rankings.insert(position, (*window, Ranking::new()));
            }
        }
    }

    fn positions_of(&self, item: &Item) -> Positions {
        let positions = item
            .windows
            .iter()
            .filter_map(|window| self.position(*window).ok());
        positions
            .filter_map(|position| u32::try_from(position).ok())
            .collect()
    }

    /// Looks up every member in every window, item by item. Small rankings are searched later:
    /// their row handles do not survive the next write.
    fn look_up(&self, items: &[Item], runs: &[Run]) -> Rows {
        let mut rows = Rows::new();
        let mut found = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let end = runs.get(index + 1).map_or(items.len(), |next| next.first);
            let items = &items[run.first..end];
            let (base, width) = (rows.len(), run.positions.len());
            rows.resize(base + items.len() * width, None);
            for (column, position) in run.positions.iter().enumerate() {
                self.rankings[*position as usize]
                    .1
                    .find_all(items, &mut found);
                for (row, handle) in found.iter().enumerate() {
                    rows[base + row * width + column] = handle.map(RowHandle);
                }
            }
        }
        rows
    }

    /// Looks up again where an earlier item of the batch may have moved or created the row.
    fn confirm(
        &self,
        item: &Item,
        positions: &Positions,
        found: &mut [Option<RowHandle>],
        rows_stay_valid: bool,
    ) {
        for (position, row) in positions.iter().zip(found) {
            let ranking = &self.rankings[*position as usize].1;
            if !ranking.is_large() || !rows_stay_valid || row.is_none() {
                *row = ranking.find(item.hash, &item.member);
            }
        }
    }

    fn write(
        &mut self,
        context: &ApplyContext<'_>,
        item: &Item,
        target: MemberRef<'_>,
        positions: &Positions,
        found: &[Option<RowHandle>],
        budget: &IdBudget,
    ) -> Outcome {
        if !context.again && self.holds_id(item, context, budget) {
            return Outcome::Duplicate(self.report(context, item));
        }
        if positions.is_empty() {
            return Outcome::Rejected(ItemRejected::WindowClosed(item.at));
        }
        let mut rewrites = Rewrites::new();
        if let Err(outcome) = self.decide(context.rules, item, positions, found, &mut rewrites) {
            return outcome;
        }
        if let Err(failure) = check_memory(context, item, found) {
            return Outcome::Failed(failure);
        }
        if let Err(failure) = self.reserve_id(item, context, budget) {
            return Outcome::Failed(failure);
        }
        let mut windows = positions.iter().zip(found);
        for (rewrite, count) in &rewrites {
            let is_change = rewrite.is_change();
            for (position, row) in windows.by_ref().take(*count) {
                if is_change {
                    let (window, ranking) = &mut self.rankings[*position as usize];
                    ranking.write(target, *row, rewrite);
                    if let Some(values) = context.values {
                        let rank = rewrite.rank();
                        values.push(context.rules, *window, rank.old.as_ref(), Some(&rank.new));
                    }
                }
            }
        }
        // After the writes: otherwise the next change of a page would wait for these cache misses.
        self.note_id(item, context.now);
        Outcome::Applied(self.report(context, item))
    }

    /// Appends what the item makes of the standing in each window.
    fn decide<'a>(
        &self,
        rules: &'a Rules,
        item: &Item,
        positions: &Positions,
        found: &[Option<RowHandle>],
        rewrites: &mut Rewrites<'a>,
    ) -> Result<(), Outcome> {
        for (position, row) in positions.iter().zip(found) {
            let ranking = &self.rankings[*position as usize].1;
            if row.is_none()
                && let Err(full) = ranking.check_room()
            {
                return Err(Outcome::Failed(ItemFailure::Unavailable(full.to_string())));
            }
            if let Some((last, count)) = rewrites.last_mut()
                && match (row, last.held()) {
                    (Some(row), Some(held)) => ranking.holds(*row, held),
                    (None, None) => true,
                    _ => false,
                }
            {
                *count += 1;
                continue;
            }
            let held = row.map(|row| ranking.standing(rules, row));
            let new = match &item.change {
                Change::Set(values) => rules.standing_of(values, item.at),
                Change::Fold(values) => match rules.fold(held.as_ref(), values, item.at) {
                    Ok(standing) => standing,
                    Err(error) => return Err(Outcome::Rejected(error.into())),
                },
                Change::Remove | Change::RemoveFrom | Change::Expire => {
                    unreachable!("a removal is not folded")
                }
            };
            rewrites.push((Rewrite::new(rules, held, new), 1));
        }
        Ok(())
    }

    /// Removes a member from all windows, or only from those of the item.
    fn take_off(
        &mut self,
        context: &ApplyContext<'_>,
        target: MemberRef<'_>,
        item: &Item,
    ) -> Outcome {
        let rules = context.rules;
        let mut was_there = false;
        for (window, ranking) in &mut self.rankings {
            if item.change != Change::Remove && !item.windows.contains(window) {
                continue;
            }
            if let Some(row) = ranking.find(target.hash, target.member) {
                if item.change == Change::Expire
                    && rules.reached_at(&ranking.standing(rules, row)) > item.at
                {
                    continue;
                }
                if let Some(values) = context.values {
                    let words = rules.rank_words_of(&ranking.standing(rules, row));
                    values.push(rules, *window, Some(&words), None);
                }
                ranking.remove(rules, target, row);
                was_there = true;
            }
        }
        if was_there {
            Outcome::Applied(Vec::new())
        } else {
            Outcome::Rejected(ItemRejected::NotRanked(target.member.clone()))
        }
    }

    fn report(&self, context: &ApplyContext<'_>, item: &Item) -> Vec<WindowStanding> {
        if !context.report {
            return Vec::new();
        }
        let rules = context.rules;
        let standings = item.windows.iter().filter_map(|window| {
            let ranking = self.ranking(*window)?;
            let row = ranking.find(item.hash, &item.member)?;
            Some(WindowStanding {
                window: *window,
                standing: ranking.standing(rules, row),
            })
        });
        standings.collect()
    }

    fn holds_id(&self, item: &Item, context: &ApplyContext<'_>, budget: &IdBudget) -> bool {
        let known = self.ids.as_ref().zip(item.id);
        known.is_some_and(|(ids, id)| ids.holds(id, item.hash, context.now, context.dedupe, budget))
    }

    fn reserve_id(
        &mut self,
        item: &Item,
        context: &ApplyContext<'_>,
        budget: &IdBudget,
    ) -> Result<(), ItemFailure> {
        if item.id.is_none() {
            return Ok(());
        }
        let ids = self
            .ids
            .get_or_insert_with(|| Box::new(RememberedIds::new(context.now)));
        if context.again {
            ids.reserve_anyway(context.now, context.dedupe, budget);
            return Ok(());
        }
        ids.reserve(context.now, context.dedupe, budget)
            .map_err(|_| {
                let limit = budget.limit_bytes();
                ItemFailure::Unavailable(format!(
                    "remembered ids have reached their limit of {limit} bytes"
                ))
            })
    }

    fn note_id(&mut self, item: &Item, now: Timestamp) {
        if let (Some(ids), Some(id)) = (&mut self.ids, item.id) {
            ids.remember(id, item.hash, now);
        }
    }
}

/// Checks that there is memory for what an item adds: standings, and an id.
fn check_memory(
    context: &ApplyContext<'_>,
    item: &Item,
    found: &[Option<RowHandle>],
) -> Result<(), ItemFailure> {
    let Some(memory) = context.memory else {
        return Ok(());
    };
    let added = found.iter().filter(|row| row.is_none()).count() as u64;
    if added > 0 || item.id.is_some() {
        memory
            .check()
            .map_err(|error| ItemFailure::Unavailable(error.to_string()))?;
        memory.add(added * STANDING_WEIGHT);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
