//! A published board is the one that is taken, and never replaces one that was merged later.

use std::time::Duration;

use super::super::BOARD_BYTES_MAX;
use super::*;

#[tokio::test]
async fn a_published_board_is_taken_by_others() {
    let redis = RedisServer::shared();
    let (one, other) = (tops_on(&redis).await, tops_on(&redis).await);
    let top = top(1);
    let held = lease(take(&one, &top).await);
    assert_eq!(held.published, None);
    publish(&one, &top, &held, board("v1", b"\xffbytes\r\n\0")).await;
    for tops in [&one, &other] {
        assert_eq!(bytes(take(tops, &top).await), &b"\xffbytes\r\n\0"[..]);
        let same = tops.acquire(&top, Some("v1"), HOUR).await.unwrap();
        assert!(matches!(same, SharedTake::Unchanged { .. }), "{same:?}");
        let another = tops.acquire(&top, Some("v0"), HOUR).await.unwrap();
        assert_eq!(bytes(another), &b"\xffbytes\r\n\0"[..]);
    }
    assert!(left(&redis, &top) > 3_000_000);
}

#[tokio::test]
async fn boards_incarnations_windows_and_shapes_are_separate() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let held = lease(take(&tops, &top(1)).await);
    publish(&tops, &top(1), &held, board("v1", b"one")).await;
    lease(take(&tops, &top(2)).await);
    let mut shaped = top(1);
    shaped.shape = "1.0.1.0.100.competition".to_owned();
    lease(take(&tops, &shaped).await);
    assert_eq!(bytes(take(&tops, &top(1)).await), "one");
}

#[tokio::test]
async fn a_board_that_is_too_old_is_merged_anew() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let first = lease(take(&tops, &top).await);
    publish(&tops, &top, &first, board("v1", b"one")).await;
    let second = lease(
        tops.acquire(&top, Some("v1"), Duration::ZERO)
            .await
            .unwrap(),
    );
    assert_eq!(second.published.as_deref(), Some("v1"));
    // A server that accepts an older board still gets it, whichever server merges.
    assert_eq!(bytes(take(&tops, &top).await), "one");
}

#[tokio::test]
async fn an_unchanged_board_is_renewed() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let same = |version: &str| SharedMergeResult::Unchanged {
        version: version.to_owned(),
    };
    let first = lease(take(&tops, &top).await);
    publish(&tops, &top, &first, board("v1", b"one")).await;
    set(
        &redis,
        &top,
        "began",
        &(first.began_ms - 60_000).to_string(),
    );
    let minute = Duration::from_mins(1);
    let second = lease(tops.acquire(&top, None, minute).await.unwrap());
    publish(&tops, &top, &second, same("v0")).await;
    let third = lease(tops.acquire(&top, None, minute).await.unwrap());
    publish(&tops, &top, &third, same("v1")).await;
    assert_eq!(
        bytes(tops.acquire(&top, None, minute).await.unwrap()),
        "one"
    );
}

#[tokio::test]
async fn the_later_merge_stays_whichever_is_published_first() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    for (incarnation, late) in [(1, true), (2, false)] {
        let top = top(incarnation);
        let first = lease(take(&tops, &top).await);
        let mut second = first.clone();
        second.token += "-later";
        second.began_ms += 1;
        let published = [(&first, "one"), (&second, "two")];
        let order = if late { [1, 0] } else { [0, 1] };
        // Its merge has begun, also by the clock of the node.
        let deadline = tokio::time::Instant::now() + DEADLINE;
        while node_ms(&redis) <= second.began_ms {
            assert!(tokio::time::Instant::now() < deadline);
        }
        for (held, text) in order.map(|at| published[at]) {
            publish(&tops, &top, held, board(text, text.as_bytes())).await;
        }
        assert_eq!(bytes(take(&tops, &top).await), "two");
    }
}

#[tokio::test]
async fn a_board_dated_in_the_future_is_ignored() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let first = lease(take(&tops, &top).await);
    publish(&tops, &top, &first, board("v1", b"one")).await;
    // The node's clock has stepped back since.
    set(
        &redis,
        &top,
        "began",
        &(first.began_ms + 3_600_000).to_string(),
    );
    let second = lease(take(&tops, &top).await);
    publish(&tops, &top, &second, board("v2", b"two")).await;
    assert_eq!(bytes(take(&tops, &top).await), "two");
}

#[tokio::test]
async fn too_large_a_board_is_not_kept() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    assert_eq!(tops.bytes_max(), BOARD_BYTES_MAX);
    let large = |len| SharedMergeResult::Board {
        version: "v1".to_owned(),
        bytes: vec![7; len].into(),
    };
    let first = lease(take(&tops, &top).await);
    publish(&tops, &top, &first, large(BOARD_BYTES_MAX + 1)).await;
    // Its lease has ended nevertheless.
    let second = lease(take(&tops, &top).await);
    publish(&tops, &top, &second, large(BOARD_BYTES_MAX)).await;
    assert_eq!(bytes(take(&tops, &top).await).len(), BOARD_BYTES_MAX);
}

/// The clock of the node.
fn node_ms(redis: &RedisServer) -> i64 {
    let time = redis.command(&["TIME"]);
    let part = |at: usize| time.items()[at].text().parse::<i64>().unwrap();
    part(0) * 1000 + part(1) / 1000
}
