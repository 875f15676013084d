//! Event streams, and the connections that all requests come over.

use metering::{Counter, Gauge, Registry};

use super::early_ends::EarlyEnds;

/// What readers of event streams are sent.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Gauge,
    feeds: Gauge,
    pub(crate) frames: Counter,
    pub(crate) skipped: Counter,
}

/// Connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: Gauge,
    pub(crate) refused: Counter,
    pub(crate) hang_ups: Counter,
    pub(crate) early_ends: EarlyEnds,
}

/// One connection, for as long as it is open.
pub(crate) struct Open(Gauge);

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

impl Connections {
    /// One more, until it is dropped.
    pub(crate) fn open(&self) -> Open {
        self.open.inc();
        Open(self.open.clone())
    }

    /// Names them.
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections",
            "Connections that are open",
            self.open.clone(),
        );
        registry.register(
            "connections_refused",
            "Connections beyond the limits: closed as they came, or accepted for probes alone",
            self.refused.clone(),
        );
        registry.register(
            "connection_hang_ups",
            "Connections that were ended since their client had taken nothing for too long",
            self.hang_ups.clone(),
        );
        self.early_ends.register(registry);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
