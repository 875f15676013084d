//! Sentinels report the primary before and after a failover.

use testkit::redis::{RedisOptions, RedisSentinels};

#[test]
fn a_replica_takes_over_when_the_primary_is_killed() {
    let sentinels = RedisSentinels::start(1, &RedisOptions::new());
    let [first, replica] = sentinels.servers() else {
        panic!("{sentinels:?}")
    };
    assert_eq!(sentinels.primary().port(), first.port());
    // WAIT refers to the writes of its own connection.
    let mut wire = first.connect();
    wire.command(&["SET", "k", "v"]).ok();
    assert_eq!(wire.command(&["WAIT", "1", "0"]).integer(), 1);
    let killed = sentinels.kill_primary();
    assert_eq!(killed.port(), first.port());
    let next = sentinels.primary_after(&killed);
    assert_eq!(next.port(), replica.port());
    assert_eq!(next.command(&["GET", "k"]).text(), "v");
    killed.start();
    sentinels.wait_until_known();
    killed.wait_for_link();
    assert!(killed.command(&["SET", "k", "w"]).is_error("READONLY"));
}

#[test]
fn sentinels_log_in_to_servers_with_users() {
    let options = RedisOptions::new().user("board", "secret", "~* +@all");
    let sentinels = RedisSentinels::start(1, &options);
    let [a, b, c] = sentinels.sentinels() else {
        panic!("{sentinels:?}")
    };
    let (a, b, c) = (a.address(), b.address(), c.address());
    let url = format!("redis-sentinel://board:secret@{a},{b},{c}/mymaster");
    assert_eq!(sentinels.url(), url);
}
