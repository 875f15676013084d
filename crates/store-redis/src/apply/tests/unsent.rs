//! Failures before a write is sent, or when it was refused: the write was definitely not applied.

use board::Window;
use testkit::redis::{FaultProxy, Matching, RedisServer};

use super::applier::{APPLIED, ApplierOnRedis, MS, NOW, gifts};
use redis_nodes::RedisSettings;
use shard_store::StoreError;

#[tokio::test(flavor = "multi_thread")]
async fn a_write_to_a_shard_that_cannot_be_thawed_is_unavailable_not_unknown() {
    let redis = RedisServer::shared();
    let proxy = FaultProxy::before(&redis);
    let settings = RedisSettings {
        write_deadline: MS * 2_000,
        ..RedisSettings::default()
    };
    let setup = ApplierOnRedis::over(redis, proxy.url(), &settings).await;
    let board = setup.board(gifts(|_| ())).await;
    let items = [board.points("u1", 1, NOW)];
    assert_eq!(board.apply(&items, NOW).await, [APPLIED]);
    // A freeze that has expired, and was not removed.
    board.set_meta("f", "somebody 1");
    proxy.delay_replies_of(&Matching::function("_thaw_"), MS * 60_000);
    let lost = async {
        while proxy.calls_of("_thaw_") == 0 {
            tokio::time::sleep(MS).await;
        }
        proxy.refuse();
    };
    let (failed, ()) = tokio::join!(board.try_apply(&setup.applier, &items, NOW, false), lost);
    assert!(
        matches!(failed, Err(StoreError::Unavailable(_))),
        "{failed:?}"
    );
    assert_eq!(board.points_of(Window::ALL_TIME, "u1"), Some(1));
}
