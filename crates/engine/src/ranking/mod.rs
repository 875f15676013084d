//! One window of one shard: scores and their order.
//!
//! A [`Ranking`] is [`Small`], a sorted vector, up to [`SMALL_ROWS_MAX`] members, and [`Large`], a
//! member table under a counted B+ tree, from there on. It counts its changes, for versions. What
//! is remembered of ids, and which windows there are, is the shard's.
//!
//! While a shard is recovered, large rankings are unordered: they are written, and not read, until
//! [`Ranking::put_in_order`].

mod answer;
mod frozen;
mod large;
mod small;
mod width;

use board::{Member, Rules, Standing};

use answer::answer;
pub(crate) use frozen::FrozenRanking;
use large::Large;
pub(crate) use large::RankingFull;
use shard_store::{Ask, Item, Part, ShardVersion};
use small::{Small, SmallView};

/// Rows up to which a ranking is a sorted vector. Below, a scan is cheaper than a tree is large.
pub(crate) const SMALL_ROWS_MAX: usize = 128;

#[cfg(test)]
thread_local! {
    /// Rankings that this thread looked at when batches ended, each time.
    pub static LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Who is written: a member, its placement hash and its shard.
#[derive(Debug, Clone, Copy)]
pub struct Who<'a> {
    pub member: &'a Member,
    pub hash: u64,
    pub shard: u16,
}

/// Scores and order of one window of one shard, or, while a board is small, of all its shards.
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

/// Where a member was found. Holds until a member is added to or taken off a small ranking, or
/// taken off a large one.
#[derive(Debug, Clone, Copy)]
pub struct Spot(pub u32);

impl Ranking {
    pub const fn new() -> Self {
        Self {
            counter: 0,
            digest: 0,
            body: Body::Small(Small::new()),
        }
    }

    /// Whether spots outlast the addition of members.
    pub const fn is_large(&self) -> bool {
        matches!(self.body, Body::Large(_))
    }

    pub fn len(&self) -> usize {
        match &self.body {
            Body::Small(small) => small.len(),
            Body::Large(large) => large.len(),
        }
    }

    /// Members of one shard, or with `None` all.
    pub fn members(&self, shard: Option<u16>) -> usize {
        match (&self.body, shard) {
            (Body::Small(small), Some(shard)) => small.of_shard(shard).count(),
            _ => self.len(),
        }
    }

    pub fn find(&self, hash: u64, member: &Member) -> Option<Spot> {
        match &self.body {
            Body::Small(small) => small.find(member).map(Spot),
            Body::Large(large) => large.find(hash, member).map(Spot),
        }
    }

    /// Of a large ranking where the items' members are, by item; of a small one nothing.
    pub fn find_all(&self, items: &[Item], found: &mut Vec<Option<u32>>) {
        found.clear();
        if let Body::Large(large) = &self.body {
            large.find_all(
                items.iter().map(|item| (item.hash, item.member.as_bytes())),
                found,
            );
        }
    }

    pub fn standing(&self, rules: &Rules, spot: Spot) -> Standing {
        match &self.body {
            Body::Small(small) => small.standing(rules, spot.0),
            Body::Large(large) => large.standing(rules, spot.0),
        }
    }

    /// Whether one more member has room.
    pub fn check_room(&self) -> Result<(), RankingFull> {
        match &self.body {
            Body::Small(_) => Ok(()),
            Body::Large(large) => large.check_room(),
        }
    }

    /// Writes a standing: of the member at `spot`, or of a new one, for which there is room.
    pub fn write(&mut self, rules: &Rules, who: Who<'_>, spot: Option<Spot>, standing: &Standing) {
        self.count_change(who.hash, rules.standing_words(standing));
        match (&mut self.body, spot) {
            (Body::Small(small), Some(spot)) => small.replace(rules, spot.0, standing),
            (Body::Small(small), None) => small.insert(rules, who, standing),
            (Body::Large(large), Some(spot)) => large.replace(rules, spot.0, standing),
            (Body::Large(large), None) => large.insert(rules, who, standing),
        }
    }

    /// Ends a batch: brings the order up to the scores, and grows into a tree where the vector has
    /// become long; or, `unordered`, into the table alone.
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

    pub fn remove(&mut self, rules: &Rules, who: Who<'_>, spot: Spot) {
        self.count_change(who.hash, &[]);
        match &mut self.body {
            Body::Small(small) => small.remove(spot.0),
            Body::Large(large) => large.remove(rules, who.hash, spot.0),
        }
    }

    /// Takes everybody off; what it held goes to the caller, its version goes on.
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

    /// One ranking for each of `shards`, each at this one's version, to be finished like a batch.
    /// Only of a small one.
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

    /// Whether nothing was ever written to it.
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

    /// Answers one ask, about one shard, or with `None` about all rows.
    pub fn answer(&self, rules: &Rules, shard: Option<u16>, groups: bool, ask: &Ask) -> Part {
        match &self.body {
            Body::Small(small) => answer(
                &SmallView {
                    small,
                    rules,
                    shard,
                },
                rules,
                groups,
                ask,
            ),
            Body::Large(large) => answer(&large.view(rules), rules, groups, ask),
        }
    }

    /// What is wrong between scores and order, member by member where it is about one.
    pub fn verify(&self, rules: &Rules) -> Vec<(Option<Member>, String)> {
        match &self.body {
            Body::Small(small) => small.verify(rules),
            Body::Large(large) => large.verify(rules),
        }
    }

    fn count_change(&mut self, hash: u64, words: &[u64]) {
        self.counter += 1;
        let mix = |digest: u64, word: u64| {
            (digest.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        self.digest = words
            .iter()
            .fold(mix(self.digest, hash), |digest, word| mix(digest, *word));
    }
}
