//! `[redis]`: what a store on Redis is told beside its URL.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use shard_store::{RedisSettings, RedisWrites};

/// The section, setting by setting; what is left out is as [`RedisSettings`] has it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RedisSection {
    acks: Option<u32>,
    #[serde(deserialize_with = "span")]
    write_deadline: Option<Duration>,
    #[serde(deserialize_with = "span")]
    read_deadline: Option<Duration>,
    writes: Option<Writes>,
    ids_per_shard_max: Option<u64>,
    allow_eviction: Option<bool>,
    accept_empty: Option<Vec<String>>,
    tls_ca: Option<PathBuf>,
}

/// How a store writes, as people name it.
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

/// The longest that a call may be tried: the memory of calls outlasts it.
const DEADLINE_MAX: Duration = Duration::from_mins(1);

/// A duration as people write it: `15s`.
fn span<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let span = humantime::parse_duration(&text)
        .map_err(|error| serde::de::Error::custom(format!("{text:?}: {error}")))?;
    if span.is_zero() || span > DEADLINE_MAX {
        let wrong = format!("{text:?} is not above 0 and at most a minute");
        return Err(serde::de::Error::custom(wrong));
    }
    Ok(Some(span))
}

impl RedisSection {
    pub(crate) fn settings(&self) -> RedisSettings {
        let default = RedisSettings::default();
        RedisSettings {
            acks: self.acks.unwrap_or(default.acks),
            write_deadline: self.write_deadline.unwrap_or(default.write_deadline),
            read_deadline: self.read_deadline.unwrap_or(default.read_deadline),
            writes: self.writes.map_or(default.writes, RedisWrites::from),
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
    fn settings_are_taken_and_the_rest_is_default() {
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
    fn writes_have_two_ways() {
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
    fn deadlines_have_bounds() {
        for text in ["0s", "61s", "soon", "5"] {
            let text = format!("read_deadline = {text:?}");
            assert!(toml::from_str::<RedisSection>(&text).is_err(), "{text}");
        }
    }
}
