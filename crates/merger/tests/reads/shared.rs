//! [`SharedInMemory`]: shared boards in memory, which a test can lose and damage.
//!
//! Its clock is that of the test. It does not simulate what a real store does about time, retries and loss.

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

/// The duration of a lease.
pub(crate) const LEASE: Duration = Duration::from_millis(500);

type Name = (Incarnation, Window, String);

#[derive(Default)]
struct Slot {
    board: Option<Board>,
    lease: Option<(String, Instant)>,
}

struct Board {
    version: String,
    bytes: Bytes,
    began: Instant,
}

/// A simulated fault.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Trouble {
    #[default]
    Nothing,
    /// Every call fails.
    Away,
    /// Published boards and ends of leases are lost.
    Loses,
    /// Like `Loses`, and leases never expire.
    LosesForGood,
    /// Every board is reported with an age of zero.
    AgeZero,
}

pub(crate) struct SharedInMemory {
    start: Instant,
    slots: Mutex<HashMap<Name, Slot>>,
    leases: Mutex<u64>,
    published: Mutex<Vec<SharedMergeResult>>,
    trouble: Mutex<Trouble>,
    bytes_max: Mutex<usize>,
}

impl Default for SharedInMemory {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            slots: Mutex::default(),
            leases: Mutex::default(),
            published: Mutex::default(),
            trouble: Mutex::default(),
            bytes_max: Mutex::new(usize::MAX),
        }
    }
}

impl SharedInMemory {
    /// Sets the fault.
    pub(crate) fn trouble(&self, trouble: Trouble) {
        *self.trouble.lock() = trouble;
    }

    /// Sets the maximum bytes of a board; larger ones are not shared.
    pub(crate) fn limit_to(&self, bytes_max: usize) {
        *self.bytes_max.lock() = bytes_max;
    }

    /// Returns the number of leases acquired so far.
    pub(crate) fn leases(&self) -> u64 {
        *self.leases.lock()
    }

    /// Returns what was published so far, including what was lost.
    pub(crate) fn published(&self) -> Vec<SharedMergeResult> {
        self.published.lock().clone()
    }

    /// Changes the bytes of every board.
    pub(crate) fn damage(&self, damaged: impl Fn(&Bytes) -> Bytes) {
        for slot in self.slots.lock().values_mut() {
            if let Some(board) = &mut slot.board {
                board.bytes = damaged(&board.bytes);
            }
        }
    }

    fn take_now(&self, top: &SharedTop, known: Option<&str>, age_max: Duration) -> SharedTake {
        let now = Instant::now();
        let trouble = *self.trouble.lock();
        let mut slots = self.slots.lock();
        let slot = slots.entry(name_of(top)).or_default();
        if let Some(board) = &slot.board {
            let age = if trouble == Trouble::AgeZero {
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
        match &slot.lease {
            Some(_) if trouble == Trouble::LosesForGood => return SharedTake::Wait(LEASE),
            Some((_, until)) if now < *until => return SharedTake::Wait(*until - now),
            _ => {}
        }
        let mut leases = self.leases.lock();
        *leases += 1;
        let token = leases.to_string();
        slot.lease = Some((token.clone(), now + LEASE));
        let began = u64::try_from((now - self.start).as_nanos()).unwrap();
        SharedTake::Merge(Lease {
            token,
            // In nanoseconds: the clock of a test may stand still.
            began_ms: began.cast_signed(),
            published: slot.board.as_ref().map(|board| board.version.clone()),
        })
    }

    fn publish_now(&self, top: &SharedTop, lease: &Lease, merged: SharedMergeResult) {
        self.published.lock().push(merged.clone());
        if matches!(*self.trouble.lock(), Trouble::Loses | Trouble::LosesForGood) {
            return;
        }
        let began = self.start + Duration::from_nanos(lease.began_ms.cast_unsigned());
        let mut slots = self.slots.lock();
        let slot = slots.entry(name_of(top)).or_default();
        slot.lease.take_if(|(token, _)| *token == lease.token);
        if slot.board.as_ref().is_some_and(|it| it.began >= began) {
            return;
        }
        match (merged, &mut slot.board) {
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
