//! Metrics of snapshots, and of what a start has to replay.

use std::time::Duration;

use metering::{Counter, FloatGauge, Gauge, Registry, ScrapedMetric, Unit, seconds, unix_seconds};

/// Metrics of the snapshots of this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnapshotMetrics {
    taken: Counter,
    pub(crate) failures: Counter,
    last_at: FloatGauge,
    last_duration: FloatGauge,
    last_bytes: Gauge,
}

impl SnapshotMetrics {
    /// Records a snapshot that was taken.
    pub(crate) fn note_taken(&self, took: Duration, bytes: u64) {
        self.taken.inc();
        self.last_at.set(unix_seconds());
        self.last_duration.set(seconds(took));
        self.last_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Records the size of the snapshot that was found at the start.
    pub(crate) fn note_found(&self, bytes: u64) {
        self.last_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Registers the metrics, and gauges: the journal bytes after the last snapshot, and how many
    /// of them cause the next one.
    pub(crate) fn register(
        &self,
        (behind, due): (
            impl Fn() -> f64 + Send + Sync + 'static,
            impl Fn() -> f64 + Send + Sync + 'static,
        ),
        registry: &mut Registry,
    ) {
        registry.register(
            "snapshots",
            "Snapshots taken by this process",
            self.taken.clone(),
        );
        registry.register(
            "snapshot_failures",
            "Snapshots that could not be taken: the journal grows until one can",
            self.failures.clone(),
        );
        registry.register_with_unit(
            "snapshot_last_timestamp",
            "When this process took its last snapshot, since 1970; 0 before the first",
            Unit::Seconds,
            self.last_at.clone(),
        );
        registry.register_with_unit(
            "snapshot_last_duration",
            "How long it took",
            Unit::Seconds,
            self.last_duration.clone(),
        );
        registry.register_with_unit(
            "snapshot_last_size",
            "Length of the last snapshot, also of one found at the start",
            Unit::Bytes,
            self.last_bytes.clone(),
        );
        registry.register_with_unit(
            "journal_behind_snapshot",
            "Journal behind the last snapshot, which a start would replay",
            Unit::Bytes,
            ScrapedMetric::gauge(behind),
        );
        registry.register_with_unit(
            "snapshot_due",
            "So much of it brings about the next snapshot",
            Unit::Bytes,
            ScrapedMetric::gauge(due),
        );
    }
}
