//! [`Ranking`]: one window of one shard, its scores and their order.
//!
//! A ranking is [`Small`], a sorted vector, up to [`SMALL_ROWS_MAX`] members, and [`Large`], a
//! member table under a counted B+ tree, above that. It counts its changes, for versions.
//! Remembered ids and the list of windows belong to the shard.
//!
//! While a shard is recovered, large rankings are unordered: they are written but not read, until
//! [`Ranking::build_order`].

mod anchor_read;
mod columns;
mod frozen;
mod large;
mod member_ref;
mod merged;
mod packed_order;
mod rewrite;
mod small;

use board::{Member, Rules, Standing};

use anchor_read::answer;
pub(crate) use frozen::FrozenRanking;
use large::Large;
pub(crate) use large::RankingFull;
pub(crate) use member_ref::MemberRef;
pub(crate) use merged::Merged;
pub(crate) use rewrite::Rewrite;
use shard_store::{Groups, Item, RangeAsk, RangePart, ShardVersion};
use small::Small;

/// Maximum rows of a sorted vector. Up to this size a scan is cheaper than the memory of a tree.
pub(crate) const SMALL_ROWS_MAX: usize = 128;

#[cfg(test)]
thread_local! {
    /// Number of rankings that this thread visited at the ends of batches.
    pub static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Scores and order of one window of one shard or, while a board is small, of all its shards.
#[derive(Debug)]
pub struct Ranking {
    counter: u64,
    digest: u64,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Small(Small),
    Large(Box<Large>),
}

/// The position of a member. Valid until a member is added to or removed from a small ranking, or
/// removed from a large one.
#[derive(Debug, Clone, Copy)]
pub struct RowHandle(pub u32);

/// A ranking to which nothing was ever written.
pub(crate) static NOTHING: Ranking = Ranking::new();

impl Ranking {
    pub const fn new() -> Self {
        Self {
            counter: 0,
            digest: 0,
            body: Body::Small(Small::new()),
        }
    }

    /// Returns whether row handles stay valid when members are added.
    pub const fn is_large(&self) -> bool {
        matches!(self.body, Body::Large(_))
    }

    pub fn len(&self) -> usize {
        match &self.body {
            Body::Small(small) => small.len(),
            Body::Large(large) => large.len(),
        }
    }

    /// Returns the number of members of one shard, or with `None` of all.
    pub fn members(&self, shard: Option<u16>) -> usize {
        match (&self.body, shard) {
            (Body::Small(small), Some(shard)) => small.of_shard(shard).count(),
            _ => self.len(),
        }
    }

    pub fn find(&self, hash: u64, member: &Member) -> Option<RowHandle> {
        match &self.body {
            Body::Small(small) => small.find(member).map(RowHandle),
            Body::Large(large) => large.find(hash, member).map(RowHandle),
        }
    }

    /// For a large ranking, appends the row of each item's member; for a small one, nothing.
    pub fn find_all(&self, items: &[Item], found: &mut Vec<Option<u32>>) {
        found.clear();
        if let Body::Large(large) = &self.body {
            large.find_all(
                items.iter().map(|item| (item.hash, item.member.as_bytes())),
                found,
            );
        }
    }

    pub fn standing(&self, rules: &Rules, row: RowHandle) -> Standing {
        match &self.body {
            Body::Small(small) => small.standing(rules, row.0),
            Body::Large(large) => large.standing(rules, row.0),
        }
    }

    /// Returns whether the standing at `row` has these words.
    pub fn holds(&self, row: RowHandle, words: &[u64]) -> bool {
        match &self.body {
            Body::Small(small) => small.holds(row.0, words),
            Body::Large(large) => large.holds(row.0, words),
        }
    }

    /// Checks that one more member fits.
    pub fn check_room(&self) -> Result<(), RankingFull> {
        match &self.body {
            Body::Small(_) => Ok(()),
            Body::Large(large) => large.check_room(),
        }
    }

    /// Writes a standing: of the member at `row`, or of a new one, for which capacity was checked.
    pub fn write(&mut self, target: MemberRef<'_>, row: Option<RowHandle>, rewrite: &Rewrite<'_>) {
        let (rules, standing) = (rewrite.rules(), rewrite.standing());
        self.count_change(target.hash, rewrite.words());
        match (&mut self.body, row) {
            (Body::Small(small), Some(row)) => small.replace(rules, row.0, standing),
            (Body::Small(small), None) => small.insert(rules, target, standing),
            (Body::Large(large), Some(row)) => large.replace(row.0, rewrite),
            (Body::Large(large), None) => large.insert(target, rewrite),
        }
    }

    /// Ends a batch: applies its changes to the order, and turns a vector that has become too long
    /// into a tree; or, if `unordered`, into a table without an order.
    pub fn finish(&mut self, rules: &Rules, unordered: bool) {
        #[cfg(test)]
        LOOKED_AT.set(LOOKED_AT.get() + 1);
        match &mut self.body {
            Body::Small(small) if small.len() > SMALL_ROWS_MAX => {
                let large = if unordered {
                    Large::unordered_from_small(rules, small)
                } else {
                    Large::from_small(rules, small)
                };
                self.body = Body::Large(Box::new(large));
            }
            Body::Small(_) => {}
            Body::Large(large) => large.flush(),
        }
    }

    pub fn remove(&mut self, rules: &Rules, target: MemberRef<'_>, row: RowHandle) {
        self.count_change(target.hash, &[]);
        match &mut self.body {
            Body::Small(small) => small.remove(row.0),
            Body::Large(large) => large.remove(rules, target.hash, row.0),
        }
    }

    /// Empties the ranking and returns the contents; its version continues.
    pub fn take(&mut self) -> Option<Self> {
        if self.len() == 0 {
            return None;
        }
        self.count_change(0, &[]);
        let emptied = Self {
            body: Body::Small(Small::new()),
            ..*self
        };
        Some(std::mem::replace(self, emptied))
    }

    /// Splits a small ranking into one for each of `shards`, each at this one's version. The caller
    /// finishes them like a batch.
    pub fn split(self, shards: u16) -> Vec<Self> {
        let Self {
            counter,
            digest,
            body,
        } = self;
        let Body::Small(small) = body else {
            unreachable!("a board is split before a ranking of it grows large")
        };
        let parts = small.split(shards).into_iter().map(|part| Self {
            counter,
            digest,
            body: Body::Small(part),
        });
        parts.collect()
    }

    /// Returns whether nothing was ever written to it.
    pub fn is_untouched(&self) -> bool {
        #[cfg(test)]
        LOOKED_AT.set(LOOKED_AT.get() + 1);
        self.counter == 0
    }

    pub const fn version(&self, epoch: u64) -> ShardVersion {
        ShardVersion {
            epoch,
            counter: self.counter,
            digest: self.digest,
        }
    }

    /// Reads around one anchor, from one shard, or with `None` from all rows.
    pub fn answer(
        &self,
        rules: &Rules,
        shard: Option<u16>,
        groups: Groups,
        ask: &RangeAsk,
    ) -> RangePart {
        match &self.body {
            Body::Small(small) => answer(&small.view(rules, shard), rules, groups, ask),
            Body::Large(large) => answer(&large.view(rules), rules, groups, ask),
        }
    }

    /// Returns the differences between scores and order, with the member if it is about one.
    pub fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        match &self.body {
            Body::Small(small) => small.verify(rules),
            Body::Large(large) => large.verify(rules),
        }
    }

    fn count_change(&mut self, hash: u64, words: &[u64]) {
        self.counter += 1;
        self.digest = words.iter().fold(mixed(self.digest, hash), |digest, word| {
            mixed(digest, *word)
        });
    }
}

/// Returns a digest with one more word.
fn mixed(digest: u64, word: u64) -> u64 {
    (digest.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
