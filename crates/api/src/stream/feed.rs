//! One top that is read for all its readers.

use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Kind, Timestamp, WindowSelector};
use bytes::Bytes;
use merger::ReadError;
use problem::{Problem, ProblemType};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::frame::{Frame, event_aside};
use crate::app::App;
use crate::routes::form;
use crate::target::resolve_now;

/// Silence after which readers are sent a comment: proxies in between keep the connection, and a
/// reader who has gone is found out.
const BEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Pause between two looks at least, whatever the kind allows.
const LOOK_INTERVAL_MIN: Duration = Duration::from_millis(20);

/// What is watched: the first `n` of a window. The current one of a period rolls on with the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Watched {
    pub(crate) board: BoardName,
    pub(crate) window: WindowSelector,
    pub(crate) n: usize,
}

/// What readers are sent. A slow reader finds the last one here, and none of those before.
#[derive(Debug, Clone)]
pub(super) struct Signal {
    pub(super) frame: Arc<Frame>,
    /// Comments sent so far.
    pub(super) beats: u64,
    /// Why there is nothing more to come.
    pub(super) end: Option<Bytes>,
}

/// What keeps one top in sight.
pub(super) struct Feed {
    pub(super) app: Arc<App>,
    pub(super) watched: Watched,
}

/// What was seen, and what it was seen by.
pub(super) struct Sight {
    pub(super) frame: Option<Arc<Frame>>,
    as_of: Timestamp,
    look_interval: Duration,
}

/// Why a look saw nothing.
#[derive(Debug)]
pub(super) enum LookError {
    /// Another kind was taking the place of the one that was looked by: the next look is by that.
    KindChanged(ReadError),
    Failed(Problem),
    /// What it saw is more than all streams may hold.
    PoolFull(Problem),
}

impl From<ReadError> for LookError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::KindChanged => Self::KindChanged(error),
            ReadError::Overloaded(_) | ReadError::Unavailable(_) | ReadError::WindowGone => {
                Self::Failed(error.into())
            }
        }
    }
}

impl From<Problem> for LookError {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl From<LookError> for Problem {
    fn from(error: LookError) -> Self {
        match error {
            LookError::KindChanged(error) => error.into(),
            LookError::Failed(problem) | LookError::PoolFull(problem) => problem,
        }
    }
}

impl Feed {
    /// A look; no frame where it shows what the one before it showed.
    pub(super) async fn look(&self, before: Option<&Frame>) -> Result<Sight, LookError> {
        let Watched { board, window, n } = &self.watched;
        let known = self.app.kind(board.kind().as_str()).await?;
        let kind = &known.kind;
        let window = resolve_now(&self.app, kind, *window)?;
        let top = self.app.merger.top(board, kind, window.window, false);
        let view = top.await?;
        let form = form(&window, &view, *n);
        let pool = &self.app.pools.streams;
        let frame = Frame::of(board, &window, &view, form, before, pool);
        Ok(Sight {
            frame: frame.map_err(LookError::PoolFull)?,
            as_of: view.snapshot.as_of,
            look_interval: look_interval(kind),
        })
    }

    /// The last board there is, as stale, since the store is away; none of a window that has
    /// begun since.
    fn look_again(
        &self,
        known: &Sight,
        kind: &Kind,
        before: &Frame,
    ) -> Result<Option<Arc<Frame>>, Problem> {
        let window = resolve_now(&self.app, kind, self.watched.window);
        match window {
            Ok(window) if window.window == before.window() => before.stale(&window, known.as_of),
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Looks again and again, and sends readers what is new, until the last of them has gone or there
    /// is nothing more to see.
    pub(super) async fn run(&self, signals: &watch::Sender<Signal>, sight: &mut Sight) {
        let mut beat_at = Instant::now() + BEAT_INTERVAL;
        let mut look_at = Instant::now() + sight.look_interval;
        loop {
            tokio::select! {
                () = signals.closed() => return,
                () = sleep_until(beat_at) => {
                    signals.send_modify(|signal| signal.beats += 1);
                    beat_at = Instant::now() + BEAT_INTERVAL;
                    continue;
                }
                () = sleep_until(look_at) => {}
            }
            let before = signals.borrow().frame.clone();
            let looked = self.look(Some(&before)).await;
            look_at = Instant::now() + sight.look_interval;
            let frame = match looked {
                Ok(seen) => {
                    *sight = seen;
                    Ok(sight.frame.take())
                }
                // Who still has the old one's board would be shown it by the new one's calendar.
                Err(LookError::KindChanged(_)) => Ok(None),
                Err(LookError::Failed(problem)) if is_passing(&problem) => {
                    let kind = self.watched.board.kind().as_str();
                    let known = self.app.router.catalogue().known(kind);
                    known.map_or(Ok(None), |known| {
                        self.look_again(sight, &known.kind, &before)
                    })
                }
                Err(LookError::Failed(problem) | LookError::PoolFull(problem)) => Err(problem),
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

/// Whether another look may find what this one did not.
fn is_passing(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemType::Overloaded | ProblemType::Unavailable | ProblemType::Unknown
    )
}

fn look_interval(kind: &Kind) -> Duration {
    kind.max_staleness().max(LOOK_INTERVAL_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_changes_is_no_store_that_is_away() {
        assert!(matches!(
            LookError::from(ReadError::KindChanged),
            LookError::KindChanged(_)
        ));
        let away = LookError::from(ReadError::Unavailable("gone".to_owned()));
        assert!(matches!(&away, LookError::Failed(problem) if is_passing(problem)));
        let over = LookError::from(ReadError::WindowGone);
        assert!(matches!(&over, LookError::Failed(problem) if !is_passing(problem)));
    }
}
