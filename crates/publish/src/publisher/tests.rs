//! Windows that have closed.

use std::sync::atomic::{AtomicI64, Ordering};

use board::{Member, ShardCount, Timestamp, Value, Values};
use shard_router::{Write, WriteOutcome};
use shard_store::{Change, ShardStore};
use store_local::LocalStore;
use testkit::eventually;
use testkit::redis::{RedisServer, Reply};

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// Returns targets with this server, named `readers`.
fn targets(redis: &RedisServer) -> PublishTargets {
    let mut targets = PublishTargets::default();
    let url = redis.url().parse().unwrap();
    targets.add("readers".parse().unwrap(), url).unwrap();
    targets
}

/// Creates a board of a published kind with one contribution. The merger uses this clock.
async fn board_with_a_contribution(
    targets: &PublishTargets,
    when: Timestamp,
    clock: Clock,
) -> (Arc<Router>, Arc<Merger>) {
    let shape = r#"{"windows": ["day"], "close": {"day": "10m"},
        "publish": {"target": "readers", "key": "{subject}:{window}"}}"#;
    let shape: wire::KindShape = serde_json::from_str(shape).unwrap();
    let kind = shape
        .into_kind_at("gifts", ShardCount::DEFAULT, targets)
        .unwrap();
    let store: Arc<dyn ShardStore> = Arc::new(LocalStore::in_memory().unwrap());
    let router = Arc::new(Router::open(store).await.unwrap());
    let (kind, _) = router.catalogue().put(kind, when).await.unwrap();
    let write = Write {
        board: Arc::new("gifts/a".parse().unwrap()),
        kind,
        member: Member::new("u").unwrap(),
        change: Change::Fold(Values::from(Value::new(3).unwrap())),
        at: when,
        id: None,
        only: None,
    };
    let written = router.write(&[write], when, false).await;
    assert!(
        matches!(written[..], [WriteOutcome::Applied(_)]),
        "{written:?}"
    );
    let settings = merger::Settings {
        clock,
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: 1 << 20,
    };
    let merger = Arc::new(Merger::new(router.clone(), settings));
    (router, merger)
}

/// A closed window whose content is not known to be durable is read as of the moment before its close. In this test
/// the merger's clock stands at that moment.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_window_that_is_not_final_is_published_again_as_final() {
    let redis = RedisServer::plain();
    let targets = targets(&redis);
    let closed = at("2026-11-21T00:10:00Z");
    let as_of_ms = Arc::new(AtomicI64::new(closed.millis() - 1));
    let reads = as_of_ms.clone();
    let clock: Clock = Arc::new(move || Timestamp::from_millis(reads.load(Ordering::Relaxed)));
    let (router, merger) =
        board_with_a_contribution(&targets, at("2026-11-20T12:00:00Z"), clock).await;
    let settings = Settings {
        targets,
        credentials: Credentials::default(),
    };
    let publisher = Publisher::start(router, merger, Arc::new(move || closed), settings);
    let stored = || match redis.command(&["GET", "a:day:2026-11-20:json"]) {
        Reply::Nil => None,
        json => Some(serde_json::from_str::<serde_json::Value>(json.text()).unwrap()),
    };
    let first = eventually("the closed window", stored);
    assert_eq!(first.get("final"), None, "{first}");
    as_of_ms.store(closed.millis(), Ordering::Relaxed);
    let second = eventually("the window as final", || {
        stored().filter(|json| json["final"] == true)
    });
    assert_eq!(second["entries"], first["entries"]);
    publisher.stop().await;
}
