//! [`Generation`]: ids that are dropped together, when the youngest of them is past its span.
//!
//! A generation is a log of entries in pages, in order of arrival, and an index of their positions.
//! A few entries are scanned without an index: most boards are small, and an index would double
//! their memory. Entries are never removed, so the index has no gaps, and grows by being rebuilt
//! from the log.

use std::time::Duration;

use board::Timestamp;
use hashbrown::HashTable;

use super::budget::{IdBudget, IdsFull};
use crate::pages::Pages;

/// 84 bits of a digest, the 12 bits that position its member, and the time it was added, in
/// milliseconds since its generation began. With a billion ids the probability of a collision is
/// 10^-7.
pub(crate) type IdEntry = [u32; 4];

/// Entries that are scanned without an index.
const SCANNED_MAX: usize = 16;

/// Maximum bytes of the first index, of 32 buckets: their positions, their tags and one more group.
const FIRST_INDEX_BYTES: usize = 192;

#[derive(Debug)]
pub(super) struct Generation {
    pub(super) began: Timestamp,
    pub(super) log: Pages<IdEntry>,
    /// Positions in the log; not allocated while the log is scanned.
    index: HashTable<u32>,
    /// When the last entry was added, in milliseconds since `began`.
    latest_ms: u32,
}

impl Generation {
    pub(super) const fn new(began: Timestamp) -> Self {
        Self {
            // Entries have whole milliseconds, and so has what they are counted from.
            began: Timestamp::from_millis(began.millis()),
            log: Pages::new(),
            index: HashTable::new(),
            latest_ms: 0,
        }
    }

    /// Returns when the last entry is past its span.
    pub(super) fn ends_at(&self, span: Duration) -> Timestamp {
        self.began.plus(millis(self.latest_ms)).plus(span)
    }

    /// Returns whether an entry cannot be added at that time: entries have 32 bits for it, 49 days.
    pub(super) const fn is_over_at(&self, now: Timestamp) -> bool {
        now.millis().saturating_sub(self.began.millis()) > u32::MAX as i64
    }

    /// Returns the earliest beginning of a generation to which the last entry can be added.
    pub(super) fn range_begin(&self) -> Timestamp {
        let latest = self.began.plus(millis(self.latest_ms));
        latest.minus(millis(u32::MAX))
    }

    /// Creates a generation with capacity for `entries`: its index does not grow until then.
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

    /// Returns the heap bytes held, unused capacity included: what is taken from the budget.
    pub(super) fn bytes(&self) -> usize {
        self.log.bytes() + self.index.allocation_size()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &IdEntry> {
        self.log.iter().flatten()
    }

    /// Returns when an id was added, if it is present.
    pub(super) fn remembered_at(&self, digest: &IdEntry) -> Option<Timestamp> {
        let position = self.position(digest)?;
        Some(self.added_at(entry(&self.log, position)))
    }

    /// Returns when an entry was added.
    pub(super) fn added_at(&self, entry: &IdEntry) -> Timestamp {
        self.began.plus(millis(entry[3]))
    }

    /// Takes from the budget the bytes that one more entry may need.
    pub(super) fn reserve(&mut self, budget: &IdBudget) -> Result<(), IdsFull> {
        let most_bytes = self.growth_bytes_max();
        if most_bytes > 0 {
            budget.take(most_bytes)?;
            self.grow(most_bytes, budget);
        }
        Ok(())
    }

    /// Takes them for an entry that was accepted before, without checking the budget.
    pub(super) fn reserve_anyway(&mut self, budget: &IdBudget) {
        let most_bytes = self.growth_bytes_max();
        if most_bytes > 0 {
            budget.take_anyway(most_bytes);
            self.grow(most_bytes, budget);
        }
    }

    /// Adds an id, for which capacity was reserved.
    pub(super) fn remember(&mut self, mut digest: IdEntry, now: Timestamp) {
        let since_ms = now.millis().saturating_sub(self.began.millis()).max(0);
        digest[3] = u32::try_from(since_ms).unwrap_or(u32::MAX);
        self.latest_ms = self.latest_ms.max(digest[3]);
        match self.position(&digest) {
            Some(position) => {
                let (page, at) = page_of(position);
                self.log.slice_from_mut(page, at)[0] = digest;
            }
            None => self.put(digest),
        }
    }

    /// Adds an entry that is not present, for which capacity was reserved.
    pub(super) fn put(&mut self, noted: IdEntry) {
        self.latest_ms = self.latest_ms.max(noted[3]);
        let (page, at) = self.log.extend(1);
        self.log.slice_from_mut(page, at)[0] = noted;
        if self.index.capacity() > 0 {
            let position = u32::try_from(page * Pages::<IdEntry>::LEN + at)
                .expect("a budget is far below 64 GiB of entries");
            let full = |_: &u32| unreachable!("capacity was reserved");
            self.index.insert_unique(hash(&noted), position, full);
        }
    }

    fn position(&self, digest: &IdEntry) -> Option<u32> {
        if self.index.capacity() == 0 {
            let position = self.entries().position(|other| same(other, digest))?;
            return u32::try_from(position).ok();
        }
        let is_it = |position: &u32| same(entry(&self.log, *position), digest);
        self.index.find(hash(digest), is_it).copied()
    }

    fn index_is_short(&self) -> bool {
        self.index.len() == self.index.capacity() && self.entries().count() >= SCANNED_MAX
    }

    /// Returns an upper bound of what [`Generation::grow`] adds.
    fn growth_bytes_max(&self) -> usize {
        let index_bytes = if self.index_is_short() {
            // Twice the buckets take twice the bytes, except for a group at their end.
            self.index.allocation_size().max(FIRST_INDEX_BYTES)
        } else {
            0
        };
        self.log.growth_bytes(1) + index_bytes
    }

    /// Grows for one more entry, and returns unused bytes to the budget.
    fn grow(&mut self, most_bytes: usize, budget: &IdBudget) {
        let before_bytes = self.bytes();
        if self.index_is_short() {
            let entries = (2 * self.index.capacity()).max(SCANNED_MAX + 1);
            // The old index is freed first: the log has all entries.
            self.index = HashTable::new();
            self.index = HashTable::with_capacity(entries);
            for (position, noted) in (0..).zip(self.log.iter().flatten()) {
                let full = |_: &u32| unreachable!("it has capacity for twice as many");
                self.index.insert_unique(hash(noted), position, full);
            }
        }
        self.log.reserve(1);
        budget.give_back(before_bytes + most_bytes - self.bytes());
    }
}

/// Returns the entry at a position of a log.
fn entry(log: &Pages<IdEntry>, position: u32) -> &IdEntry {
    let (page, at) = page_of(position);
    &log.slice_from(page, at)[0]
}

const fn page_of(position: u32) -> (usize, usize) {
    let position = position as usize;
    (
        position / Pages::<IdEntry>::LEN,
        position % Pages::<IdEntry>::LEN,
    )
}

fn millis(ms: u32) -> Duration {
    Duration::from_millis(u64::from(ms))
}

fn hash(digest: &IdEntry) -> u64 {
    u64::from(digest[0]) << 32 | u64::from(digest[1])
}

fn same(a: &IdEntry, b: &IdEntry) -> bool {
    a[..3] == b[..3]
}
