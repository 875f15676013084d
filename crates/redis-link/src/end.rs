//! Why a connection has ended: [`End`].

use std::sync::Arc;

use tokio::sync::watch;

/// The reason for the end of a connection without one.
pub(crate) const ENDED: &str = "the connection ended";

/// Why a connection has ended, once it has.
#[derive(Debug, Clone, Default)]
pub(crate) struct End(watch::Sender<Option<Arc<str>>>);

impl End {
    /// Records why it has ended, unless that is known.
    pub(crate) fn record(&self, why: &str) {
        self.0.send_if_modified(|end| {
            let is_first = end.is_none();
            end.get_or_insert_with(|| why.into());
            is_first
        });
    }

    /// Returns why it has ended, if it has.
    pub(crate) fn why(&self) -> Option<Arc<str>> {
        self.0.borrow().clone()
    }

    /// Completes when it has ended.
    pub(crate) async fn ended(&self) {
        // The sender is alive.
        let _ = self.0.subscribe().wait_for(Option::is_some).await;
    }
}
