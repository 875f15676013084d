//! Event streams: how many are open, and what they are sent.

use std::sync::Arc;

use metering::{Counter, Gauge, Registry, ScrapedMetric, Unit};

use crate::feeds::StreamTime;

/// The metrics of event streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Gauge,
    feeds: Gauge,
    pub(crate) frames: Counter,
    pub(crate) skipped: Counter,
    /// Frames that were rendered.
    pub(crate) renders: Counter,
}

impl Streams {
    /// Sets the numbers of open streams and of running feeds.
    pub(crate) fn note_open(&self, streams: usize, feeds: usize) {
        self.open.set(i64::try_from(streams).unwrap_or(i64::MAX));
        self.feeds.set(i64::try_from(feeds).unwrap_or(i64::MAX));
    }

    /// Registers the metrics.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("streams", "Event streams that are open", self.open.clone());
        registry.register(
            "stream_feeds",
            "Tops that are read for streams: one for each board and window",
            self.feeds.clone(),
        );
        registry.register(
            "stream_frames",
            "Frames sent to streams, as whole boards or as changes",
            self.frames.clone(),
        );
        registry.register(
            "stream_frames_skipped",
            "Frames that were not sent to a stream, since its client had not read the one before",
            self.skipped.clone(),
        );
        registry.register(
            "stream_renders",
            "Tops rendered for streams: each change of a top once for all its streams, and again for a stream of more entries",
            self.renders.clone(),
        );
    }

    /// Registers the metrics of processor time.
    pub(crate) fn register_time(registry: &mut Registry, time: &Arc<StreamTime>) {
        let (spent, factor) = (time.clone(), time.clone());
        registry.register_with_unit(
            "stream_cpu",
            "Processor time that streams took: reads of their tops, rendering and writing",
            Unit::Seconds,
            ScrapedMetric::counter(move || spent.seconds()),
        );
        registry.register(
            "stream_interval_factor",
            "How many times as long as max_staleness the intervals of streams are: more than 1 while they take too much processor time",
            ScrapedMetric::gauge(move || factor.factor()),
        );
    }
}
