//! [`Progress`]: how far the log is, and whether it continues. Published by the committer.
//!
//! It is in a watch channel, so that any number of tasks, on any runtime or none, may wait for it.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::watch;

use super::Sequence;

/// The error after the journal's thread ended without reporting one.
pub(super) const THREAD_ENDED: &str = "the journal's thread has ended";

/// The outcome of a record is unknown: it may or may not be durable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// How far the log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Progress {
    /// Everything before this satisfies the durability setting.
    pub(super) acknowledged: Sequence,
    /// Everything before this has been synced successfully.
    pub(super) synced: Sequence,
    pub(super) standing: Standing,
}

/// Whether the log continues, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Healthy,
    /// The disk is full: what exceeds the remaining capacity is rejected.
    NoSpace(String),
    /// The disk is full, and a group waits for space.
    Stuck(String),
    /// Permanently.
    Failed(String),
    Stopped,
}

impl Standing {
    /// Returns the message for clients, without paths.
    fn shown(&self) -> String {
        let shown = match self {
            Self::Healthy => "the journal is healthy",
            Self::NoSpace(_) | Self::Stuck(_) => "the disk is full",
            Self::Failed(_) => "the journal has failed: the server has to be restarted",
            Self::Stopped => "the store is closed",
        };
        shown.to_owned()
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
    fn acknowledged(&self, until: Sequence) -> Option<Result<(), Lost>> {
        match self.standing {
            // Everything before the last sync is durable; anything after it is uncertain.
            Standing::Failed(_) => self.synced(until),
            _ if until <= self.acknowledged => Some(Ok(())),
            _ => self.synced(until),
        }
    }

    /// Returns whether everything before `until` is synced, if that is known.
    fn synced(&self, until: Sequence) -> Option<Result<(), Lost>> {
        if until <= self.synced {
            return Some(Ok(()));
        }
        match &self.standing {
            Standing::Healthy | Standing::NoSpace(_) => None,
            Standing::Stuck(_) | Standing::Failed(_) | Standing::Stopped => {
                Some(Err(Lost(self.standing.shown())))
            }
        }
    }

    /// Returns why records are rejected, if they are.
    pub(super) fn refusal(&self) -> Option<String> {
        match &self.standing {
            Standing::Healthy | Standing::NoSpace(_) => None,
            Standing::Stuck(_) | Standing::Failed(_) | Standing::Stopped => {
                Some(self.standing.shown())
            }
        }
    }

    /// Returns why waiting for capacity is pointless, if it is.
    pub(super) fn pointless_to_wait(&self) -> Option<String> {
        match &self.standing {
            Standing::NoSpace(_) => Some(self.standing.shown()),
            _ => self.refusal(),
        }
    }
}

/// Waits until everything before `until` is acknowledged.
pub(super) async fn acknowledged(
    progress: &watch::Receiver<Progress>,
    until: Sequence,
) -> Result<(), Lost> {
    known(progress, |now| now.acknowledged(until)).await
}

/// Waits until everything before `until` is synced.
pub(super) async fn synced(
    progress: &watch::Receiver<Progress>,
    until: Sequence,
) -> Result<(), Lost> {
    known(progress, |now| now.synced(until)).await
}

async fn known(
    progress: &watch::Receiver<Progress>,
    verdict: impl Fn(&Progress) -> Option<Result<(), Lost>>,
) -> Result<(), Lost> {
    let at_once = verdict(&progress.borrow());
    if let Some(known) = at_once {
        return known;
    }
    let mut progress = progress.clone();
    let now = progress.wait_for(|now| verdict(now).is_some()).await;
    let known = now.ok().and_then(|now| verdict(&now));
    known.unwrap_or_else(|| Err(Lost(THREAD_ENDED.to_owned())))
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
    // On a runtime's thread, tokio's cooperative budget could suspend the future until the thread
    // returns to the runtime, which it does not while it blocks here.
    let mut waiting = pin!(tokio::task::unconstrained(waiting));
    loop {
        match waiting.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
