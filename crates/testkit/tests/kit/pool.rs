//! Reuse of servers between tests.

use std::panic::{AssertUnwindSafe, catch_unwind};

use testkit::redis::{Pool, RedisOptions, RedisServer};

static POOL: Pool<RedisServer> = Pool::new();

fn take() -> testkit::redis::Pooled<RedisServer> {
    POOL.take(RedisOptions::new(), |options| options.start())
}

#[test]
fn a_returned_server_is_cleared_and_one_of_a_failed_test_is_not_reused() {
    let first = take();
    let other = take();
    assert_ne!(first.port(), other.port());
    let (port, mut wire) = (first.port(), first.connect());
    wire.command(&["SET", "k", "v"]).ok();
    drop(first);

    let again = take();
    assert_eq!(again.port(), port);
    assert_eq!(again.command(&["DBSIZE"]).integer(), 0);
    let gone = wire.try_command(&["PING"]);
    assert!(
        gone.is_err(),
        "connections of the previous test are closed: {gone:?}"
    );

    let failed = catch_unwind(AssertUnwindSafe(|| {
        let _held = again;
        panic!("the test failed");
    }));
    assert!(failed.is_err());
    assert_ne!(take().port(), port);
}
