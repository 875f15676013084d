//! The parts of a store, opened for tests over a Redis of their own.

use std::sync::Arc;
use std::time::Duration;

use testkit::redis::{RedisOptions, RedisServer, Reply};
use tokio::time::{Instant, sleep};

use super::incarnations::Incarnations;
use super::keys;
use super::library::library;
use super::lists::Refills;
use super::registry::Registry;
use super::session::Session;
use super::settings::RedisSettings;
use redis_nodes::Nodes;
use shard_store::BoardRecord;

/// Long enough for a failover, on a machine that has other things to do.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// Polls until it is so.
pub(super) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(Instant::now() < end, "{what}: not within {PATIENCE:?}");
        sleep(Duration::from_millis(5)).await;
    }
}

/// What the parts of a store are made over.
pub(super) struct Opened {
    pub(super) redis: RedisServer,
    pub(super) servers: Arc<Nodes>,
    pub(super) session: Arc<Session>,
    pub(super) settings: RedisSettings,
    pub(super) registry: Arc<Registry>,
    pub(super) incarnations: Arc<Incarnations>,
}

impl Opened {
    pub(super) async fn plain() -> Self {
        Self::on(&RedisOptions::new()).await
    }

    pub(super) async fn on(options: &RedisOptions) -> Self {
        Self::with(options, RedisSettings::default()).await
    }

    pub(super) async fn with(options: &RedisOptions, settings: RedisSettings) -> Self {
        let redis = options.start();
        let parts = Parts::over(&redis, &settings).await;
        Self {
            redis,
            servers: parts.servers,
            session: parts.session,
            settings,
            registry: parts.registry,
            incarnations: parts.incarnations,
        }
    }

    pub(super) fn refills(&self) -> Arc<Refills> {
        Refills::new(
            &self.servers,
            &self.session,
            &self.incarnations,
            &self.settings,
        )
    }

    /// Tells the registry of a board that was created without it.
    pub(super) fn enter(&self, board: &BoardRecord) {
        enter(&self.redis, board);
    }

    /// Calls a function past the store.
    pub(super) fn fcall(&self, function: &str, keys: &[&[u8]], args: &[&str]) -> String {
        let name = library().function(function);
        let count = keys.len().to_string();
        let mut words: Vec<&[u8]> = vec![b"FCALL", name.as_bytes(), count.as_bytes()];
        words.extend(keys);
        words.extend(args.iter().map(|arg| arg.as_bytes()));
        match self.redis.command(&words) {
            Reply::Bulk(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            other => panic!("{function}: {other:?}"),
        }
    }

    /// A field of a hash.
    pub(super) fn field(&self, key: &[u8], field: &str) -> Option<String> {
        match self.redis.command(&[b"HGET", key, field.as_bytes()]) {
            Reply::Nil => None,
            other => Some(other.text().to_owned()),
        }
    }

    pub(super) fn exists(&self, key: &[u8]) -> bool {
        self.redis.command(&[b"EXISTS", key]).integer() == 1
    }
}

/// One server's parts: several may be over one Redis.
pub(super) struct Parts {
    pub(super) servers: Arc<Nodes>,
    pub(super) session: Arc<Session>,
    pub(super) registry: Arc<Registry>,
    pub(super) incarnations: Arc<Incarnations>,
}

impl Parts {
    pub(super) async fn over(redis: &RedisServer, settings: &RedisSettings) -> Self {
        Self::at(&redis.url(), settings).await
    }

    pub(super) async fn at(url: &str, settings: &RedisSettings) -> Self {
        let servers = Nodes::open(&url.parse().unwrap(), &settings.nodes(), library()).await;
        let servers = Arc::new(servers.unwrap());
        let session = Arc::new(Session::new().unwrap());
        let registry = Registry::new(servers.clone(), session.clone(), settings);
        let registry = Arc::new(registry);
        let incarnations =
            Incarnations::new(servers.clone(), session.clone(), registry.clone(), settings);
        Self {
            servers,
            session,
            registry,
            incarnations: Arc::new(incarnations),
        }
    }
}

/// Tells a registry of a board that was created without it.
pub(super) fn enter(redis: &RedisServer, board: &BoardRecord) {
    let record = format!(
        "{} {} {:016x} 0 0 - -",
        board.incarnation,
        board.shards.get(),
        board.meaning.0
    );
    let key = keys::of_kind("boards", board.name.kind());
    let subject = board.name.subject().as_bytes();
    let words: [&[u8]; 4] = [b"HSET", &key, subject, record.as_bytes()];
    redis.command(&words).integer();
}
