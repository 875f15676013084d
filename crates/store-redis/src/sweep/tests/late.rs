//! What a sweep without scripts decided, and Redis hears of late.

use board::{Member, Value, Values};
use testkit::redis::{FaultProxy, Matching};

use super::*;
use crate::apply::Applier;
use crate::fixtures::parts::Parts;
use redis_nodes::Writes;
use shard_store::{Batch, Change, Item, Outcome};

/// As long as any test waits.
const DEADLINE: Duration = Duration::from_secs(30);

impl SweptBoard {
    /// A point, as a server gives it that calls functions.
    async fn give_a_point(&self) -> Result<Vec<Outcome>, StoreError> {
        let member = Member::new("u1").unwrap();
        let item = Item {
            hash: member.placement_hash(),
            member,
            change: Change::Fold(Values::from(Value::new(1).unwrap())),
            at: now(),
            id: None,
            windows: self.kind.admit(now(), now()).unwrap(),
        };
        let opened = &self.opened;
        let applier = Applier::new(
            opened.servers.clone(),
            opened.session.clone(),
            opened.incarnations.clone(),
            opened.refills(),
            opened.registry.clone(),
            &opened.settings,
        );
        let batch = Batch {
            kind: &self.kind,
            now: now(),
            until: None,
            report: false,
            items: &[item],
        };
        applier.apply(self.record.board(), 0, batch).await
    }

    async fn wait_for_transactions(&self, count: i64) {
        let end = Instant::now() + DEADLINE;
        while self.calls("exec") < count {
            assert!(Instant::now() < end, "transactions that never came");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_outlasts_its_freeze_deletes_nothing() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    let proxy = FaultProxy::before(&room.opened.redis);
    let settings = RedisSettings {
        writes: Writes::ScriptFree,
        ..RedisSettings::default()
    };
    let parts = Parts::at(proxy.url(), &settings).await;
    let refills = Refills::new(
        &parts.servers,
        &parts.session,
        &parts.incarnations,
        &settings,
    );
    let sweep = Sweep::new(
        parts.servers,
        parts.session,
        parts.registry,
        parts.incarnations,
        refills,
        &settings,
    );
    let boards = keys::of_kind("boards", room.kind.name());
    proxy.hold(&Matching::request("a deletion", move |words| {
        words[0] == b"HDEL" && words[1] == boards
    }));
    let swept = sweep.expire(now().plus(LINGER * 2)).await;
    assert!(matches!(swept, Err(StoreError::Unknown(_))), "{swept:?}");
    // Frozen until nobody decides any more.
    let given = room.give_a_point().await;
    assert_eq!(given, Ok(vec![Outcome::Applied(Vec::new())]));
    let held = proxy.held();
    assert!(held > 0);
    let come = room.calls("exec") + i64::try_from(held).unwrap();
    proxy.heal();
    room.wait_for_transactions(come).await;
    assert!(
        room.is_there().await,
        "it was deleted with what it was given"
    );
    let given = room.give_a_point().await;
    assert_eq!(given, Ok(vec![Outcome::Applied(Vec::new())]));
}
