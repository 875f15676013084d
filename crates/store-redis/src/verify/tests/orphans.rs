//! What a registry that lost its last writes leaves behind on shards.

use std::sync::Arc;

use board::{BoardName, Member, Period, Timestamp, Value, Values, WindowRule};
use testkit::redis::{FaultProxy, Pooled, RedisServer};

use crate::boards::fixtures::gifts::{NOW, gifts};
use crate::boards::keys;
use crate::store::RedisStore;
use redis_nodes::RedisSettings;
use shard_store::{Batch, BoardRecord, Change, Item, KindRecord, Revision, ShardStore};

const fn now() -> Timestamp {
    Timestamp::from_millis(NOW)
}

/// Several steps of a scan.
const BOARDS: usize = 500;

struct Stage {
    redis: Pooled<RedisServer>,
    proxy: FaultProxy,
    store: RedisStore,
    kind: KindRecord,
}

impl Stage {
    async fn new() -> Self {
        let redis = RedisServer::shared();
        let proxy = FaultProxy::before(&redis);
        let url = proxy.url().parse().unwrap();
        let store = RedisStore::open(&url, &RedisSettings::default()).await;
        let store = store.unwrap();
        let kind = Arc::new(gifts(vec![WindowRule::with_defaults(Period::All)]));
        let kind = store.put_kind(kind, Revision(0), true).await.unwrap();
        Self {
            redis,
            proxy,
            store,
            kind,
        }
    }

    /// A board on which one member has points.
    async fn board(&self, name: &BoardName) -> BoardRecord {
        let created = self.store.create_board(name, &self.kind, None, now()).await;
        let board = created.unwrap();
        let kind = self.kind.kind.as_ref().unwrap();
        let member = Member::new("u").unwrap();
        let item = Item {
            hash: member.placement_hash(),
            member,
            change: Change::Fold(Values::from(Value::new(1).unwrap())),
            at: now(),
            id: None,
            windows: kind.admit(now(), now()).unwrap(),
        };
        let shard = board.shards.shard_of(item.hash);
        let batch = Batch {
            kind,
            now: now(),
            until: None,
            waits_until: None,
            report: false,
            items: &[item],
        };
        self.store.apply(&board, shard, batch).await.unwrap();
        board
    }

    /// Has the registry forget a board, as after a failover to a replica that did not have it yet.
    fn lose(&self, name: &BoardName) {
        let subject = name.subject().as_bytes();
        for (key, command) in [("boards", "HDEL"), ("subjects", "ZREM")] {
            let key = keys::of_kind(key, name.kind());
            let words: [&[u8]; 3] = [command.as_bytes(), &key, subject];
            assert_eq!(self.redis.command(&words).integer(), 1);
        }
    }
}

#[tokio::test]
async fn keys_of_boards_that_the_registry_lost_are_found_in_steps() {
    let stage = Stage::new().await;
    let mut boards = Vec::new();
    for number in 0..BOARDS {
        let name = format!("gifts/room {number}").parse().unwrap();
        boards.push(stage.board(&name).await);
    }
    assert_eq!(stage.store.orphans().await.unwrap(), []);
    let steps = stage.proxy.requests_of("SCAN");
    assert!(steps >= 3, "{steps}");
    // One that ended regularly leaves tombstones.
    stage
        .store
        .delete_board(&boards[1].name, now())
        .await
        .unwrap();
    assert_eq!(stage.store.orphans().await.unwrap(), []);
    stage.lose(&boards[2].name);
    stage.lose(&boards[3].name);
    // Another board of the same name.
    stage.board(&boards[3].name).await;
    let orphans = stage.store.orphans().await.unwrap();
    let found = orphans.iter().map(|o| (&o.board, o.incarnation, o.keys));
    // The shard's meta, the scores and the order.
    let lost = |number: usize| (&boards[number].name, boards[number].incarnation, 3);
    assert_eq!(found.collect::<Vec<_>>(), [lost(2), lost(3)]);
    for orphan in orphans {
        assert!(stage.redis.command(&["EXISTS", &orphan.example]).integer() == 1);
    }
}
