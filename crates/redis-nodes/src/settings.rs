//! Settings of the nodes of a store: [`NodeSettings`].

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

/// The settings of nodes, other than their addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSettings {
    /// The number of replicas that must confirm a write before it is acknowledged.
    pub acks: u32,
    /// How long a node may be without a connection before calls that read fail at once.
    pub read_wait: Duration,
    /// How long a node may be without a connection before writes fail at once, unless their callers wait.
    pub write_wait: Duration,
    /// Whether functions run in Redis.
    pub writes: Writes,
    /// The maximum difference between this process's clock and the nodes'.
    pub clock_skew_max: Duration,
    /// Whether a server that may evict keys is accepted.
    pub allow_eviction: bool,
    /// Independent servers, `HOST:PORT`, that may be empty though others are not: new ones, or
    /// replacements of servers whose data is lost.
    pub accept_empty: Vec<String>,
    /// Certificates in PEM that sign those of the servers, in addition to those of the system.
    pub tls_ca: Option<PathBuf>,
}

impl Default for NodeSettings {
    fn default() -> Self {
        Self {
            acks: 0,
            read_wait: Duration::from_millis(500),
            write_wait: Duration::from_secs(1),
            writes: Writes::default(),
            clock_skew_max: Duration::from_mins(1),
            allow_eviction: false,
            accept_empty: Vec::new(),
            tls_ca: None,
        }
    }
}
