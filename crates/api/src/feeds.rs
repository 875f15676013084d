//! [`Feeds`]: which feeds a server has, and how many readers they may have.
//!
//! A feed reads one top for all its readers (`stream` runs it), however many entries each is sent
//! (`readers`). Each change of the top becomes a [`Frame`], which is the [`Signal`] to the readers;
//! `moves` has what has moved between two frames. All feeds share processor time (`time`).

pub(crate) mod frame;
mod moves;
mod readers;
mod time;
#[cfg(test)]
pub(crate) mod written;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use board::{BoardName, Timestamp, WindowSelector};
use bytes::Bytes;
use http_server::PerAddress;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use wire::problem::{Problem, ProblemType};

use self::frame::Frame;
pub(crate) use self::readers::FeedReader;
use self::readers::FeedReaders;
pub(crate) use self::time::StreamTime;

/// Streams open at once; further ones are refused.
const STREAMS_MAX: usize = 12_288;

/// Feeds at once: each board and window has one, with or without profiles.
const FEEDS_MAX: usize = 4_096;

/// Feeds that have readers of one address.
const FEEDS_PER_ADDRESS_MAX: usize = 1_024;

/// Concurrent reads of members' own positions. Further ones wait: many watched members delay their events, but do not
/// slow down the store.
const POSITION_READS_MAX: usize = 64;

/// What a feed reads: the top of a window. The current window of a period follows the calendar.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Watched {
    pub(crate) board: BoardName,
    pub(crate) window: WindowSelector,
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

/// What the task of a feed and the requests of its readers share.
pub(crate) struct RunningFeed {
    pub(crate) signals: watch::Sender<Signal>,
    pub(crate) readers: Arc<FeedReaders>,
    /// Held by whoever reads the top and sends what is new.
    pub(crate) last: tokio::sync::Mutex<LastRead>,
}

/// The last read of a feed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastRead {
    pub(crate) as_of: Timestamp,
    /// The pause until the next read.
    pub(crate) interval: Duration,
}

impl RunningFeed {
    /// Returns whether it has so many entries for a reader, or has ended.
    pub(crate) fn is_wide(&self, n: usize) -> bool {
        let signal = self.signals.borrow();
        signal.frame.width() >= n || signal.end.is_some()
    }
}

/// A reader to be added: how many entries it is sent, and its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewReader {
    pub(crate) n: usize,
    pub(crate) address: Option<IpAddr>,
}

/// A reader that was added to a feed. Its frame may not have enough entries yet.
pub(crate) struct Entered {
    pub(crate) feed: Arc<RunningFeed>,
    pub(crate) signals: watch::Receiver<Signal>,
    pub(crate) reader: FeedReader,
}

/// The running feeds, by what they read.
type Running = Mutex<HashMap<Watched, Arc<RunningFeed>>>;

/// All feeds of a server.
pub(crate) struct Feeds {
    running: Arc<Running>,
    of_addresses: PerAddress,
    pub(crate) time: Arc<StreamTime>,
    streams: Arc<Semaphore>,
    position_reads: Semaphore,
    closed: watch::Sender<bool>,
}

/// The entry of a running feed. The feed's task owns it: if the task panics, the entry is removed, the streams of its
/// readers end, and later readers get a new feed.
pub(crate) struct FeedSlot {
    running: Arc<Running>,
    watched: Watched,
    pub(crate) feed: Arc<RunningFeed>,
}

impl Drop for FeedSlot {
    fn drop(&mut self) {
        let mut feeds = self.running.lock();
        let known = feeds.get(&self.watched);
        // A later feed of the same top may have been added since this one was removed.
        if known.is_some_and(|known| Arc::ptr_eq(known, &self.feed)) {
            feeds.remove(&self.watched);
        }
    }
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            running: Arc::default(),
            of_addresses: PerAddress::up_to(FEEDS_PER_ADDRESS_MAX),
            time: Arc::default(),
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

    /// Adds a reader to a feed, if it is running and the address may have it.
    pub(crate) fn enter(
        &self,
        watched: &Watched,
        reader: NewReader,
    ) -> Result<Option<Entered>, Problem> {
        let feeds = self.running.lock();
        let feed = feeds.get(watched);
        feed.map(|feed| self.enter_feed(feed, reader)).transpose()
    }

    fn enter_feed(&self, feed: &Arc<RunningFeed>, reader: NewReader) -> Result<Entered, Problem> {
        let NewReader { n, address } = reader;
        Ok(Entered {
            reader: feed.readers.enter(n, address, &self.of_addresses)?,
            signals: feed.signals.subscribe(),
            feed: feed.clone(),
        })
    }

    /// Adds a feed with its first reader, unless there are too many. If it is running already, because another request
    /// has added it first, only adds the reader.
    pub(crate) fn add(
        &self,
        watched: &Watched,
        reader: NewReader,
        (frame, last): (Arc<Frame>, LastRead),
    ) -> Result<(Entered, Option<FeedSlot>), Problem> {
        let mut feeds = self.running.lock();
        if let Some(feed) = feeds.get(watched) {
            return Ok((self.enter_feed(feed, reader)?, None));
        }
        if feeds.len() >= FEEDS_MAX {
            let detail = format!("{FEEDS_MAX} tops are streamed, as many as there may be");
            return Err(Problem::new(ProblemType::Overloaded, detail));
        }
        let signal = Signal {
            frame,
            beats: 0,
            end: None,
        };
        let feed = Arc::new(RunningFeed {
            signals: watch::Sender::new(signal),
            readers: Arc::default(),
            last: tokio::sync::Mutex::new(last),
        });
        let entered = self.enter_feed(&feed, reader)?;
        feeds.insert(watched.clone(), feed.clone());
        let slot = FeedSlot {
            running: self.running.clone(),
            watched: watched.clone(),
            feed,
        };
        Ok((entered, Some(slot)))
    }

    /// Removes a feed that has ended or has no readers. Returns `false` if it has readers again.
    pub(crate) fn remove(&self, slot: &FeedSlot) -> bool {
        let mut feeds = self.running.lock();
        let signals = &slot.feed.signals;
        let has_ended = self.is_closed() || signals.borrow().end.is_some();
        if !has_ended && !signals.is_closed() {
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

    const READER: NewReader = NewReader {
        n: 10,
        address: None,
    };

    fn watched() -> Watched {
        Watched {
            board: "gifts/a".parse().unwrap(),
            window: WindowSelector::Named(Window::ALL_TIME),
            profiles: false,
        }
    }

    fn add(feeds: &Feeds) -> (Entered, Option<FeedSlot>) {
        let last = LastRead {
            as_of: Timestamp::from_millis(0),
            interval: Duration::ZERO,
        };
        let frame = Arc::new(Frame::bare(1, "board", None));
        feeds.add(&watched(), READER, (frame, last)).unwrap()
    }

    #[tokio::test]
    async fn a_feed_whose_task_panics_ends_for_its_readers() {
        let feeds = Feeds::default();
        let (Entered { mut signals, .. }, slot) = add(&feeds);
        assert!(add(&feeds).1.is_none(), "it is running");
        let task = tokio::spawn(async move {
            let _slot = slot;
            panic!("a read panics");
        });
        assert!(task.await.unwrap_err().is_panic());
        assert!(signals.changed().await.is_err(), "nothing is sent to it");
        assert_eq!(feeds.len(), 0);
        assert!(add(&feeds).1.is_some());
    }

    #[test]
    fn dropping_a_removed_feed_does_not_remove_the_next_one() {
        let feeds = Feeds::default();
        let (entered, slot) = add(&feeds);
        let slot = slot.unwrap();
        assert!(!feeds.remove(&slot));
        drop(entered);
        assert!(feeds.remove(&slot), "it has no readers");
        let (_entered, next) = add(&feeds);
        drop(slot);
        assert_eq!(feeds.len(), 1);
        assert!(feeds.enter(&watched(), READER).unwrap().is_some());
        drop(next);
        assert_eq!(feeds.len(), 0);
    }
}
