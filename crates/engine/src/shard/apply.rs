//! A batch into a shard.
//!
//! First every member of the batch is looked up in every window: those loads do not depend on one
//! another, so their cache misses overlap, which halves the cost of a contribution to a large board.
//! Then item by item: whether the id was applied before, the fold in every window, room; only then the writes. The
//! order of a large ranking is changed at the end of the batch, all changes together.
//!
//! **Invariant:** an item counts in all its windows or in none. Everything that can refuse it is checked before its
//! first write.

use std::sync::Arc;
use std::time::Duration;

use board::{Rules, Standing, Timestamp, Windows};
use smallvec::SmallVec;

use super::Shard;
use crate::ids::{IdBudget, RememberedIds};
use crate::ranking::{Ranking, SMALL_ROWS_MAX, Spot, Who};
use shard_store::{Change, Failure, Item, Outcome, Refused, WindowStanding};
use shard_store::{Memory, STANDING_WEIGHT};

/// What a batch goes by.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// The rules of the kind.
    pub rules: &'a Rules,
    /// The server's clock: ids are remembered from then on.
    pub now: Timestamp,
    /// For how long.
    pub dedupe: Duration,
    /// Whether outcomes carry the standings after them.
    pub report: bool,
    /// It happened before and happens again: its ids are remembered, not asked for.
    pub again: bool,
    /// What has to have room for standings and ids, where something does.
    pub memory: Option<&'a Memory>,
}

/// Places in [`Shard::rankings`], for the windows of an item.
type Places = SmallVec<[u32; 5]>;

/// The rankings that a batch may have changed: what ends it looks at no others, however many windows the
/// board has. Holds until the next batch.
#[derive(Debug, Default)]
pub struct Touched {
    /// That items counted in, each once.
    places: Places,
    /// A member was taken off, which looks at all windows anyway.
    removed: bool,
}

impl Touched {
    fn all(rankings: usize) -> Self {
        let places = 0..u32::try_from(rankings).unwrap_or(u32::MAX);
        Self {
            places: places.collect(),
            removed: true,
        }
    }

    fn of(runs: Vec<Run>, removed: bool) -> Self {
        let mut runs = runs.into_iter();
        let mut places = runs.next().map_or_else(Places::new, |run| run.places);
        for run in runs {
            places.extend(run.places);
        }
        places.sort_unstable();
        places.dedup();
        Self { places, removed }
    }
}

/// The windows that an item shares with those before it, and where they are.
struct Run {
    /// Items of the run: from `first` until the next run's.
    first: usize,
    places: Places,
}

impl Shard {
    /// Applies the items in order; `shard_of` tells the shard of a placement hash. Returns an outcome for
    /// each, and the rankings that may have changed.
    pub fn apply(
        &mut self,
        items: &[Item],
        terms: &Terms<'_>,
        shard_of: impl Fn(u64) -> u16,
        budget: &IdBudget,
    ) -> (Vec<Outcome>, Touched) {
        let mut removed = false;
        let runs = self.runs(items);
        let mut spots = self.look_up(items, &runs);
        let mut spots_hold = true;
        let mut outcomes = Vec::with_capacity(items.len());
        let mut run = 0;
        let mut next_spot = 0;
        for (index, item) in items.iter().enumerate() {
            while runs.get(run + 1).is_some_and(|next| next.first <= index) {
                run += 1;
            }
            let places = &runs[run].places;
            let found = &mut spots[next_spot..next_spot + places.len()];
            next_spot += places.len();
            let who = Who {
                member: &item.member,
                hash: item.hash,
                shard: shard_of(item.hash),
            };
            let outcome = match item.change {
                Change::Remove => {
                    spots_hold = false;
                    removed = true;
                    self.take_off(terms.rules, who)
                }
                Change::Fold(_) | Change::Set(_) => {
                    self.confirm(item, places, found, spots_hold);
                    self.write(terms, item, who, places, found, budget)
                }
            };
            outcomes.push(outcome);
        }
        let is_applied = |outcome: &Outcome| matches!(outcome, Outcome::Applied(_));
        let touched = Touched::of(runs, removed);
        if !outcomes.iter().all(is_applied) && self.has_untouched(&touched) {
            // The places of the others move.
            self.drop_untouched();
            return (outcomes, Touched::all(self.rankings.len()));
        }
        (outcomes, touched)
    }

    /// Ends a batch, on a shard of a board that is split: rankings may grow large. The one shard of
    /// a small board keeps its vectors, to be split while they are.
    pub fn finish(&mut self, rules: &Rules, touched: &Touched) {
        let unordered = self.unordered;
        if touched.removed {
            for (_, ranking) in &mut self.rankings {
                ranking.finish(rules, unordered);
            }
        } else {
            for place in &touched.places {
                self.rankings[*place as usize].1.finish(rules, unordered);
            }
        }
    }

    /// Whether a batch opened some window in vain: what it counted in there was refused.
    fn has_untouched(&self, touched: &Touched) -> bool {
        let mut places = touched.places.iter();
        places.any(|place| self.rankings[*place as usize].1.is_untouched())
    }

    /// Whether a batch had some window outgrow one vector for all shards.
    #[must_use]
    pub fn is_crowded(&self, touched: &Touched) -> bool {
        let mut touched = touched.places.iter();
        touched.any(|place| self.rankings[*place as usize].1.len() > SMALL_ROWS_MAX)
    }

    /// Where the windows of the items are, with rankings made for those that are new.
    fn runs(&mut self, items: &[Item]) -> Vec<Run> {
        let mut firsts: Vec<usize> = Vec::new();
        let mut last: Option<&Windows> = None;
        let mut opened = false;
        for (index, item) in items.iter().enumerate() {
            if last.is_none_or(|windows| !Arc::ptr_eq(windows, &item.windows)) {
                firsts.push(index);
                last = Some(&item.windows);
                opened = false;
            }
            // A removal may lead the run: it opens no window, what follows does.
            if !opened && item.change != Change::Remove {
                self.open_windows(&item.windows);
                opened = true;
            }
        }
        // Opening a window moves the others: places are taken when all are open.
        let run = |first: usize| Run {
            first,
            places: self.places_of(&items[first]),
        };
        firsts.into_iter().map(run).collect()
    }

    fn open_windows(&mut self, windows: &Windows) {
        for window in windows.iter() {
            if let Err(place) = self.place(*window)
                && !self.was_dropped(*window)
            {
                if self.rankings.len() == self.rankings.capacity() {
                    // Most boards have few windows: no room for three that will never come.
                    self.rankings.reserve_exact(1 + self.rankings.len() / 4);
                }
                self.rankings.insert(place, (*window, Ranking::new()));
            }
        }
    }

    fn places_of(&self, item: &Item) -> Places {
        let places = item
            .windows
            .iter()
            .filter_map(|window| self.place(*window).ok());
        places
            .filter_map(|place| u32::try_from(place).ok())
            .collect()
    }

    /// Every member in every window of it, item by item. A small ranking is looked through later:
    /// its spots do not outlast the next write.
    fn look_up(&self, items: &[Item], runs: &[Run]) -> Vec<Option<Spot>> {
        let mut spots = Vec::new();
        let mut found = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let end = runs.get(index + 1).map_or(items.len(), |next| next.first);
            let items = &items[run.first..end];
            let (base, width) = (spots.len(), run.places.len());
            spots.resize(base + items.len() * width, None);
            for (column, place) in run.places.iter().enumerate() {
                self.rankings[*place as usize].1.find_all(items, &mut found);
                for (row, handle) in found.iter().enumerate() {
                    spots[base + row * width + column] = handle.map(Spot);
                }
            }
        }
        spots
    }

    /// Looks again where an earlier item of the batch may have moved or made the standing.
    fn confirm(&self, item: &Item, places: &Places, found: &mut [Option<Spot>], spots_hold: bool) {
        for (place, spot) in places.iter().zip(found) {
            let ranking = &self.rankings[*place as usize].1;
            if !ranking.is_large() || !spots_hold || spot.is_none() {
                *spot = ranking.find(item.hash, &item.member);
            }
        }
    }

    fn write(
        &mut self,
        terms: &Terms<'_>,
        item: &Item,
        who: Who<'_>,
        places: &Places,
        found: &[Option<Spot>],
        budget: &IdBudget,
    ) -> Outcome {
        if !terms.again && self.holds_id(item, terms, budget) {
            return Outcome::Duplicate(self.report(terms, item));
        }
        if places.is_empty() {
            return Outcome::Refused(Refused::WindowClosed(item.at));
        }
        let standings = match self.decide(terms.rules, item, places, found) {
            Ok(standings) => standings,
            Err(outcome) => return outcome,
        };
        if let Err(failure) = check_memory(terms, item, found) {
            return Outcome::Failed(failure);
        }
        if let Err(failure) = self.reserve_id(item, terms, budget) {
            return Outcome::Failed(failure);
        }
        for ((place, spot), new) in places.iter().zip(found).zip(&standings) {
            if let Some(standing) = new {
                let ranking = &mut self.rankings[*place as usize].1;
                ranking.write(terms.rules, who, *spot, standing);
            }
        }
        // Behind the writes: what noting misses in the caches, the next change of a page would wait for.
        self.note_id(item, terms.now);
        Outcome::Applied(self.report(terms, item))
    }

    /// The standing after the item in each window, `None` where it stays what it is.
    fn decide(
        &self,
        rules: &Rules,
        item: &Item,
        places: &Places,
        found: &[Option<Spot>],
    ) -> Result<SmallVec<[Option<Standing>; 5]>, Outcome> {
        let mut standings = SmallVec::new();
        for (place, spot) in places.iter().zip(found) {
            let ranking = &self.rankings[*place as usize].1;
            if spot.is_none()
                && let Err(full) = ranking.check_room()
            {
                return Err(Outcome::Failed(Failure::Unavailable(full.to_string())));
            }
            let held = spot.map(|spot| ranking.standing(rules, spot));
            let new = match &item.change {
                Change::Set(values) => rules.outright(values, item.at),
                Change::Fold(values) => match rules.fold(held.as_ref(), values, item.at) {
                    Ok(standing) => standing,
                    Err(error) => return Err(Outcome::Refused(error.into())),
                },
                Change::Remove => unreachable!("a removal folds nothing"),
            };
            standings.push((held != Some(new)).then_some(new));
        }
        Ok(standings)
    }

    fn take_off(&mut self, rules: &Rules, who: Who<'_>) -> Outcome {
        let mut was_there = false;
        for (_, ranking) in &mut self.rankings {
            if let Some(spot) = ranking.find(who.hash, who.member) {
                ranking.remove(rules, who, spot);
                was_there = true;
            }
        }
        if was_there {
            Outcome::Applied(Vec::new())
        } else {
            Outcome::Refused(Refused::NotRanked(who.member.clone()))
        }
    }

    fn report(&self, terms: &Terms<'_>, item: &Item) -> Vec<WindowStanding> {
        if !terms.report {
            return Vec::new();
        }
        let rules = terms.rules;
        let standings = item.windows.iter().filter_map(|window| {
            let ranking = self.ranking(*window)?;
            let spot = ranking.find(item.hash, &item.member)?;
            Some(WindowStanding {
                window: *window,
                standing: ranking.standing(rules, spot),
            })
        });
        standings.collect()
    }

    fn holds_id(&self, item: &Item, terms: &Terms<'_>, budget: &IdBudget) -> bool {
        let known = self.ids.as_ref().zip(item.id);
        known.is_some_and(|(ids, id)| ids.holds(id, item.hash, terms.now, terms.dedupe, budget))
    }

    fn reserve_id(
        &mut self,
        item: &Item,
        terms: &Terms<'_>,
        budget: &IdBudget,
    ) -> Result<(), Failure> {
        if item.id.is_none() {
            return Ok(());
        }
        let ids = self
            .ids
            .get_or_insert_with(|| Box::new(RememberedIds::new(terms.now)));
        if terms.again {
            ids.reserve_anyway(terms.now, terms.dedupe, budget);
            return Ok(());
        }
        ids.reserve(terms.now, terms.dedupe, budget).map_err(|_| {
            let limit = budget.limit_bytes();
            Failure::Unavailable(format!("remembered ids take all of their {limit} bytes"))
        })
    }

    fn note_id(&mut self, item: &Item, now: Timestamp) {
        if let (Some(ids), Some(id)) = (&mut self.ids, item.id) {
            ids.note(id, item.hash, now);
        }
    }
}

/// Whether there is memory for what an item adds: standings, and an id to remember.
fn check_memory(terms: &Terms<'_>, item: &Item, found: &[Option<Spot>]) -> Result<(), Failure> {
    let Some(memory) = terms.memory else {
        return Ok(());
    };
    let added = found.iter().filter(|spot| spot.is_none()).count() as u64;
    if added > 0 || item.id.is_some() {
        memory
            .check()
            .map_err(|error| Failure::Unavailable(error.to_string()))?;
        memory.add(added * STANDING_WEIGHT);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
