//! `[server]`: [`ServerSection`]. Its access settings are in `access`.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use access::audit::AuditLimits;
use access::{KeySettings, TokenSecret};
use api::MemoryBudget;
use serde::{Deserialize, Deserializer};

use super::bounds::{span_within, within};
use super::limits::LimitsSection;
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
    #[serde(deserialize_with = "drain")]
    pub(crate) drain: Option<Duration>,
    /// Whether a server without keys may listen on addresses other than loopback.
    pub(crate) open: bool,
    pub(crate) keys: Vec<KeySettings>,
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
    #[serde(deserialize_with = "file_bytes")]
    audit_log_bytes: Option<u64>,
    /// The number of older files that are kept.
    #[serde(deserialize_with = "files")]
    audit_log_files: Option<u32>,
    /// The number of boards whose records are cached.
    pub(crate) known_boards_max: Option<NonZeroU64>,
    pub(crate) limits: LimitsSection,
    pub(super) cors: CorsSection,
}

/// The bounds of how long the server has its clients leave before it stops. Files of `deploy/` and other supervisors
/// allow a minute for the default.
pub(crate) const DRAINS: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_mins(5);

fn drain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    span_within(deserializer, &DRAINS).map(Some)
}

/// At least a few hundred lines.
fn file_bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    within(deserializer, 64 << 10..=u64::MAX).map(Some)
}

fn files<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    within(deserializer, 0..=1_000).map(Some)
}

impl ServerSection {
    /// Returns the memory budget under this memory limit.
    pub(crate) fn memory_budget(&self, limit: Option<u64>) -> MemoryBudget {
        self.limits.memory_budget(limit)
    }

    /// Returns the limits of the audit log.
    pub(crate) fn audit_limits(&self) -> AuditLimits {
        let default = AuditLimits::default();
        AuditLimits {
            file_bytes_max: self.audit_log_bytes.unwrap_or(default.file_bytes_max),
            files_kept: self.audit_log_files.unwrap_or(default.files_kept),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_the_audit_log_have_bounds() {
        let limits = |text: &str| {
            let section: Result<ServerSection, _> = toml::from_str(text);
            section.ok().map(|section| section.audit_limits())
        };
        assert_eq!(limits(""), Some(AuditLimits::default()));
        let least = limits("audit_log_bytes = 65536\naudit_log_files = 0").unwrap();
        assert_eq!((least.file_bytes_max, least.files_kept), (65_536, 0));
        assert_eq!(limits("audit_log_bytes = 65535"), None);
        assert_eq!(limits("audit_log_files = 1001"), None);
    }
}
