//! `[server.limits]`: limits of sizes, rates and connections.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::time::Duration;

use access::RateSettings;
use api::ServerLimits;
use serde::{Deserialize, Deserializer};
use shard_store::Memory;
use store_local::REMEMBERED_ID_BYTES_MAX;

use super::bounds::{span_within, within};
use crate::memory::share_bytes;

/// By default remembered ids take at most this fraction of the memory limit: one half.
const IDS_PART: u64 = 2;

/// The maximum of `body_bytes`: a JSON body is held in memory as a whole.
const BODY_BYTES_CAP: NonZeroUsize = NonZeroUsize::new(1 << 30).expect("not 0");

/// The bounds of `header_timeout`.
const HEADER_TIMEOUTS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);

fn header_timeout<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    span_within(deserializer, &HEADER_TIMEOUTS).map(Some)
}

fn body_bytes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NonZeroUsize>, D::Error> {
    within(deserializer, NonZeroUsize::MIN..=BODY_BYTES_CAP).map(Some)
}

/// The section.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsSection {
    /// For each key without a rate of its own.
    requests_per_second: Option<NonZeroU32>,
    burst: Option<NonZeroU32>,
    pub(super) address: RateSettings,
    connections: Option<NonZeroUsize>,
    /// For one address that is not a trusted proxy.
    connections_per_address: Option<NonZeroUsize>,
    streams_per_address: Option<NonZeroUsize>,
    requests: Option<NonZeroUsize>,
    #[serde(deserialize_with = "header_timeout")]
    header_timeout: Option<Duration>,
    #[serde(deserialize_with = "body_bytes")]
    body_bytes: Option<NonZeroUsize>,
    /// For the ids that the memory and embedded stores remember.
    remembered_id_bytes: Option<NonZeroUsize>,
    /// For all large responses that clients have not read yet.
    response_bytes: Option<NonZeroUsize>,
    response_bytes_per_address: Option<NonZeroUsize>,
}

impl LimitsSection {
    pub(super) const fn key_rate(&self) -> RateSettings {
        RateSettings {
            requests_per_second: self.requests_per_second,
            burst: self.burst,
        }
    }

    /// Returns the maximum bytes of remembered ids: by default at most half of the memory limit.
    pub(super) fn remembered_id_bytes_max(&self, memory: &Memory) -> usize {
        self.remembered_id_bytes.map_or_else(
            || share_bytes(memory, IDS_PART, REMEMBERED_ID_BYTES_MAX),
            NonZeroUsize::get,
        )
    }

    pub(crate) fn server_limits(&self) -> ServerLimits {
        let default = ServerLimits::default();
        let or = |parsed: Option<NonZeroUsize>, other| parsed.map_or(other, NonZeroUsize::get);
        ServerLimits {
            connections_max: or(self.connections, default.connections_max),
            connections_per_address_max: or(
                self.connections_per_address,
                default.connections_per_address_max,
            ),
            streams_per_address_max: or(self.streams_per_address, default.streams_per_address_max),
            requests_max: or(self.requests, default.requests_max),
            header_timeout: self.header_timeout.unwrap_or(default.header_timeout),
            body_bytes_max: or(self.body_bytes, default.body_bytes_max),
            response_bytes_max: or(self.response_bytes, default.response_bytes_max),
            response_bytes_per_address_max: self.response_bytes_per_address.map(NonZeroUsize::get),
            ..default
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(text: &str) -> Result<ServerLimits, String> {
        let section: Result<LimitsSection, _> = toml::from_str(text);
        let section = section.map_err(|error| error.to_string())?;
        Ok(section.server_limits())
    }

    #[test]
    fn absent_settings_have_their_defaults() {
        let (parsed, default) = (limits("requests = 7").unwrap(), ServerLimits::default());
        assert_eq!(
            (parsed.requests_max, parsed.connections_max),
            (7, default.connections_max)
        );
        assert_eq!(parsed.body_bytes_max, default.body_bytes_max);
        let parsed = limits("header_timeout = \"5s\"\nconnections = 3\nbody_bytes = 1000").unwrap();
        assert_eq!(parsed.header_timeout, Duration::from_secs(5));
        assert_eq!((parsed.connections_max, parsed.body_bytes_max), (3, 1000));
        let section: LimitsSection = toml::from_str("remembered_id_bytes = 5").unwrap();
        assert_eq!(section.remembered_id_bytes_max(&Memory::with_limit(4)), 5);
        let section: LimitsSection = toml::from_str("[address]\nburst = 3").unwrap();
        for (memory, max) in [
            (Memory::default(), REMEMBERED_ID_BYTES_MAX),
            (Memory::with_limit(u64::MAX), REMEMBERED_ID_BYTES_MAX),
            (Memory::with_limit(1 << 30), 1 << 29),
        ] {
            assert_eq!(section.remembered_id_bytes_max(&memory), max);
        }
        assert_eq!(section.address.burst, NonZeroU32::new(3));
    }

    #[test]
    fn errors_name_the_setting() {
        for (text, part) in [
            ("requests = 0", "requests"),
            ("connections = -1", "connections"),
            ("body_bytes = 2000000000", "body_bytes"),
            ("remembered_id_bytes = 0", "remembered_id_bytes"),
            ("header_timeout = \"soon\"", "between 1s and 1h"),
            ("header_timeout = \"1ms\"", "header_timeout"),
            ("request = 5", "request"),
            ("[address]\nrequests = 5", "requests"),
        ] {
            let error = limits(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
