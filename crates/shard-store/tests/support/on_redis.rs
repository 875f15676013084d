//! Stores over a Redis of their own.

use end_to_end::redis::RedisServer;
use shard_store::{RedisSettings, RedisStore};

use crate::given::Given;

/// One server that keeps nothing on disk.
pub(crate) async fn redis() -> Given {
    let server = RedisServer::plain();
    let url = server.url().parse().unwrap();
    let store = RedisStore::open(&url, &RedisSettings::default()).await;
    Given::new(store.unwrap(), server)
}
