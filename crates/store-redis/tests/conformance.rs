//! Stores over Redis servers of their own, which keep nothing on a disk, pass the conformance suite.

#![expect(
    clippy::unwrap_used,
    reason = "the exemption for tests leaves out their helpers"
)]

use store_redis::{RedisSettings, RedisStore, RedisWrites};
use testkit::redis::{RedisCluster, RedisOptions, RedisServer};

use store_conformance::fixtures::OpenStore;
use store_conformance::hold;

/// On one server.
async fn open_redis() -> OpenStore {
    on_server(RedisServer::plain()).await
}

/// On one where texts are ordered otherwise than by their bytes.
async fn open_redis_collated() -> OpenStore {
    let options = RedisOptions::new().locale("en_US.UTF-8");
    on_server(RedisServer::with(&options)).await
}

/// On one that runs no scripts for us.
async fn open_redis_script_free() -> OpenStore {
    let rules = "~* &* +@all -@scripting";
    let server = RedisOptions::new().user("board", "secret", rules).start();
    let settings = RedisSettings {
        writes: RedisWrites::ScriptFree,
        ..RedisSettings::default()
    };
    let store = open_with(&server.url(), &settings).await;
    OpenStore::remote(store, server)
}

/// On three independent servers.
async fn open_redis_servers() -> OpenStore {
    let servers = [(); 3].map(|()| RedisServer::plain());
    let addresses = servers
        .each_ref()
        .map(|server| server.address().to_string());
    let store = open(&format!("redis://{}", addresses.join(","))).await;
    OpenStore::remote(store, servers)
}

/// On a cluster of three primaries.
async fn open_redis_cluster() -> OpenStore {
    let cluster = RedisCluster::start(3, 0, &RedisOptions::new());
    let store = open(&cluster.url()).await;
    OpenStore::remote(store, cluster)
}

async fn on_server(server: RedisServer) -> OpenStore {
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

hold!(redis: crate::open_redis);
hold!(redis_collated: crate::open_redis_collated);
hold!(redis_script_free: crate::open_redis_script_free);
hold!(redis_servers: crate::open_redis_servers);
hold!(redis_cluster: crate::open_redis_cluster);
