//! `[server.limits]`: limits of sizes, rates and connections.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::time::Duration;

use access::RateSettings;
use api::{MemoryBudget, MemorySettings, ServerLimits};
use serde::{Deserialize, Deserializer};

use super::bounds::{span_within, within};

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

    pub(super) fn memory_budget(&self, limit: Option<u64>) -> MemoryBudget {
        MemoryBudget::new(MemorySettings {
            limit,
            body: self.body_bytes.map(NonZeroUsize::get),
            responses: self.response_bytes.map(NonZeroUsize::get),
            responses_per_address: self.response_bytes_per_address.map(NonZeroUsize::get),
            remembered_ids: self.remembered_id_bytes.map(NonZeroUsize::get),
        })
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
        let parsed = limits("header_timeout = \"5s\"\nconnections = 3").unwrap();
        assert_eq!(parsed.header_timeout, Duration::from_secs(5));
        assert_eq!(parsed.connections_max, 3);
        let section: LimitsSection = toml::from_str("[address]\nburst = 3").unwrap();
        assert_eq!(section.address.burst, NonZeroU32::new(3));
    }

    #[test]
    fn settings_of_memory_reach_the_budget() {
        let text = "body_bytes = 1000\nresponse_bytes = 2000\nresponse_bytes_per_address = 300\n\
                    remembered_id_bytes = 5";
        let section: LimitsSection = toml::from_str(text).unwrap();
        let budget = section.memory_budget(None);
        assert_eq!((budget.body_bytes_max(), budget.remembered_ids), (1000, 5));
        assert_eq!(budget.responses.bytes_max(), 2000);
        assert_eq!(budget.responses_per_address_max(), 300);
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
