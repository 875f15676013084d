//! One server merges at a time, and a lease that is lost expires.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::{LEASE, TAKE_TIMEOUT};
use super::*;
use crate::boards::wire::millis;

#[tokio::test]
async fn one_merges_and_the_others_wait() {
    let redis = RedisServer::shared();
    let (one, other) = (tops_on(&redis).await, tops_on(&redis).await);
    let top = top(1);
    let held = lease(take(&one, &top).await);
    let waits = |taken| match taken {
        SharedTake::Wait(left) => assert!(!left.is_zero() && left <= LEASE, "{left:?}"),
        other => panic!("no waiting: {other:?}"),
    };
    // This applies to two readers of one server as well: the first may have given up.
    waits(take(&one, &top).await);
    waits(take(&other, &top).await);
    publish(&one, &top, &held, SharedMergeResult::Nothing).await;
    lease(take(&other, &top).await);
}

#[tokio::test]
async fn a_lost_lease_expires() {
    let redis = RedisServer::shared();
    let (one, other) = (tops_on(&redis).await, tops_on(&redis).await);
    let top = top(1);
    let lost = lease(take(&one, &top).await);
    assert!((1..=500).contains(&left(&redis, &top)));
    let deadline = Instant::now() + DEADLINE;
    let next = loop {
        match take(&other, &top).await {
            SharedTake::Merge(lease) => break lease,
            SharedTake::Wait(left) => sleep(left).await,
            other => panic!("{other:?}"),
        }
        assert!(Instant::now() < deadline, "the lease does not end");
    };
    let apart = u64::try_from(next.began_ms - lost.began_ms).unwrap();
    assert!(Duration::from_millis(apart) >= LEASE, "{apart} ms");
    // What was merged under it is published, and does not affect the other's lease.
    publish(&one, &top, &lost, board("v1", b"one")).await;
    assert_eq!(bytes(take(&other, &top).await), "one");
    let third = other.acquire(&top, None, Duration::ZERO).await.unwrap();
    assert!(matches!(third, SharedTake::Wait(_)), "{third:?}");
    publish(&other, &top, &next, board("v2", b"two")).await;
    assert_eq!(bytes(take(&one, &top).await), "two");
}

#[tokio::test]
async fn a_lease_asked_for_again_is_given_again() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let args = || vec!["token".into(), Bytes::new(), millis(HOUR), millis(LEASE)];
    for _ in 0..2 {
        let payload = tops.call("take", &top, args(), TAKE_TIMEOUT).await.unwrap();
        let taken = super::super::taken(&payload, "token".to_owned()).unwrap();
        assert_eq!(lease(taken).published, None);
    }
    assert!(matches!(take(&tops, &top).await, SharedTake::Wait(_)));
}

#[tokio::test]
async fn a_lease_dated_in_the_future_is_ignored() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let held = lease(take(&tops, &top).await);
    // The node's clock has stepped back since.
    set(
        &redis,
        &top,
        "until",
        &(held.began_ms + 3_600_000).to_string(),
    );
    lease(take(&tops, &top).await);
}

#[tokio::test]
async fn a_board_and_its_lease_may_be_gone_at_any_time() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    let held = lease(take(&tops, &top).await);
    redis.command(&[b"DEL", &key(&top)[..]]);
    let same = SharedMergeResult::Unchanged {
        version: "v1".to_owned(),
    };
    publish(&tops, &top, &held, same).await;
    assert_eq!(lease(take(&tops, &top).await).published, None);
    redis.command(&[b"DEL", &key(&top)[..]]);
    publish(&tops, &top, &held, board("v1", b"one")).await;
    assert_eq!(bytes(take(&tops, &top).await), "one");
}

#[tokio::test]
async fn a_key_that_is_not_a_shared_top_is_an_error() {
    let redis = RedisServer::shared();
    let tops = tops_on(&redis).await;
    let top = top(1);
    redis.command(&[b"SET", &key(&top)[..], b"garbage"]);
    tops.acquire(&top, None, HOUR).await.unwrap_err();
}
