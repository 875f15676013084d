//! [`Metrics`] of the router. The only place for their names.
//!
//! All names get the prefix `megaboard_`, counters end in `_total`.

use metering::{Counter, Histogram, SIZES};

metering::metrics! {
    /// Counts since the router was opened.
    #[derive(Debug)]
    pub(crate) struct Metrics {
        pub(crate) batches: Histogram = Histogram::new(&SIZES), "shard_batch_contributions",
            "Contributions that were sent to one shard in one call";
        pub(crate) boards: Histogram = Histogram::new(&SIZES), "write_boards",
            "Boards that were written to together: those of a request, or of 1,000 contributions of it";
        pub(crate) met_ended: Counter = Counter::default(), "writes_to_ended_boards",
            "Batches that met a board that had just been deleted, and were sent to the next board of its name";
    }
}
