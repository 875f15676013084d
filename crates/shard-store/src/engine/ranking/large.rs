//! A large ranking: a member table, which holds the scores, under a counted B+ tree, which holds
//! their order.

use board::{Bound, Member, RankKey, RankWords, Rules, Standing};

use super::Who;
use super::answer::Order;
use super::small::Small;
use crate::contract::Entry;
use crate::engine::table::{Table, TableFull};
use crate::engine::tree::{self, Change, Tree};

/// No room for another member.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this shard has no room for another member")]
pub(crate) struct RankingFull;

impl From<TableFull> for RankingFull {
    fn from(_: TableFull) -> Self {
        Self
    }
}

/// Scores, and their order by the width of the kind's rank key, in words.
#[derive(Debug)]
pub(super) struct Large {
    table: Table,
    order: Width,
}

#[derive(Debug)]
enum Width {
    One(Ordered<1>),
    Two(Ordered<2>),
    Three(Ordered<3>),
    Four(Ordered<4>),
    Five(Ordered<5>),
}

/// A tree, and the changes of the batch under way: made together, their cache misses overlap.
#[derive(Debug)]
struct Ordered<const W: usize> {
    tree: Tree<W>,
    pending: Vec<Change<W>>,
}

impl<const W: usize> Ordered<W> {
    fn new(entries: &[(RankWords, u32)]) -> Self {
        let entries = entries
            .iter()
            .map(|(words, handle)| (array(words), *handle));
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
            debug_assert!(all_there, "every old key stood in the tree");
        }
    }

    fn handles(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        Box::new(self.tree.iter_from(0).map(|(_, handle)| handle))
    }
}

macro_rules! with_order {
    ($width:expr, $order:ident => $body:expr) => {
        match $width {
            Width::One($order) => $body,
            Width::Two($order) => $body,
            Width::Three($order) => $body,
            Width::Four($order) => $body,
            Width::Five($order) => $body,
        }
    };
}

/// The words of a key as an array of a tree's width, which is the rules'.
fn array<const W: usize>(words: &RankWords) -> [u64; W] {
    words
        .as_slice()
        .try_into()
        .expect("a tree is as wide as its rules' rank keys")
}

impl Large {
    pub(super) fn from_small(rules: &Rules, small: &Small) -> Self {
        let mut table = Table::new(rules.standing_len());
        let mut entries = Vec::with_capacity(small.len());
        for (member, standing) in small.iter(rules) {
            let words = rules.standing_words(&standing);
            let handle = table
                .insert(member.placement_hash(), member.as_bytes(), words)
                .expect("a new table has room for what was small");
            entries.push((rules.rank_words_of(&standing), handle));
        }
        let order = match rules.rank_words_len() {
            1 => Width::One(Ordered::new(&entries)),
            2 => Width::Two(Ordered::new(&entries)),
            3 => Width::Three(Ordered::new(&entries)),
            4 => Width::Four(Ordered::new(&entries)),
            _ => Width::Five(Ordered::new(&entries)),
        };
        Self { table, order }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn find(&self, hash: u64, member: &Member) -> Option<u32> {
        self.table.find(hash, member.as_bytes())
    }

    /// Where many members are: their cache misses overlap.
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

    pub(super) fn insert(&mut self, rules: &Rules, who: Who<'_>, standing: &Standing) {
        let words = rules.rank_words_of(standing);
        let state = rules.standing_words(standing);
        let handle = self
            .table
            .insert(who.hash, who.member.as_bytes(), state)
            .expect("room was checked before the write");
        with_order!(&mut self.order, order => order.push(handle, None, Some(&words)));
    }

    pub(super) fn replace(&mut self, rules: &Rules, handle: u32, standing: &Standing) {
        let old = rules.rank_words_of(&self.standing(rules, handle));
        let new = rules.rank_words_of(standing);
        self.table.set_state(handle, rules.standing_words(standing));
        if old != new {
            with_order!(&mut self.order, order => order.push(handle, Some(&old), Some(&new)));
        }
    }

    pub(super) fn remove(&mut self, rules: &Rules, hash: u64, handle: u32) {
        let words = rules.rank_words_of(&self.standing(rules, handle));
        with_order!(&mut self.order, order => order.push(handle, Some(&words), None));
        // The tree names members by their records: it has to let go of one before the table does.
        self.flush();
        self.table.remove(hash, handle);
    }

    /// Brings the order up to the scores, at the end of a batch.
    pub(super) fn flush(&mut self) {
        with_order!(&mut self.order, order => order.flush(&self.table));
    }

    pub(super) const fn view<'a>(&'a self, rules: &'a Rules) -> LargeView<'a> {
        LargeView { large: self, rules }
    }

    pub(super) fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        let mut wrong = Vec::new();
        let view = self.view(rules);
        let ranked = with_order!(&self.order, order => order.tree.len());
        if ranked != self.table.len() {
            let scores = self.table.len();
            wrong.push((
                None,
                format!("{ranked} members in order, {scores} with scores"),
            ));
        }
        for (rank, handle) in with_order!(&self.order, order => order.handles()).enumerate() {
            let key = view.key(handle);
            if view.count_better(&Bound::key(&key)) != rank {
                wrong.push((
                    Some(key.member),
                    format!("stands at {rank}, not by its score"),
                ));
            }
        }
        wrong
    }
}

/// A large ranking, read by its rules.
pub(super) struct LargeView<'a> {
    large: &'a Large,
    rules: &'a Rules,
}

impl LargeView<'_> {
    /// The key by the score, which is the authority.
    fn key(&self, handle: u32) -> RankKey {
        let words = self
            .rules
            .rank_words_of(&self.large.standing(self.rules, handle));
        RankKey {
            words,
            member: self.member(handle),
        }
    }

    fn member(&self, handle: u32) -> Member {
        use crate::engine::tree::Names;
        Member::from_stored(self.large.table.name(handle))
    }

    fn entry<const W: usize>(&self, words: [u64; W], handle: u32) -> Entry {
        let words = RankWords::new(&words);
        let reached_at = self.rules.reached_at_of(&words).unwrap_or_else(|| {
            self.rules
                .reached_at(&self.large.standing(self.rules, handle))
        });
        Entry {
            key: RankKey {
                words,
                member: self.member(handle),
            },
            reached_at,
        }
    }
}

impl Order for LargeView<'_> {
    fn len(&self) -> usize {
        self.large.len()
    }

    fn count_better(&self, bound: &Bound) -> usize {
        let bound = tree::Bound {
            words: bound.words.as_slice(),
            member: bound.member.as_ref().map(Member::as_bytes),
        };
        with_order!(&self.large.order, order => order.tree.count_better(bound, &self.large.table))
    }

    fn key_of(&self, member: &Member) -> Option<RankKey> {
        self.large
            .find(member.placement_hash(), member)
            .map(|handle| self.key(handle))
    }

    fn stretch(&self, from: usize, len: usize) -> Vec<Entry> {
        with_order!(&self.large.order, order => {
            let entries = order.tree.iter_from(from).take(len);
            entries.map(|(words, handle)| self.entry(words, handle)).collect()
        })
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
        rules().outright(&points, Timestamp::from_millis(0))
    }

    fn ten_members() -> Large {
        let mut large = Large::from_small(&rules(), &Small::new());
        for number in 0..10 {
            let member = Member::new(&format!("u{number}")).unwrap();
            let who = Who {
                member: &member,
                hash: member.placement_hash(),
                shard: 0,
            };
            large.insert(&rules(), who, &standing(number));
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
    fn a_score_that_its_place_does_not_show_is_told() {
        let mut large = ten_members();
        let (_, handle) = u3(&large);
        large
            .table
            .set_state(handle, rules().standing_words(&standing(7)));
        let wrong = large.verify(&rules());
        let told = wrong.iter().filter_map(|(member, _)| member.as_ref());
        assert!(
            told.into_iter().any(|member| member.as_str() == "u3"),
            "{wrong:?}"
        );
    }

    #[test]
    fn a_score_without_a_place_is_told() {
        let mut large = ten_members();
        let (_, handle) = u3(&large);
        let words = rules().rank_words_of(&standing(3));
        with_order!(&mut large.order, order => order.push(handle, Some(&words), None));
        large.flush();
        let wrong = large.verify(&rules());
        let told = (None, "9 members in order, 10 with scores".to_owned());
        assert_eq!(wrong, [told]);
    }
}
