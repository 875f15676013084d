//! [`Feeds`]: which feeds a server has, and how many readers they may have.
//!
//! A feed reads one top for all its readers (`stream` runs it). Each change of the top becomes a
//! [`Frame`], which is the [`Signal`] to the readers; `moves` has what has moved between two frames.

pub(crate) mod frame;
mod moves;
#[cfg(test)]
pub(crate) mod written;

use std::collections::HashMap;
use std::sync::Arc;

use board::{BoardName, WindowSelector};
use bytes::Bytes;
use parking_lot::Mutex;
use problem::{Problem, ProblemType};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use self::frame::Frame;

/// Streams open at once; further ones are refused.
const STREAMS_MAX: usize = 12_288;

/// Feeds at once: each board, window and `n` has one, with or without profiles.
const FEEDS_MAX: usize = 4_096;

/// Concurrent reads of members' own positions. Further ones wait: many watched members delay their events, but do not
/// slow down the store.
const POSITION_READS_MAX: usize = 64;

/// What a feed reads: the first `n` of a window. The current window of a period follows the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Watched {
    pub(crate) board: BoardName,
    pub(crate) window: WindowSelector,
    pub(crate) n: usize,
    /// Whether entries have profiles.
    pub(crate) profiles: bool,
}

/// What readers are sent. A slow reader finds the newest one, and none of those before.
#[derive(Debug, Clone)]
pub(crate) struct Signal {
    pub(crate) frame: Arc<Frame>,
    /// Comments sent so far.
    pub(crate) beats: u64,
    /// The last event, when the feed has ended.
    pub(crate) end: Option<Bytes>,
}

/// The running feeds, by what they read.
type Running = Mutex<HashMap<Watched, watch::Sender<Signal>>>;

/// All feeds of a server.
pub(crate) struct Feeds {
    running: Arc<Running>,
    streams: Arc<Semaphore>,
    position_reads: Semaphore,
    closed: watch::Sender<bool>,
}

/// The result of adding a feed.
pub(crate) enum Added {
    New(FeedSlot),
    /// Another request has added it first.
    Existing(watch::Receiver<Signal>),
}

/// The entry of a running feed. The feed's task owns it: if the task panics, the entry is removed, the streams of its
/// readers end, and later readers get a new feed.
pub(crate) struct FeedSlot {
    running: Arc<Running>,
    watched: Watched,
    pub(crate) signals: watch::Sender<Signal>,
}

impl Drop for FeedSlot {
    fn drop(&mut self) {
        let mut feeds = self.running.lock();
        let known = feeds.get(&self.watched);
        // A later feed of the same top may have been added since this one was removed.
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
            position_reads: Semaphore::new(POSITION_READS_MAX),
            closed: watch::Sender::new(false),
        }
    }
}

impl Feeds {
    /// Returns the number of open streams.
    pub(crate) fn streams(&self) -> usize {
        STREAMS_MAX - self.streams.available_permits()
    }

    /// Returns the number of running feeds.
    pub(crate) fn len(&self) -> usize {
        self.running.lock().len()
    }

    /// Ends all streams, and opens no more.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    pub(crate) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits until the streams are to end.
    pub(crate) async fn closed(&self) {
        // The only error is a dropped sender, and `self` owns it.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(crate) const fn position_reads(&self) -> &Semaphore {
        &self.position_reads
    }

    /// Acquires the permit of one stream.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let permit = self.streams.clone().try_acquire_owned();
        permit.map_err(|_| {
            let detail = format!("{STREAMS_MAX} streams are open, as many as there may be");
            Problem::new(ProblemType::Overloaded, detail)
        })
    }

    /// Subscribes to a feed, if it is running.
    pub(crate) fn subscribe(&self, watched: &Watched) -> Option<watch::Receiver<Signal>> {
        self.running
            .lock()
            .get(watched)
            .map(watch::Sender::subscribe)
    }

    /// Adds a feed, unless it is running already, or there are too many.
    pub(crate) fn add(
        &self,
        watched: &Watched,
        signals: watch::Sender<Signal>,
    ) -> Result<Added, Problem> {
        let mut feeds = self.running.lock();
        if let Some(running) = feeds.get(watched) {
            return Ok(Added::Existing(running.subscribe()));
        }
        if feeds.len() >= FEEDS_MAX {
            let detail = format!("{FEEDS_MAX} tops are streamed, as many as there may be");
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        feeds.insert(watched.clone(), signals.clone());
        Ok(Added::New(FeedSlot {
            running: self.running.clone(),
            watched: watched.clone(),
            signals,
        }))
    }

    /// Removes a feed that has ended or has no readers. Returns `false` if it has readers again.
    pub(crate) fn remove(&self, slot: &FeedSlot) -> bool {
        let mut feeds = self.running.lock();
        let has_ended = self.is_closed() || slot.signals.borrow().end.is_some();
        if !has_ended && !slot.signals.is_closed() {
            return false;
        }
        feeds.remove(&slot.watched);
        true
    }
}

#[cfg(test)]
mod tests {
    use board::Window;

    use super::*;

    fn watched() -> Watched {
        Watched {
            board: "gifts/a".parse().unwrap(),
            window: WindowSelector::Named(Window::ALL_TIME),
            n: 10,
            profiles: false,
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
        let Ok(Added::New(slot)) = feeds.add(&watched(), signals()) else {
            panic!("it was running");
        };
        slot
    }

    #[tokio::test]
    async fn a_feed_whose_task_panics_ends_for_its_readers() {
        let feeds = Feeds::default();
        let slot = first(&feeds);
        let mut reader = feeds.subscribe(&watched()).unwrap();
        assert!(matches!(
            feeds.add(&watched(), signals()),
            Ok(Added::Existing(_))
        ));
        let task = tokio::spawn(async move {
            let _slot = slot;
            panic!("a read panics");
        });
        assert!(task.await.unwrap_err().is_panic());
        assert!(reader.changed().await.is_err(), "nothing is sent to it");
        assert_eq!(feeds.len(), 0);
        drop(first(&feeds));
    }

    #[test]
    fn dropping_a_removed_feed_does_not_remove_the_next_one() {
        let feeds = Feeds::default();
        let slot = first(&feeds);
        assert!(feeds.remove(&slot), "it has no readers");
        let next = first(&feeds);
        drop(slot);
        assert_eq!(feeds.len(), 1);
        assert!(feeds.subscribe(&watched()).is_some());
        drop(next);
        assert_eq!(feeds.len(), 0);
    }
}
