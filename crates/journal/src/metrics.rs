//! The metrics of a journal.

use metering::{CALLS, Counter, Histogram, Registry, ScrapedMetric, Unit};

/// Counters of the journal's thread.
#[derive(Debug, Clone)]
pub(crate) struct JournalMetrics {
    /// Groups written.
    pub(crate) groups: Counter,
    /// Records written.
    pub(crate) records: Counter,
    /// Bytes written.
    pub(crate) bytes: Counter,
    /// How long syncs took.
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
    /// Registers the metrics, and a gauge of whether the journal rejects writes.
    pub(crate) fn register(
        &self,
        is_refusing: impl Fn() -> bool + Send + Sync + 'static,
        registry: &mut Registry,
    ) {
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
        registry.register(
            "journal_refusing",
            "1 while the journal rejects writes, or some of them: it has failed, or the disk is full; otherwise 0",
            ScrapedMetric::gauge(move || f64::from(u8::from(is_refusing()))),
        );
    }
}
