//! The journal of the embedded store, and its snapshots.

use std::time::Duration;

use metering::{
    CALLS, Counter, FloatGauge, Gauge, Histogram, Pulled, Registry, Unit, seconds, unix_seconds,
};

use crate::embedded::Snapshots;
use crate::embedded::journal::Journal;

/// What the journal's thread does.
#[derive(Debug, Clone)]
pub(crate) struct JournalMetrics {
    pub(crate) groups: Counter,
    pub(crate) records: Counter,
    pub(crate) bytes: Counter,
    pub(crate) syncs: Histogram,
}

impl Default for JournalMetrics {
    fn default() -> Self {
        Self {
            groups: Counter::default(),
            records: Counter::default(),
            bytes: Counter::default(),
            syncs: Histogram::new(&CALLS),
        }
    }
}

impl JournalMetrics {
    /// Names them, and what the journal tells when it is asked. A journal that is gone takes nothing.
    pub(crate) fn register(&self, journal: &std::sync::Arc<Journal>, registry: &mut Registry) {
        registry.register(
            "journal_groups",
            "Groups of records written to the journal, each with one call",
            self.groups.clone(),
        );
        registry.register(
            "journal_records",
            "Records written to the journal",
            self.records.clone(),
        );
        registry.register_with_unit(
            "journal_written",
            "Bytes written to the journal, headers included",
            Unit::Bytes,
            self.bytes.clone(),
        );
        registry.register_with_unit(
            "journal_sync_duration",
            "Syncs of the journal (fdatasync): as many as there were, and how long each took",
            Unit::Seconds,
            self.syncs.clone(),
        );
        // Not held, so that a store that is dropped ends its journal.
        let journal = std::sync::Arc::downgrade(journal);
        let refuses = move || {
            journal
                .upgrade()
                .is_none_or(|journal| journal.refusal().is_some())
        };
        registry.register(
            "journal_refusing",
            "1 while the journal takes nothing: it has failed, or the disk is full; otherwise 0",
            Pulled::gauge(move || f64::from(u8::from(refuses()))),
        );
    }
}

/// Snapshots of this process, and what a start takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnapshotMetrics {
    taken: Counter,
    pub(crate) failures: Counter,
    last_at: FloatGauge,
    last_duration: FloatGauge,
    last_bytes: Gauge,
}

impl SnapshotMetrics {
    /// One was taken.
    pub(crate) fn note_taken(&self, took: Duration, bytes: u64) {
        self.taken.inc();
        self.last_at.set(unix_seconds());
        self.last_duration.set(seconds(took));
        self.last_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Of a snapshot that was found at the start.
    pub(crate) fn note_found(&self, bytes: u64) {
        self.last_bytes
            .set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    /// Names them, and what a start would have to do now.
    pub(crate) fn register(&self, snapshots: &Snapshots, registry: &mut Registry) {
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
        let (behind, due) = snapshots.watched();
        registry.register_with_unit(
            "journal_behind_snapshot",
            "Journal behind the last snapshot, which a start would replay",
            Unit::Bytes,
            Pulled::gauge(behind),
        );
        registry.register_with_unit(
            "snapshot_due",
            "So much of it brings about the next snapshot",
            Unit::Bytes,
            Pulled::gauge(due),
        );
    }
}
