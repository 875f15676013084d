//! The ids that a shard remembers, to count a re-sent contribution once.
//!
//! [`RememberedIds`] has two generations of one dedupe span each: an id is looked for in both, noted
//! in the younger, and the elder goes whole when the younger has come of age. Each entry has its own
//! time, so that an id counts for exactly the span. [`IdBudget`] bounds the bytes of all shards
//! together; what cannot be remembered is refused.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use board::{IdDigest, ShardCount, Timestamp};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The bytes that remembered ids may take, over all shards.
#[derive(Debug)]
pub(crate) struct IdBudget {
    used_bytes: AtomicUsize,
    limit_bytes: usize,
}

/// No room to remember an id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdsFull;

impl IdBudget {
    pub(crate) const fn new(limit_bytes: usize) -> Self {
        Self {
            used_bytes: AtomicUsize::new(0),
            limit_bytes,
        }
    }

    pub(crate) const fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    fn take(&self, bytes: usize) -> Result<(), IdsFull> {
        let fits = |used: usize| {
            used.checked_add(bytes)
                .filter(|sum| *sum <= self.limit_bytes)
        };
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_or(Err(IdsFull), |_| Ok(()))
    }

    fn give_back(&self, bytes: usize) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// 84 bits of a digest, the 12 bits that place its member, and the time it was noted, in
/// milliseconds since its generation began. At a billion ids a chance collision has odds of 10^-7.
type Noted = [u32; 4];

#[derive(Debug)]
struct Generation {
    began: Timestamp,
    noted: HashTable<Noted>,
    taken_bytes: usize,
}

impl Generation {
    const fn new(began: Timestamp) -> Self {
        Self {
            began,
            noted: HashTable::new(),
            taken_bytes: 0,
        }
    }

    fn holds(&self, digest: &Noted, now: Timestamp, span: Duration) -> bool {
        self.noted
            .find(hash(digest), |other| same(other, digest))
            .is_some_and(|noted| now < self.began.plus(millis(noted[3])).plus(span))
    }

    /// Takes from the budget what one more entry may need.
    fn reserve(&mut self, budget: &IdBudget) -> Result<(), IdsFull> {
        if self.noted.len() < self.noted.capacity() {
            return Ok(());
        }
        // A full table doubles; the first allocation has four buckets.
        let grown_bytes = (2 * self.noted.allocation_size()).max(FIRST_BYTES);
        budget.take(grown_bytes)?;
        self.noted.reserve(1, hash);
        let now_bytes = self.noted.allocation_size();
        budget.give_back((grown_bytes + self.taken_bytes).saturating_sub(now_bytes));
        self.taken_bytes = now_bytes;
        Ok(())
    }

    /// Takes an entry of a generation that began when this one did, whatever the budget says: it
    /// is held already.
    fn put(&mut self, noted: Noted, budget: &IdBudget) {
        self.noted.insert_unique(hash(&noted), noted, hash);
        let now_bytes = self.noted.allocation_size();
        budget
            .used_bytes
            .fetch_add(now_bytes - self.taken_bytes, Ordering::Relaxed);
        self.taken_bytes = now_bytes;
    }

    fn note(&mut self, mut digest: Noted, now: Timestamp) {
        let since_ms = now.millis().saturating_sub(self.began.millis()).max(0);
        digest[3] = u32::try_from(since_ms).unwrap_or(u32::MAX);
        match self
            .noted
            .entry(hash(&digest), |other| same(other, &digest), hash)
        {
            Entry::Occupied(mut held) => *held.get_mut() = digest,
            Entry::Vacant(place) => {
                place.insert(digest);
            }
        }
    }
}

/// Bytes of the smallest table: four buckets and their tags, rounded up.
const FIRST_BYTES: usize = 128;

fn millis(ms: u32) -> Duration {
    Duration::from_millis(u64::from(ms))
}

fn hash(digest: &Noted) -> u64 {
    u64::from(digest[0]) << 32 | u64::from(digest[1])
}

fn same(a: &Noted, b: &Noted) -> bool {
    a[..3] == b[..3]
}

const PLACE_BITS: u32 = 12;

fn shortened(digest: IdDigest, placement_hash: u64) -> Noted {
    let bytes = digest.0.to_le_bytes();
    let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
    let place = u32::try_from(placement_hash >> (64 - PLACE_BITS)).expect("12 bits are left");
    [word(0), word(4), word(8) << PLACE_BITS | place, 0]
}

fn shard_of(noted: &Noted, shards: ShardCount) -> usize {
    let place = u64::from(noted[2] & ((1 << PLACE_BITS) - 1));
    usize::from(shards.shard_of(place << (64 - PLACE_BITS)))
}

/// Ids of one shard, each for one dedupe span from when it was applied.
#[derive(Debug)]
pub(crate) struct RememberedIds {
    younger: Generation,
    elder: Generation,
}

impl RememberedIds {
    pub(crate) const fn new(now: Timestamp) -> Self {
        Self {
            younger: Generation::new(now),
            elder: Generation::new(now),
        }
    }

    /// Whether the id was applied within the span.
    pub(crate) fn holds(
        &self,
        digest: IdDigest,
        placement_hash: u64,
        now: Timestamp,
        span: Duration,
    ) -> bool {
        let digest = shortened(digest, placement_hash);
        self.younger.holds(&digest, now, span) || self.elder.holds(&digest, now, span)
    }

    /// Makes sure that the next [`RememberedIds::note`] has room.
    pub(crate) fn reserve(
        &mut self,
        now: Timestamp,
        span: Duration,
        budget: &IdBudget,
    ) -> Result<(), IdsFull> {
        self.age(now, span, budget);
        self.younger.reserve(budget)
    }

    /// Remembers an id from `now` on.
    pub(crate) fn note(&mut self, digest: IdDigest, placement_hash: u64, now: Timestamp) {
        self.younger.note(shortened(digest, placement_hash), now);
    }

    /// Lets go of what is past the span. True when nothing is left.
    pub(crate) fn age(&mut self, now: Timestamp, span: Duration, budget: &IdBudget) -> bool {
        let of_age = self.younger.began.plus(span);
        if now >= of_age {
            let younger = std::mem::replace(&mut self.younger, Generation::new(now));
            let elder = std::mem::replace(&mut self.elder, younger);
            budget.give_back(elder.taken_bytes);
            if now >= of_age.plus(span) {
                // What was noted last, just before it came of age, is past its span too.
                let elder = std::mem::replace(&mut self.elder, Generation::new(now));
                budget.give_back(elder.taken_bytes);
            }
        }
        self.younger.noted.is_empty() && self.elder.noted.is_empty()
    }

    /// The ids shard by shard, for a board that was small until now.
    pub(crate) fn split(self, shards: ShardCount, budget: &IdBudget) -> Vec<Self> {
        let count = usize::from(shards.get());
        let mut parts: Vec<Self> = (0..count).map(|_| Self::new(self.younger.began)).collect();
        for part in &mut parts {
            part.elder.began = self.elder.began;
        }
        for noted in &self.younger.noted {
            parts[shard_of(noted, shards)].younger.put(*noted, budget);
        }
        for noted in &self.elder.noted {
            parts[shard_of(noted, shards)].elder.put(*noted, budget);
        }
        self.release(budget);
        parts
    }

    /// Gives back what the ids took of the budget, when their shard goes.
    pub(crate) fn release(&self, budget: &IdBudget) {
        budget.give_back(self.younger.taken_bytes + self.elder.taken_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Duration = Duration::from_secs(1);

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + ms)
    }

    fn digest(number: u128) -> IdDigest {
        IdDigest(number.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835))
    }

    #[test]
    fn an_id_counts_for_exactly_the_span() {
        let budget = IdBudget::new(1 << 20);
        let mut ids = RememberedIds::new(at(0));
        for (noted_at, number) in [(0, 1), (400, 2), (999, 3), (1000, 4), (1700, 5)] {
            ids.reserve(at(noted_at), SPAN, &budget).unwrap();
            ids.note(digest(number), 0, at(noted_at));
            assert!(ids.holds(digest(number), 0, at(noted_at + 999), SPAN));
            assert!(!ids.holds(digest(number), 0, at(noted_at + 1000), SPAN));
        }
        assert!(ids.holds(digest(4), 0, at(1999), SPAN));
        assert!(!ids.holds(digest(6), 0, at(1999), SPAN));
    }

    #[test]
    fn an_id_noted_again_after_its_span_counts_anew() {
        let budget = IdBudget::new(1 << 20);
        let mut ids = RememberedIds::new(at(0));
        for time in [0, 1500, 3000] {
            assert!(!ids.holds(digest(1), 0, at(time), SPAN));
            ids.reserve(at(time), SPAN, &budget).unwrap();
            ids.note(digest(1), 0, at(time));
            assert!(ids.holds(digest(1), 0, at(time + 999), SPAN));
        }
    }

    #[test]
    fn two_spans_later_nothing_is_left() {
        let budget = IdBudget::new(1 << 20);
        let mut ids = RememberedIds::new(at(0));
        ids.reserve(at(999), SPAN, &budget).unwrap();
        ids.note(digest(1), 0, at(999));
        assert!(!ids.age(at(1998), SPAN, &budget));
        assert!(ids.holds(digest(1), 0, at(1998), SPAN));
        let mut idle = RememberedIds::new(at(0));
        idle.reserve(at(999), SPAN, &budget).unwrap();
        idle.note(digest(1), 0, at(999));
        assert!(idle.age(at(2000), SPAN, &budget));
    }

    #[test]
    fn a_clock_that_steps_back_forgets_nothing() {
        let budget = IdBudget::new(1 << 20);
        let mut ids = RememberedIds::new(at(0));
        ids.reserve(at(500), SPAN, &budget).unwrap();
        ids.note(digest(1), 0, at(500));
        assert!(ids.holds(digest(1), 0, at(-5000), SPAN));
        ids.reserve(at(-5000), SPAN, &budget).unwrap();
        ids.note(digest(2), 0, at(-5000));
        assert!(ids.holds(digest(2), 0, at(-4500), SPAN));
    }

    #[test]
    fn the_budget_refuses_and_gets_everything_back() {
        let budget = IdBudget::new(10_000);
        let mut ids = RememberedIds::new(at(0));
        let mut kept = 0;
        while ids.reserve(at(0), SPAN, &budget).is_ok() {
            ids.note(digest(kept), 0, at(0));
            kept += 1;
        }
        assert!(kept > 100, "{kept}");
        assert!((0..kept).all(|number| ids.holds(digest(number), 0, at(1), SPAN)));
        assert!(!ids.age(at(1000), SPAN, &budget));
        assert!(ids.age(at(2000), SPAN, &budget));
        ids.release(&budget);
        assert_eq!(budget.used_bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn of_a_digest_no_more_than_its_lowest_88_bits_matters() {
        // Records in a journal carry these 11 bytes and no more.
        let budget = IdBudget::new(1 << 20);
        let kept = |digest: IdDigest| IdDigest(digest.0 << 40 >> 40);
        for number in 1..=100 {
            let (whole, cut) = (digest(number), kept(digest(number)));
            assert_ne!(whole, cut);
            for [noted, asked] in [[whole, cut], [cut, whole]] {
                let mut ids = RememberedIds::new(at(0));
                ids.reserve(at(0), SPAN, &budget).unwrap();
                ids.note(noted, 7 << 60, at(0));
                assert!(ids.holds(asked, 7 << 60, at(1), SPAN));
            }
        }
    }

    #[test]
    fn each_shard_keeps_the_ids_of_its_members() {
        let budget = IdBudget::new(1 << 20);
        let shards = ShardCount::new(16).unwrap();
        let hash = |number: u128| {
            u64::try_from(number)
                .unwrap()
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let mut ids = RememberedIds::new(at(0));
        for number in 0..200 {
            let time = at(i64::try_from(number).unwrap() * 10);
            ids.reserve(time, SPAN, &budget).unwrap();
            ids.note(digest(number), hash(number), time);
        }
        let parts = ids.split(shards, &budget);
        for number in 0..200 {
            let time = i64::try_from(number).unwrap() * 10;
            let part = &parts[usize::from(shards.shard_of(hash(number)))];
            assert!(part.holds(digest(number), hash(number), at(time + 999), SPAN));
            assert!(!part.holds(digest(number), hash(number), at(time + 1000), SPAN));
        }
        for part in &parts {
            part.release(&budget);
        }
        assert_eq!(budget.used_bytes.load(Ordering::Relaxed), 0);
    }
}
