//! [`Stopping`]: how far a server has come on its way to the end.

use std::future::pending;

use tokio::sync::watch;

/// How far a server is to come on its way to the end. It never goes back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stopping {
    /// It serves.
    #[default]
    No,
    /// It serves for [`ServerLimits::drain`](crate::ServerLimits::drain), and has its clients leave.
    Drain,
    /// It accepts no more requests, and finishes those in progress.
    Finish,
    /// It closes all connections.
    Close,
}

impl Stopping {
    /// Returns the next step.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::No => Self::Drain,
            Self::Drain => Self::Finish,
            Self::Finish | Self::Close => Self::Close,
        }
    }
}

/// Waits until a server is to come this far.
pub(super) async fn reached(stopping: &watch::Receiver<Stopping>, step: Stopping) {
    let mut stopping = stopping.clone();
    // Without a sender it stays where it is.
    if stopping.wait_for(|now| *now >= step).await.is_err() {
        pending::<()>().await;
    }
}
