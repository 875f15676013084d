//! Damage of the distinct values of a kind with dense ranks.

use board::{RankStyle, Window};
use shard_store::IndexMismatch;
use testkit::conformance::fixtures::{NOW, OpenStore, gifts, member};
use testkit::redis::RedisServer;

use crate::RedisStore;
use crate::boards::keys::ShardKeys;
use redis_nodes::RedisSettings;

#[tokio::test]
async fn distinct_values_that_are_not_those_of_the_order_are_found_and_repaired() {
    let redis = RedisServer::shared();
    let url = redis.url().parse().unwrap();
    let store = RedisStore::open(&url, &RedisSettings::default()).await;
    let store = OpenStore::remote(store.unwrap(), ());
    let kind = gifts(|spec| {
        spec.rank = RankStyle::Dense;
        spec.shards = 1;
    });
    let board = store.fresh(kind, "room").await;
    let items = (0..30).map(|n| board.points(&member(&format!("u{n}")), n % 10, NOW));
    let items: Vec<_> = items.collect();
    board.apply(&items, NOW).await;
    board.verify().await;
    let key = ShardKeys::new(&board.record, 0).values(Window::ALL_TIME);
    let values = |words: &[&[u8]]| redis.command(words).integer();
    assert_eq!(values(&[b"ZREM", &key, b"3"]), 1);
    assert_eq!(values(&[b"ZADD", &key, b"77", b"77", b"5", b"five"]), 2);
    let shown = |found: &[IndexMismatch]| {
        let detail = |one: &IndexMismatch| {
            let member = one.member.as_ref().map(ToString::to_string);
            (member.unwrap_or_default(), one.detail.clone())
        };
        let mut shown: Vec<_> = found.iter().map(detail).collect();
        shown.sort();
        shown
    };
    let unheld = |value: &str| {
        let detail = format!("a distinct value that no member has: \"{value}\"");
        (String::new(), detail)
    };
    let uncounted = |member: &str| {
        let detail = "has a value that is not among the distinct ones";
        (member.to_owned(), detail.to_owned())
    };
    let expected = [
        unheld("77"),
        unheld("five"),
        uncounted("u13"),
        uncounted("u23"),
        uncounted("u3"),
    ];
    for repair in [false, true] {
        let found = store.verify(&board.record, 0, repair).await.unwrap();
        assert_eq!(shown(&found), expected);
        assert!(found.iter().all(|one| one.repaired == repair));
    }
    board.verify().await;
    assert_eq!(values(&[b"ZCARD", &key]), 10);
}
