//! Settings of a store on Redis, beside its URL.

use std::path::PathBuf;
use std::time::Duration;

use redis_nodes::{NodeSettings, Writes};

/// Settings of a store on Redis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisSettings {
    /// Replicas that must have a write before it is answered.
    pub acks: u32,
    /// How long a write is tried, by the clock of the node that would take it.
    pub write_deadline: Duration,
    /// How long a read is tried.
    pub read_deadline: Duration,
    /// Whether functions run in Redis.
    pub writes: Writes,
    /// How far this process's clock may be from the nodes': beyond that nothing is written or dropped.
    pub clock_skew_max: Duration,
    /// Boards whose lease on the registry is kept at hand, some 300 bytes each; others are looked up.
    pub leases_max: u64,
    /// Remembered ids that one shard may hold.
    pub ids_per_shard_max: u64,
    /// Whether a server that may evict keys is taken.
    pub allow_eviction: bool,
    /// Independent servers, `HOST:PORT`, that may be empty though others are not: they are new, or
    /// stand in for one whose data is lost.
    pub accept_empty: Vec<String>,
    /// Certificates in PEM that sign those of the servers, beside those of the system.
    pub tls_ca: Option<PathBuf>,
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            acks: 0,
            write_deadline: Duration::from_secs(15),
            read_deadline: Duration::from_secs(3),
            writes: Writes::default(),
            clock_skew_max: Duration::from_mins(1),
            leases_max: 250_000,
            ids_per_shard_max: 1_000_000,
            allow_eviction: false,
            accept_empty: Vec::new(),
            tls_ca: None,
        }
    }
}

impl RedisSettings {
    /// What of it is about the nodes.
    #[must_use]
    pub fn nodes(&self) -> NodeSettings {
        NodeSettings {
            acks: self.acks,
            writes: self.writes,
            clock_skew_max: self.clock_skew_max,
            allow_eviction: self.allow_eviction,
            accept_empty: self.accept_empty.clone(),
            tls_ca: self.tls_ca.clone(),
        }
    }
}
