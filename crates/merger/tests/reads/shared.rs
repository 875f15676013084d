//! A place in memory where servers share merged boards, which a test can lose and garble things in.
//!
//! Its clock is that of the test. What a real store does about time, retries and loss is not here.

use std::collections::HashMap;
use std::future::ready;
use std::time::Duration;

use board::{Incarnation, Window};
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use shard_store::{Lease, SharedBoards, SharedMergeResult, SharedTake, SharedTop, StoreError};
use tokio::time::Instant;

/// How long a lease is good for.
pub(crate) const LEASE: Duration = Duration::from_millis(500);

type Name = (Incarnation, Window, String);

#[derive(Default)]
struct Place {
    board: Option<Board>,
    lease: Option<(String, Instant)>,
}

struct Board {
    version: String,
    bytes: Bytes,
    began: Instant,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Trouble {
    #[default]
    Nothing,
    /// Every call fails.
    Away,
    /// What is published does not arrive, nor does the end of its lease.
    Loses,
    /// As `Loses`, and leases that are out never end.
    LosesForGood,
    /// Boards are said to be of this moment.
    Flatters,
}

pub(crate) struct SharedInMemory {
    start: Instant,
    places: Mutex<HashMap<Name, Place>>,
    leases: Mutex<u64>,
    published: Mutex<Vec<SharedMergeResult>>,
    trouble: Mutex<Trouble>,
    bytes_max: Mutex<usize>,
}

impl Default for SharedInMemory {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            places: Mutex::default(),
            leases: Mutex::default(),
            published: Mutex::default(),
            trouble: Mutex::default(),
            bytes_max: Mutex::new(usize::MAX),
        }
    }
}

impl SharedInMemory {
    /// From now on this goes wrong.
    pub(crate) fn trouble(&self, trouble: Trouble) {
        *self.trouble.lock() = trouble;
    }

    /// From now on larger boards are not shared.
    pub(crate) fn take_at_most(&self, bytes_max: usize) {
        *self.bytes_max.lock() = bytes_max;
    }

    /// Leases given so far.
    pub(crate) fn leases(&self) -> u64 {
        *self.leases.lock()
    }

    /// What was published so far, what was lost included.
    pub(crate) fn published(&self) -> Vec<SharedMergeResult> {
        self.published.lock().clone()
    }

    /// Changes the bytes of every board there is.
    pub(crate) fn garble(&self, garbled: impl Fn(&Bytes) -> Bytes) {
        for place in self.places.lock().values_mut() {
            if let Some(board) = &mut place.board {
                board.bytes = garbled(&board.bytes);
            }
        }
    }

    fn take_now(&self, top: &SharedTop, known: Option<&str>, age_max: Duration) -> SharedTake {
        let now = Instant::now();
        let trouble = *self.trouble.lock();
        let mut places = self.places.lock();
        let place = places.entry(name_of(top)).or_default();
        if let Some(board) = &place.board {
            let age = if trouble == Trouble::Flatters {
                Duration::ZERO
            } else {
                now - board.began
            };
            if age < age_max && known == Some(board.version.as_str()) {
                return SharedTake::Unchanged { age };
            }
            if age < age_max {
                let bytes = board.bytes.clone();
                return SharedTake::Board { bytes, age };
            }
        }
        match &place.lease {
            Some(_) if trouble == Trouble::LosesForGood => return SharedTake::Wait(LEASE),
            Some((_, until)) if now < *until => return SharedTake::Wait(*until - now),
            _ => {}
        }
        let mut leases = self.leases.lock();
        *leases += 1;
        let token = leases.to_string();
        place.lease = Some((token.clone(), now + LEASE));
        let began = u64::try_from((now - self.start).as_nanos()).unwrap();
        SharedTake::Merge(Lease {
            token,
            // In nanoseconds: the clock of a test may stand still.
            began_ms: began.cast_signed(),
            published: place.board.as_ref().map(|board| board.version.clone()),
        })
    }

    fn publish_now(&self, top: &SharedTop, lease: &Lease, merged: SharedMergeResult) {
        self.published.lock().push(merged.clone());
        if matches!(*self.trouble.lock(), Trouble::Loses | Trouble::LosesForGood) {
            return;
        }
        let began = self.start + Duration::from_nanos(lease.began_ms.cast_unsigned());
        let mut places = self.places.lock();
        let place = places.entry(name_of(top)).or_default();
        place.lease.take_if(|(token, _)| *token == lease.token);
        if place.board.as_ref().is_some_and(|it| it.began >= began) {
            return;
        }
        match (merged, &mut place.board) {
            (SharedMergeResult::Board { version, bytes }, board) => {
                *board = Some(Board {
                    version,
                    bytes,
                    began,
                });
            }
            (SharedMergeResult::Unchanged { version }, Some(board)) if board.version == version => {
                board.began = began;
            }
            _ => {}
        }
    }

    fn reached(&self) -> Result<(), StoreError> {
        let away = || StoreError::Unavailable("away".to_owned());
        let is_away = *self.trouble.lock() == Trouble::Away;
        (!is_away).then_some(()).ok_or_else(away)
    }
}

fn name_of(top: &SharedTop) -> Name {
    (top.board.incarnation, top.window, top.shape.clone())
}

impl SharedBoards for SharedInMemory {
    fn bytes_max(&self) -> usize {
        *self.bytes_max.lock()
    }

    fn acquire<'a>(
        &'a self,
        top: &'a SharedTop,
        known: Option<&'a str>,
        age_max: Duration,
    ) -> BoxFuture<'a, Result<SharedTake, StoreError>> {
        let taken = self.reached().map(|()| self.take_now(top, known, age_max));
        ready(taken).boxed()
    }

    fn publish<'a>(
        &'a self,
        top: &'a SharedTop,
        lease: &'a Lease,
        merged: SharedMergeResult,
        _kept: Duration,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let published = self
            .reached()
            .map(|()| self.publish_now(top, lease, merged));
        ready(published).boxed()
    }
}
