//! [`FrozenRanking`]: a copy of a ranking for a snapshot, and how a ranking is restored from one.
//!
//! It has a copy of a small ranking's rows, or shares a large one's pages, and has the version; it
//! does not have the order, which follows from the rows.

use board::{Member, Rules};

use super::large::{Large, RankingFull};
use super::small::Small;
use super::{Body, Ranking, SMALL_ROWS_MAX};
use crate::table::FrozenTable;

/// The scores of a ranking, which no longer change.
#[derive(Debug)]
pub struct FrozenRanking {
    pub counter: u64,
    pub digest: u64,
    rows: Rows,
}

#[derive(Debug)]
enum Rows {
    Small(Small),
    Large(Box<FrozenTable>),
}

impl FrozenRanking {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Small(small) => small.len(),
            Rows::Large(table) => table.len(),
        }
    }

    /// Visits every row, in no particular order, until the first error: the member's bytes and the
    /// words of its standing.
    pub fn try_for_each<E>(
        &self,
        mut visit: impl FnMut(&[u8], &[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.rows {
            Rows::Small(small) => {
                let mut rows = small.rows();
                rows.try_for_each(|(member, words)| visit(member.as_bytes(), words))
            }
            Rows::Large(table) => table.try_for_each(|_, member, words| visit(member, words)),
        }
    }
}

impl Ranking {
    /// Copies the ranking as it is now. The cost is per page, or per row of a small ranking.
    pub fn freeze(&self) -> FrozenRanking {
        let rows = match &self.body {
            Body::Small(small) => Rows::Small(small.clone()),
            Body::Large(large) => Rows::Large(Box::new(large.freeze())),
        };
        FrozenRanking {
            counter: self.counter,
            digest: self.digest,
            rows,
        }
    }

    /// Creates a ranking at a version, with capacity for `rows`, which the caller then adds. Small
    /// for a `whole` board, otherwise unordered if it is large.
    pub fn restored(
        rules: &Rules,
        whole: bool,
        (counter, digest): (u64, u64),
        rows: usize,
    ) -> Self {
        let body = if whole || rows <= SMALL_ROWS_MAX {
            Body::Small(Small::with_room(rows))
        } else {
            Body::Large(Box::new(Large::unordered(rules, rows)))
        };
        Self {
            counter,
            digest,
            body,
        }
    }

    /// Adds a row of a frozen ranking; the version does not change. `shard_of` returns the shard of
    /// a placement hash.
    pub fn push_row(
        &mut self,
        rules: &Rules,
        member: &[u8],
        words: &[u64],
        shard_of: impl Fn(u64) -> u16,
    ) -> Result<(), RankingFull> {
        match &mut self.body {
            Body::Small(small) => {
                let member = Member::from_stored(member);
                let shard = shard_of(member.placement_hash());
                small.push_row(rules, member, words, shard);
                Ok(())
            }
            Body::Large(large) => large.push_row(member, words),
        }
    }

    /// Builds the order of a large ranking that is unordered.
    pub fn build_order(&mut self, rules: &Rules) {
        if let Body::Large(large) = &mut self.body {
            large.build_order(rules);
        }
    }
}
