//! Lost or damaged leases and shared boards cost merges, and nothing else.

use std::time::Duration;

use bytes::Bytes;
use shard_store::{SharedMergeResult, StoreError};
use tokio::time::{Instant, timeout};

use crate::agree::ALL;
use crate::servers_share_merges::Servers;
use crate::shared::{LEASE, Trouble};
use crate::stage::{Stage, row, text};

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_lost_costs_one_more_merge() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    servers.shared.trouble(Trouble::Loses);
    servers.top(&servers.stage.merger, false).await;
    servers.shared.trouble(Trouble::Nothing);
    servers.stage.points("u2", 9).await;
    let start = Instant::now();
    let top = servers.top(&servers.others[0], false).await;
    assert_eq!(text(&top), "1:1:u2,2:2:u1");
    assert!(start.elapsed() <= LEASE, "{:?}", start.elapsed());
    assert_eq!((servers.merges(), servers.taken()), (2, 0));
    // From now on they share again.
    servers.age().await;
    for server in servers.all() {
        assert_eq!(text(&servers.top(server, false).await), "1:1:u2,2:2:u1");
    }
    assert_eq!((servers.merges(), servers.taken()), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_lease_is_bounded() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    servers.shared.trouble(Trouble::LosesForGood);
    servers.top(&servers.stage.merger, false).await;
    let start = Instant::now();
    let top = servers.top(&servers.others[0], false).await;
    assert_eq!((text(&top).as_str(), top.stale), ("1:1:u1", false));
    assert!(start.elapsed() < Duration::from_millis(1100));
}

#[tokio::test(start_paused = true)]
async fn a_failed_merge_releases_its_lease() {
    let servers = Servers::of(2).await;
    let Stage { board, kind, .. } = &servers.stage;
    servers.stage.points("u1", 7).await;
    servers.store.before_reads(|_| async {
        let away = "away".to_owned();
        Err(StoreError::Unavailable(away))
    });
    let failed = servers.stage.merger.top(board, kind, ALL, false).await;
    failed.unwrap_err();
    servers.store.clear_hooks();
    merges_at_once(&servers).await;
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_merge_releases_its_lease() {
    let servers = Servers::of(2).await;
    let Stage { board, kind, .. } = &servers.stage;
    servers.stage.points("u1", 7).await;
    servers.store.before_reads(|_| std::future::pending());
    let reader = servers.stage.merger.top(board, kind, ALL, false);
    timeout(Duration::from_millis(1), reader).await.unwrap_err();
    servers.store.clear_hooks();
    merges_at_once(&servers).await;
}

/// Asserts that the other server merges under a lease of its own, without waiting for the first to expire.
async fn merges_at_once(servers: &Servers) {
    assert_eq!(servers.shared.leases(), 1);
    tokio::task::yield_now().await;
    let start = Instant::now();
    let top = servers.top(&servers.others[0], false).await;
    assert_eq!(text(&top), "1:1:u1");
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(servers.shared.leases(), 2);
}

#[tokio::test(start_paused = true)]
async fn without_shared_boards_each_server_merges() {
    let servers = Servers::of(2).await;
    servers.stage.points("u1", 7).await;
    servers.shared.trouble(Trouble::Away);
    for server in servers.all() {
        let top = servers.top(server, false).await;
        assert_eq!((text(&top).as_str(), top.stale), ("1:1:u1", false));
    }
    assert_eq!((servers.merges(), servers.taken()), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn damaged_boards_are_merged_again() {
    let damages: [fn(&Bytes) -> Bytes; 4] = [
        |_| Bytes::new(),
        |_| Bytes::from_static(b"garbage that is longer than a checksum"),
        |board| board.slice(..board.len() - 1),
        |board| {
            let mut bytes = board.to_vec();
            bytes[30] ^= 1;
            bytes.into()
        },
    ];
    for damage in damages {
        let servers = Servers::of(2).await;
        servers.stage.points("u1", 7).await;
        servers.top(&servers.stage.merger, false).await;
        servers.shared.damage(damage);
        servers.stage.points("u2", 9).await;
        let top = servers.top(&servers.others[0], false).await;
        assert_eq!(text(&top), "1:1:u2,2:2:u1");
        assert_eq!((servers.merges(), servers.taken()), (2, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn another_board_is_not_shown_in_its_place() {
    let servers = Servers::of(2).await;
    let Stage { merger, kind, .. } = &servers.stage;
    let another = servers.stage.board_about("another");
    servers.stage.set(&another, &[row("u9", 9)]).await;
    merger.top(&another, kind, ALL, false).await.unwrap();
    servers.stage.points("u1", 7).await;
    servers.top(merger, false).await;
    let published = servers.shared.published();
    let SharedMergeResult::Board { bytes, .. } = &published[0] else {
        panic!("{published:?}");
    };
    servers.shared.damage(|_| bytes.clone());
    let top = servers.top(&servers.others[0], false).await;
    assert_eq!(text(&top), "1:1:u1");
    assert_eq!(servers.taken(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_older_published_board_is_not_shown() {
    let servers = Servers::of(2).await;
    let other = &servers.others[0];
    servers.stage.points("u1", 7).await;
    servers.top(&servers.stage.merger, false).await;
    servers.stage.points("u2", 9).await;
    assert_eq!(text(&servers.top(other, true).await), "1:1:u2,2:2:u1");
    servers.age().await;
    // By a wrong clock the older board seems newer.
    servers.shared.trouble(Trouble::AgeZero);
    assert_eq!(text(&servers.top(other, false).await), "1:1:u2,2:2:u1");
    assert_eq!((servers.merges(), servers.taken()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn after_an_eviction_an_older_board_is_not_shown() {
    let mut servers = Servers::of(1).await;
    servers.others.push(servers.stage.another_merger_of(1));
    let other = &servers.others[0];
    servers.stage.points("u1", 7).await;
    servers.top(&servers.stage.merger, false).await;
    servers.stage.points("u2", 9).await;
    assert_eq!(text(&servers.top(other, true).await), "1:1:u2,2:2:u1");
    other.free_evicted();
    // The published board is recent enough, and older than the one that was shown here.
    assert_eq!(text(&servers.top(other, false).await), "1:1:u2,2:2:u1");
    assert_eq!(servers.taken(), 0);
}
