//! [`Feed`]: reads one top for all its readers.

use std::sync::Arc;
use std::time::Duration;

use board::{Kind, Timestamp};
use merger::ReadError;
use problem::{Problem, ProblemType};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::feeds::frame::{Frame, event_aside};
use crate::feeds::{Added, Signal, Watched};
use crate::target::resolve_now;

/// Silence after which readers are sent a comment: proxies keep the connection, and a reader that has disconnected is
/// noticed.
const BEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Minimum pause between two reads of a top, whatever the kind allows.
const READ_INTERVAL_MIN: Duration = Duration::from_millis(20);

/// A reader's subscription to a feed.
pub(super) struct Subscription {
    pub(super) signals: watch::Receiver<Signal>,
    pub(super) permit: OwnedSemaphorePermit,
}

/// Subscribes to a feed, and starts it if it is not running.
pub(super) async fn subscribe(app: &Arc<App>, watched: &Watched) -> Result<Subscription, Problem> {
    let permit = app.feeds.permit()?;
    let signals = match app.feeds.subscribe(watched) {
        Some(signals) => signals,
        None => start(app, watched).await?,
    };
    Ok(Subscription { signals, permit })
}

async fn start(app: &Arc<App>, watched: &Watched) -> Result<watch::Receiver<Signal>, Problem> {
    let feed = Feed {
        app: app.clone(),
        watched: watched.clone(),
    };
    let mut last = feed.read(None).await?;
    let frame = last.frame.take();
    let frame = frame.expect("the first read always has a frame");
    if app.feeds.is_closed() {
        let detail = "the server is stopping";
        return Err(Problem::new(ProblemType::Unavailable, detail));
    }
    let (signals, receiver) = watch::channel(Signal {
        frame,
        beats: 0,
        end: None,
    });
    let slot = match app.feeds.add(watched, signals)? {
        Added::New(slot) => slot,
        Added::Existing(receiver) => return Ok(receiver),
    };
    tokio::spawn(async move {
        let feeds = &feed.app.feeds;
        loop {
            tokio::select! {
                () = feed.run(&slot.signals, &mut last) => {}
                () = feeds.closed() => {}
            }
            if feeds.remove(&slot) {
                return;
            }
        }
    });
    Ok(receiver)
}

/// A top, and the service that it is read through.
struct Feed {
    app: Arc<App>,
    watched: Watched,
}

/// The result of a read.
struct FeedReading {
    /// `None` if the frame before shows the same.
    frame: Option<Arc<Frame>>,
    as_of: Timestamp,
    /// The pause until the next read.
    interval: Duration,
}

/// Why a read has no result.
#[derive(Debug)]
enum FeedError {
    /// The kind was being replaced: the next read uses the new one.
    KindChanged(ReadError),
    Failed(Problem),
    /// All streams together would hold too much.
    PoolFull(Problem),
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
            FeedError::Failed(problem) | FeedError::PoolFull(problem) => problem,
        }
    }
}

impl Feed {
    /// Reads the top.
    async fn read(&self, before: Option<&Frame>) -> Result<FeedReading, FeedError> {
        let Watched {
            board,
            window,
            n,
            profiles,
        } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_now(&self.app, kind, *window)?;
        let top = self.app.merger.top(board, kind, window.window, false);
        let mut view = top.await?;
        if *profiles {
            let top = self.app.profiled(&known, view, window.window, *n);
            view = top.await?;
        }
        let form = window.form(&view, *n);
        let pool = &self.app.pools.streams;
        let frame = Frame::of(board, &window, &view, form, before, pool);
        Ok(FeedReading {
            frame: frame.map_err(FeedError::PoolFull)?,
            as_of: view.snapshot.as_of,
            interval: read_interval(kind),
        })
    }

    /// Returns the last frame as stale, for use while the store is unavailable; `None` if another window has begun
    /// since.
    fn stale(
        &self,
        last: &FeedReading,
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
    async fn run(&self, signals: &watch::Sender<Signal>, last: &mut FeedReading) {
        let mut beat_at = Instant::now() + BEAT_INTERVAL;
        let mut read_at = Instant::now() + last.interval;
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
            let before = signals.borrow().frame.clone();
            let reading = self.read(Some(&before)).await;
            read_at = Instant::now() + last.interval;
            let frame = match reading {
                Ok(reading) => {
                    *last = reading;
                    Ok(last.frame.take())
                }
                // A stale frame would show the old kind's board by the new kind's calendar.
                Err(FeedError::KindChanged(_)) => Ok(None),
                Err(FeedError::Failed(problem)) if is_temporary(&problem) => {
                    let kind = self.watched.board.kind().as_str();
                    let known = self.app.router.catalogue().known(kind);
                    known.map_or(Ok(None), |known| self.stale(last, &known.kind, &before))
                }
                Err(FeedError::Failed(problem) | FeedError::PoolFull(problem)) => Err(problem),
            };
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
