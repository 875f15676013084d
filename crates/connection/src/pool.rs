//! Bytes that clients make the server hold, under a limit for each purpose: [`Pool`].
//!
//! There are as many [`Pools`] as there are purposes, so that what fills one leaves the others alone. What is held is
//! counted by a [`HeldBytes`], and given back when that is dropped. Of each pool a part is a reserve, for what is worse
//! to refuse: a stream that is open rather than a new one, a write rather than a read. Contributions that are being
//! written and the cache of the merger have limits of their own.
//!
//! **Invariant:** what a pool has no room for is not held, but for an answer that is alone in its pool.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use metering::{
    Collector, Counter, DescriptorEncoder, Labels, Registry, ScrapedMetric, Unit, as_float,
    encode_each, labels,
};

/// Bytes of [`Pools::answers`], where nothing else is set.
pub const RESPONSE_BYTES_MAX: usize = 256 << 20;

/// Bytes of [`Pools::bodies`], where nothing else is set.
pub const BODIES_BYTES_MAX: usize = 256 << 20;

/// Bytes of [`Pools::read_ahead`], where nothing else is set.
pub const READ_AHEAD_BYTES_MAX: usize = 128 << 20;

/// Bytes of [`Pools::receipts`], where nothing else is set.
pub const RECEIPT_BYTES_MAX: usize = 128 << 20;

/// Bytes of [`Pools::streams`], where nothing else is set.
pub const STREAM_BYTES_MAX: usize = 256 << 20;

/// Bytes of all answers to scrapes: some dozens of them.
const SCRAPE_BYTES_MAX: usize = 4 << 20;

/// The part of a pool that is its reserve.
const RESERVE_PART: usize = 4;

/// Returns a limit as it is, or what it leaves without its reserve.
pub(crate) const fn within(max: usize, leaves_reserve: bool) -> usize {
    if leaves_reserve {
        max - max / RESERVE_PART
    } else {
        max
    }
}

/// The pools of a server.
#[derive(Debug, Clone)]
pub struct Pools {
    /// Large answers, until their connections have written them.
    pub answers: Pool,
    /// JSON bodies, what is parsed of them, and lines that are not complete.
    pub bodies: Pool,
    /// Heads, and what connections have read that no request has taken.
    pub read_ahead: Pool,
    /// Details of contributions that were not applied.
    pub receipts: Pool,
    /// Answers to scrapes, so that other answers leave room for them.
    pub scrapes: Pool,
    /// Events of streams.
    pub streams: Pool,
}

impl Default for Pools {
    fn default() -> Self {
        Self {
            answers: Pool::up_to(RESPONSE_BYTES_MAX),
            bodies: Pool::up_to(BODIES_BYTES_MAX),
            read_ahead: Pool::up_to(READ_AHEAD_BYTES_MAX),
            receipts: Pool::up_to(RECEIPT_BYTES_MAX),
            scrapes: Pool::up_to(SCRAPE_BYTES_MAX),
            streams: Pool::up_to(STREAM_BYTES_MAX),
        }
    }
}

impl Pools {
    fn named(&self) -> [(Labels, &Pool); 6] {
        [
            ("answers", &self.answers),
            ("bodies", &self.bodies),
            ("read_ahead", &self.read_ahead),
            ("receipts", &self.receipts),
            ("scrapes", &self.scrapes),
            ("streams", &self.streams),
        ]
        .map(|(name, pool)| (labels([("pool", name)]), pool))
    }

    /// Returns how much is held of all of them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.named().iter().map(|(_, pool)| pool.bytes()).sum()
    }

    /// Names what is counted.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
        // Older than the pools: those of one of them by names of their own.
        let answers = self.answers.clone();
        registry.register_with_unit(
            "answers_unwritten",
            "Answers of more than 16 KiB that their connections have not written yet, and room taken for such",
            Unit::Bytes,
            ScrapedMetric::gauge(move || as_float(answers.bytes() as u64)),
        );
        registry.register(
            "answers_refused",
            "Times that unread answers left no room: a request was refused, or a receipt listed fewer items",
            self.answers.0.refused.clone(),
        );
    }
}

impl Collector for Pools {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let named = self.named();
        let gauge = |bytes: usize| ScrapedMetric::gauge(move || as_float(bytes as u64));
        encode_each(
            &mut encoder,
            (
                "pool",
                "Memory that clients make the server hold, by purpose.",
                Some(&Unit::Bytes),
            ),
            named
                .iter()
                .map(|(labels, pool)| (labels, gauge(pool.bytes()))),
        )?;
        encode_each(
            &mut encoder,
            ("pool_limit", "Limit of that memory.", Some(&Unit::Bytes)),
            named
                .iter()
                .map(|(labels, pool)| (labels, gauge(pool.bytes_max()))),
        )?;
        encode_each(
            &mut encoder,
            (
                "pool_refusals",
                "Times that this limit refused, ended or left out something.",
                None,
            ),
            named
                .iter()
                .map(|(labels, pool)| (labels, pool.0.refused.clone())),
        )
    }
}

/// Bytes under one limit. Clones are the same pool.
#[derive(Debug, Clone)]
pub struct Pool(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    bytes: AtomicUsize,
    bytes_max: AtomicUsize,
    refused: Counter,
}

/// Bytes that are held; given back when this is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    pool: Pool,
    bytes: usize,
}

impl Pool {
    /// An empty pool with this limit.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(Arc::new(Counts {
            bytes: AtomicUsize::new(0),
            bytes_max: AtomicUsize::new(bytes_max),
            refused: Counter::default(),
        }))
    }

    /// Gives the pool another limit. What is held stays held.
    pub fn limit_to(&self, bytes_max: usize) {
        self.0.bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    /// Returns the limit.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.0.bytes_max.load(Ordering::Relaxed)
    }

    /// Returns how much is held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Returns whether more is held than the limit without the reserve.
    #[must_use]
    pub fn is_in_reserve(&self) -> bool {
        self.bytes() > self.unreserved_bytes_max()
    }

    fn unreserved_bytes_max(&self) -> usize {
        within(self.bytes_max(), true)
    }

    /// Holds nothing yet.
    #[must_use]
    pub fn hold(&self) -> HeldBytes {
        HeldBytes {
            pool: self.clone(),
            bytes: 0,
        }
    }

    /// Counts something that was refused.
    pub fn refuse(&self) {
        self.0.refused.inc();
    }
}

impl HeldBytes {
    /// Returns how much this holds.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Holds so many bytes in place of those that it held. Returns `false`, and counts it, if they do not fit: then it
    /// holds what it held.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let fits = self.resize_within(bytes, self.pool.bytes_max());
        if !fits {
            self.pool.refuse();
        }
        fits
    }

    /// The same without the reserve. Nothing is counted.
    pub fn resize_unreserved(&mut self, bytes: usize) -> bool {
        self.resize_within(bytes, self.pool.unreserved_bytes_max())
    }

    /// The same with the reserve or without, but any number while nothing else is held. Nothing is counted.
    pub fn resize_or_alone(&mut self, bytes: usize, leaves_reserve: bool) -> bool {
        let all_bytes_max = within(self.pool.bytes_max(), leaves_reserve);
        self.resize_if(bytes, |all| all <= all_bytes_max || all == bytes)
    }

    fn resize_within(&mut self, bytes: usize, all_bytes_max: usize) -> bool {
        self.resize_if(bytes, |all| all <= all_bytes_max)
    }

    /// `fits`: whether the pool may hold so many bytes then.
    fn resize_if(&mut self, bytes: usize, fits: impl Fn(usize) -> bool) -> bool {
        let counted = &self.pool.0.bytes;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let grown = |all: usize| all.checked_add(more).filter(|all| fits(*all));
            let grown = counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
            if grown.is_err() {
                return false;
            }
        } else if bytes < self.bytes {
            counted.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        true
    }

    /// Holds some more bytes; `false` as [`resize`](Self::resize).
    pub fn grow(&mut self, more: usize) -> bool {
        self.resize(self.bytes.saturating_add(more))
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.pool.0.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_share_the_limit_and_give_back_what_they_held() {
        let pool = Pool::up_to(100);
        let (mut first, mut second) = (pool.hold(), pool.hold());
        assert!(first.resize(60) && second.grow(40));
        assert!(!second.grow(1) && !first.resize(61));
        assert_eq!((pool.bytes(), pool.0.refused.get()), (100, 2));
        assert!(first.resize(10) && second.grow(50));
        drop(first);
        assert_eq!(pool.bytes(), 90);
        drop(second);
        assert_eq!(pool.bytes(), 0);
    }

    #[test]
    fn the_reserve_is_left_by_what_may_be_refused() {
        let pool = Pool::up_to(100);
        let mut held = pool.hold();
        assert!(!held.resize_unreserved(76));
        assert!(held.resize_unreserved(75) && !pool.is_in_reserve());
        assert!(held.resize(100) && pool.is_in_reserve());
        assert!(held.resize_unreserved(80), "what shrinks always fits");
        assert_eq!((pool.bytes(), pool.0.refused.get()), (80, 0));
    }

    #[test]
    fn alone_something_may_be_larger_than_the_pool_and_then_nothing_else_fits() {
        let pool = Pool::up_to(100);
        let (mut large, mut other) = (pool.hold(), pool.hold());
        assert!(large.resize_or_alone(150, true));
        assert!(large.resize_or_alone(200, false));
        assert!(!other.resize_or_alone(1, false));
        assert!(large.resize_or_alone(60, true));
        // Behind it with the reserve and without.
        assert!(other.resize_or_alone(15, true));
        assert!(!other.resize_or_alone(16, true));
        assert!(other.resize_or_alone(40, false));
        assert!(!large.resize_or_alone(200, false));
        assert_eq!((pool.bytes(), pool.0.refused.get()), (100, 0));
    }

    #[test]
    fn what_is_held_beyond_a_new_limit_stays_held() {
        let pool = Pool::up_to(100);
        let mut held = pool.hold();
        assert!(held.resize(100));
        pool.limit_to(50);
        assert!(!held.grow(1) && held.resize(40));
    }
}
