//! Ids that go together, when the youngest of them is past its span.
//!
//! A [`Generation`] is a log of entries in pages, in the order in which they came, and an index of
//! their places. A few entries are looked through: most boards are small, and an index would double
//! what they take. Entries never leave, so the index has no gaps, and grows by being made anew from
//! the log.

use std::time::Duration;

use board::Timestamp;
use hashbrown::HashTable;

use super::budget::{IdBudget, IdsFull};
use crate::pages::Pages;

/// 84 bits of a digest, the 12 bits that place its member, and the time it was noted, in
/// milliseconds since its generation began. At a billion ids a chance collision has odds of 10^-7.
pub(crate) type Noted = [u32; 4];

/// Entries that are looked through without an index.
const SCANNED_MAX: usize = 16;

/// Most bytes of the first index, of 32 buckets: their places, their tags and a group more.
const FIRST_INDEX_BYTES: usize = 192;

#[derive(Debug)]
pub(super) struct Generation {
    pub(super) began: Timestamp,
    pub(super) log: Pages<Noted>,
    /// Places in the log; without memory as long as the log is looked through.
    index: HashTable<u32>,
    /// When the last entry was noted, in milliseconds since it began.
    latest_ms: u32,
}

impl Generation {
    pub(super) const fn new(began: Timestamp) -> Self {
        Self {
            began,
            log: Pages::new(),
            index: HashTable::new(),
            latest_ms: 0,
        }
    }

    /// When what was noted last is past its span.
    pub(super) fn ends_at(&self, span: Duration) -> Timestamp {
        self.began.plus(millis(self.latest_ms)).plus(span)
    }

    /// Whether it cannot note anything at that time: entries have 32 bits for it, 49 days.
    pub(super) const fn is_over_at(&self, now: Timestamp) -> bool {
        now.millis().saturating_sub(self.began.millis()) > u32::MAX as i64
    }

    /// A generation that will have so many entries: its index does not grow on the way.
    pub(super) fn with_room(began: Timestamp, entries: usize, budget: &IdBudget) -> Self {
        let mut generation = Self::new(began);
        if entries > SCANNED_MAX {
            generation.index = HashTable::with_capacity(entries);
        }
        budget.take_anyway(generation.bytes());
        generation
    }

    pub(super) fn is_empty(&self) -> bool {
        self.log.count() == 0
    }

    /// Heap bytes held, unused room included: what is taken of the budget.
    pub(super) fn bytes(&self) -> usize {
        self.log.bytes() + self.index.allocation_size()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Noted> {
        self.log.iter().flatten()
    }

    /// When an id was noted, if it is held.
    pub(super) fn noted_at(&self, digest: &Noted) -> Option<Timestamp> {
        let place = self.place(digest)?;
        Some(self.noted(entry(&self.log, place)))
    }

    /// When an entry was noted.
    pub(super) fn noted(&self, entry: &Noted) -> Timestamp {
        self.began.plus(millis(entry[3]))
    }

    /// Takes from the budget what one more entry may need.
    pub(super) fn reserve(&mut self, budget: &IdBudget) -> Result<(), IdsFull> {
        let most_bytes = self.growth_bytes_max();
        if most_bytes > 0 {
            budget.take(most_bytes)?;
            self.grow(most_bytes, budget);
        }
        Ok(())
    }

    /// The same for an entry that is held already, whatever the budget says.
    pub(super) fn reserve_anyway(&mut self, budget: &IdBudget) {
        let most_bytes = self.growth_bytes_max();
        if most_bytes > 0 {
            budget.take_anyway(most_bytes);
            self.grow(most_bytes, budget);
        }
    }

    /// Notes an id, for which there is room.
    pub(super) fn note(&mut self, mut digest: Noted, now: Timestamp) {
        let since_ms = now.millis().saturating_sub(self.began.millis()).max(0);
        digest[3] = u32::try_from(since_ms).unwrap_or(u32::MAX);
        self.latest_ms = self.latest_ms.max(digest[3]);
        match self.place(&digest) {
            Some(place) => {
                let (page, at) = page_of(place);
                self.log.behind_mut(page, at)[0] = digest;
            }
            None => self.put(digest),
        }
    }

    /// Adds an entry that is not there, for which there is room.
    pub(super) fn put(&mut self, noted: Noted) {
        self.latest_ms = self.latest_ms.max(noted[3]);
        let (page, at) = self.log.extend(1);
        self.log.behind_mut(page, at)[0] = noted;
        if self.index.capacity() > 0 {
            let place = u32::try_from(page * Pages::<Noted>::LEN + at)
                .expect("a budget does not reach to 64 GiB of entries");
            let full = |_: &u32| unreachable!("room was reserved");
            self.index.insert_unique(hash(&noted), place, full);
        }
    }

    fn place(&self, digest: &Noted) -> Option<u32> {
        if self.index.capacity() == 0 {
            let place = self.entries().position(|other| same(other, digest))?;
            return u32::try_from(place).ok();
        }
        let is_it = |place: &u32| same(entry(&self.log, *place), digest);
        self.index.find(hash(digest), is_it).copied()
    }

    fn index_is_short(&self) -> bool {
        self.index.len() == self.index.capacity() && self.entries().count() >= SCANNED_MAX
    }

    /// At least what [`Generation::grow`] adds.
    fn growth_bytes_max(&self) -> usize {
        let index_bytes = if self.index_is_short() {
            // Twice the buckets take twice the bytes, but for a group at their end.
            self.index.allocation_size().max(FIRST_INDEX_BYTES)
        } else {
            0
        };
        self.log.growth_bytes(1) + index_bytes
    }

    /// Makes room for one more entry, and gives back what it did not need.
    fn grow(&mut self, most_bytes: usize, budget: &IdBudget) {
        let before_bytes = self.bytes();
        if self.index_is_short() {
            let entries = (2 * self.index.capacity()).max(SCANNED_MAX + 1);
            // Given back first: the log has everything.
            self.index = HashTable::new();
            self.index = HashTable::with_capacity(entries);
            for (place, noted) in (0..).zip(self.log.iter().flatten()) {
                let full = |_: &u32| unreachable!("it has room for twice as many");
                self.index.insert_unique(hash(noted), place, full);
            }
        }
        self.log.reserve(1);
        budget.give_back(before_bytes + most_bytes - self.bytes());
    }
}

/// The entry at a place of a log.
fn entry(log: &Pages<Noted>, place: u32) -> &Noted {
    let (page, at) = page_of(place);
    &log.behind(page, at)[0]
}

const fn page_of(place: u32) -> (usize, usize) {
    let place = place as usize;
    (place / Pages::<Noted>::LEN, place % Pages::<Noted>::LEN)
}

fn millis(ms: u32) -> Duration {
    Duration::from_millis(u64::from(ms))
}

fn hash(digest: &Noted) -> u64 {
    u64::from(digest[0]) << 32 | u64::from(digest[1])
}

fn same(a: &Noted, b: &Noted) -> bool {
    a[..3] == b[..3]
}
