//! Another client between the steps of a write: the usual method loses contributions, ours does
//! not.
//!
//! The usual method keeps the best of all members in one sorted set, trims it regularly, and has
//! the score of each member in a hash. A contribution adds to a member that is on the list (`ZADD
//! XX INCR`), inserts one that is not (`ZADD NX`), adds again if another client was faster (`ZADD
//! XX INCR`), and then writes the hash.

use std::time::Duration;

use board::Window;
use testkit::redis::{FaultProxy, Matching, RedisServer, RedisWire, Reply};
use tokio::time::{Instant, sleep};

use super::applier::{APPLIED, ApplierOnRedis, MS, NOW, gifts};
use crate::boards::settings::RedisSettings;
use redis_nodes::Writes;

const ALL: Window = Window::ALL_TIME;

/// How long replies are delayed: far longer than what happens meanwhile takes.
const HELD_BACK: Duration = Duration::from_millis(1_500);

/// What two clients contribute to the same member.
const GIVEN: [i64; 2] = [5, 7];

/// The usual method, step by step, with something in between.
fn give(redis: &mut RedisWire, points: i64, mut between: impl FnMut(usize)) {
    let points = points.to_string();
    let mut score = redis.command(&["ZADD", "list", "XX", "INCR", &points, "u1"]);
    between(0);
    if score == Reply::Nil {
        score = redis.command(&["ZADD", "list", "NX", "INCR", &points, "u1"]);
        between(1);
    }
    if score == Reply::Nil {
        score = redis.command(&["ZADD", "list", "XX", "INCR", &points, "u1"]);
    }
    if score != Reply::Nil {
        redis
            .command(&["HSET", "scores", "u1", score.text()])
            .integer();
    }
}

#[test]
fn the_usual_method_loses_contributions_at_a_trim() {
    let redis = RedisServer::shared();
    let (mut one, mut other, mut trimmer) = (redis.connect(), redis.connect(), redis.connect());
    give(&mut one, GIVEN[0], |step| match step {
        // Another client inserts the member first ...
        0 => give(&mut other, GIVEN[1], |_| ()),
        // ... and it is trimmed off the list before it is added to.
        _ => assert_eq!(
            trimmer
                .command(&["ZREMRANGEBYRANK", "list", "0", "-1"])
                .integer(),
            1
        ),
    });
    assert_eq!(
        one.command(&["HGET", "scores", "u1"]).text(),
        GIVEN[1].to_string()
    );
    assert_eq!(one.command(&["ZSCORE", "list", "u1"]), Reply::Nil);
}

fn settings(writes: Writes) -> RedisSettings {
    RedisSettings {
        writes,
        ..RedisSettings::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_a_write_with_a_concurrent_trim_is_repeated() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings(Writes::ScriptFree)).await;
    let board = setup.board(gifts(|_| ())).await;
    let (rival, _servers) = setup.far(&settings(Writes::Function)).await;
    assert_eq!(
        board.apply(&[board.points("u2", 1, NOW)], NOW).await,
        [APPLIED]
    );
    let before = proxy.requests_of("HMGET");
    proxy.delay_replies_of(&Matching::command("HMGET"), HELD_BACK);
    let items = GIVEN.map(|points| [board.points("u1", points, NOW)]);
    let write = board.apply(&items[0], NOW);
    let meanwhile = async {
        // It watches and has read: the reply is on its way.
        let end = Instant::now() + HELD_BACK;
        while proxy.requests_of("HMGET") == before {
            assert!(Instant::now() < end, "nothing was asked");
            sleep(MS).await;
        }
        let applied = board.try_apply(&rival, &items[1], NOW, false).await;
        assert_eq!(applied.unwrap(), [APPLIED]);
        let trim = [b"ZREMRANGEBYRANK", &board.keys.rank(ALL)[..], b"0", b"-1"];
        assert_eq!(setup.redis.command(&trim).integer(), 2);
        proxy.heal();
    };
    let (applied, ()) = tokio::join!(write, meanwhile);
    assert_eq!(applied, [APPLIED]);
    assert!(setup.servers.spent().0 > 0);
    assert_eq!(board.points_of(ALL, "u1"), Some(GIVEN[0] + GIVEN[1]));
    // A member with a new contribution is back in the order; one that was trimmed waits for the
    // next write, or `verify`.
    let ranked = board.kept(ALL).rank;
    assert_eq!(ranked.len(), 1);
    assert_eq!(ranked[0].0, GIVEN[0] + GIVEN[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_is_not_interrupted_by_a_trim() {
    let setup = ApplierOnRedis::new().await;
    let board = setup.board(gifts(|_| ())).await;
    let (rival, _servers) = setup.far(&RedisSettings::default()).await;
    let trim = [b"ZREMRANGEBYRANK", &board.keys.rank(ALL)[..], b"0", b"-1"];
    let items = GIVEN.map(|points| [board.points("u1", points, NOW)]);
    let applied = board.try_apply(&rival, &items[1], NOW, false).await;
    assert_eq!(applied.unwrap(), [APPLIED]);
    assert_eq!(setup.redis.command(&trim).integer(), 1);
    assert_eq!(board.apply(&items[0], NOW).await, [APPLIED]);
    assert_eq!(board.points_of(ALL, "u1"), Some(GIVEN[0] + GIVEN[1]));
    assert_eq!(board.kept(ALL).rank[0].0, GIVEN[0] + GIVEN[1]);
}
