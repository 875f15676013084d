//! `[redis]`: settings of a store on Redis, other than its URL.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use store_redis::{RedisSettings, RedisWrites};

use super::bounds::span_within;

/// The section, as which [`RedisSettings`] are read. Settings that are absent have their defaults.
#[derive(Deserialize)]
#[serde(
    remote = "RedisSettings",
    deny_unknown_fields,
    default = "RedisSettings::default"
)]
pub(super) struct RedisSection {
    acks: u32,
    #[serde(deserialize_with = "deadline")]
    write_deadline: Duration,
    #[serde(deserialize_with = "deadline")]
    read_deadline: Duration,
    #[serde(deserialize_with = "deadline")]
    write_wait: Duration,
    #[serde(deserialize_with = "deadline")]
    read_wait: Duration,
    #[serde(with = "Writes")]
    writes: RedisWrites,
    #[serde(deserialize_with = "skew")]
    clock_skew_max: Duration,
    #[serde(deserialize_with = "at_least_one")]
    leases_max: u64,
    ids_per_shard_max: u64,
    allow_eviction: bool,
    accept_empty: Vec<String>,
    tls_ca: Option<PathBuf>,
}

/// The values of `writes`.
#[derive(Deserialize)]
#[serde(remote = "RedisWrites", rename_all = "kebab-case")]
enum Writes {
    Function,
    ScriptFree,
}

/// The bounds of the deadline of a call. The memory of calls outlasts it.
const DEADLINES: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_mins(1);

/// The bounds of `clock_skew_max`. A smaller one would be exceeded by slow replies.
const SKEWS: RangeInclusive<Duration> = Duration::from_secs(5)..=Duration::from_hours(24);

fn deadline<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    span_within(deserializer, &DEADLINES)
}

fn skew<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    span_within(deserializer, &SKEWS)
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    NonZeroU64::deserialize(deserializer).map(NonZeroU64::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<RedisSettings, toml::de::Error> {
        RedisSection::deserialize(toml::Deserializer::parse(text)?)
    }

    #[test]
    fn absent_settings_have_their_defaults() {
        let text =
            "acks = 1\nwrite_deadline = \"5s\"\naccept_empty = [\"a:1\"]\nwrites = \"script-free\"";
        let expected = RedisSettings {
            acks: 1,
            write_deadline: Duration::from_secs(5),
            accept_empty: vec!["a:1".to_owned()],
            writes: RedisWrites::ScriptFree,
            ..RedisSettings::default()
        };
        assert_eq!(settings(text).unwrap(), expected);
    }

    #[test]
    fn writes_are_function_or_script_free() {
        let error = settings("writes = \"lua\"").unwrap_err().to_string();
        assert!(
            error.contains("lua") && error.contains("script-free"),
            "{error}"
        );
    }

    #[test]
    fn times_and_numbers_have_bounds() {
        for (text, seconds) in [("5s", 5), ("1m", 60), ("1d", 86_400)] {
            let settings = settings(&format!("clock_skew_max = {text:?}")).unwrap();
            assert_eq!(settings.clock_skew_max, Duration::from_secs(seconds));
        }
        for text in ["4s", "25h", "0s", "soon"] {
            let text = format!("clock_skew_max = {text:?}");
            assert!(settings(&text).is_err(), "{text}");
        }
        for name in ["write_deadline", "read_deadline", "write_wait", "read_wait"] {
            for text in ["0s", "61s", "soon", "5"] {
                let text = format!("{name} = {text:?}");
                assert!(settings(&text).is_err(), "{text}");
            }
        }
        assert!(settings("leases_max = 0").is_err());
    }
}
