//! The configuration file of `serve`.
//!
//! A flag or an environment variable takes precedence over the file, and the file over the default. Unknown settings
//! are errors.

mod access;
mod bounds;
mod embedded;
mod kinds;
mod limits;
mod malformed;
mod publish;
mod redis;
mod server;
mod traces;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use ::access::{AccessSettings, TokenSecret};
use api::MemoryBudget;
use serde::Deserialize;
use shard_store::{Memory, UnsupportedKind};
use store_local::LocalSettings;
use store_redis::RedisSettings;
use wire::KindShape;

use crate::store::StoreSettings;
pub(crate) use bounds::parsed_within;
use embedded::EmbeddedSection;
pub(crate) use kinds::ConfiguredKind;
use publish::PublishSection;
use redis::RedisSection;
pub(crate) use server::DRAINS;
use server::ServerSection;
use traces::TracingSection;

/// The default file, which is read if it exists.
pub(crate) const DEFAULT_PATH: &str = "megaboard.toml";

/// A whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    pub(crate) server: ServerSection,
    embedded: EmbeddedSection,
    #[serde(with = "RedisSection")]
    redis: RedisSettings,
    publish: PublishSection,
    pub(crate) tracing: TracingSection,
    kinds: Option<BTreeMap<String, KindShape>>,
    /// The file, for messages.
    #[serde(skip)]
    path: String,
}

impl Config {
    /// Reads this file, or the default one if it exists.
    pub(crate) fn read(named: Option<&Path>) -> Result<Self, String> {
        let path = named.unwrap_or(Path::new(DEFAULT_PATH));
        let shown = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&shown, &text),
            Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(error) => Err(format!(
                "configuration file (--config, MEGABOARD_CONFIG) {shown}: {error}"
            )),
        }
    }

    fn parse(path: &str, text: &str) -> Result<Self, String> {
        let config = malformed::parse(text).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self {
            path: path.to_owned(),
            ..config
        })
    }

    /// Returns the settings of a store, other than its URL. Its boards use this memory, and its ids their share.
    pub(crate) fn store_settings(
        &self,
        memory: Arc<Memory>,
        budget: &MemoryBudget,
    ) -> StoreSettings {
        StoreSettings {
            embedded: LocalSettings {
                durability: self.server.durability.unwrap_or_default().into(),
                id_bytes_max: budget.remembered_ids,
                memory,
                ..self.embedded.settings()
            },
            redis: self.redis.clone(),
        }
    }

    /// Returns the settings of access. A secret of the command line takes precedence over that of the file.
    pub(crate) fn access_settings(&self, token_secret: Option<&TokenSecret>) -> AccessSettings {
        AccessSettings {
            trusted_tracers: self.tracing.trusted.clone(),
            ..self.server.access_settings(token_secret)
        }
    }

    /// Returns the targets of publishing, and their credentials.
    pub(crate) fn publish_settings(&self) -> Result<::publish::Settings, String> {
        let settings = self.publish.settings();
        settings.map_err(|error| format!("publish.targets: {error}"))
    }

    /// Returns the kinds of the file, or the built-in one if it has none.
    pub(crate) fn kinds(&self) -> Result<Vec<ConfiguredKind>, String> {
        let targets = self.publish_settings()?.targets;
        let Some(kinds) = self.kinds.clone() else {
            return Ok(vec![ConfiguredKind::built_in()?]);
        };
        kinds
            .into_iter()
            .map(|(name, shape)| {
                let kind = ConfiguredKind::new(&name, shape, &targets);
                kind.map_err(|error| format!("{}: {error}", self.path))
            })
            .collect()
    }

    /// Returns the error of a kind that the store does not support.
    pub(crate) fn unsupported(&self, kind: &ConfiguredKind, error: &UnsupportedKind) -> String {
        format!("{}: kinds.{}.{error}", self.path, kind.name())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use board::{Kind, ShardCount};

    use super::server::Durability;
    use super::*;

    fn kinds_of(config: &Config) -> Vec<Kind> {
        let kinds = config.kinds().unwrap();
        let made = kinds
            .iter()
            .map(|kind| kind.with_default(ShardCount::of_cores(1)));
        made.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn the_limit_of_remembered_ids_reaches_the_store() {
        let id_bytes_max = |text| {
            let config = Config::parse("a.toml", text).unwrap();
            let budget = config.server.memory_budget(None);
            let settings = config.store_settings(Arc::default(), &budget);
            settings.embedded.id_bytes_max
        };
        let default = LocalSettings::default().id_bytes_max;
        assert_eq!(id_bytes_max(""), default);
        let text = "[server.limits]\nremembered_id_bytes = 5";
        assert_eq!(id_bytes_max(text), 5);
    }

    #[test]
    fn the_example_of_the_documentation_is_read() {
        let text = r#"
            [server]
            listen = "127.0.0.1:8080"
            store = "embedded:./megaboard-data"
            durability = "always"
            [embedded]
            clock_pause = "10m"
            snapshot_after_bytes = 67108864
            [redis]
            acks = 0
            [kinds.gifts]
            windows = ["hour", "day", "week", "month", "all"]
            time_zone = "UTC"
            ties = "earliest"
            shards = 16
            top = 1000
            max_staleness = "200ms"
            keep = { hour = "48h", day = "35d", week = "10w", month = "13months" }
            dedupe = "1h"
            close = { day = "10m" }
            [kinds.races]
            mode = "best"
            fields = [{ name = "laps" }, { name = "seconds", order = "asc" }]
            rank = "competition"
            windows = ["week", "all"]
            [kinds.hot-replies]
            fields = [{ name = "agree" }, { name = "comments" }, { name = "last_reply", op = "max" }]
            windows = ["all"]
            keep = { all = { idle = "7d" } }
        "#;
        let config = Config::parse("test", text).unwrap();
        let kinds = kinds_of(&config);
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name().as_str()).collect();
        assert_eq!(names, ["gifts", "hot-replies", "races"]);
        assert_eq!(config.server.durability, Some(Durability::Always));
    }

    #[test]
    fn without_a_file_the_only_kind_is_gifts() {
        let kinds = kinds_of(&Config::default());
        assert_eq!(kinds.len(), 1);
        assert_eq!(kinds[0].name().as_str(), "gifts");
        assert_eq!(kinds[0].shards().get(), 4);
        let closes = kinds[0].windows().iter().map(|rule| rule.close);
        let hour = Some(Duration::from_hours(1));
        assert_eq!(closes.collect::<Vec<_>>(), [hour, hour, hour, hour, None]);
    }

    #[test]
    fn unknown_settings_and_invalid_kinds_are_errors() {
        for (text, part) in [
            ("[server]\nlisten_on = \"x\"", "listen_on"),
            ("[kinds.gifts]\nshard = 3", "shard"),
            ("[servers]", "servers"),
        ] {
            let error = Config::parse("megaboard.toml", text).unwrap_err();
            assert!(
                error.starts_with("megaboard.toml: ") && error.contains(part),
                "{error}"
            );
        }
        let config = Config::parse("test", "[kinds.gifts]\nshards = 3").unwrap();
        let error = config.kinds().err().unwrap();
        assert!(error.starts_with("test: kinds.gifts: shards: "), "{error}");
        let config = Config::parse("test", "[kinds.Gifts]").unwrap();
        assert!(config.kinds().is_err());
    }
}
