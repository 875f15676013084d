//! Stores over Redis servers, which keep nothing on a disk, pass the conformance suite. A test has
//! its servers alone, and returns them empty for the next one.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

use store_redis::{RedisSettings, RedisStore, RedisWrites};
use testkit::redis::{Pool, Pooled, RedisCluster, RedisOptions, RedisServer};

use testkit::conformance::fixtures::OpenStore;
use testkit::conformance_tests;

/// On one server.
async fn open_redis() -> OpenStore {
    on_server(RedisServer::shared()).await
}

/// On one where texts are sorted by a locale.
async fn open_redis_collated() -> OpenStore {
    static SERVERS: Pool<RedisServer> = Pool::new();
    let options = RedisOptions::new().locale("en_US.UTF-8");
    on_server(SERVERS.take(options, |options| options.start())).await
}

/// On one that runs no scripts for us.
async fn open_redis_script_free() -> OpenStore {
    static SERVERS: Pool<RedisServer> = Pool::new();
    let rules = "~* &* +@all -@scripting";
    let options = RedisOptions::new().user("board", "secret", rules);
    let server = SERVERS.take(options, |options| options.start());
    let settings = RedisSettings {
        writes: RedisWrites::ScriptFree,
        ..RedisSettings::default()
    };
    let store = open_with(&server.url(), &settings).await;
    OpenStore::remote(store, server)
}

/// On three independent servers.
async fn open_redis_servers() -> OpenStore {
    static SERVERS: Pool<[RedisServer; 3]> = Pool::new();
    let servers = SERVERS.take(RedisOptions::new(), |options| {
        [(); 3].map(|()| options.start())
    });
    let addresses = servers
        .each_ref()
        .map(|server| server.address().to_string());
    let store = open(&format!("redis://{}", addresses.join(","))).await;
    OpenStore::remote(store, servers)
}

/// On a cluster of three primaries.
async fn open_redis_cluster() -> OpenStore {
    static CLUSTERS: Pool<RedisCluster> = Pool::new();
    let cluster = CLUSTERS.take(RedisOptions::new(), |options| {
        RedisCluster::start(3, 0, &options)
    });
    let store = open(&cluster.url()).await;
    OpenStore::remote(store, cluster)
}

async fn on_server(server: Pooled<RedisServer>) -> OpenStore {
    let store = open(&server.url()).await;
    OpenStore::remote(store, server)
}

async fn open(url: &str) -> RedisStore {
    open_with(url, &RedisSettings::default()).await
}

async fn open_with(url: &str, settings: &RedisSettings) -> RedisStore {
    let url = url.parse().unwrap();
    RedisStore::open(&url, settings).await.unwrap()
}

conformance_tests!(redis: crate::open_redis);
conformance_tests!(redis_collated: crate::open_redis_collated);
conformance_tests!(redis_script_free: crate::open_redis_script_free);
conformance_tests!(redis_servers: crate::open_redis_servers);
conformance_tests!(redis_cluster: crate::open_redis_cluster);
