//! Another client between the steps of a write without scripts: nothing is lost.

use std::time::Duration;

use board::Window;
use testkit::redis::{FaultProxy, Matching, RedisServer};
use tokio::time::{Instant, sleep};

use super::applier::{APPLIED, ApplierOnRedis, MS, NOW, gifts};
use redis_nodes::{RedisSettings, Writes};

const ALL: Window = Window::ALL_TIME;

/// How long replies are delayed: far longer than what happens meanwhile takes.
const HELD_BACK: Duration = Duration::from_millis(1_500);

/// What two clients contribute to the same member.
const GIVEN: [i64; 2] = [5, 7];

#[tokio::test(flavor = "multi_thread")]
async fn without_scripts_a_write_with_a_concurrent_trim_is_repeated() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let script_free = RedisSettings {
        writes: Writes::ScriptFree,
        ..RedisSettings::default()
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &script_free).await;
    let board = setup.board(gifts(|_| ())).await;
    let (rival, _servers) = setup.far(&RedisSettings::default()).await;
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
