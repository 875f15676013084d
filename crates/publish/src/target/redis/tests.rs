//! Replicas and concurrent removals, with a real Redis.

use store_local::LocalStore;
use testkit::redis::RedisServer;

use super::*;

fn content(version: &str) -> Content {
    Content {
        version: version.to_owned(),
        json: b"{}".to_vec(),
        set: Some(vec![(1.0, "u".to_owned())]),
        ttl: None,
    }
}

fn target(redis: &RedisServer) -> (RedisTarget, Names) {
    let at = redis.url().parse().unwrap();
    let credentials = Credentials::default();
    let store: Arc<dyn ShardStore> = Arc::new(LocalStore::in_memory().unwrap());
    let names = Names {
        set: "k".to_owned(),
        json: "k:json".to_owned(),
        version: "k:version".to_owned(),
    };
    (
        RedisTarget::new(&"t".parse().unwrap(), &at, &credentials, &store),
        names,
    )
}

fn is_readonly(error: &TargetError) -> bool {
    matches!(error, TargetError::Unreachable(why) if why.contains("READONLY"))
}

fn is_replica(error: &TargetError) -> bool {
    matches!(error, TargetError::Unreachable(why) if why.ends_with("is a replica"))
}

#[tokio::test]
async fn a_replica_is_unreachable_until_it_is_a_primary_again() {
    let redis = RedisServer::plain();
    let (target, names) = target(&redis);
    let (_, publishing) = target.begin(&names).await.unwrap();
    let (_, abandoned) = target.begin(&names).await.unwrap();
    redis.command(&["REPLICAOF", "127.0.0.1", "1"]).ok();
    let replaced = publishing.replace(&names, content("1")).await;
    assert!(replaced.as_ref().is_err_and(is_readonly), "{replaced:?}");
    let ttl = Some(Duration::from_mins(1));
    let renewed = abandoned.abandon(&names, ttl).await;
    assert!(renewed.as_ref().is_err_and(is_readonly), "{renewed:?}");
    // No connection was kept. A new one finds that the server is a replica.
    assert!(target.idle.lock().is_empty());
    let begun = target.begin(&names).await.err();
    assert!(begun.as_ref().is_some_and(is_replica));
    redis.command(&["REPLICAOF", "NO", "ONE"]).ok();
    let (_, publishing) = target.begin(&names).await.unwrap();
    let replaced = publishing.replace(&names, content("2")).await;
    assert_eq!(replaced, Ok(Replaced::Yes));
}

#[tokio::test]
async fn a_removal_of_nothing_overtakes_a_concurrent_update() {
    let redis = RedisServer::plain();
    let (target, names) = target(&redis);
    for _ in 0..2 {
        let (found, publishing) = target.begin(&names).await.unwrap();
        assert_eq!(found.version, None);
        // Another server removes the board, which was deleted before it was published.
        let (_, removing) = target.begin(&names).await.unwrap();
        assert_eq!(removing.remove(&names).await, Ok(Replaced::Yes));
        let replaced = publishing.replace(&names, content("1")).await;
        assert_eq!(replaced, Ok(Replaced::Overtaken));
        assert!(redis.command(&["KEYS", "*"]).items().is_empty());
    }
    let (_, publishing) = target.begin(&names).await.unwrap();
    let replaced = publishing.replace(&names, content("2")).await;
    assert_eq!(replaced, Ok(Replaced::Yes));
    assert_eq!(redis.command(&["GET", "k:version"]).text(), "2");
}
