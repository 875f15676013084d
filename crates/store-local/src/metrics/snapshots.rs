//! Metrics of snapshots, and of what a start has to replay.

use std::time::Duration;

use metering::{Counter, FloatGauge, Gauge, Registry, ScrapedMetric, Unit, seconds, unix_seconds};

metering::metrics! {
    /// Metrics of the snapshots of this process.
    #[derive(Debug, Clone)]
    pub(crate) struct SnapshotMetrics {
        taken: Counter = Counter::default(), "snapshots", "Snapshots taken by this process";
        pub(crate) failures: Counter = Counter::default(), "snapshot_failures",
            "Snapshots that could not be taken: the journal grows until one can";
        last_at: FloatGauge = FloatGauge::default(), "snapshot_last_timestamp" in Seconds,
            "When this process took its last snapshot, since 1970; 0 before the first";
        last_duration: FloatGauge = FloatGauge::default(), "snapshot_last_duration" in Seconds,
            "How long it took";
        last_bytes: Gauge = Gauge::default(), "snapshot_last_size" in Bytes,
            "Length of the last snapshot, also of one found at the start";
    }
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
        self.register_all(registry);
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
