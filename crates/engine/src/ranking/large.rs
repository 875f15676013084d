//! [`Large`]: a large ranking. A member table holds the scores, a counted B+ tree above it the
//! order.
//!
//! While a shard is recovered there is only the table: [`Large::build_order`] builds the tree.

use board::{Bound, Member, RankKey, RankWords, Rules, Standing};

use super::anchor_read::Order;
use super::member_ref::MemberRef;
use super::packed_order::PackedOrder;
use super::rewrite::{RankChange, Rewrite};
use super::small::Small;
use crate::counted_tree::{self as tree, Located, Names as _, Walk};
use crate::table::{FrozenTable, Table, TableFull, member_hash};
use shard_store::ShardEntry;

/// The shard cannot take another member.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this shard is full: it cannot take another member")]
pub struct RankingFull;

impl From<TableFull> for RankingFull {
    fn from(_: TableFull) -> Self {
        Self
    }
}

/// Scores, and a tree whose width is that of the kind's rank key, in words.
#[derive(Debug)]
pub(super) struct Large {
    table: Table,
    order: PackedOrder,
}

impl Large {
    pub(super) fn from_small(rules: &Rules, small: &Small) -> Self {
        let mut large = Self::unordered_from_small(rules, small);
        large.build_order(rules);
        large
    }

    /// Returns the same scores without an order.
    pub(super) fn unordered_from_small(rules: &Rules, small: &Small) -> Self {
        let mut large = Self::unordered(rules, small.len());
        for (member, words) in small.rows() {
            large
                .push_row(member.as_bytes(), words)
                .expect("a new table has capacity for a small ranking");
        }
        large
    }

    /// Creates an empty ranking without an order, whose index has capacity for `members`.
    pub(super) fn unordered(rules: &Rules, members: usize) -> Self {
        Self {
            table: Table::with_room(rules.standing_len(), members, rules.name_order()),
            order: PackedOrder::Unordered,
        }
    }

    /// Adds the words of a standing of a new member, while there is no order.
    pub(super) fn push_row(&mut self, member: &[u8], words: &[u64]) -> Result<(), RankingFull> {
        debug_assert!(!self.order.is_ordered());
        self.table.insert(member_hash(member), member, words)?;
        Ok(())
    }

    /// Builds the order of the scores, if there is none.
    pub(super) fn build_order(&mut self, rules: &Rules) {
        if !self.order.is_ordered() {
            self.order = PackedOrder::of(&self.table, rules);
        }
    }

    pub(super) fn freeze(&self) -> FrozenTable {
        self.table.freeze()
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn find(&self, hash: u64, member: &Member) -> Option<u32> {
        self.table.find(hash, member.as_bytes())
    }

    /// Looks up many members, so that their cache misses overlap.
    pub(super) fn find_all<'a>(
        &self,
        members: impl Iterator<Item = (u64, &'a [u8])> + Clone,
        found: &mut Vec<Option<u32>>,
    ) {
        self.table.find_all(members, found);
    }

    pub(super) fn standing(&self, rules: &Rules, handle: u32) -> Standing {
        rules.standing_from(&self.table.state(handle)[..rules.standing_len()])
    }

    pub(super) fn check_room(&self) -> Result<(), RankingFull> {
        if self.table.has_room() {
            Ok(())
        } else {
            Err(RankingFull)
        }
    }

    pub(super) fn holds(&self, handle: u32, words: &[u64]) -> bool {
        self.table.state_is(handle, words)
    }

    pub(super) fn insert(&mut self, target: MemberRef<'_>, rewrite: &Rewrite<'_>) {
        let handle = self
            .table
            .insert(target.hash, target.member.as_bytes(), rewrite.words())
            .expect("capacity was checked before the write");
        if self.order.is_ordered() {
            let new = &rewrite.rank().new;
            self.order.push(handle, None, Some(new), &self.table);
        }
    }

    /// Writes over the standing before.
    pub(super) fn replace(&mut self, handle: u32, rewrite: &Rewrite<'_>) {
        if self.order.is_ordered() {
            let RankChange { old, new, moves } = rewrite.rank();
            if *moves {
                let old = old.as_ref();
                self.order.push(handle, old, Some(new), &self.table);
            }
        }
        self.table.set_state(handle, rewrite.words());
    }

    pub(super) fn remove(&mut self, rules: &Rules, hash: u64, handle: u32) {
        if self.order.is_ordered() {
            let words = rules.rank_words_of(&self.standing(rules, handle));
            self.order.push(handle, Some(&words), None, &self.table);
            // The tree refers to members by their records: remove the entry from it first.
            self.flush();
        }
        self.table.remove(hash, handle);
    }

    /// Applies the pending changes to the order, at the end of a batch.
    pub(super) fn flush(&mut self) {
        self.order.flush(&self.table);
    }

    pub(super) const fn view<'a>(&'a self, rules: &'a Rules) -> LargeView<'a> {
        LargeView { large: self, rules }
    }

    /// Returns the position of a bound.
    fn locate(&self, bound: &Bound) -> Located {
        self.order.locate(tree_bound(bound), &self.table)
    }

    /// Returns the position before the entry of a rank, or the end.
    pub(super) fn locate_rank(&self, rank: usize) -> Located {
        self.order.locate_rank(rank)
    }

    /// Returns the words and the handle of the entry after a position, and moves the position behind it.
    pub(super) fn next(&self, located: &mut Located) -> Option<(RankWords, u32)> {
        self.order.next(located)
    }

    /// Returns the same of the entry before a position, and moves the position before it.
    pub(super) fn previous(&self, located: &mut Located) -> Option<(RankWords, u32)> {
        self.order.previous(located)
    }

    /// Returns the name of a member.
    pub(super) fn name(&self, handle: u32) -> &[u8] {
        self.table.name(handle)
    }

    /// See [`Table::touch`].
    pub(super) fn touch(&self, handle: u32) -> u8 {
        self.table.touch(handle)
    }

    pub(super) fn search(&self, bound: &Bound) -> Search<'_> {
        Search {
            large: self,
            words: self.order.packed(&bound.words),
            walk: self.order.walk(),
        }
    }

    pub(super) fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        let mut wrong = Vec::new();
        let view = self.view(rules);
        let ranked = self.order.len();
        if ranked != self.table.len() {
            let scores = self.table.len();
            wrong.push((
                None,
                format!("{ranked} members in order, {scores} with scores"),
            ));
        }
        for (rank, (_, handle)) in self.order.entries().enumerate() {
            let key = view.key(handle);
            if view.count_better(&Bound::key(&key)) != rank {
                wrong.push((
                    Some(key.member),
                    format!("is at rank {rank}, which does not match its score"),
                ));
            }
        }
        wrong
    }
}

/// A search by words alone. Searches of several rankings take turns.
pub(super) struct Search<'a> {
    large: &'a Large,
    /// Packed; `None` if they are greater than all keys.
    words: Option<RankWords>,
    walk: Walk,
}

impl Search<'_> {
    /// Searches one node. Returns whether another one follows.
    pub(super) fn step(&mut self) -> bool {
        let Some(words) = &self.words else {
            return false;
        };
        self.large.order.step(&mut self.walk, words)
    }

    /// Returns the position of the bound, after the last step.
    pub(super) fn located(&self, bound: &Bound) -> Located {
        let words = self.words.as_ref();
        let located = words.and_then(|_| self.walk.located());
        located.unwrap_or_else(|| self.large.locate(bound))
    }
}

/// A view of a large ranking under its rules.
pub(super) struct LargeView<'a> {
    large: &'a Large,
    rules: &'a Rules,
}

impl LargeView<'_> {
    /// Returns the key by the score, which is the authority.
    fn key(&self, handle: u32) -> RankKey {
        let words = self
            .rules
            .rank_words_of(&self.large.standing(self.rules, handle));
        self.rules.rank_key(words, self.member(handle))
    }

    fn member(&self, handle: u32) -> Member {
        Member::from_stored(self.large.name(handle))
    }

    pub(super) fn entry(&self, words: RankWords, handle: u32) -> ShardEntry {
        let reached_at = self.rules.reached_at_of(&words).unwrap_or_else(|| {
            self.rules
                .reached_at(&self.large.standing(self.rules, handle))
        });
        ShardEntry {
            key: self.rules.rank_key(words, self.member(handle)),
            reached_at,
        }
    }
}

impl Order for LargeView<'_> {
    fn len(&self) -> usize {
        self.large.len()
    }

    fn count_better(&self, bound: &Bound) -> usize {
        self.large.locate(bound).rank
    }

    fn find(&self, member: &Member) -> Option<(Standing, RankKey)> {
        let handle = self.large.find(member.placement_hash(), member)?;
        let standing = self.large.standing(self.rules, handle);
        let words = self.rules.rank_words_of(&standing);
        Some((standing, self.rules.rank_key(words, member.clone())))
    }

    fn stretch(&self, from: usize, len: usize) -> Vec<ShardEntry> {
        let entry = |words, handle| self.entry(words, handle);
        self.large
            .order
            .stretch(from, len, &self.large.table, entry)
    }

    fn around(&self, bound: &Bound, before: usize, after: usize) -> (usize, Vec<ShardEntry>) {
        let entry = |words, handle| self.entry(words, handle);
        let (bound, table) = (tree_bound(bound), &self.large.table);
        self.large
            .order
            .around(bound, (before, after), table, entry)
    }
}

fn tree_bound(bound: &Bound) -> tree::Bound<'_> {
    tree::Bound {
        words: bound.words.as_slice(),
        member: bound.member.as_ref().map(Member::as_bytes),
    }
}

#[cfg(test)]
mod tests {
    use board::{FieldName, FieldRule, Mode, Ties, Timestamp, Value, Values};

    use super::*;

    fn rules() -> Rules {
        let points = FieldRule::sum(FieldName::new("points").unwrap());
        Rules::new(vec![points], Mode::Accumulate, Ties::Earliest).unwrap()
    }

    fn standing(points: i64) -> Standing {
        let points = Values::from(Value::new(points).unwrap());
        rules().standing_of(&points, Timestamp::from_millis(0))
    }

    fn ten_members() -> Large {
        let mut large = Large::from_small(&rules(), &Small::new());
        for number in 0..10 {
            let member = Member::new(&format!("u{number}")).unwrap();
            let target = MemberRef {
                member: &member,
                hash: member.placement_hash(),
                shard: 0,
            };
            let rules = rules();
            large.insert(target, &Rewrite::new(&rules, None, standing(number)));
        }
        large.flush();
        large
    }

    fn u3(large: &Large) -> (u64, u32) {
        let member = Member::new("u3").unwrap();
        let hash = member.placement_hash();
        (hash, large.find(hash, &member).unwrap())
    }

    #[test]
    fn scores_and_order_that_agree_are_verified() {
        assert_eq!(ten_members().verify(&rules()), []);
    }

    #[test]
    fn a_score_that_differs_from_its_position_is_found() {
        let mut large = ten_members();
        let (_, handle) = u3(&large);
        large
            .table
            .set_state(handle, rules().standing_words(&standing(7)));
        let wrong = large.verify(&rules());
        let expected = wrong.iter().filter_map(|(member, _)| member.as_ref());
        assert!(
            expected.into_iter().any(|member| member.as_str() == "u3"),
            "{wrong:?}"
        );
    }

    #[test]
    fn a_score_without_a_position_is_found() {
        let mut large = ten_members();
        let (_, handle) = u3(&large);
        let words = rules().rank_words_of(&standing(3));
        large.order.push(handle, Some(&words), None, &large.table);
        large.flush();
        let wrong = large.verify(&rules());
        let expected = (None, "9 members in order, 10 with scores".to_owned());
        assert_eq!(wrong, [expected]);
    }
}
