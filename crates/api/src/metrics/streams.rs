//! Event streams.

use metering::{Counter, Gauge, Registry};

/// What readers of event streams are sent.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Gauge,
    feeds: Gauge,
    pub(crate) frames: Counter,
    pub(crate) skipped: Counter,
}

impl Streams {
    /// How many streams are open, and how many tops are looked at for them.
    pub(crate) fn note_open(&self, streams: usize, feeds: usize) {
        self.open.set(i64::try_from(streams).unwrap_or(i64::MAX));
        self.feeds.set(i64::try_from(feeds).unwrap_or(i64::MAX));
    }

    /// Names them.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("streams", "Event streams that are open", self.open.clone());
        registry.register(
            "stream_feeds",
            "Tops that are looked at for streams: one for each board, window and n that is watched",
            self.feeds.clone(),
        );
        registry.register(
            "stream_frames",
            "Frames given to streams, whole boards and changes",
            self.frames.clone(),
        );
        registry.register(
            "stream_frames_skipped",
            "Frames that a stream was not given, since it had not taken the one before in time",
            self.skipped.clone(),
        );
    }
}
