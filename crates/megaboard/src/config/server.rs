//! `[server]`: [`ServerSection`]. Its access settings are in `access`, the limits of the audit log in `audit`.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use access::{KeySettings, TokenSecret};
use serde::Deserialize;

use super::limits::LimitsSection;
use crate::drain::Drain;
use crate::logs::LogFormat;
use crate::memory::MemoryLimit;

/// The section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerSection {
    pub(crate) listen: Option<String>,
    pub(crate) store: Option<String>,
    pub(crate) durability: Option<Durability>,
    pub(crate) memory_limit: Option<MemoryLimit>,
    pub(crate) log_format: Option<LogFormat>,
    pub(crate) drain: Option<Drain>,
    /// Whether a server without keys may listen on addresses other than loopback.
    pub(super) open: bool,
    pub(super) keys: Vec<KeySettings>,
    pub(super) metrics_open: bool,
    pub(super) token_secret: Option<TokenSecret>,
    pub(super) trusted_proxies: Vec<String>,
    /// Host names under which a server without keys accepts requests.
    pub(super) hosts: Vec<String>,
    /// Sites that may embed pages of the server.
    pub(super) frame_ancestors: Vec<String>,
    /// The path of the audit log.
    pub(crate) audit_log: Option<PathBuf>,
    /// The maximum size of one of its files, in bytes.
    pub(super) audit_log_bytes: Option<u64>,
    /// The number of older files that are kept.
    pub(super) audit_log_files: Option<u32>,
    /// The number of boards whose records are cached.
    pub(crate) known_boards_max: Option<NonZeroU64>,
    pub(super) limits: LimitsSection,
    pub(super) cors: CorsSection,
}

/// `[server.cors]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CorsSection {
    pub(super) origins: Vec<String>,
}

/// When the embedded store acknowledges a write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Durability {
    #[default]
    Always,
    Interval,
}

/// How often `interval` makes acknowledged writes durable.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

impl From<Durability> for store_local::Durability {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::Always => Self::Always,
            Durability::Interval => Self::Interval(SYNC_INTERVAL),
        }
    }
}
