//! [`IdBudget`]: the limit on the memory of remembered ids.
//!
//! One budget counts the heap bytes of the ids of all shards, unused capacity included. Memory that
//! only a frozen copy still holds is not counted.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use board::Timestamp;
use shard_store::is_limit_nearly_used;

/// Default limit of the bytes of remembered ids.
pub const REMEMBERED_ID_BYTES_MAX: usize = 2 << 30;

/// Average bytes of an id with its share of an index.
const ID_BYTES: f64 = 26.0;

/// The memory limit of remembered ids, over all shards.
#[derive(Debug)]
pub struct IdBudget {
    used_bytes: AtomicUsize,
    limit_bytes: usize,
    /// The latest time by which ids are judged, in microseconds; `i64::MAX` if the clock is
    /// trusted.
    trusted_us: AtomicI64,
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
    /// Returns how many contributions with an id per second the limit sustains if each is
    /// remembered for `span`. An id is dropped with its generation, up to one more `span` later.
    /// Infinite for an empty span.
    #[expect(clippy::cast_precision_loss, reason = "a rate for people to look at")]
    #[must_use]
    pub fn sustained_rate(self, span: Duration) -> f64 {
        self.limit_bytes as f64 / (ID_BYTES * 2.0 * span.as_secs_f64())
    }

    /// Returns whether that is [worth a warning](is_limit_nearly_used).
    #[must_use]
    pub const fn is_high(self, was: bool) -> bool {
        is_limit_nearly_used(self.used_bytes as u64, self.limit_bytes as u64, was)
    }
}

/// The budget is exhausted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdsFull;

impl IdBudget {
    /// Creates a budget of `limit_bytes`.
    #[must_use]
    pub const fn new(limit_bytes: usize) -> Self {
        Self {
            used_bytes: AtomicUsize::new(0),
            limit_bytes,
            trusted_us: AtomicI64::new(i64::MAX),
        }
    }

    /// Sets the latest time by which ids are judged. `Some(until)`: the clock may be wrong; every
    /// id is kept, and judged by a time no later than `until`, which has definitely passed. `None`:
    /// the clock is right, and only ids within their span are kept.
    pub fn limit_trust(&self, until: Option<Timestamp>) {
        let trusted_us = until.map_or(i64::MAX, Timestamp::micros);
        self.trusted_us.store(trusted_us, Ordering::Relaxed);
    }

    pub(super) fn keeps_all(&self) -> bool {
        self.trusted_us.load(Ordering::Relaxed) < i64::MAX
    }

    /// Returns the time by which ids are judged when the clock shows `now`.
    pub(super) fn trusted_now(&self, now: Timestamp) -> Timestamp {
        now.min(Timestamp::from_micros(
            self.trusted_us.load(Ordering::Relaxed),
        ))
    }

    /// Returns the limit, in bytes.
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

    /// Takes bytes even beyond the limit: for ids that were accepted before.
    pub(super) fn take_anyway(&self, bytes: usize) {
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Returns the bytes that ids use now.
    pub fn used_bytes(&self) -> usize {
        self.used_bytes.load(Ordering::Relaxed)
    }

    /// Returns usage and limit.
    pub fn used(&self) -> IdUse {
        IdUse {
            used_bytes: self.used_bytes(),
            limit_bytes: self.limit_bytes,
        }
    }
}
