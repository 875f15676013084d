//! [`Feed`]: reads one top for all its readers.

use std::sync::Arc;
use std::time::Duration;

use board::Kind;
use merger::ReadError;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};
use wire::problem::{Problem, ProblemType};

use crate::app::App;
use crate::feeds::frame::{Frame, event_aside};
use crate::feeds::{
    Entered, FeedReader, FeedSlot, LastRead, NewReader, RunningFeed, Signal, Watched,
};
use crate::target::resolve_now;

/// Silence after which readers are sent a comment: proxies keep the connection, and a reader that has disconnected is
/// noticed.
const BEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Minimum pause between two reads of a top, whatever the kind allows.
const READ_INTERVAL_MIN: Duration = Duration::from_millis(20);

/// A reader's subscription to a feed.
pub(super) struct Subscription {
    pub(super) signals: watch::Receiver<Signal>,
    pub(super) reader: FeedReader,
    pub(super) permit: OwnedSemaphorePermit,
}

/// Subscribes to a feed, and starts it if it is not running. The frame that the reader finds has all entries that it is
/// to be sent.
pub(super) async fn subscribe(
    app: &Arc<App>,
    watched: &Watched,
    reader: NewReader,
) -> Result<Subscription, Problem> {
    let permit = app.feeds.permit()?;
    let feed = Feed {
        app: app.clone(),
        watched: watched.clone(),
    };
    let entered = match app.feeds.enter(watched, reader)? {
        Some(entered) => entered,
        None => feed.clone().start(reader).await?,
    };
    feed.widen(&entered.feed, reader.n).await?;
    Ok(Subscription {
        signals: entered.signals,
        reader: entered.reader,
        permit,
    })
}

/// A top, and the service that it is read through.
#[derive(Clone)]
struct Feed {
    app: Arc<App>,
    watched: Watched,
}

/// The result of a read.
struct FeedReading {
    /// `None` if the frame before shows the same.
    frame: Option<Arc<Frame>>,
    last: LastRead,
}

/// Why a read has no result.
#[derive(Debug)]
enum FeedError {
    /// The kind was being replaced: the next read uses the new one.
    KindChanged(ReadError),
    Failed(Problem),
    /// All streams together would hold too much.
    ShareFull(Problem),
}

impl From<ReadError> for FeedError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::KindChanged => Self::KindChanged(error),
            ReadError::Overloaded(_) | ReadError::Unavailable(_) | ReadError::WindowGone => {
                Self::Failed(error.into())
            }
        }
    }
}

impl From<Problem> for FeedError {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl From<FeedError> for Problem {
    fn from(error: FeedError) -> Self {
        match error {
            FeedError::KindChanged(error) => error.into(),
            FeedError::Failed(problem) | FeedError::ShareFull(problem) => problem,
        }
    }
}

impl Feed {
    /// Reads the top for its first reader, and runs the feed.
    async fn start(self, reader: NewReader) -> Result<Entered, Problem> {
        let FeedReading { frame, last } = self.read(reader.n, None).await?;
        let frame = frame.expect("the first read always has a frame");
        let feeds = &self.app.feeds;
        if feeds.is_closed() {
            let detail = "the server is stopping";
            return Err(Problem::new(ProblemType::Unavailable, detail));
        }
        let (entered, slot) = feeds.add(&self.watched, reader, (frame, last))?;
        if let Some(slot) = slot {
            let time = feeds.time.clone();
            tokio::spawn(async move { time.within(self.serve(slot)).await });
        }
        Ok(entered)
    }

    /// Runs the feed until it has ended or has no readers.
    async fn serve(&self, slot: FeedSlot) {
        let feeds = &self.app.feeds;
        loop {
            tokio::select! {
                () = self.run(&slot.feed) => {}
                () = feeds.closed() => {}
            }
            if feeds.remove(&slot) {
                return;
            }
        }
    }

    /// Sends the feed a frame with `n` entries, for a new reader, if its frame has fewer. If that fails, the feed goes
    /// on for the others.
    async fn widen(&self, feed: &RunningFeed, n: usize) -> Result<(), Problem> {
        if feed.is_wide(n) {
            return Ok(());
        }
        let mut last = feed.last.lock().await;
        if feed.is_wide(n) {
            return Ok(());
        }
        let before = feed.signals.borrow().frame.clone();
        let reading = self.read(n, Some(&before)).await?;
        *last = reading.last;
        if let Some(frame) = reading.frame {
            feed.signals.send_modify(|signal| signal.frame = frame);
        }
        Ok(())
    }

    /// Reads the first `width` entries of the top.
    async fn read(&self, width: usize, before: Option<&Frame>) -> Result<FeedReading, FeedError> {
        let Watched {
            board,
            window,
            profiles,
        } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_now(&self.app, kind, *window)?;
        let top = self.app.merger.top(board, kind, window.window, false);
        let mut view = top.await?;
        if *profiles {
            let top = self.app.profiled(&known, view, window.window, width);
            view = top.await?;
        }
        let share = &self.app.memory.streams;
        let frame = Frame::of(board, &window, &view, width, before, share);
        let frame = frame.map_err(FeedError::ShareFull)?;
        if frame.is_some() {
            self.app.metrics.streams.renders.inc();
        }
        Ok(FeedReading {
            frame,
            last: LastRead {
                as_of: view.snapshot.as_of,
                interval: read_interval(kind),
            },
        })
    }

    /// Returns the last frame as stale, for use while the store is unavailable; `None` if another window has begun
    /// since.
    fn stale(
        &self,
        last: LastRead,
        kind: &Kind,
        before: &Frame,
    ) -> Result<Option<Arc<Frame>>, Problem> {
        let window = resolve_now(&self.app, kind, self.watched.window);
        match window {
            Ok(window) if window.window == before.window() => before.stale(&window, last.as_of),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Reads the top again and again, and sends readers what is new, until there are no readers, or nothing more can
    /// come.
    async fn run(&self, feed: &RunningFeed) {
        let signals = &feed.signals;
        let usual = feed.last.lock().await.interval;
        let mut beat_at = Instant::now() + BEAT_INTERVAL;
        let mut read_at = Instant::now() + self.app.feeds.time.interval(usual);
        let mut shown_members = self.app.shown_members.subscribe();
        loop {
            tokio::select! {
                () = signals.closed() => return,
                () = sleep_until(beat_at) => {
                    signals.send_modify(|signal| signal.beats += 1);
                    beat_at = Instant::now() + BEAT_INTERVAL;
                    continue;
                }
                () = sleep_until(read_at) => {}
                // The sender is in `app`.
                _ = shown_members.changed() => {}
            }
            let mut last = feed.last.lock().await;
            let frame = self.read_again(feed, &mut last).await;
            read_at = Instant::now() + self.app.feeds.time.interval(last.interval);
            match frame {
                Ok(None) => {}
                Ok(Some(frame)) => {
                    signals.send_modify(|signal| signal.frame = frame);
                    beat_at = Instant::now() + BEAT_INTERVAL;
                }
                Err(problem) => {
                    let end = event_aside("problem", &problem.json());
                    signals.send_modify(|signal| signal.end = Some(end));
                    return;
                }
            }
        }
    }

    /// Returns the next frame, if there is anything new, or the problem that ends the feed.
    async fn read_again(
        &self,
        feed: &RunningFeed,
        last: &mut LastRead,
    ) -> Result<Option<Arc<Frame>>, Problem> {
        let before = feed.signals.borrow().frame.clone();
        // Only new readers widen it: if there is no memory for that, the others are not to end.
        let width = feed.readers.width().clamp(1, before.width());
        match self.read(width, Some(&before)).await {
            Ok(reading) => {
                *last = reading.last;
                Ok(reading.frame)
            }
            // A stale frame would show the old kind's board by the new kind's calendar.
            Err(FeedError::KindChanged(_)) => Ok(None),
            Err(FeedError::Failed(problem)) if is_temporary(&problem) => {
                let kind = self.watched.board.kind().as_str();
                let known = self.app.router.catalogue().known(kind);
                known.map_or(Ok(None), |known| self.stale(*last, &known.kind, &before))
            }
            Err(FeedError::Failed(problem) | FeedError::ShareFull(problem)) => Err(problem),
        }
    }
}

/// Whether the next read may succeed.
fn is_temporary(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemType::Overloaded | ProblemType::Unavailable | ProblemType::Unknown
    )
}

fn read_interval(kind: &Kind) -> Duration {
    kind.max_staleness().max(READ_INTERVAL_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_kind_is_not_an_unavailable_store() {
        assert!(matches!(
            FeedError::from(ReadError::KindChanged),
            FeedError::KindChanged(_)
        ));
        let away = FeedError::from(ReadError::Unavailable("gone".to_owned()));
        assert!(matches!(&away, FeedError::Failed(problem) if is_temporary(problem)));
        let over = FeedError::from(ReadError::WindowGone);
        assert!(matches!(&over, FeedError::Failed(problem) if !is_temporary(problem)));
    }
}
