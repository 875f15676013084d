//! The reply to `INFO`: [`Info`].

use twox_hash::XxHash3_64;

/// The lines of `INFO` that are used here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Info {
    /// The version of Redis, or the one with which Valkey is compatible: `7.0.15`.
    pub(crate) version: String,
    /// `master` or `slave`.
    pub(crate) role: String,
    /// Distinguishes the history of this process from others.
    pub(crate) history: String,
    pub(crate) replicas: u32,
    /// The eviction policy: `noeviction`.
    pub(crate) eviction: String,
    pub(crate) has_append_log: bool,
    pub(crate) is_in_cluster: bool,
}

impl Info {
    /// Reads the reply to `INFO`; sections that were not requested stay empty.
    pub(crate) fn of(text: &str) -> Self {
        let mut info = Self::default();
        for line in text.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let own = || value.to_owned();
            match name {
                "redis_version" => info.version = own(),
                "role" => info.role = own(),
                "master_replid" => info.history = own(),
                "connected_slaves" => info.replicas = value.parse().unwrap_or(0),
                "maxmemory_policy" => info.eviction = own(),
                "aof_enabled" => info.has_append_log = value == "1",
                "cluster_enabled" => info.is_in_cluster = value == "1",
                _ => {}
            }
        }
        info
    }

    pub(crate) fn is_primary(&self) -> bool {
        self.role == "master"
    }

    /// Returns a number that changes with a restart, a promotion, and everything else that may lose
    /// data.
    pub(crate) fn epoch(&self) -> u64 {
        XxHash3_64::oneshot(self.history.as_bytes())
    }

    /// Returns whether it has functions: version 7.0 or later.
    pub(crate) fn has_functions(&self) -> bool {
        let major = self.version.split('.').next().unwrap_or_default();
        major.parse().is_ok_and(|major: u32| major >= 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_is_read_line_by_line() {
        let info = Info::of(
            "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\n# Memory\r\n\
             maxmemory_policy:allkeys-lru\r\n# Persistence\r\naof_enabled:1\r\n# Replication\r\n\
             role:master\r\nconnected_slaves:2\r\nslave0:ip=10.0.0.2,port=6379\r\n\
             master_replid:8c1b\r\n# Cluster\r\ncluster_enabled:1\r\n",
        );
        let expected = Info {
            version: "7.2.4".to_owned(),
            role: "master".to_owned(),
            history: "8c1b".to_owned(),
            replicas: 2,
            eviction: "allkeys-lru".to_owned(),
            has_append_log: true,
            is_in_cluster: true,
        };
        assert_eq!(info, expected);
        assert!(info.is_primary() && info.has_functions());
        assert!(!Info::of("redis_version:6.2.14").has_functions());
        assert!(Info::of("redis_version:10.0.1").has_functions());
    }
}
