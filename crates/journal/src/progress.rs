//! [`Progress`]: how far the log is synced, and its health. Published by the committer.
//!
//! It is in a watch channel, so that any number of tasks, on any runtime or none, can wait for it. Those that wait for
//! records are woken by `waiters`.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::watch;

use crate::sequence::Sequence;
use crate::waiters::Waiters;

/// The error after the journal's thread ended without reporting one.
pub(super) const THREAD_ENDED: &str = "the journal's thread has ended";

/// A record may or may not be durable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutcomeUnknown(pub String);

/// How far the log is written and synced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Progress {
    /// Everything before this satisfies the durability setting.
    pub(super) acknowledged: Sequence,
    /// Everything before this has been synced successfully.
    pub(super) synced: Sequence,
    pub(super) health: Health,
}

/// Whether the log accepts writes, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Health {
    Healthy,
    /// The disk is full: reservations that exceed the remaining capacity are rejected.
    NoSpace(String),
    /// The disk is full, and a group waits for space.
    Stuck(String),
    /// The journal has failed permanently.
    Failed(String),
    Stopped,
}

impl Health {
    /// Returns the message for clients, without paths.
    fn message(&self) -> String {
        let message = match self {
            Self::Healthy => "the journal is healthy",
            Self::NoSpace(_) | Self::Stuck(_) => "the disk is full",
            Self::Failed(_) => "the journal has failed: the server has to be restarted",
            Self::Stopped => "the store is closed",
        };
        message.to_owned()
    }

    /// Logs that the state has changed to this one.
    pub(super) fn log(&self) {
        match self {
            Self::Healthy => tracing::info!("the disk has space again: writes are accepted"),
            Self::NoSpace(why) | Self::Stuck(why) => {
                tracing::warn!("{why}: writes are rejected until there is space");
            }
            Self::Failed(why) => tracing::error!("{why}"),
            Self::Stopped => {}
        }
    }
}

impl Progress {
    /// Returns whether everything before `until` is acknowledged, if that is known.
    fn acknowledged(&self, until: Sequence) -> Option<Result<(), OutcomeUnknown>> {
        match self.health {
            // Records before the last sync are durable. The outcome of those after it is unknown.
            Health::Failed(_) => self.synced(until),
            _ if until <= self.acknowledged => Some(Ok(())),
            _ => self.synced(until),
        }
    }

    /// Returns whether everything before `until` is synced, if that is known.
    fn synced(&self, until: Sequence) -> Option<Result<(), OutcomeUnknown>> {
        if until <= self.synced {
            return Some(Ok(()));
        }
        match &self.health {
            Health::Healthy | Health::NoSpace(_) => None,
            Health::Stuck(_) | Health::Failed(_) | Health::Stopped => {
                Some(Err(OutcomeUnknown(self.health.message())))
            }
        }
    }

    /// Returns why records are rejected for good, if they are: a restart is needed.
    pub(super) fn failure(&self) -> Option<String> {
        match &self.health {
            Health::Healthy | Health::NoSpace(_) | Health::Stuck(_) => None,
            Health::Failed(_) | Health::Stopped => Some(self.health.message()),
        }
    }

    /// Returns why records are rejected, if they are.
    pub(super) fn refusal(&self) -> Option<String> {
        match &self.health {
            Health::Stuck(_) => Some(self.health.message()),
            _ => self.failure(),
        }
    }

    /// Returns why waiting for capacity would not succeed, if it would not.
    pub(super) fn reason_not_to_wait(&self) -> Option<String> {
        match &self.health {
            Health::NoSpace(_) => Some(self.health.message()),
            _ => self.refusal(),
        }
    }
}

/// Waits until everything before `until` is acknowledged.
pub(super) async fn acknowledged(
    progress: &watch::Receiver<Progress>,
    waiters: &Waiters,
    until: Sequence,
) -> Result<(), OutcomeUnknown> {
    wait_for(progress, waiters, until, |now| now.acknowledged(until)).await
}

/// Waits until everything before `until` is synced.
pub(super) async fn synced(
    progress: &watch::Receiver<Progress>,
    waiters: &Waiters,
    until: Sequence,
) -> Result<(), OutcomeUnknown> {
    wait_for(progress, waiters, until, |now| now.synced(until)).await
}

/// Waits until `outcome`, that of everything before `until`, is known.
async fn wait_for(
    progress: &watch::Receiver<Progress>,
    waiters: &Waiters,
    until: Sequence,
    outcome: impl Fn(&Progress) -> Option<Result<(), OutcomeUnknown>>,
) -> Result<(), OutcomeUnknown> {
    let known = || {
        // The thread reports an error before it ends, unless it panics.
        let thread_ended = progress.has_changed().is_err();
        let known = outcome(&progress.borrow());
        known.or_else(|| thread_ended.then(|| Err(OutcomeUnknown(THREAD_ENDED.to_owned()))))
    };
    let mut ticket = waiters.ticket(until);
    poll_fn(|context| {
        let mut tasks = waiters.lock();
        if let Some(known) = known() {
            ticket.forget();
            return Poll::Ready(known);
        }
        ticket.wait(&mut tasks, context.waker());
        Poll::Pending
    })
    .await
}

/// Blocks this thread on a future, without a runtime.
pub(super) fn block_on<T>(waiting: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    // On a thread of a runtime, tokio's cooperative budget could suspend the future until the thread returns to the
    // runtime, which it does not do while it blocks here.
    let mut waiting = pin!(tokio::task::unconstrained(waiting));
    loop {
        match waiting.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
