//! The bytes that remembered ids may take.
//!
//! One [`IdBudget`] counts what the ids of all shards hold on the heap, unused room included. What
//! only a frozen copy still holds is not in it.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use board::Timestamp;
use shard_store::is_high;

/// Bytes that remembered ids may take without another setting.
pub const REMEMBERED_ID_BYTES_MAX: usize = 2 << 30;

/// Bytes that an id takes with its share of an index, on average.
const ID_BYTES: f64 = 26.0;

/// The bytes that remembered ids may take, over all shards.
#[derive(Debug)]
pub struct IdBudget {
    used_bytes: AtomicUsize,
    limit_bytes: usize,
    /// The latest time that ids are judged by, in milliseconds; at its most, any time.
    trusted_ms: AtomicI64,
}

/// The bytes that remembered ids take, and their limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdUse {
    /// Bytes in use.
    pub used_bytes: usize,
    /// Bytes that may be used.
    pub limit_bytes: usize,
}

impl IdUse {
    /// Returns how many contributions with an id a second the limit sustains if each is remembered for
    /// `span`. An id is dropped with its generation, up to one more `span` later. Infinite for an empty span.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to look at")]
    #[must_use]
    pub fn sustained_rate(self, span: Duration) -> f64 {
        self.limit_bytes as f64 / (ID_BYTES * 2.0 * span.as_secs_f64())
    }

    /// Whether that is [worth a warning](is_high).
    #[must_use]
    pub const fn is_high(self, was: bool) -> bool {
        is_high(self.used_bytes as u64, self.limit_bytes as u64, was)
    }
}

/// No room to remember an id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdsFull;

impl IdBudget {
    /// With this limit, in bytes.
    #[must_use]
    pub const fn new(limit_bytes: usize) -> Self {
        Self {
            used_bytes: AtomicUsize::new(0),
            limit_bytes,
            trusted_ms: AtomicI64::new(i64::MAX),
        }
    }

    /// Has every id kept from now on, and judged by no later time than that, since a clock may be wrong: `until` is
    /// surely over. `None`: the clock is right, and only ids within their span are kept.
    pub fn trust(&self, until: Option<Timestamp>) {
        let trusted_ms = until.map_or(i64::MAX, Timestamp::millis);
        self.trusted_ms.store(trusted_ms, Ordering::Relaxed);
    }

    pub(super) fn keeps_all(&self) -> bool {
        self.trusted_ms.load(Ordering::Relaxed) < i64::MAX
    }

    /// By which time ids are judged where the clock shows `now`.
    pub(super) fn surely(&self, now: Timestamp) -> Timestamp {
        now.min(Timestamp::from_millis(
            self.trusted_ms.load(Ordering::Relaxed),
        ))
    }

    /// The limit, in bytes.
    pub const fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    pub(super) fn take(&self, bytes: usize) -> Result<(), IdsFull> {
        let fits = |used: usize| {
            used.checked_add(bytes)
                .filter(|sum| *sum <= self.limit_bytes)
        };
        self.used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_or(Err(IdsFull), |_| Ok(()))
    }

    /// Takes past the limit, too: for ids that were granted before.
    pub(super) fn take_anyway(&self, bytes: usize) {
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes that ids take now.
    pub fn used_bytes(&self) -> usize {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// How much of it is in use.
    pub fn used(&self) -> IdUse {
        IdUse {
            used_bytes: self.used_bytes(),
            limit_bytes: self.limit_bytes,
        }
    }
}
