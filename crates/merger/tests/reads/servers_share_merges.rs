//! Several servers on one store: one merges, the others use what it has published.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::join_all;
use merger::{Merger, TopView};
use shard_store::SharedMergeResult;
use testkit::HookedStore;
use tokio::time::{Instant, advance};

use crate::agree::ALL;
use crate::kinds::{kind, points};
use crate::shared::SharedInMemory;
use crate::stage::{Stage, in_memory, text};

const STALENESS: Duration = Duration::from_millis(200);

/// A board that several servers show: the stage's own and others.
pub(crate) struct Servers {
    pub(crate) store: Arc<HookedStore>,
    pub(crate) shared: Arc<SharedInMemory>,
    pub(crate) stage: Stage,
    pub(crate) others: Vec<Merger>,
}

impl Servers {
    pub(crate) async fn of(servers: usize) -> Self {
        let shared = Arc::new(SharedInMemory::default());
        let store = HookedStore::sharing(in_memory(), shared.clone());
        let mut spec = points(16);
        spec.max_staleness = STALENESS;
        let stage = Stage::over(store.clone(), kind(spec), 64 << 20).await;
        let others = (1..servers).map(|_| stage.another_merger()).collect();
        Self {
            store,
            shared,
            stage,
            others,
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Merger> {
        std::iter::once(&*self.stage.merger).chain(&self.others)
    }

    /// Returns the board as one of them shows it.
    pub(crate) async fn top(&self, merger: &Merger, fresh: bool) -> TopView {
        let Stage { board, kind, .. } = &self.stage;
        let top = merger.top(board, kind, ALL, fresh).await.unwrap();
        // Boards are published in the background.
        tokio::task::yield_now().await;
        top
    }

    pub(crate) fn merges(&self) -> u64 {
        self.all().map(|server| server.counters().merges()).sum()
    }

    pub(crate) fn taken(&self) -> u64 {
        self.all().map(|server| server.counters().taken()).sum()
    }

    /// Waits until the current top is too old.
    pub(crate) async fn age(&self) {
        advance(STALENESS + Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn merges_do_not_multiply_with_servers() {
    const ROUNDS: u32 = 160;
    let servers = Servers::of(3).await;
    let start = Instant::now();
    for round in 0..ROUNDS {
        let member = format!("u{}", round % 7);
        servers.stage.points(&member, i64::from(round)).await;
        let readers = (0..10).flat_map(|_| servers.all());
        let tops = join_all(readers.map(|server| servers.top(server, false))).await;
        assert!(
            tops.iter()
                .all(|top| !top.stale && top.snapshot.members > 0)
        );
        advance(STALENESS / 4).await;
    }
    let spans = start.elapsed().as_millis() / STALENESS.as_millis();
    let merges = u128::from(servers.merges());
    assert!(merges <= spans + 1, "{merges} merges in {spans} spans");
    assert!(
        servers.taken() >= u64::from(ROUNDS / 4),
        "{}",
        servers.taken()
    );
}

#[tokio::test(start_paused = true)]
async fn a_shared_board_equals_the_merged_one() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    let merged = servers.top(&servers.stage.merger, false).await.snapshot;
    advance(Duration::from_millis(50)).await;
    servers.stage.clock_ms.fetch_add(50, Ordering::Relaxed);
    let taken = servers.top(&servers.others[0], false).await.snapshot;
    assert_eq!((servers.merges(), servers.taken()), (1, 1));
    assert_eq!(taken.version, merged.version);
    assert_eq!(taken.rendered.bytes, merged.rendered.bytes);
    assert_eq!(taken.rendered.ends, merged.rendered.ends);
    assert_eq!(taken.members, merged.members);
    assert_eq!(taken.as_of, merged.as_of);
    // It is shown as long as the kind allows, not longer.
    servers.stage.points("u2", 9).await;
    advance(Duration::from_millis(150)).await;
    assert_eq!(
        text(&servers.top(&servers.others[0], false).await),
        "1:1:u1"
    );
    advance(Duration::from_millis(1)).await;
    let top = servers.top(&servers.others[0], false).await;
    assert_eq!(text(&top), "1:1:u2,2:2:u1");
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_board_is_published_once() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    for _ in 0..5 {
        for server in servers.all() {
            assert_eq!(text(&servers.top(server, false).await), "1:1:u1");
        }
        servers.age().await;
    }
    assert_eq!((servers.merges(), servers.taken()), (5, 5));
    let published = servers.shared.published();
    let board = |merged: &&SharedMergeResult| matches!(merged, SharedMergeResult::Board { .. });
    assert_eq!(published.iter().filter(board).count(), 1);
    assert_eq!(published.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_fresh_read_merges_itself() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    servers.top(&servers.stage.merger, false).await;
    servers.stage.points("u2", 9).await;
    let fresh = servers.top(&servers.others[0], true).await;
    assert_eq!(text(&fresh), "1:1:u2,2:2:u1");
    assert_eq!((servers.merges(), servers.taken()), (2, 0));
    assert_eq!(servers.shared.leases(), 1);
}

#[tokio::test(start_paused = true)]
async fn servers_with_another_kind_do_not_share() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    servers.top(&servers.stage.merger, false).await;
    let mut spec = points(16);
    spec.top = 10;
    let kind = Arc::new(kind(spec));
    let top = servers.others[0].top(&servers.stage.board, &kind, ALL, false);
    assert_eq!(text(&top.await.unwrap()), "1:1:u1");
    assert_eq!((servers.merges(), servers.taken()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_too_large_board_is_merged_by_each_server() {
    let servers = Servers::of(2).await;
    servers.shared.limit_to(100);
    servers.stage.points("u1", 7).await;
    let start = Instant::now();
    for _ in 0..3 {
        for server in servers.all() {
            assert_eq!(text(&servers.top(server, false).await), "1:1:u1");
        }
        servers.age().await;
    }
    assert_eq!((servers.merges(), servers.taken()), (6, 0));
    // Each has acquired a lease once, and no server has waited.
    assert_eq!(servers.shared.leases(), 2);
    assert!(start.elapsed() < STALENESS * 4);
}
