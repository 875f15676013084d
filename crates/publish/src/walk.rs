//! Going through all boards of a kind: [`Walks`], those that are asked for, and [`walk`].
//!
//! That is how boards come to be published that changed when nobody listened: before the start, under
//! another setting, or when there was no room.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use board::{KindName, Subject};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::marks::{Extent, MarkedBoard};
use crate::publisher::Service;

/// Boards that are asked for at once.
const PAGE_BOARDS: usize = 100;

/// Between two pages: a thousand boards a second at most.
const PAGE_EVERY: Duration = Duration::from_millis(100);

/// Items of a lane above which a walk waits.
const AHEAD_MAX: usize = 1_000;

/// How long a walk waits where the store is away.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Kinds whose boards are to be gone through.
#[derive(Default)]
pub(crate) struct Walks {
    kinds: Mutex<BTreeSet<KindName>>,
    asked: Notify,
}

impl Walks {
    /// Asks for a kind. Answers whether that is new.
    pub(crate) fn ask(&self, kind: KindName) -> bool {
        let is_new = self.kinds.lock().insert(kind);
        self.asked.notify_one();
        is_new
    }

    async fn next(&self) -> KindName {
        loop {
            if let Some(kind) = self.kinds.lock().first().cloned() {
                return kind;
            }
            self.asked.notified().await;
        }
    }
}

/// Goes through kinds as they are asked for, one at a time, without end.
pub(crate) async fn walk(service: Arc<Service>) {
    loop {
        let kind = service.walks.next().await;
        // Before its first board: what is asked for from now on is gone through once more.
        service.walks.kinds.lock().remove(&kind);
        walk_kind(&service, &kind).await;
    }
}

async fn walk_kind(service: &Arc<Service>, kind: &KindName) {
    let mut after: Option<Subject> = None;
    loop {
        let Some(lane) = service.lane_of(kind) else {
            return;
        };
        if lane.marks.len() >= AHEAD_MAX {
            sleep(PAGE_EVERY).await;
            continue;
        }
        let store = service.router.store();
        let page = match store.boards(kind, after.as_ref(), PAGE_BOARDS).await {
            Ok(page) => page,
            Err(error) => {
                tracing::debug!(%kind, %error, "the boards to publish could not be listed");
                sleep(AGAIN_AFTER).await;
                continue;
            }
        };
        let Some(last) = page.last() else { return };
        after = Some(last.name.subject().clone());
        let is_last = page.len() < PAGE_BOARDS;
        for record in page {
            let item = MarkedBoard {
                board: Arc::new(record.name),
                extent: Extent::Held,
            };
            lane.mark(service, item, Instant::now());
        }
        if is_last {
            return;
        }
        sleep(PAGE_EVERY).await;
    }
}
