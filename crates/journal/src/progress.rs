//! [`Progress`]: how far the log is synced, and its health. Published by the committer.
//!
//! It is in a watch channel, so that any number of tasks, on any runtime or none, can wait for it.

use tokio::sync::watch;

use crate::sequence::Sequence;

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
    pub(super) fn acknowledged(&self, until: Sequence) -> Option<Result<(), OutcomeUnknown>> {
        match self.health {
            // Records before the last sync are durable. The outcome of those after it is unknown.
            Health::Failed(_) => self.synced(until),
            _ if until <= self.acknowledged => Some(Ok(())),
            _ => self.synced(until),
        }
    }

    /// Returns whether everything before `until` is synced, if that is known.
    pub(super) fn synced(&self, until: Sequence) -> Option<Result<(), OutcomeUnknown>> {
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

/// Waits until the outcome of what the caller has appended is known. While one group is synced the next one forms, and
/// the writers of both are woken.
pub(super) async fn wait_for(
    progress: &watch::Receiver<Progress>,
    outcome: impl Fn(&Progress) -> Option<Result<(), OutcomeUnknown>>,
) -> Result<(), OutcomeUnknown> {
    let mut progress = progress.clone();
    let known = progress.wait_for(|now| outcome(now).is_some()).await;
    let known = known.ok().and_then(|now| outcome(&now));
    // The thread reports an error before it ends, unless it panics.
    known.unwrap_or_else(|| Err(OutcomeUnknown(THREAD_ENDED.to_owned())))
}

/// Blocks this thread on a future, without a runtime.
pub(super) fn block_on<T>(waiting: impl Future<Output = T>) -> T {
    // On a thread of a runtime, tokio's cooperative budget could suspend the future until the thread returns to the
    // runtime, which it does not do while it blocks here.
    futures::executor::block_on(tokio::task::unconstrained(waiting))
}
