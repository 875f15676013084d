//! The metrics of a journal.

use metering::{CALLS, Counter, Histogram, Registry, ScrapedMetric};

metering::metrics! {
    /// Counters of the journal's thread.
    #[derive(Debug, Clone)]
    pub(crate) struct JournalMetrics {
        pub(crate) groups: Counter = Counter::default(), "journal_groups",
            "Groups of records written to the journal, each with one call";
        pub(crate) records: Counter = Counter::default(), "journal_records",
            "Records written to the journal";
        pub(crate) bytes: Counter = Counter::default(), "journal_written" in Bytes,
            "Bytes written to the journal, headers included";
        pub(crate) syncs: Histogram = Histogram::new(&CALLS), "journal_sync_duration" in Seconds,
            "Syncs of the journal (fdatasync): as many as there were, and how long each took";
    }
}

impl JournalMetrics {
    /// Registers the metrics, and a gauge of whether the journal rejects writes.
    pub(crate) fn register(
        &self,
        is_refusing: impl Fn() -> bool + Send + Sync + 'static,
        registry: &mut Registry,
    ) {
        self.register_all(registry);
        registry.register(
            "journal_refusing",
            "1 while the journal rejects writes, or some of them: it has failed, or the disk is full; otherwise 0",
            ScrapedMetric::gauge(move || f64::from(u8::from(is_refusing()))),
        );
    }
}
