//! What a deletion answers that a node did not hear of.

use end_to_end::redis::RedisServer;

use super::*;
use crate::redis::opened::{Parts, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_a_node_did_not_hear_of_is_unknown() {
    let nodes = [RedisServer::plain(), RedisServer::plain()];
    let [one, two] = nodes.each_ref().map(RedisServer::address);
    let url = format!("redis://{one},{two}");
    let settings = RedisSettings {
        write_deadline: Duration::from_secs(2),
        ..RedisSettings::default()
    };
    let near = Parts::at(&url, &settings).await;
    let far = Parts::at(&url, &settings).await;
    let kind = Arc::new(gifts(vec![WindowRule::with_defaults(Period::All)]));
    let put = near.registry.put_kind(kind.clone(), Revision(0), true);
    let (name, put) = ("gifts/room 1".parse().unwrap(), put.await.unwrap());
    let created = near.registry.birth(&name, &put, None, now()).await;
    let board = created.unwrap().0.board().clone();
    far.lives.place(&board, 0).await.unwrap();
    let boards = keys::of_kind("boards", kind.name());
    let has_registry = |node: &RedisServer| node.command(&[b"EXISTS", &*boards]).integer() == 1;
    let (registry, other) = if has_registry(&nodes[0]) {
        (&nodes[0], &nodes[1])
    } else {
        (&nodes[1], &nodes[0])
    };
    let refills = Refills::new(&near.servers, &near.session, &near.lives, &settings);
    let sweep = Sweep::new(
        near.servers.clone(),
        near.session,
        near.registry.clone(),
        near.lives,
        refills,
        &settings,
    );
    other.pause();
    until("a node is away", async || near.servers.ready().is_err()).await;
    let buried = sweep.bury(&name).await;
    assert!(
        matches!(buried, Err(BuryError::Store(StoreError::Unknown(_)))),
        "{buried:?}"
    );
    // It is gone, and yet a server that has not heard of that goes on.
    assert_eq!(sweep.bury(&name).await, Err(BuryError::NotThere));
    far.lives.place(&board, 0).await.unwrap();
    other.resume();
    until("it is back", async || near.servers.ready().is_ok()).await;
    sweep.expire(now()).await.unwrap();
    let dying = keys::registry("dying");
    assert_eq!(registry.command(&[b"EXISTS", &*dying]).integer(), 0);
}
