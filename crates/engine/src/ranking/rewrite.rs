//! [`Rewrite`]: what an item makes of a standing.

use std::cell::OnceCell;

use board::{RankWords, Rules, Standing};

/// A standing before and after an item, and its rank, once that is needed. Windows in
/// which a member stands alike share one.
#[derive(Debug)]
pub struct Rewrite<'a> {
    rules: &'a Rules,
    /// `None` if the member is new.
    held: Option<Standing>,
    new: Standing,
    /// The words of a standing.
    len: usize,
    rank: OnceCell<RankChange>,
}

/// The rank words of a standing before and after an item.
#[derive(Debug)]
pub(crate) struct RankChange {
    pub(crate) old: Option<RankWords>,
    pub(crate) new: RankWords,
    /// Whether they differ.
    pub(super) moves: bool,
}

impl<'a> Rewrite<'a> {
    pub fn new(rules: &'a Rules, held: Option<Standing>, new: Standing) -> Self {
        Self {
            rules,
            held,
            new,
            len: rules.standing_len(),
            rank: OnceCell::new(),
        }
    }

    pub const fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// Returns the words of the standing before.
    pub fn held(&self) -> Option<&[u64]> {
        let held = self.held.as_ref();
        held.map(|held| held.words(self.len))
    }

    /// Returns the standing after.
    pub const fn standing(&self) -> &Standing {
        &self.new
    }

    /// Returns its words.
    pub fn words(&self) -> &[u64] {
        self.new.words(self.len)
    }

    /// Returns whether the item changes the standing.
    pub fn is_change(&self) -> bool {
        self.held() != Some(self.words())
    }

    /// Returns the rank words before and after.
    pub(crate) fn rank(&self) -> &RankChange {
        self.rank.get_or_init(|| {
            let of = |standing| self.rules.rank_words_of(standing);
            let (old, new) = (self.held.as_ref().map(of), of(&self.new));
            let moves = old != Some(new);
            RankChange { old, new, moves }
        })
    }
}
