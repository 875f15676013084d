//! Scans of all boards of a kind: [`run_scans`].
//!
//! A scan finds boards whose changes were not notified: before the start, under other settings, or when too many items
//! were pending.

use std::sync::Arc;
use std::time::Duration;

use board::{KindName, Subject};
use tokio::time::{Instant, sleep};

use crate::item::{Extent, Item};
use crate::lanes::Lanes;

/// Boards of one page of a listing.
const PAGE_BOARDS: usize = 100;

/// The interval between two pages, which limits a scan to a thousand boards per second.
const PAGE_EVERY: Duration = Duration::from_millis(100);

/// A scan waits while its lane has this many items or more.
const LANE_ITEMS_MAX: usize = 1_000;

/// The wait before a page is requested again after an error of the store.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Runs requested scans, one at a time, forever.
pub(crate) async fn run_scans(lanes: Arc<Lanes>) {
    loop {
        let kind = lanes.context.scans.take().await;
        scan(&lanes, &kind).await;
    }
}

/// Adds all boards of a kind to its lane.
async fn scan(lanes: &Lanes, kind: &KindName) {
    let context = &lanes.context;
    let mut after: Option<Subject> = None;
    loop {
        let Some(lane) = lanes.lane_of(kind) else {
            return;
        };
        if lane.pending.len() >= LANE_ITEMS_MAX {
            sleep(PAGE_EVERY).await;
            continue;
        }
        let store = context.router.store();
        let page = match store.boards(kind, "", after.as_ref(), PAGE_BOARDS).await {
            Ok(page) => page,
            Err(error) => {
                tracing::debug!(%kind, %error, "the boards to publish could not be listed");
                sleep(RETRY_AFTER).await;
                continue;
            }
        };
        let Some(last) = page.last() else { return };
        after = Some(last.name.subject().clone());
        let is_last = page.len() < PAGE_BOARDS;
        for record in page {
            let item = Item {
                board: Arc::new(record.name),
                extent: Extent::Existing,
            };
            lane.add(context, item, Instant::now());
        }
        if is_last {
            return;
        }
        sleep(PAGE_EVERY).await;
    }
}
