//! How the nodes of a store are used: [`NodeSettings`].

use std::path::PathBuf;
use std::time::Duration;

/// How a store writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// By functions that run in Redis: one call each.
    #[default]
    Function,
    /// By watched transactions, for servers that run no scripts: as exact, and slower.
    ScriptFree,
}

/// What nodes are used by, beside where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSettings {
    /// Replicas that must have a write before it is answered.
    pub acks: u32,
    /// Whether functions run in Redis.
    pub writes: Writes,
    /// How far this process's clock may be from the nodes'.
    pub clock_skew_max: Duration,
    /// Whether a server that may evict keys is accepted.
    pub allow_eviction: bool,
    /// Independent servers, `HOST:PORT`, that may be empty though others are not: they are new, or
    /// stand in for one whose data is lost.
    pub accept_empty: Vec<String>,
    /// Certificates in PEM that sign those of the servers, beside those of the system.
    pub tls_ca: Option<PathBuf>,
}

impl Default for NodeSettings {
    fn default() -> Self {
        Self {
            acks: 0,
            writes: Writes::default(),
            clock_skew_max: Duration::from_mins(1),
            allow_eviction: false,
            accept_empty: Vec::new(),
            tls_ca: None,
        }
    }
}
