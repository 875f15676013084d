//! Whether a connection has ended, and why: [`End`].

use std::sync::Arc;

use tokio::sync::watch;

/// The reason for the end of a connection without one.
pub(crate) const ENDED: &str = "the connection ended";

/// Whether a connection has ended, and why.
#[derive(Debug, Clone, Default)]
pub(crate) struct End(watch::Sender<EndState>);

#[derive(Debug, Default)]
struct EndState {
    why: Option<Arc<str>>,
    is_over: bool,
}

impl End {
    /// Records why it is ending, unless that is known. Replies may still be on their way to their callers.
    pub(crate) fn explain(&self, why: &str) {
        self.0.send_if_modified(|end| {
            end.why.get_or_insert_with(|| why.into());
            false
        });
    }

    /// Records that it has ended, and why, unless that is known.
    pub(crate) fn record(&self, why: &str) {
        self.0.send_modify(|end| {
            end.why.get_or_insert_with(|| why.into());
            end.is_over = true;
        });
    }

    /// Returns why it has ended or is ending, if it is.
    pub(crate) fn why(&self) -> Option<Arc<str>> {
        self.0.borrow().why.clone()
    }

    /// Returns whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.0.borrow().is_over
    }

    /// Completes when it has ended.
    pub(crate) async fn ended(&self) {
        // The sender is alive.
        let _ = self.0.subscribe().wait_for(|end| end.is_over).await;
    }
}
