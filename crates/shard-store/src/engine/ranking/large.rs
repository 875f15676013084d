//! A large ranking: a member table, which holds the scores, under a counted B+ tree, which holds
//! their order.

use board::{Bound, Member, RankKey, RankWords, Rules, Standing};

use super::Who;
use super::answer::Order;
use super::small::Small;
use crate::contract::Entry;
use crate::engine::table::{Table, TableFull};
use crate::engine::tree::{self, Tree};

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
    One(Tree<1>),
    Two(Tree<2>),
    Three(Tree<3>),
    Four(Tree<4>),
    Five(Tree<5>),
}

macro_rules! with_tree {
    ($width:expr, $tree:ident => $body:expr) => {
        match $width {
            Width::One($tree) => $body,
            Width::Two($tree) => $body,
            Width::Three($tree) => $body,
            Width::Four($tree) => $body,
            Width::Five($tree) => $body,
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
            1 => Width::One(sorted(&entries)),
            2 => Width::Two(sorted(&entries)),
            3 => Width::Three(sorted(&entries)),
            4 => Width::Four(sorted(&entries)),
            _ => Width::Five(sorted(&entries)),
        };
        Self { table, order }
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn find(&self, hash: u64, member: &Member) -> Option<u32> {
        self.table.find(hash, member.as_bytes())
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
        with_tree!(&mut self.order, tree => tree.insert(array(&words), handle, &self.table));
    }

    pub(super) fn replace(&mut self, rules: &Rules, handle: u32, standing: &Standing) {
        let old = rules.rank_words_of(&self.standing(rules, handle));
        let new = rules.rank_words_of(standing);
        self.table.set_state(handle, rules.standing_words(standing));
        if old != new {
            with_tree!(&mut self.order, tree => {
                tree.replace(array(&old), array(&new), handle, &self.table);
            });
        }
    }

    pub(super) fn remove(&mut self, rules: &Rules, hash: u64, handle: u32) {
        let words = rules.rank_words_of(&self.standing(rules, handle));
        with_tree!(&mut self.order, tree => {
            tree.remove(array(&words), handle, &self.table);
        });
        self.table.remove(hash, handle);
    }

    pub(super) const fn view<'a>(&'a self, rules: &'a Rules) -> LargeView<'a> {
        LargeView { large: self, rules }
    }

    pub(super) fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        let mut wrong = Vec::new();
        let view = self.view(rules);
        let ranked = with_tree!(&self.order, tree => tree.len());
        if ranked != self.table.len() {
            let scores = self.table.len();
            wrong.push((
                None,
                format!("{ranked} members in order, {scores} with scores"),
            ));
        }
        for (rank, handle) in with_tree!(&self.order, tree => handles(tree)).enumerate() {
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

fn sorted<const W: usize>(entries: &[(RankWords, u32)]) -> Tree<W> {
    Tree::from_sorted(
        entries
            .iter()
            .map(|(words, handle)| (array(words), *handle)),
    )
}

fn handles<const W: usize>(tree: &Tree<W>) -> Box<dyn Iterator<Item = u32> + '_> {
    Box::new(tree.iter_from(0).map(|(_, handle)| handle))
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
        with_tree!(&self.large.order, tree => tree.count_better(bound, &self.large.table))
    }

    fn key_of(&self, member: &Member) -> Option<RankKey> {
        self.large
            .find(member.placement_hash(), member)
            .map(|handle| self.key(handle))
    }

    fn stretch(&self, from: usize, len: usize) -> Vec<Entry> {
        with_tree!(&self.large.order, tree => {
            let entries = tree.iter_from(from).take(len);
            entries.map(|(words, handle)| self.entry(words, handle)).collect()
        })
    }
}
