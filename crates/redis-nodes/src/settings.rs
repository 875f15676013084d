//! Settings of a store on Redis, other than its URL: [`RedisSettings`].

use std::path::PathBuf;
use std::time::Duration;

/// How a store writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// By functions that run in Redis, one call each.
    #[default]
    Function,
    /// By watched transactions, for servers that run no scripts: as exact, and slower.
    ScriptFree,
}

/// Settings of a store on Redis: of its nodes, and of what the store does with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisSettings {
    /// The number of replicas that must confirm a write before it is acknowledged.
    pub acks: u32,
    /// The time limit of a write, by the clock of the node that would apply it.
    pub write_deadline: Duration,
    /// The time limit of a read.
    pub read_deadline: Duration,
    /// How long a read waits for a node without a connection, counted from its loss.
    pub read_wait: Duration,
    /// How long a write waits for a node without a connection, counted from its loss, unless its caller waits longer.
    pub write_wait: Duration,
    /// Whether functions run in Redis.
    pub writes: Writes,
    /// The maximum difference between this process's clock and the nodes'. Beyond it nothing is
    /// written or dropped.
    pub clock_skew_max: Duration,
    /// The number of boards whose leases are cached, some 300 bytes each; others are looked up.
    pub leases_max: u64,
    /// The maximum number of remembered ids of one shard.
    pub ids_per_shard_max: u64,
    /// Whether a server that may evict keys is accepted.
    pub allow_eviction: bool,
    /// Independent servers, `HOST:PORT`, that may be empty though others are not: new ones, or
    /// replacements of servers whose data is lost.
    pub accept_empty: Vec<String>,
    /// Certificates in PEM that sign those of the servers, in addition to those of the system.
    pub tls_ca: Option<PathBuf>,
}

impl Default for RedisSettings {
    fn default() -> Self {
        Self {
            acks: 0,
            write_deadline: Duration::from_secs(15),
            read_deadline: Duration::from_secs(3),
            read_wait: Duration::from_millis(500),
            write_wait: Duration::from_secs(1),
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
