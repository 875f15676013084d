//! [`Capacity`]: admission control. A record is appended only if the disk has space for it.
//!
//! It counts the bytes of zeros in the current segment that are not reserved. A writer takes a [`Reservation`] before
//! it changes anything, so that appending cannot fail. Appended bytes are deducted from the reservation, and the
//! remaining bytes are returned when it is dropped. The committer returns the bytes that a group did not need, and adds
//! those that it allocates on the disk.

use std::pin::pin;

use futures::future::{Either, select};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use crate::inbox::OpenGroup;
use crate::limits::BATCH_BYTES_MAX;
use crate::progress::{Progress, THREAD_ENDED};

/// The call was rejected and had no effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejected(pub String);

/// Bytes on disk that are not reserved.
#[derive(Debug)]
pub(super) struct Capacity {
    bytes: Semaphore,
    /// Bytes that were appended without capacity. They are deducted from the next added bytes.
    owed_bytes: Mutex<usize>,
}

/// Bytes on disk that are reserved for records.
#[derive(Debug)]
#[must_use = "a reservation that is dropped is returned"]
pub struct Reservation<'a> {
    capacity: &'a Capacity,
    bytes: SemaphorePermit<'a>,
    /// The group that was begun with the capacity, and waits for further records.
    open: Option<OpenGroup<'a>>,
}

impl<'a> Reservation<'a> {
    /// Keeps a group open until this is dropped.
    pub(super) fn hold_open(&mut self, open: Option<OpenGroup<'a>>) {
        if open.is_some() {
            self.open = open;
        }
    }

    /// Returns the unused capacity, and the group that is still open.
    pub(super) fn into_open_group(self) -> Option<OpenGroup<'a>> {
        self.open
    }

    /// Deducts a record that is about to be appended.
    ///
    /// Callers reserve the actual size of the records that they append. If a caller does not, the record is appended
    /// nevertheless, because its change has already happened, and the count remains correct: the bytes are taken from
    /// the free capacity, and the deficit is owed.
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
                "a record is larger than the capacity reserved for it"
            );
            self.capacity.overdraw(bytes - reserved);
        }
    }
}

impl Capacity {
    /// Creates a capacity of zero bytes.
    pub(super) const fn none() -> Self {
        Self {
            bytes: Semaphore::const_new(0),
            owed_bytes: Mutex::new(0),
        }
    }

    /// Adds bytes that were allocated or not needed.
    pub(super) fn add(&self, bytes: usize) {
        let mut owed = self.owed_bytes.lock();
        let paid = bytes.min(*owed);
        *owed -= paid;
        self.bytes.add_permits(bytes - paid);
    }

    /// Takes bytes without a reservation, even if there are not enough.
    fn overdraw(&self, bytes: usize) {
        let mut owed = self.owed_bytes.lock();
        *owed += bytes - self.bytes.forget_permits(bytes);
    }

    /// Reserves bytes if the log accepts writes. Returns `None` if there are not enough bytes now.
    pub(super) fn try_reserve(
        &self,
        bytes: usize,
        progress: &watch::Receiver<Progress>,
    ) -> Result<Option<Reservation<'_>>, Rejected> {
        let permits = permits(bytes)?;
        let capacity = self.bytes.try_acquire_many(permits);
        let now = progress.borrow();
        let refusal = match &capacity {
            Ok(_) => now.refusal(),
            Err(_) => now.reason_not_to_wait(),
        };
        drop(now);
        match refusal {
            Some(why) => Err(Rejected(why)),
            // The thread reports an error before it ends, unless it panics.
            None if progress.has_changed().is_err() => Err(Rejected(THREAD_ENDED.to_owned())),
            None => Ok(capacity.ok().map(|bytes| self.reservation(bytes))),
        }
    }

    /// Reserves bytes, in the order of the calls. Waits for capacity unless the disk is full or the log has ended.
    pub(super) async fn reserve(
        &self,
        bytes: usize,
        progress: &watch::Receiver<Progress>,
    ) -> Result<Reservation<'_>, Rejected> {
        if let Some(reservation) = self.try_reserve(bytes, progress)? {
            return Ok(reservation);
        }
        let mut progress = progress.clone();
        let capacity = {
            let reason_not_to_wait =
                pin!(progress.wait_for(|now| now.reason_not_to_wait().is_some()));
            let capacity = pin!(self.bytes.acquire_many(permits(bytes)?));
            match select(capacity, reason_not_to_wait).await {
                Either::Left((permit, _)) => Ok(permit.expect("the semaphore is never closed")),
                Either::Right((Ok(now), _)) => Err(now.reason_not_to_wait().unwrap_or_default()),
                Either::Right((Err(_), _)) => Err(THREAD_ENDED.to_owned()),
            }
        };
        let refusal = progress.borrow().refusal();
        match (capacity, refusal) {
            (Ok(bytes), None) => Ok(self.reservation(bytes)),
            (Err(why), _) | (Ok(_), Some(why)) => Err(Rejected(why)),
        }
    }

    const fn reservation<'a>(&'a self, bytes: SemaphorePermit<'a>) -> Reservation<'a> {
        Reservation {
            capacity: self,
            bytes,
            open: None,
        }
    }
}

fn permits(bytes: usize) -> Result<u32, Rejected> {
    u32::try_from(bytes)
        .ok()
        .filter(|_| bytes <= BATCH_BYTES_MAX)
        .ok_or_else(|| {
            Rejected(format!(
                "{bytes} bytes at once are more than the journal's maximum of {BATCH_BYTES_MAX}"
            ))
        })
}
