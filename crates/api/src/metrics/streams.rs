//! Event streams: how many are open, and what they are sent.

use metering::{Counter, Gauge, Registry};

/// The metrics of event streams.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Gauge,
    feeds: Gauge,
    pub(crate) frames: Counter,
    pub(crate) skipped: Counter,
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
            "Tops that are read for streams: one for each board, window and n",
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
    }
}
