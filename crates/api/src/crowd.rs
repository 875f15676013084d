//! Places for connections, and what becomes of those for which there is none.
//!
//! A connection waits for a place for a while; once none has been free for that long, further ones
//! are ended at once, so that nobody waits in a line that does not move.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Places for connections.
#[derive(Debug)]
pub(crate) struct Crowd {
    places: Arc<Semaphore>,
    wait: Duration,
    full_since: Option<Instant>,
}

/// The place of one connection; free again when this is dropped.
pub(crate) type Place = OwnedSemaphorePermit;

impl Crowd {
    pub(crate) fn new(places: usize, wait: Duration) -> Self {
        Self {
            places: Arc::new(Semaphore::new(places)),
            wait,
            full_since: None,
        }
    }

    /// A place, where one is free before it has been too long.
    pub(crate) async fn place(&mut self) -> Option<Place> {
        let places = self.places.clone();
        if let Ok(place) = places.clone().try_acquire_owned() {
            self.full_since = None;
            return Some(place);
        }
        let since = *self.full_since.get_or_insert_with(|| {
            tracing::warn!("all places for connections are taken");
            Instant::now()
        });
        // The semaphore is never closed.
        let place = timeout_at(since + self.wait, places.acquire_owned()).await;
        let place = place.ok()?.ok()?;
        self.full_since = None;
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAIT: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_line_is_let_go_once_it_has_stood_too_long() {
        let mut crowd = Crowd::new(1, WAIT);
        let first = crowd.place().await;
        assert!(first.is_some());
        let began = Instant::now();
        for _ in 0..1000 {
            assert!(crowd.place().await.is_none());
        }
        // All of them together, not each.
        assert_eq!(began.elapsed(), WAIT);
        drop(first);
        let second = crowd.place().await;
        assert!(second.is_some());
        assert!(crowd.place().await.is_none());
        assert_eq!(began.elapsed(), 2 * WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_gets_the_place_that_comes_free() {
        let mut crowd = Crowd::new(1, WAIT);
        let first = crowd.place().await;
        let leaves = async {
            tokio::time::sleep(WAIT / 2).await;
            drop(first);
        };
        let (second, ()) = tokio::join!(crowd.place(), leaves);
        assert!(second.is_some());
    }
}
