//! Whether a connection accepts the bytes that are written to it: [`Backpressure`].

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};

use futures::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::time::Instant;

/// Whether a connection accepts the bytes that are written to it.
#[derive(Debug, Default)]
pub struct Backpressure {
    /// The time since which the connection has accepted nothing, if it is blocked.
    blocked_since: Mutex<Option<Instant>>,
    /// The connection carries a stream, and needs small buffers.
    is_stream: AtomicBool,
    waker: AtomicWaker,
    /// [`Asked`], as a number.
    asked: AtomicU8,
    /// Of the connection.
    asked_waker: AtomicWaker,
}

/// What others ask of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// To end after the request that is being served.
    Finish,
    /// To end at once.
    Close,
}

impl Backpressure {
    /// Polls whether the connection is not blocked.
    pub fn poll_free(&self, context: &Context<'_>) -> Poll<()> {
        if self.blocked_since().is_none() {
            return Poll::Ready(());
        }
        self.waker.register(context.waker());
        // It may have become free before the waker was registered.
        if self.blocked_since().is_some() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    /// Waits until the connection is not blocked.
    pub async fn freed(&self) {
        poll_fn(|context| self.poll_free(context)).await;
    }

    /// Returns the time since which the connection is blocked, if it is.
    #[must_use]
    pub fn blocked_since(&self) -> Option<Instant> {
        *self.blocked_since.lock()
    }

    /// Records that a write does not progress.
    pub fn block(&self) {
        self.blocked_since.lock().get_or_insert_with(Instant::now);
    }

    /// Records that a write has progressed.
    pub fn free(&self) {
        *self.blocked_since.lock() = None;
        self.waker.wake();
    }

    /// Requests that the connection is closed, because others need its memory.
    pub fn displace(&self) {
        self.ask(Asked::Close);
    }

    /// Asks this of the connection, unless more was asked before.
    pub fn ask(&self, asked: Asked) {
        self.asked.fetch_max(asked as u8, Ordering::AcqRel);
        self.asked_waker.wake();
    }

    /// Returns what is asked of the connection. Its task, which alone calls this, is woken when that changes.
    pub fn poll_asked(&self, context: &Context<'_>) -> Asked {
        self.asked_waker.register(context.waker());
        match self.asked.load(Ordering::Acquire) {
            0 => Asked::Nothing,
            1 => Asked::Finish,
            _ => Asked::Close,
        }
    }

    /// Records that the connection carries a stream from the next write on.
    pub fn streams(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    /// Returns whether the connection carries a stream.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.is_stream.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;

    use super::*;

    const INTERVAL: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_blocked_connection_is_awaited_until_it_is_free() {
        let flow = Backpressure::default();
        assert!(flow.freed().now_or_never().is_some());
        let began = Instant::now();
        flow.block();
        tokio::time::advance(INTERVAL).await;
        // It remains blocked since the first time.
        flow.block();
        assert_eq!(flow.blocked_since(), Some(began));
        let mut freed = std::pin::pin!(flow.freed());
        assert!(freed.as_mut().now_or_never().is_none());
        flow.free();
        freed.await;
        assert_eq!(flow.blocked_since(), None);
    }
}
