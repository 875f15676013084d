//! Admission: nobody appends what the disk may have no space for.
//!
//! [`Room`] counts bytes of zeros that stand in the current segment and that nobody has reserved. A
//! writer takes a [`Reservation`] before it touches anything, so that appending cannot fail; what it
//! appends is taken out of that, and the rest returns when it is dropped. The committer gives back
//! what a group did not need, and adds what it allocates. Allocating is its business, not ours.

use std::pin::pin;

use futures::future::{Either, select};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::format::{GROUP_HEADER_BYTES, RECORD_HEADER_BYTES};
use super::progress::{Progress, THREAD_ENDED};

/// The most that may be reserved at once.
pub const BATCH_BYTES_MAX: usize = 4 << 20;

/// The most that is free, reserved and appended but not yet written, together: it bounds the memory
/// of what waits, and a group.
pub(super) const ROOM_BYTES_MAX: usize = 8 << 20;

/// The room that a record takes, at most: it may come to stand in a group of its own.
#[must_use]
pub const fn room_of(record_bytes: usize) -> usize {
    record_bytes + RECORD_HEADER_BYTES + GROUP_HEADER_BYTES
}

/// Nothing was taken, and nothing happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotTaken(pub String);

/// Bytes on disk that nobody has reserved.
#[derive(Debug)]
pub(super) struct Room {
    bytes: Semaphore,
    /// Bytes that were appended and that nobody had: what is added next pays for them.
    owed_bytes: Mutex<usize>,
}

/// Bytes on disk for what is about to be appended.
#[derive(Debug)]
#[must_use = "room that is dropped is given back"]
pub struct Reservation<'a> {
    room: &'a Room,
    bytes: SemaphorePermit<'a>,
}

impl Reservation<'_> {
    /// Takes the room of a record that is about to be appended.
    ///
    /// Callers reserve by the real size of what they append. If one did not, the record is appended
    /// all the same, since what it tells has happened, and the count stays right: the bytes come out
    /// of the free room, and what that lacks is owed.
    pub(super) fn spend(&mut self, bytes: usize) {
        let reserved = self.bytes.num_permits();
        let spent = self.bytes.split(bytes.min(reserved));
        if let Some(spent) = spent {
            spent.forget();
        }
        if bytes > reserved {
            tracing::error!(
                bytes,
                reserved,
                "a record is larger than the room reserved for it"
            );
            self.room.overdraw(bytes - reserved);
        }
    }
}

impl Room {
    pub(super) const fn none() -> Self {
        Self {
            bytes: Semaphore::const_new(0),
            owed_bytes: Mutex::new(0),
        }
    }

    /// Adds bytes that were allocated, or not needed.
    pub(super) fn add(&self, bytes: usize) {
        let mut owed = self.owed_bytes.lock();
        let paid = bytes.min(*owed);
        *owed -= paid;
        self.bytes.add_permits(bytes - paid);
    }

    /// Takes bytes without a reservation, whether there are as many or not.
    fn overdraw(&self, bytes: usize) {
        let mut owed = self.owed_bytes.lock();
        *owed += bytes - self.bytes.forget_permits(bytes);
    }

    /// Takes free bytes for what is written without a reservation; whether there were as many.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let taken = permits(bytes).map(|permits| self.bytes.try_acquire_many(permits));
        match taken {
            Ok(Ok(taken)) => {
                taken.forget();
                true
            }
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Reserves bytes if there are as many and the log goes on. `None`: not now.
    pub(super) fn try_reserve(
        &self,
        bytes: usize,
        progress: &watch::Receiver<Progress>,
    ) -> Result<Option<Reservation<'_>>, NotTaken> {
        let permits = permits(bytes)?;
        let room = self.bytes.try_acquire_many(permits);
        let now = progress.borrow();
        let refusal = match &room {
            Ok(_) => now.refusal(),
            Err(_) => now.hopeless(),
        };
        drop(now);
        match refusal {
            Some(why) => Err(NotTaken(why)),
            // It ends with a word, unless it panics.
            None if progress.has_changed().is_err() => Err(NotTaken(THREAD_ENDED.to_owned())),
            None => Ok(room.ok().map(|bytes| self.reservation(bytes))),
        }
    }

    /// Reserves bytes, after whoever asked before; refused when they are not to be hoped for.
    pub(super) async fn reserve(
        &self,
        bytes: usize,
        progress: &watch::Receiver<Progress>,
    ) -> Result<Reservation<'_>, NotTaken> {
        if let Some(reservation) = self.try_reserve(bytes, progress)? {
            return Ok(reservation);
        }
        let mut progress = progress.clone();
        let room = {
            let hopeless = pin!(progress.wait_for(|now| now.hopeless().is_some()));
            let room = pin!(self.bytes.acquire_many(permits(bytes)?));
            match select(room, hopeless).await {
                Either::Left((room, _)) => Ok(room.expect("the semaphore is never closed")),
                Either::Right((Ok(now), _)) => Err(now.hopeless().unwrap_or_default()),
                Either::Right((Err(_), _)) => Err(THREAD_ENDED.to_owned()),
            }
        };
        let refusal = progress.borrow().refusal();
        match (room, refusal) {
            (Ok(bytes), None) => Ok(self.reservation(bytes)),
            (Err(why), _) | (Ok(_), Some(why)) => Err(NotTaken(why)),
        }
    }

    const fn reservation<'a>(&'a self, bytes: SemaphorePermit<'a>) -> Reservation<'a> {
        Reservation { room: self, bytes }
    }
}

fn permits(bytes: usize) -> Result<u32, NotTaken> {
    u32::try_from(bytes)
        .ok()
        .filter(|_| bytes <= BATCH_BYTES_MAX)
        .ok_or_else(|| {
            NotTaken(format!(
                "{bytes} bytes at once are more than the {BATCH_BYTES_MAX} that the journal takes"
            ))
        })
}
