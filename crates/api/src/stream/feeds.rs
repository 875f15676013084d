//! The feeds there are, and who may watch them.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::feed::{Feed, Signal, Watched};
use crate::app::App;
use crate::problem::{Problem, ProblemType};

/// Streams open at once; further ones are refused.
pub(crate) const STREAMS_MAX: usize = 12_288;

/// Tops that are looked at for streams at once: each board, window and `n` is one.
const FEEDS_MAX: usize = 4_096;

/// Reads of members' own places under way at once; further ones wait, so that many watched members
/// make their events later, not the store slower.
const PLACES_AT_ONCE_MAX: usize = 64;

/// All feeds of a server.
pub(crate) struct Feeds {
    running: Mutex<HashMap<Watched, watch::Sender<Signal>>>,
    streams: Arc<Semaphore>,
    places: Semaphore,
    closed: watch::Sender<bool>,
}

/// A seat at a feed.
pub(super) struct Seat {
    pub(super) signals: watch::Receiver<Signal>,
    /// One of so many.
    pub(super) permit: OwnedSemaphorePermit,
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            running: Mutex::default(),
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
        {
            let mut feeds = self.running.lock();
            if let Some(begun) = feeds.get(watched) {
                // Somebody else was faster.
                return Ok(begun.subscribe());
            }
            if feeds.len() >= FEEDS_MAX {
                let detail = format!("{FEEDS_MAX} tops are streamed, as many as there may be");
                return Err(Problem::new(ProblemType::Overloaded, detail));
            }
            feeds.insert(watched.clone(), signals.clone());
        }
        tokio::spawn(async move {
            let app = feed.app.clone();
            let watched = feed.watched.clone();
            let mut closed = app.feeds.closed.subscribe();
            loop {
                tokio::select! {
                    () = feed.run(&signals, &mut sight) => {}
                    _ = closed.wait_for(|closed| *closed) => {}
                }
                if app.feeds.let_go(&watched, &signals) {
                    return;
                }
            }
        });
        Ok(receiver)
    }

    /// Lets go of a feed that has ended, or that nobody watches: whether nobody has come meanwhile.
    fn let_go(&self, watched: &Watched, signals: &watch::Sender<Signal>) -> bool {
        let mut feeds = self.running.lock();
        let is_over = *self.closed.borrow() || signals.borrow().end.is_some();
        if !is_over && !signals.is_closed() {
            return false;
        }
        feeds.remove(watched);
        true
    }
}
