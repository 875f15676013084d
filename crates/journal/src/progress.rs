//! How far the log is, and whether it goes on: what the committer tells all others.
//!
//! [`Progress`] travels in a watch, so that any number of tasks, of any runtime or none, may wait
//! for it.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::watch;

use super::Sequence;

/// What is told of a journal whose thread is gone without a word.
pub(super) const THREAD_ENDED: &str = "the journal's thread has ended";

/// A record's fate is open: perhaps it is durable, perhaps it is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Lost(pub String);

/// How far the log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Progress {
    /// Up to here the promise of the durability setting is kept.
    pub(super) acknowledged: Sequence,
    /// Up to here a sync has ended well.
    pub(super) synced: Sequence,
    pub(super) standing: Standing,
}

/// Whether the log goes on; if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Standing {
    Well,
    /// The disk is full: what does not fit into the room there is has to be refused.
    NoRoom(String),
    /// The disk is full, and a group waits for space.
    Stuck(String),
    /// For good.
    Failed(String),
    Stopped,
}

impl Standing {
    /// What clients are told: no paths.
    fn shown(&self) -> String {
        let shown = match self {
            Self::Well => "the journal goes on",
            Self::NoRoom(_) | Self::Stuck(_) => "the disk is full",
            Self::Failed(_) => "the journal has failed: the server has to be restarted",
            Self::Stopped => "the store is closed",
        };
        shown.to_owned()
    }

    /// Tells whoever runs the server that it is this from now on.
    pub(super) fn log(&self) {
        match self {
            Self::Well => tracing::info!("there is space on the disk: writes are taken"),
            Self::NoRoom(why) | Self::Stuck(why) => {
                tracing::warn!("{why}: writes are refused until there is space");
            }
            Self::Failed(why) => tracing::error!("{why}"),
            Self::Stopped => {}
        }
    }
}

impl Progress {
    /// Whether what was appended before `until` may be answered for, if that is known.
    fn acknowledged(&self, until: Sequence) -> Option<Result<(), Lost>> {
        match self.standing {
            // Up to the last sync nothing is lost, and nothing else is sure any more.
            Standing::Failed(_) => self.synced(until),
            _ if until <= self.acknowledged => Some(Ok(())),
            _ => self.synced(until),
        }
    }

    /// Whether what was appended before `until` is synced, if that is known.
    fn synced(&self, until: Sequence) -> Option<Result<(), Lost>> {
        if until <= self.synced {
            return Some(Ok(()));
        }
        match &self.standing {
            Standing::Well | Standing::NoRoom(_) => None,
            Standing::Stuck(_) | Standing::Failed(_) | Standing::Stopped => {
                Some(Err(Lost(self.standing.shown())))
            }
        }
    }

    /// Why nothing more is taken, if so.
    pub(super) fn refusal(&self) -> Option<String> {
        match &self.standing {
            Standing::Well | Standing::NoRoom(_) => None,
            Standing::Stuck(_) | Standing::Failed(_) | Standing::Stopped => {
                Some(self.standing.shown())
            }
        }
    }

    /// Why what finds no room at once is not to wait for it, if so.
    pub(super) fn hopeless(&self) -> Option<String> {
        match &self.standing {
            Standing::NoRoom(_) => Some(self.standing.shown()),
            _ => self.refusal(),
        }
    }
}

/// Waits until what was appended before `until` may be answered for.
pub(super) async fn acknowledged(
    progress: &watch::Receiver<Progress>,
    until: Sequence,
) -> Result<(), Lost> {
    known(progress, |now| now.acknowledged(until)).await
}

/// Waits until what was appended before `until` is synced.
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

/// Waits on this thread, without a runtime.
pub(super) fn block_on<T>(waiting: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    // Where a runtime runs this thread it meters what it polls, and wakes whom it has put off only when
    // the thread comes back to it, which this one does not.
    let mut waiting = pin!(tokio::task::unconstrained(waiting));
    loop {
        match waiting.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}
