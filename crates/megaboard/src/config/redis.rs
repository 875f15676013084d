//! `[redis]`: settings of a store on Redis, other than its URL.

use std::num::NonZeroU64;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use store_redis::{RedisSettings, RedisWrites};

use super::bounds::span_within;

/// The section. Settings that are absent have the defaults of [`RedisSettings`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RedisSection {
    acks: Option<u32>,
    #[serde(deserialize_with = "deadline")]
    write_deadline: Option<Duration>,
    #[serde(deserialize_with = "deadline")]
    read_deadline: Option<Duration>,
    #[serde(deserialize_with = "deadline")]
    write_wait: Option<Duration>,
    #[serde(deserialize_with = "deadline")]
    read_wait: Option<Duration>,
    writes: Option<Writes>,
    #[serde(deserialize_with = "skew")]
    clock_skew_max: Option<Duration>,
    leases_max: Option<NonZeroU64>,
    ids_per_shard_max: Option<u64>,
    allow_eviction: Option<bool>,
    accept_empty: Option<Vec<String>>,
    tls_ca: Option<PathBuf>,
}

/// The values of `writes`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Writes {
    Function,
    ScriptFree,
}

impl From<Writes> for RedisWrites {
    fn from(writes: Writes) -> Self {
        match writes {
            Writes::Function => Self::Function,
            Writes::ScriptFree => Self::ScriptFree,
        }
    }
}

/// The bounds of the deadline of a call. The memory of calls outlasts it.
const DEADLINES: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_mins(1);

/// The bounds of `clock_skew_max`. A smaller one would be exceeded by slow replies.
const SKEWS: RangeInclusive<Duration> = Duration::from_secs(5)..=Duration::from_hours(24);

fn deadline<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    span_within(deserializer, &DEADLINES)
}

fn skew<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    span_within(deserializer, &SKEWS)
}

impl RedisSection {
    pub(crate) fn settings(&self) -> RedisSettings {
        let default = RedisSettings::default();
        RedisSettings {
            acks: self.acks.unwrap_or(default.acks),
            write_deadline: self.write_deadline.unwrap_or(default.write_deadline),
            read_deadline: self.read_deadline.unwrap_or(default.read_deadline),
            write_wait: self.write_wait.unwrap_or(default.write_wait),
            read_wait: self.read_wait.unwrap_or(default.read_wait),
            writes: self.writes.map_or(default.writes, RedisWrites::from),
            clock_skew_max: self.clock_skew_max.unwrap_or(default.clock_skew_max),
            leases_max: self.leases_max.map_or(default.leases_max, NonZeroU64::get),
            ids_per_shard_max: self.ids_per_shard_max.unwrap_or(default.ids_per_shard_max),
            allow_eviction: self.allow_eviction.unwrap_or(default.allow_eviction),
            accept_empty: self.accept_empty.clone().unwrap_or_default(),
            tls_ca: self.tls_ca.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_settings_have_their_defaults() {
        let text = "acks = 1\nwrite_deadline = \"5s\"\naccept_empty = [\"a:1\"]";
        let section: RedisSection = toml::from_str(text).unwrap();
        let settings = section.settings();
        assert_eq!(settings.acks, 1);
        assert_eq!(settings.write_deadline, Duration::from_secs(5));
        assert_eq!(settings.accept_empty, ["a:1"]);
        let untouched = RedisSettings {
            acks: 1,
            write_deadline: Duration::from_secs(5),
            accept_empty: vec!["a:1".to_owned()],
            ..RedisSettings::default()
        };
        assert_eq!(settings, untouched);
    }

    #[test]
    fn writes_are_function_or_script_free() {
        let writes = |text: &str| {
            toml::from_str::<RedisSection>(text).map(|section| section.settings().writes)
        };
        assert_eq!(writes("").unwrap(), RedisWrites::Function);
        assert_eq!(
            writes("writes = \"function\"").unwrap(),
            RedisWrites::Function
        );
        assert_eq!(
            writes("writes = \"script-free\"").unwrap(),
            RedisWrites::ScriptFree
        );
        let error = writes("writes = \"lua\"").unwrap_err().to_string();
        assert!(
            error.contains("lua") && error.contains("script-free"),
            "{error}"
        );
    }

    #[test]
    fn the_clock_skew_has_bounds() {
        let skew = |text: &str| {
            let text = format!("clock_skew_max = {text:?}");
            let section = toml::from_str::<RedisSection>(&text);
            section.map(|section| section.settings().clock_skew_max)
        };
        for (text, seconds) in [("5s", 5), ("1m", 60), ("1d", 86_400)] {
            assert_eq!(skew(text).unwrap(), Duration::from_secs(seconds));
        }
        for text in ["4s", "25h", "0s", "soon"] {
            assert!(skew(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deadlines_have_bounds() {
        for name in ["write_deadline", "read_deadline", "write_wait", "read_wait"] {
            for text in ["0s", "61s", "soon", "5"] {
                let text = format!("{name} = {text:?}");
                assert!(toml::from_str::<RedisSection>(&text).is_err(), "{text}");
            }
        }
    }
}
