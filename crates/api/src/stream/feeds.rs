//! The feeds there are, and how many readers they may have.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use problem::{Problem, ProblemType};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::feed::{Feed, Signal, Watched};
use crate::app::App;

/// Streams open at once; further ones are refused.
pub(crate) const STREAMS_MAX: usize = 12_288;

/// Tops that are looked at for streams at once: each board, window and `n` is one.
const FEEDS_MAX: usize = 4_096;

/// Reads of members' own places under way at once; further ones wait, so that many watched members
/// make their events later, not the store slower.
const PLACES_AT_ONCE_MAX: usize = 64;

/// Feeds by what they watch.
type Running = Mutex<HashMap<Watched, watch::Sender<Signal>>>;

/// All feeds of a server.
pub(crate) struct Feeds {
    running: Arc<Running>,
    streams: Arc<Semaphore>,
    places: Semaphore,
    closed: watch::Sender<bool>,
}

/// Who wanted to begin a feed.
enum Entered {
    First(FeedSlot),
    /// Another request was faster.
    Begun(watch::Receiver<Signal>),
}

/// A seat at a feed.
pub(super) struct Seat {
    pub(super) signals: watch::Receiver<Signal>,
    /// One of so many.
    pub(super) permit: OwnedSemaphorePermit,
}

/// A feed's place among those that run. It goes with the task that looks: were that to break off, its
/// readers would find an end, and later readers a feed of their own.
struct FeedSlot {
    running: Arc<Running>,
    watched: Watched,
    signals: watch::Sender<Signal>,
}

impl Drop for FeedSlot {
    fn drop(&mut self) {
        let mut feeds = self.running.lock();
        let known = feeds.get(&self.watched);
        // Another one of the same may have begun since this one was let go.
        if known.is_some_and(|known| known.same_channel(&self.signals)) {
            feeds.remove(&self.watched);
        }
    }
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            running: Arc::default(),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            places: Semaphore::new(PLACES_AT_ONCE_MAX),
            closed: watch::Sender::new(false),
        }
    }
}

impl Feeds {
    /// Streams that are open.
    pub(crate) fn streams(&self) -> usize {
        STREAMS_MAX - self.streams.available_permits()
    }

    /// Tops that are looked at for them.
    pub(crate) fn len(&self) -> usize {
        self.running.lock().len()
    }

    /// Ends all streams, and opens no more.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Ready once all streams are to end.
    pub(super) async fn closed(&self) {
        // The sender lives as long as this: there is no other error.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(super) const fn places(&self) -> &Semaphore {
        &self.places
    }

    /// A seat at the feed of what is watched, which begins with the first of them.
    pub(super) async fn seat(&self, app: &Arc<App>, watched: &Watched) -> Result<Seat, Problem> {
        let permit = self.streams.clone().try_acquire_owned();
        let permit = permit.map_err(|_| {
            let detail = format!("{STREAMS_MAX} streams are open, as many as there may be");
            Problem::new(ProblemType::Overloaded, detail)
        })?;
        let signals = match self.at_hand(watched) {
            Some(signals) => signals,
            None => self.begin(app, watched).await?,
        };
        Ok(Seat { signals, permit })
    }

    fn at_hand(&self, watched: &Watched) -> Option<watch::Receiver<Signal>> {
        self.running
            .lock()
            .get(watched)
            .map(watch::Sender::subscribe)
    }

    async fn begin(
        &self,
        app: &Arc<App>,
        watched: &Watched,
    ) -> Result<watch::Receiver<Signal>, Problem> {
        let feed = Feed {
            app: app.clone(),
            watched: watched.clone(),
        };
        let mut sight = feed.look(None).await?;
        let frame = sight.frame.take();
        let frame = frame.expect("the first look always has something to show");
        if *self.closed.borrow() {
            let detail = "the server is stopping";
            return Err(Problem::new(ProblemType::Unavailable, detail));
        }
        let (signals, receiver) = watch::channel(Signal {
            frame,
            beats: 0,
            end: None,
        });
        let entry = match self.enter(watched, signals)? {
            Entered::First(entry) => entry,
            Entered::Begun(receiver) => return Ok(receiver),
        };
        tokio::spawn(async move {
            let app = feed.app.clone();
            let mut closed = app.feeds.closed.subscribe();
            loop {
                tokio::select! {
                    () = feed.run(&entry.signals, &mut sight) => {}
                    _ = closed.wait_for(|closed| *closed) => {}
                }
                if app.feeds.let_go(&entry) {
                    return;
                }
            }
        });
        Ok(receiver)
    }

    /// Enters a feed, where there is none of the same and not too many.
    fn enter(&self, watched: &Watched, signals: watch::Sender<Signal>) -> Result<Entered, Problem> {
        let mut feeds = self.running.lock();
        if let Some(begun) = feeds.get(watched) {
            return Ok(Entered::Begun(begun.subscribe()));
        }
        if feeds.len() >= FEEDS_MAX {
            let detail = format!("{FEEDS_MAX} tops are streamed, as many as there may be");
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        feeds.insert(watched.clone(), signals.clone());
        Ok(Entered::First(FeedSlot {
            running: self.running.clone(),
            watched: watched.clone(),
            signals,
        }))
    }

    /// Lets go of a feed that has ended, or that nobody watches: whether nobody has come meanwhile.
    fn let_go(&self, entry: &FeedSlot) -> bool {
        let mut feeds = self.running.lock();
        let is_over = *self.closed.borrow() || entry.signals.borrow().end.is_some();
        if !is_over && !entry.signals.is_closed() {
            return false;
        }
        feeds.remove(&entry.watched);
        true
    }
}

#[cfg(test)]
mod tests {
    use board::{Window, WindowSelector};

    use super::super::frame::Frame;
    use super::*;

    fn watched() -> Watched {
        Watched {
            board: "gifts/a".parse().unwrap(),
            window: WindowSelector::Named(Window::ALL_TIME),
            n: 10,
        }
    }

    fn signals() -> watch::Sender<Signal> {
        watch::Sender::new(Signal {
            frame: Arc::new(Frame::bare(1, "board", None)),
            beats: 0,
            end: None,
        })
    }

    fn first(feeds: &Feeds) -> FeedSlot {
        let Ok(Entered::First(entry)) = feeds.enter(&watched(), signals()) else {
            panic!("there was one");
        };
        entry
    }

    #[tokio::test]
    async fn a_feed_whose_task_breaks_off_ends_for_its_readers() {
        let feeds = Feeds::default();
        let entry = first(&feeds);
        let mut reader = feeds.at_hand(&watched()).unwrap();
        assert!(matches!(
            feeds.enter(&watched(), signals()),
            Ok(Entered::Begun(_))
        ));
        let task = tokio::spawn(async move {
            let _entry = entry;
            panic!("a look breaks off");
        });
        assert!(task.await.unwrap_err().is_panic());
        assert!(reader.changed().await.is_err(), "nothing is sent to it");
        assert_eq!(feeds.len(), 0);
        drop(first(&feeds));
    }

    #[test]
    fn a_feed_that_was_let_go_leaves_the_next_one_alone() {
        let feeds = Feeds::default();
        let entry = first(&feeds);
        assert!(feeds.let_go(&entry), "nobody watches it");
        let next = first(&feeds);
        drop(entry);
        assert_eq!(feeds.len(), 1);
        assert!(feeds.at_hand(&watched()).is_some());
        drop(next);
        assert_eq!(feeds.len(), 0);
    }
}
