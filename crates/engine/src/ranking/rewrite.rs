//! [`Rewrite`]: what an item makes of a standing.

use std::cell::OnceCell;

use board::{RankWords, Rules, Standing};

/// A standing before and after an item, and the rank words of both, once they are needed. Windows in
/// which a member stands alike share one.
#[derive(Debug)]
pub struct Rewrite<'a> {
    rules: &'a Rules,
    /// `None` if the member is new.
    held: Option<Standing>,
    new: Standing,
    rank_words: OnceCell<(Option<RankWords>, RankWords)>,
}

impl<'a> Rewrite<'a> {
    pub const fn new(rules: &'a Rules, held: Option<Standing>, new: Standing) -> Self {
        Self {
            rules,
            held,
            new,
            rank_words: OnceCell::new(),
        }
    }

    pub const fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// Returns the words of the standing before.
    pub fn held(&self) -> Option<&[u64]> {
        let held = self.held.as_ref();
        held.map(|held| self.rules.standing_words(held))
    }

    /// Returns the standing after.
    pub const fn standing(&self) -> &Standing {
        &self.new
    }

    /// Returns its words.
    pub fn words(&self) -> &[u64] {
        self.rules.standing_words(&self.new)
    }

    /// Returns whether the item changes the standing.
    pub fn is_change(&self) -> bool {
        self.held() != Some(self.words())
    }

    /// Returns the rank words before and after.
    pub(super) fn rank_words(&self) -> &(Option<RankWords>, RankWords) {
        let of = |standing| self.rules.rank_words_of(standing);
        self.rank_words
            .get_or_init(|| (self.held.as_ref().map(of), of(&self.new)))
    }
}
