//! Servers notice when others start and stop.

use tokio::time::{Instant, sleep};

use super::super::presence::{PRESENT_FOR, say};
use super::*;
use redis_nodes::Writes;

const SERVERS: &str = "megaboard:{registry}:servers";

/// Waits until it sees others, or no longer does.
async fn until_others(tops: &SharedTops, others: bool) {
    let deadline = Instant::now() + DEADLINE;
    while tops.has_others() != others {
        assert!(Instant::now() < deadline, "others are not seen as they are");
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_server_knows_whether_it_is_alone() {
    let redis = RedisServer::shared();
    let one = tops_on(&redis).await;
    assert!(!one.has_others());
    let other = tops_on(&redis).await;
    until_others(&one, true).await;
    until_others(&other, true).await;
    other.close().await;
    assert!(!other.has_others());
    until_others(&one, false).await;
    one.close().await;
    let key = redis.command(&["EXISTS", SERVERS]);
    assert_eq!(key.integer(), 0);
}

#[tokio::test]
async fn servers_that_fell_silent_are_not_counted() {
    for writes in [Writes::Function, Writes::ScriptFree] {
        the_silent_are_not_counted(writes).await;
    }
}

async fn the_silent_are_not_counted(writes: Writes) {
    let redis = RedisServer::shared();
    let settings = RedisSettings {
        writes,
        ..RedisSettings::default()
    };
    let servers = parts_at(&redis.url(), &settings).await.servers;
    let (one, other) = (Session::new().unwrap(), Session::new().unwrap());
    assert_eq!(say(&servers, &one).await.unwrap(), 1);
    assert_eq!(say(&servers, &one).await.unwrap(), 1);
    assert_eq!(say(&servers, &other).await.unwrap(), 2);
    let seen_at = redis.command(&["ZSCORE", SERVERS, &one.name()]);
    let seen_at: i64 = seen_at.text().parse().unwrap();
    let span = i64::try_from(PRESENT_FOR.as_millis()).unwrap();
    // Long ago or, by a clock that has stepped back, in the future.
    for at in [seen_at - span, seen_at + 2 * span] {
        redis.command(&["ZADD", SERVERS, &at.to_string(), &one.name()]);
        assert_eq!(say(&servers, &other).await.unwrap(), 1);
    }
    let left = redis.command(&["PTTL", SERVERS]).integer();
    assert!((1..=span).contains(&left), "{left} ms");
}
