//! One who watches a feed.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tokio::sync::OwnedSemaphorePermit;
use tokio_stream::wrappers::WatchStream;

use super::feed::{Signal, Watched};
use crate::app::App;
use crate::metrics::Streams;
use crate::problem::Problem;
use crate::socket::Flow;

/// What a stream begins with: how long to wait before connecting again.
const BEGIN: Bytes = Bytes::from_static(b"retry: 1000\n\n");

/// A comment, for silence.
const BEAT: Bytes = Bytes::from_static(b":\n\n");

/// The events of one stream. It holds nothing that is yet to be sent: what it is asked for next is the
/// newest there is.
pub(crate) struct Reader {
    signals: WatchStream<Signal>,
    /// Frames are held back while the connection has not taken the one before.
    flow: Option<Arc<Flow>>,
    changes: bool,
    has_begun: bool,
    has_ended: bool,
    /// The number of the last frame that was sent.
    sent: u64,
    beats: u64,
    metrics: Arc<Streams>,
    _permit: OwnedSemaphorePermit,
}

impl Reader {
    /// A reader of what is watched, from now on. With `changes` it is told what moved where it can be.
    pub(crate) async fn of(
        app: &Arc<App>,
        watched: &Watched,
        changes: bool,
        flow: Option<Arc<Flow>>,
    ) -> Result<Self, Problem> {
        let seat = app.feeds.seat(app, watched).await?;
        let beats = seat.signals.borrow().beats;
        if let Some(flow) = &flow {
            flow.streams();
        }
        Ok(Self {
            signals: WatchStream::new(seat.signals),
            flow,
            changes,
            has_begun: false,
            has_ended: false,
            sent: 0,
            beats,
            metrics: app.metrics.streams.clone(),
            _permit: seat.permit,
        })
    }

    /// The number of the last frame that was sent.
    pub(super) const fn sent(&self) -> u64 {
        self.sent
    }

    /// What a signal has that was not sent yet.
    fn news(&mut self, signal: Signal) -> Option<Bytes> {
        let Signal { frame, beats, end } = signal;
        if end.is_some() {
            self.has_ended = true;
            return end;
        }
        if frame.number == self.sent {
            let is_due = self.beats != beats;
            self.beats = beats;
            return is_due.then_some(BEAT);
        }
        let follows = frame.number == self.sent + 1 && self.sent > 0;
        let changes = if self.changes && follows {
            frame.changes()
        } else {
            None
        };
        self.metrics.frames.inc();
        if self.sent > 0 {
            let skipped = frame.number.saturating_sub(self.sent + 1);
            self.metrics.skipped.inc_by(skipped);
        }
        self.sent = frame.number;
        self.beats = beats;
        Some(changes.unwrap_or_else(|| frame.board.clone()))
    }
}

impl Stream for Reader {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        if !self.has_begun {
            self.has_begun = true;
            return Poll::Ready(Some(Ok(BEGIN)));
        }
        if let Some(flow) = &self.flow {
            ready!(flow.poll_free(context));
        }
        loop {
            let Some(signal) = ready!(self.signals.poll_next_unpin(context)) else {
                return Poll::Ready(None);
            };
            if let Some(news) = self.news(signal) {
                return Poll::Ready(Some(Ok(news)));
            }
        }
    }
}
