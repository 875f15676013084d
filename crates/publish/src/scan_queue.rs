//! The kinds whose boards are to be scanned: [`ScanQueue`].

use std::collections::BTreeSet;

use board::KindName;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The kinds whose boards are to be scanned.
#[derive(Default)]
pub(crate) struct ScanQueue {
    kinds: Mutex<BTreeSet<KindName>>,
    requested: Notify,
}

impl ScanQueue {
    /// Requests a scan of a kind. Returns whether none was requested before.
    pub(crate) fn request(&self, kind: KindName) -> bool {
        let is_new = self.kinds.lock().insert(kind);
        self.requested.notify_one();
        is_new
    }

    /// Waits for a request, and removes it: a request during the scan leads to another scan.
    pub(crate) async fn take(&self) -> KindName {
        loop {
            if let Some(kind) = self.kinds.lock().pop_first() {
                return kind;
            }
            self.requested.notified().await;
        }
    }
}
