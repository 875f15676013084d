//! A deletion that a sweep without scripts decided, and that Redis receives late.

use board::{Period, WindowRule};
use testkit::redis::{FaultProxy, Matching};

use super::applier::{APPLIED, ApplierOnRedis, NOW};
use crate::boards::fixtures::gifts::gifts;
use crate::boards::fixtures::parts::{parts_at, until};
use crate::boards::keys;
use crate::boards::retention::LINGER;
use crate::boards::sweep::Sweep;
use crate::lists::Refills;
use redis_nodes::{RedisSettings, Writes};
use shard_store::StoreError;

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_outlasts_its_freeze_deletes_nothing() {
    let opened = ApplierOnRedis::new().await;
    let room = opened
        .board(gifts(vec![WindowRule::with_defaults(Period::All)]))
        .await;
    let proxy = FaultProxy::before(&opened.redis);
    let settings = RedisSettings {
        writes: Writes::ScriptFree,
        ..RedisSettings::default()
    };
    let parts = parts_at(proxy.url(), &settings).await;
    let refills = Refills::new(&parts);
    let sweep = Sweep::new(&parts, refills);
    let boards = keys::of_kind("boards", room.kind.name());
    proxy.hold(&Matching::request("a deletion", move |words| {
        words[0] == b"HDEL" && words[1] == boards
    }));
    let swept = sweep.drop_expired(NOW.plus(LINGER * 2)).await;
    assert!(matches!(swept, Err(StoreError::Unknown(_))), "{swept:?}");
    // Frozen until the decision has expired.
    let point = [room.points("u1", 1, NOW)];
    assert_eq!(room.apply(&point, NOW).await, [APPLIED]);
    let held = proxy.held();
    assert!(held > 0);
    let arrived = opened.ran("exec") + u64::try_from(held).unwrap();
    proxy.heal();
    until("the late transactions", async || {
        opened.ran("exec") >= arrived
    })
    .await;
    let found = opened.registry.board(&room.record.name).await;
    assert!(
        found.unwrap().is_some(),
        "it was deleted with what was applied to it"
    );
    assert_eq!(room.apply(&point, NOW).await, [APPLIED]);
}
