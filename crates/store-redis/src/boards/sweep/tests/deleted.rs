//! Deletions that did not reach all nodes, or were interrupted.

use redis_nodes::registry_key;
use testkit::redis::RedisServer;

use super::*;
use crate::boards::fixtures::gifts::{day, gifts_over};
use crate::boards::fixtures::parts::{DEADLINE, parts_at, until};
use redis_nodes::RedisSettings;

#[tokio::test]
async fn a_deletion_that_was_interrupted_is_finished() {
    let room = SweptBoard::new(vec![day()]).await;
    room.put_members(2, today());
    room.set_meta(2, "f", "somebody 1");
    room.opened
        .registry
        .delete_board(&room.record.board.name)
        .await
        .unwrap();
    let dying = registry_key("dying");
    assert!(room.opened.exists(&dying) && room.holds(2, today()));
    room.sweep.drop_expired(now()).await.unwrap();
    assert!(!room.opened.exists(&dying) && !room.holds(2, today()));
    for shard in room.shards() {
        let key = ShardKeys::new(&room.record.board, shard).meta();
        let fields = room.opened.redis.command(&[b"HGETALL", &*key]);
        let fields: Vec<_> = fields.items().iter().map(|field| field.text()).collect();
        assert_eq!(fields, ["x", "1"]);
        let kept = room.opened.redis.command(&[b"PTTL", &*key]).integer();
        assert!(kept > 23 * 3_600_000, "{kept}");
    }
}

#[tokio::test]
async fn an_incarnation_that_a_shard_calls_dead_is_ended_again() {
    let room = SweptBoard::new(vec![WindowRule::with_defaults(Period::All)]).await;
    room.put_members(0, Window::ALL_TIME);
    let board = &room.record.board;
    // The registry has lost that it was deleted.
    room.set_meta(2, "x", "1");
    room.opened.incarnations.place(board, 2).await.unwrap();
    room.opened.incarnations.forget(board);
    let dead = room.opened.incarnations.place(board, 2).await;
    assert_eq!(dead, Err(StoreError::IncarnationEnded));
    room.sweep.drop_expired(now()).await.unwrap();
    assert!(!room.is_there().await && !room.holds(0, Window::ALL_TIME));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_did_not_reach_a_node_is_unknown() {
    let nodes = [RedisServer::plain(), RedisServer::plain()];
    let [one, two] = nodes.each_ref().map(RedisServer::address);
    let url = format!("redis://{one},{two}");
    let settings = RedisSettings {
        write_deadline: Duration::from_secs(2),
        ..RedisSettings::default()
    };
    let near = parts_at(&url, &settings).await;
    let far = parts_at(&url, &settings).await;
    // More shards than are called at once.
    let kind = Arc::new(gifts_over(
        128,
        vec![WindowRule::with_defaults(Period::All)],
    ));
    let put = near.registry.put_kind(kind.clone(), Revision(0), true);
    let (name, put) = ("gifts/room 1".parse().unwrap(), put.await.unwrap());
    let created = near.registry.create_board(&name, &put, None, now()).await;
    let board = created.unwrap().0.board;
    far.incarnations.place(&board, 0).await.unwrap();
    let boards = keys::of_kind("boards", kind.name());
    let has_registry = |node: &RedisServer| node.command(&[b"EXISTS", &*boards]).integer() == 1;
    let (registry, other) = if has_registry(&nodes[0]) {
        (&nodes[0], &nodes[1])
    } else {
        (&nodes[1], &nodes[0])
    };
    let sweep_with = |settings: &RedisSettings| {
        let settings = Arc::new(settings.clone());
        let parts = Parts {
            settings,
            ..near.clone()
        };
        Sweep::new(&parts, Refills::new(&parts))
    };
    let sweep = sweep_with(&settings);
    other.pause();
    until("a node is away", async || near.servers.ready().is_err()).await;
    let deleted = sweep.delete_board(&name).await;
    assert!(
        matches!(
            deleted,
            Err(DeleteBoardError::Store(StoreError::Unknown(_)))
        ),
        "{deleted:?}"
    );
    // All shards have ended that could be reached.
    let has_ended = |shard: &u16| {
        let meta = ShardKeys::new(&board, *shard).meta();
        registry.command(&[b"EXISTS", &*meta]).integer() == 1
    };
    assert_eq!((0..128).filter(has_ended).count(), 64);
    // Nor does a sweep wait for the others, however long its deadline is.
    let patient = sweep_with(&RedisSettings {
        write_deadline: DEADLINE * 10,
        ..RedisSettings::default()
    });
    let swept = tokio::time::timeout(DEADLINE, patient.drop_expired(now())).await;
    let failure = swept.unwrap().unwrap_err().to_string();
    assert!(failure.contains("is not connected"), "{failure}");
    // It is deleted, but a server that has not learned of that continues.
    assert_eq!(
        sweep.delete_board(&name).await,
        Err(DeleteBoardError::NotFound)
    );
    far.incarnations.place(&board, 0).await.unwrap();
    other.resume();
    until("it is back", async || near.servers.ready().is_ok()).await;
    sweep.drop_expired(now()).await.unwrap();
    let dying = registry_key("dying");
    assert_eq!(registry.command(&[b"EXISTS", &*dying]).integer(), 0);
}
