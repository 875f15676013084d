//! [`Merged`]: the rankings of all shards of a board, read as one order.
//!
//! A position in it is a position in each ranking. That of a bound takes a search of each ranking. That
//! of a rank is found from keys: one at the expected rank in the ranking with the most entries left, and
//! a search for it in the others, which leaves about the root of the distance.
//!
//! ```text
//!   shard 0   ·····──|▒▒▒▒────        | a position: all that is left of it is better
//!   shard 1   ···────|▒▒▒▒──          ▒ entries of a range that begins there; the merge goes in
//!   shard 2   ·······|▒▒▒────           either direction, one entry after the other
//! ```
//!
//! Names are read only of the entries that are returned, and of ties.

use std::hint::black_box;

use board::{Bound, Member, RankKey, RankWords, Rules, ShardCount, Standing};
use shard_store::{Group, Groups, ShardEntry, ShardVersion};
use smallvec::SmallVec;

use super::anchor_read::{Order, answer};
use super::large::Search;
use super::{Body, Ranking, mixed};
use crate::counted_tree::Located;
use crate::distinct::Values;
use shard_store::{RangeAsk, RangePart};

/// The usual maximum of shards.
const LISTS: usize = 16;

/// A position that is this many entries off a range for each ranking is near enough: passing them costs less than
/// another search.
const NEAR_OF_LIST: usize = 8;

/// Searches by expected ranks. Later ones halve the largest interval, which always ends.
const EXPECTED_MAX: usize = 8;

/// The rankings of all shards, in order.
pub(crate) struct Merged<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) shards: ShardCount,
    pub(crate) lists: SmallVec<[&'a Ranking; LISTS]>,
    /// The distinct values of the window, if they are counted.
    pub(crate) values: Option<&'a Values>,
}

/// A position in the merged order.
#[derive(Debug, Clone)]
struct Position {
    /// How many entries are better.
    rank: usize,
    /// The position in each ranking.
    of_lists: SmallVec<[Located; LISTS]>,
}

impl FromIterator<Located> for Position {
    fn from_iter<T: IntoIterator<Item = Located>>(located: T) -> Self {
        let of_lists: SmallVec<[Located; LISTS]> = located.into_iter().collect();
        Self {
            rank: of_lists.iter().map(|located| located.rank).sum(),
            of_lists,
        }
    }
}

impl Position {
    /// Returns how far it is from a range; 0 if it is inside.
    const fn distance(&self, from: usize, to: usize) -> usize {
        from.saturating_sub(self.rank) + self.rank.saturating_sub(to)
    }
}

impl Merged<'_> {
    /// Reads around one anchor.
    pub(crate) fn answer(&self, groups: Groups, ask: &RangeAsk) -> RangePart {
        answer(self, self.rules, groups, ask)
    }

    /// Returns the version of all rankings together.
    pub(crate) fn version(&self, epoch: u64) -> ShardVersion {
        let mut whole = ShardVersion {
            epoch,
            ..ShardVersion::default()
        };
        for list in &self.lists {
            let version = list.version(epoch);
            whole.counter += version.counter;
            whole.digest = mixed(whole.digest, version.digest);
        }
        whole
    }

    /// Returns the number of members of all rankings.
    pub(crate) fn members(&self) -> usize {
        self.len()
    }

    /// Returns the position of a bound.
    fn locate(&self, bound: &Bound) -> Position {
        let searches = self.lists.iter().map(|list| match &list.body {
            Body::Small(_) => None,
            Body::Large(large) => Some(large.search(bound)),
        });
        let mut searches: SmallVec<[Option<Search<'_>>; LISTS]> = searches.collect();
        // A search waits for one node after the other, but not for those of another search.
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for search in searches.iter_mut().flatten() {
                is_done &= !search.step();
            }
        }
        let lists = self.lists.iter().zip(&searches);
        let located = lists.map(|(list, search)| match (search, &list.body) {
            (Some(search), _) => search.located(bound),
            (None, Body::Small(small)) => Located::of_index(small.locate(self.rules, bound)),
            (None, Body::Large(_)) => unreachable!("a large ranking is searched"),
        });
        located.collect()
    }

    /// Returns the position of these ranks.
    fn at_ranks(&self, ranks: impl Fn(&Ranking) -> usize) -> Position {
        let located = self.lists.iter().map(|list| list.locate_rank(ranks(list)));
        located.collect()
    }

    /// Returns a position in or near a range, which begins before the end.
    fn near(&self, from: usize, to: usize) -> Position {
        let near = NEAR_OF_LIST * self.lists.len();
        let len = self.len();
        if from <= near {
            return self.at_ranks(|_| 0);
        }
        if len.saturating_sub(to) <= near {
            return self.at_ranks(Ranking::len);
        }
        let middle = from.midpoint(to);
        // Both ends, of which only ranks are used.
        let mut above: Position = self.lists.iter().map(|_| Located::of_index(0)).collect();
        let ends = self.lists.iter().map(|list| Located::of_index(list.len()));
        let mut below: Position = ends.collect();
        for search in 0.. {
            let widths = above.of_lists.iter().zip(&below.of_lists);
            let widths = widths.map(|(above, below)| below.rank - above.rank);
            // At least two: otherwise both positions would be near.
            let (list, width) = widths
                .enumerate()
                .max_by_key(|(_, width)| *width)
                .expect("a board has shards");
            let expected = if search < EXPECTED_MAX {
                let share = (middle - above.rank) as u128;
                let all = (below.rank - above.rank) as u128;
                usize::try_from(width as u128 * share / all).unwrap_or(width)
            } else {
                width / 2
            };
            let rank = above.of_lists[list].rank + expected.clamp(1, width - 1);
            let found = self.locate(&Bound::key(&self.key_at(list, rank)));
            if found.distance(from, to) <= near {
                return found;
            }
            if found.rank <= middle {
                above = found;
            } else {
                below = found;
            }
        }
        unreachable!("each search narrows an interval")
    }

    fn key_at(&self, list: usize, rank: usize) -> RankKey {
        let ranking = self.lists[list];
        let entry = ranking.next(self.rules, &mut ranking.locate_rank(rank));
        let (words, row) = entry.expect("the rank is before the end");
        ranking.entry(self.rules, words, row).key
    }

    /// Returns the entries of these ranks, from a position in or near them.
    fn merge(&self, position: &Position, from: usize, to: usize) -> Vec<ShardEntry> {
        let mut heads: Vec<Head> = Vec::with_capacity(to.saturating_sub(from));
        if from < position.rank {
            let worst_first = Tournament::new(self, position, Direction::Back);
            let skipped = position.rank.saturating_sub(to);
            heads.extend(worst_first.take(position.rank - from).skip(skipped));
            heads.reverse();
        }
        if position.rank < to {
            let best_first = Tournament::new(self, position, Direction::Forth);
            let skipped = from.saturating_sub(position.rank);
            heads.extend(best_first.take(to - position.rank).skip(skipped));
        }
        // Names are loaded together, so that their cache misses overlap.
        let touched = heads
            .iter()
            .map(|head| self.lists[head.list].touch(head.row));
        black_box(touched.fold(0, |all, one| all ^ one));
        let entry = |head: &Head| self.lists[head.list].entry(self.rules, head.words, head.row);
        heads.iter().map(entry).collect()
    }
}

impl Order for Merged<'_> {
    fn len(&self) -> usize {
        self.lists.iter().map(|list| list.len()).sum()
    }

    fn count_better(&self, bound: &Bound) -> usize {
        self.locate(bound).rank
    }

    fn find(&self, member: &Member) -> Option<(Standing, RankKey)> {
        let shard = self.shards.shard_of(member.placement_hash());
        let rules = self.rules;
        match &self.lists[usize::from(shard)].body {
            Body::Large(large) => large.view(rules).find(member),
            Body::Small(small) => small.view(rules, None).find(member),
        }
    }

    fn stretch(&self, from: usize, len: usize) -> Vec<ShardEntry> {
        let to = from.saturating_add(len).min(self.len());
        if from >= to {
            return Vec::new();
        }
        self.merge(&self.near(from, to), from, to)
    }

    fn around(&self, bound: &Bound, before: usize, after: usize) -> (usize, Vec<ShardEntry>) {
        let position = self.locate(bound);
        let from = position.rank.saturating_sub(before);
        let to = position.rank.saturating_add(after).min(self.len());
        (position.rank, self.merge(&position, from, to))
    }

    fn group(&self, _: &Rules, fields: &RankWords) -> Group {
        // A window without counted values has no members.
        self.values
            .map_or_else(Group::default, |values| values.group(fields))
    }
}

/// Rows of one ranking, by position in its order.
impl Ranking {
    fn locate_rank(&self, rank: usize) -> Located {
        match &self.body {
            Body::Small(_) => Located::of_index(rank),
            Body::Large(large) => large.locate_rank(rank),
        }
    }

    /// Returns the words and the row of the entry after a position, and moves the position behind it.
    fn next(&self, rules: &Rules, located: &mut Located) -> Option<(RankWords, u32)> {
        match &self.body {
            Body::Small(small) => {
                let index = located.index();
                let words = small.rank_words(rules, index)?;
                *located = Located::of_index(index + 1);
                Some((words, row(index)))
            }
            Body::Large(large) => large.next(located),
        }
    }

    /// Returns the same of the entry before a position, and moves the position before it.
    fn previous(&self, rules: &Rules, located: &mut Located) -> Option<(RankWords, u32)> {
        match &self.body {
            Body::Small(small) => {
                let index = located.index().checked_sub(1)?;
                *located = Located::of_index(index);
                Some((small.rank_words(rules, index)?, row(index)))
            }
            Body::Large(large) => large.previous(located),
        }
    }

    /// Visits each distinct value, best first, and the number of members that have it.
    pub(crate) fn for_each_value(&self, rules: &Rules, mut visit: impl FnMut(RankWords, u32)) {
        let mut located = self.locate_rank(0);
        let mut run: Option<(RankWords, u32)> = None;
        while let Some((words, _)) = self.next(rules, &mut located) {
            let value = rules.field_words(&words);
            match &mut run {
                Some((held, members)) if *held == value => *members += 1,
                _ => {
                    if let Some((held, members)) = run.replace((value, 1)) {
                        visit(held, members);
                    }
                }
            }
        }
        if let Some((held, members)) = run {
            visit(held, members);
        }
    }

    fn name(&self, row: u32) -> &[u8] {
        match &self.body {
            Body::Small(small) => small.name(row),
            Body::Large(large) => large.name(row),
        }
    }

    /// Loads the name of a row. The result has no meaning.
    fn touch(&self, row: u32) -> u8 {
        match &self.body {
            Body::Small(_) => 0,
            Body::Large(large) => large.touch(row),
        }
    }

    fn entry(&self, rules: &Rules, words: RankWords, row: u32) -> ShardEntry {
        match &self.body {
            Body::Small(small) => small.entry(rules, row),
            Body::Large(large) => large.view(rules).entry(words, row),
        }
    }
}

fn row(index: usize) -> u32 {
    u32::try_from(index).expect("a small ranking has few rows")
}

/// Where a merge goes.
#[derive(Debug, Clone, Copy)]
enum Direction {
    /// From better to worse entries.
    Forth,
    /// From worse to better ones.
    Back,
}

/// An entry of one of the rankings.
#[derive(Clone, Copy)]
struct Head {
    list: usize,
    words: RankWords,
    row: u32,
}

/// The entries from a position on, in one direction. A tournament, which keeps who lost each match: the
/// next entry takes one match a round.
struct Tournament<'m, 'a> {
    merged: &'m Merged<'a>,
    direction: Direction,
    of_lists: SmallVec<[Located; LISTS]>,
    /// The next entry of each list.
    heads: SmallVec<[Option<Head>; LISTS]>,
    /// The lists that lost the matches, the final at 1; the winner at 0.
    losers: SmallVec<[usize; LISTS]>,
}

impl<'m, 'a> Tournament<'m, 'a> {
    fn new(merged: &'m Merged<'a>, position: &Position, direction: Direction) -> Self {
        let mut merge = Self {
            merged,
            direction,
            of_lists: SmallVec::from_slice(&position.of_lists),
            heads: SmallVec::new(),
            losers: SmallVec::new(),
        };
        let lists = merged.lists.len();
        for list in 0..lists {
            let head = merge.advance(list);
            merge.heads.push(head);
        }
        merge.losers.resize(lists, 0);
        // The match at `i` is between the winners of those at `2 * i` and `2 * i + 1`; lists follow the matches.
        let mut winners: SmallVec<[usize; 2 * LISTS]> = SmallVec::from_elem(0, lists);
        winners.extend(0..lists);
        for index in (1..lists).rev() {
            let (a, b) = (winners[2 * index], winners[2 * index + 1]);
            let (winner, loser) = if merge.precedes(a, b) { (a, b) } else { (b, a) };
            winners[index] = winner;
            merge.losers[index] = loser;
        }
        merge.losers[0] = winners[1];
        merge
    }

    /// Returns the next entry of a list.
    fn advance(&mut self, list: usize) -> Option<Head> {
        let (ranking, rules) = (self.merged.lists[list], self.merged.rules);
        let located = &mut self.of_lists[list];
        let (words, row) = match self.direction {
            Direction::Forth => ranking.next(rules, located)?,
            Direction::Back => ranking.previous(rules, located)?,
        };
        Some(Head { list, words, row })
    }

    /// Returns whether the next entry of list `a` comes before that of list `b`.
    fn precedes(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (&self.heads[a], &self.heads[b]) else {
            return self.heads[a].is_some();
        };
        let by_name = || {
            let name = |head: &Head| self.merged.lists[head.list].name(head.row);
            let names = self.merged.rules.name_order();
            names.compare(name(a), name(b))
        };
        let order = a.words.cmp(&b.words).then_with(by_name);
        match self.direction {
            Direction::Forth => order.is_gt(),
            Direction::Back => order.is_lt(),
        }
    }
}

impl Iterator for Tournament<'_, '_> {
    type Item = Head;

    fn next(&mut self) -> Option<Head> {
        let mut winner = self.losers[0];
        let head = self.heads[winner]?;
        self.heads[winner] = self.advance(winner);
        let mut index = usize::midpoint(self.losers.len(), winner);
        while index > 0 {
            let loser = self.losers[index];
            if self.precedes(loser, winner) {
                self.losers[index] = winner;
                winner = loser;
            }
            index /= 2;
        }
        self.losers[0] = winner;
        Some(head)
    }
}

#[cfg(test)]
mod tests;
