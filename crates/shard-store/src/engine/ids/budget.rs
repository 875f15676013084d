//! The bytes that remembered ids may take.
//!
//! One [`IdBudget`] counts what the ids of all shards hold on the heap, unused room included. What
//! only a frozen copy still holds is not in it.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that remembered ids may take without another setting.
pub const REMEMBERED_ID_BYTES_MAX: usize = 2 << 30;

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
    pub(crate) fn used_bytes(&self) -> usize {
        self.used_bytes.load(Ordering::Relaxed)
    }
}
