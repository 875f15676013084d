//! Shared tops on a real Redis, each server with a connection and a session of its own.

mod boards;
mod leases;
mod presence;

use std::sync::Arc;
use std::time::Duration;

use board::{Activity, Incarnation, Meaning, ShardCount, Window};
use bytes::Bytes;
use testkit::redis::{RedisServer, Reply};

use super::SharedTops;
use crate::boards::fixtures::parts::{enter, parts_at};
use crate::boards::keys::ShardKeys;
use crate::boards::session::Session;
use redis_nodes::RedisSettings;
use shard_store::{BoardRecord, Lease, SharedBoards, SharedMergeResult, SharedTake, SharedTop};

const HOUR: Duration = Duration::from_hours(1);

/// How long a test waits for an event.
const DEADLINE: Duration = Duration::from_secs(30);

/// Incarnations of the boards of tests.
const INCARNATIONS: std::ops::RangeInclusive<u64> = 1..=20;

/// Another server on this Redis, for which the boards exist.
async fn tops_on(redis: &RedisServer) -> SharedTops {
    for incarnation in INCARNATIONS {
        enter(redis, &top(incarnation).board);
    }
    let parts = parts_at(&redis.url(), &RedisSettings::default()).await;
    SharedTops::new(&parts, Arc::default())
}

fn top(incarnation: u64) -> SharedTop {
    SharedTop {
        board: Arc::new(BoardRecord {
            name: format!("gifts/room {{{incarnation}}}").parse().unwrap(),
            incarnation: Incarnation(incarnation),
            shards: ShardCount::new(16).unwrap(),
            meaning: Meaning(1),
            activity: Activity::ALWAYS,
            created: true,
        }),
        window: Window::ALL_TIME,
        shape: "1.0.1.0.100.ordinal".to_owned(),
    }
}

fn key(top: &SharedTop) -> Bytes {
    ShardKeys::new(&top.board, 0).top(top.window, &top.shape)
}

fn board(version: &str, bytes: &'static [u8]) -> SharedMergeResult {
    SharedMergeResult::Board {
        version: version.to_owned(),
        bytes: Bytes::from_static(bytes),
    }
}

/// Asks for a board of the last hour.
async fn take(tops: &SharedTops, top: &SharedTop) -> SharedTake {
    tops.acquire(top, None, HOUR).await.unwrap()
}

async fn publish(tops: &SharedTops, top: &SharedTop, lease: &Lease, merged: SharedMergeResult) {
    tops.publish(top, lease, merged, HOUR).await.unwrap();
}

#[track_caller]
fn lease(taken: SharedTake) -> Lease {
    match taken {
        SharedTake::Merge(lease) => lease,
        other => panic!("no lease: {other:?}"),
    }
}

#[track_caller]
fn bytes(taken: SharedTake) -> Bytes {
    match taken {
        SharedTake::Board { bytes, age } => {
            assert!(!age.is_zero() && age < DEADLINE, "{age:?}");
            bytes
        }
        other => panic!("no board: {other:?}"),
    }
}

/// Milliseconds until Redis drops the key.
#[track_caller]
fn left(redis: &RedisServer, top: &SharedTop) -> i64 {
    redis.command(&[b"PTTL", &key(top)[..]]).integer()
}

/// Sets a field of the shared top without a function.
#[track_caller]
fn set(redis: &RedisServer, top: &SharedTop, field: &str, value: &str) {
    let words = [b"HSET", &key(top)[..], field.as_bytes(), value.as_bytes()];
    assert!(matches!(redis.command(&words), Reply::Integer(_)));
}
