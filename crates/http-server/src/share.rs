//! [`Share`]: a number of bytes, of which [`HeldBytes`] count what is held.
//!
//! A part of each share is a reserve for requests that are worse to reject: those of an open stream rather than of a new
//! one, writes rather than reads.
//!
//! **Invariant:** bytes that do not fit into their share are not held.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use metering::Counter;
use tokio::sync::{Mutex, Notify};

/// The reserve of a share is one part in this many.
const RESERVE_PART: usize = 4;

/// Returns a limit with or without its reserve.
pub(crate) const fn within(max: usize, leaves_reserve: bool) -> usize {
    if leaves_reserve {
        max - max / RESERVE_PART
    } else {
        max
    }
}

/// Counts bytes up to a limit. Clones are the same share.
#[derive(Debug, Clone)]
pub struct Share(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    bytes: AtomicUsize,
    bytes_max: usize,
    refused: Counter,
    /// Those who wait for bytes.
    waiting: AtomicUsize,
    /// Locked by the first of those that wait for bytes. It gives the others their turns in the order of their arrival.
    turn: Mutex<()>,
    /// Wakes the first one when bytes are released.
    released: Notify,
}

/// Bytes that are counted until this is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    share: Share,
    bytes: usize,
}

impl Share {
    /// Creates an empty share with this limit.
    #[must_use]
    pub fn up_to(bytes_max: usize) -> Self {
        Self(Arc::new(Counts {
            bytes: AtomicUsize::new(0),
            bytes_max,
            refused: Counter::default(),
            waiting: AtomicUsize::new(0),
            turn: Mutex::default(),
            released: Notify::new(),
        }))
    }

    /// Returns the limit.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        self.0.bytes_max
    }

    /// Returns the bytes that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Returns whether the reserve is in use.
    #[must_use]
    pub fn is_in_reserve(&self) -> bool {
        self.bytes() > within(self.bytes_max(), true)
    }

    /// Returns a counter of zero bytes.
    #[must_use]
    pub fn hold(&self) -> HeldBytes {
        HeldBytes {
            share: self.clone(),
            bytes: 0,
        }
    }

    /// Returns whether both are the same share.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn release(&self, bytes: usize) {
        self.0.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.0.released.notify_one();
    }

    /// Returns the count of rejections.
    pub(crate) fn refusals(&self) -> Counter {
        self.0.refused.clone()
    }

    /// Counts a rejection.
    pub fn refuse(&self) {
        self.0.refused.inc();
    }
}

impl HeldBytes {
    /// Returns the number of bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the number of bytes. If they do not fit, changes nothing, counts a rejection and returns `false`.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let fits = self.resize_within(bytes, self.share.bytes_max());
        if !fits {
            self.share.refuse();
        }
        fits
    }

    /// Changes the number of bytes without using the reserve. Counts no rejection.
    pub fn resize_unreserved(&mut self, bytes: usize) -> bool {
        self.resize_leaving(bytes, true)
    }

    /// Changes the number of bytes, with or without the reserve. Counts no rejection.
    pub(crate) fn resize_leaving(&mut self, bytes: usize, leaves_reserve: bool) -> bool {
        self.resize_within(bytes, within(self.share.bytes_max(), leaves_reserve))
    }

    /// Changes the number of bytes if the new total of the share is at most `all_bytes_max`.
    fn resize_within(&mut self, bytes: usize, all_bytes_max: usize) -> bool {
        if bytes > self.bytes {
            let counted = &self.share.0.bytes;
            let more = bytes - self.bytes;
            let fits = |all: &usize| *all <= all_bytes_max;
            let grown = |all: usize| all.checked_add(more).filter(fits);
            let grown = counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown);
            if grown.is_err() {
                return false;
            }
        } else if bytes < self.bytes {
            self.share.release(self.bytes - bytes);
        }
        self.bytes = bytes;
        true
    }

    /// Adds bytes like [`resize`](Self::resize).
    pub fn grow(&mut self, more: usize) -> bool {
        self.resize(self.bytes.saturating_add(more))
    }

    /// Adds bytes, unless others wait for theirs. Counts no rejection.
    pub fn grow_in_turn(&mut self, more: usize) -> bool {
        self.share.0.waiting.load(Ordering::Relaxed) == 0
            && self.resize_leaving(self.bytes.saturating_add(more), false)
    }

    /// Waits until others have released the bytes that are missing, and adds these bytes. Those who wait get theirs in
    /// the order of their arrival.
    pub async fn wait_to_grow(&mut self, more: usize) {
        let share = self.share.clone();
        let _waiting = Waiting::of(&share.0.waiting);
        let _turn = share.0.turn.lock().await;
        while !self.resize_leaving(self.bytes.saturating_add(more), false) {
            share.0.released.notified().await;
        }
    }
}

/// Counts one that waits, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn of(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.share.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn those_who_wait_get_bytes_in_the_order_of_their_arrival() {
        let share = Share::up_to(100);
        let [mut first, mut second, mut third] = [(); 3].map(|()| share.hold());
        assert!(first.grow_in_turn(60) && !second.grow_in_turn(60));
        let mut second_waits = Box::pin(second.wait_to_grow(60));
        assert!(second_waits.as_mut().now_or_never().is_none());
        // There are enough bytes, which the second one waits for.
        assert!(!third.grow_in_turn(10));
        let mut third_waits = Box::pin(third.wait_to_grow(10));
        assert!(third_waits.as_mut().now_or_never().is_none());
        assert!(first.resize(30));
        assert!(third_waits.as_mut().now_or_never().is_none());
        second_waits.await;
        third_waits.await;
        assert_eq!((share.bytes(), share.0.refused.get()), (100, 0));
        drop(second);
        assert!(third.grow_in_turn(60));
    }

    #[tokio::test]
    async fn one_that_gives_up_waiting_lets_the_next_one_have_the_bytes() {
        let share = Share::up_to(100);
        let [mut first, mut second, mut third] = [(); 3].map(|()| share.hold());
        assert!(first.resize(100));
        let mut second_waits = Box::pin(second.wait_to_grow(100));
        assert!(second_waits.as_mut().now_or_never().is_none());
        let mut third_waits = Box::pin(third.wait_to_grow(50));
        assert!(third_waits.as_mut().now_or_never().is_none());
        drop(first);
        drop(second_waits);
        third_waits.await;
        assert_eq!(share.bytes(), 50);
    }

    #[test]
    fn the_limit_is_shared_and_dropped_bytes_are_released() {
        let share = Share::up_to(100);
        let (mut first, mut second) = (share.hold(), share.hold());
        assert!(first.resize(60) && second.grow(40));
        assert!(!second.grow(1) && !first.resize(61));
        assert_eq!((share.bytes(), share.0.refused.get()), (100, 2));
        assert!(first.resize(10) && second.grow(50));
        drop(first);
        assert_eq!(share.bytes(), 90);
        drop(second);
        assert_eq!(share.bytes(), 0);
    }

    #[test]
    fn unreserved_bytes_do_not_use_the_reserve() {
        let share = Share::up_to(100);
        let mut held = share.hold();
        assert!(!held.resize_unreserved(76));
        assert!(held.resize_unreserved(75) && !share.is_in_reserve());
        assert!(held.resize(100) && share.is_in_reserve());
        assert!(held.resize_unreserved(80), "a decrease always fits");
        assert_eq!((share.bytes(), share.0.refused.get()), (80, 0));
    }
}
