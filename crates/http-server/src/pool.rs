//! Counts the memory that the server holds for clients, with a limit for each purpose: [`Pool`].
//!
//! There is one pool for each purpose ([`Pools`]), so that a full pool does not affect the others. A [`HeldBytes`]
//! counts bytes until it is dropped. A part of each pool is a reserve for requests that are worse to reject: those of
//! an open stream rather than of a new one, writes rather than reads. Contributions that are being written and the
//! cache of the merger have limits of their own.
//!
//! **Invariant:** bytes that do not fit into their pool are not held.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::server_limits::ServerLimits;
use metering::{
    Collector, Counter, DescriptorEncoder, Labels, Registry, ScrapedMetric, Unit, as_float,
    encode_each, labels,
};

/// The default limit of [`Pools::responses`].
pub(crate) const RESPONSE_BYTES_MAX: usize = 256 << 20;

/// The default limit of [`Pools::bodies`].
pub(crate) const BODIES_BYTES_MAX: usize = 256 << 20;

/// The default limit of [`Pools::prepared`].
pub(crate) const PREPARED_BYTES_MAX: usize = 32 << 20;

/// The default limit of [`Pools::read_ahead`].
pub(crate) const READ_AHEAD_BYTES_MAX: usize = 128 << 20;

/// The default limit of [`Pools::receipts`].
pub const RECEIPT_BYTES_MAX: usize = 128 << 20;

/// The default limit of [`Pools::streams`].
pub(crate) const STREAM_BYTES_MAX: usize = 256 << 20;

/// The limit of all responses to scrapes: a few dozen.
const SCRAPE_BYTES_MAX: usize = 4 << 20;

/// The reserve of a pool is one part in this many.
const RESERVE_PART: usize = 4;

/// Returns a limit with or without its reserve.
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
    /// Large responses, until their connections have written them.
    pub responses: Pool,
    /// JSON bodies, values parsed from them, and incomplete lines.
    pub bodies: Pool,
    /// Responses that are prepared for repeated reads.
    pub prepared: Pool,
    /// Heads, and bytes that connections have read and no request has consumed.
    pub read_ahead: Pool,
    /// Details of contributions that were not applied.
    pub receipts: Pool,
    /// Responses to scrapes, which therefore succeed even if the other responses reach their limit.
    pub scrapes: Pool,
    /// Events of streams.
    pub streams: Pool,
}

impl Pools {
    /// Creates empty pools with these limits.
    #[must_use]
    pub fn new(limits: &ServerLimits) -> Self {
        Self {
            responses: Pool::up_to(limits.response_bytes_max),
            bodies: Pool::up_to(limits.bodies_bytes_max),
            prepared: Pool::up_to(limits.prepared_bytes_max),
            read_ahead: Pool::up_to(limits.read_ahead_bytes_max),
            receipts: Pool::up_to(limits.receipt_bytes_max),
            scrapes: Pool::up_to(SCRAPE_BYTES_MAX),
            streams: Pool::up_to(limits.stream_bytes_max),
        }
    }

    fn by_label(&self) -> [(Labels, &Pool); 7] {
        [
            ("responses", &self.responses),
            ("bodies", &self.bodies),
            ("prepared", &self.prepared),
            ("read_ahead", &self.read_ahead),
            ("receipts", &self.receipts),
            ("scrapes", &self.scrapes),
            ("streams", &self.streams),
        ]
        .map(|(name, pool)| (labels([("pool", name)]), pool))
    }

    /// Returns the bytes held in all pools.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.by_label().iter().map(|(_, pool)| pool.bytes()).sum()
    }

    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }
}

impl Collector for Pools {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let by_label = self.by_label();
        let gauge = |bytes: usize| ScrapedMetric::gauge(move || as_float(bytes as u64));
        encode_each(
            &mut encoder,
            (
                "pool",
                "Memory that the server holds for clients, by purpose.",
                Some(&Unit::Bytes),
            ),
            by_label
                .iter()
                .map(|(labels, pool)| (labels, gauge(pool.bytes()))),
        )?;
        encode_each(
            &mut encoder,
            ("pool_limit", "Limit of that memory.", Some(&Unit::Bytes)),
            by_label
                .iter()
                .map(|(labels, pool)| (labels, gauge(pool.bytes_max()))),
        )?;
        encode_each(
            &mut encoder,
            (
                "pool_refusals",
                "Times that a request or a stream was rejected, ended or shortened because of this limit.",
                None,
            ),
            by_label
                .iter()
                .map(|(labels, pool)| (labels, pool.0.refused.clone())),
        )
    }
}

/// Counts bytes up to a limit. Clones are the same pool.
#[derive(Debug, Clone)]
pub struct Pool(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    bytes: AtomicUsize,
    bytes_max: AtomicUsize,
    refused: Counter,
}

/// Bytes that are counted until this is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    pool: Pool,
    bytes: usize,
}

impl Pool {
    /// Creates an empty pool with this limit.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(Arc::new(Counts {
            bytes: AtomicUsize::new(0),
            bytes_max: AtomicUsize::new(bytes_max),
            refused: Counter::default(),
        }))
    }

    /// Changes the limit. Bytes that are already held are not affected.
    pub fn limit_to(&self, bytes_max: usize) {
        self.0.bytes_max.store(bytes_max, Ordering::Relaxed);
    }

    /// Returns the limit.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.0.bytes_max.load(Ordering::Relaxed)
    }

    /// Returns the bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Returns whether the reserve is in use.
    #[must_use]
    pub fn is_in_reserve(&self) -> bool {
        self.bytes() > self.unreserved_bytes_max()
    }

    fn unreserved_bytes_max(&self) -> usize {
        within(self.bytes_max(), true)
    }

    /// Returns a counter of zero bytes.
    #[must_use]
    pub fn hold(&self) -> HeldBytes {
        HeldBytes {
            pool: self.clone(),
            bytes: 0,
        }
    }

    /// Counts a rejection.
    pub fn refuse(&self) {
        self.0.refused.inc();
    }
}

impl HeldBytes {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the number of bytes. If they do not fit, changes nothing, counts a rejection and returns `false`.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let fits = self.resize_within(bytes, self.pool.bytes_max());
        if !fits {
            self.pool.refuse();
        }
        fits
    }

    /// Changes the number of bytes without using the reserve. Counts no rejection.
    pub fn resize_unreserved(&mut self, bytes: usize) -> bool {
        self.resize_leaving(bytes, true)
    }

    /// Changes the number of bytes, with or without the reserve. Counts no rejection.
    pub(crate) fn resize_leaving(&mut self, bytes: usize, leaves_reserve: bool) -> bool {
        self.resize_within(bytes, within(self.pool.bytes_max(), leaves_reserve))
    }

    /// Changes the number of bytes if the new total of the pool is at most `all_bytes_max`.
    fn resize_within(&mut self, bytes: usize, all_bytes_max: usize) -> bool {
        let counted = &self.pool.0.bytes;
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let fits = |all: &usize| *all <= all_bytes_max;
            let grown = |all: usize| all.checked_add(more).filter(fits);
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

    /// Adds bytes like [`resize`](Self::resize).
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
    fn the_limit_is_shared_and_dropped_bytes_are_released() {
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
    fn unreserved_bytes_do_not_use_the_reserve() {
        let pool = Pool::up_to(100);
        let mut held = pool.hold();
        assert!(!held.resize_unreserved(76));
        assert!(held.resize_unreserved(75) && !pool.is_in_reserve());
        assert!(held.resize(100) && pool.is_in_reserve());
        assert!(held.resize_unreserved(80), "a decrease always fits");
        assert_eq!((pool.bytes(), pool.0.refused.get()), (80, 0));
    }

    #[test]
    fn a_lower_limit_does_not_affect_held_bytes() {
        let pool = Pool::up_to(100);
        let mut held = pool.hold();
        assert!(held.resize(100));
        pool.limit_to(50);
        assert!(!held.grow(1) && held.resize(40));
    }
}
