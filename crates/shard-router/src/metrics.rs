//! [`Metrics`] of the router. The only place for their names.
//!
//! A new metric is a field of [`Metrics`], registered below. All names get the prefix `megaboard_`,
//! counters end in `_total`.

use metering::{Counter, Histogram, Registry, SIZES};

/// Counts since the router was opened.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Contributions in one call to one shard.
    pub(crate) batches: Histogram,
    /// Boards of one request.
    pub(crate) boards: Histogram,
    /// Batches that met an incarnation of their board that had ended.
    pub(crate) met_ended: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            batches: Histogram::new(&SIZES),
            boards: Histogram::new(&SIZES),
            met_ended: Counter::default(),
        }
    }
}

impl Metrics {
    /// Registers the metrics.
    pub(crate) fn register(&self, registry: &mut Registry) {
        registry.register(
            "shard_batch_contributions",
            "Contributions that were sent to one shard in one call",
            self.batches.clone(),
        );
        registry.register(
            "write_boards",
            "Boards that were written to together: those of a request, or of 1,000 contributions of it",
            self.boards.clone(),
        );
        registry.register(
            "writes_to_ended_boards",
            "Batches that met a board that had just been deleted, and were sent to the next board of its name",
            self.met_ended.clone(),
        );
    }
}
