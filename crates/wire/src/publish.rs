//! The setting `publish` of a kind: [`PublishShape`].
//!
//! A kind refers to a configured target by its name. The target's address and login are only in the configuration.

use std::fmt::Display;

use board::{Period, Publication, PublishProtocol, PublishTarget, PublishTargets, TargetName};
use encodings::Encoding;
use serde::{Deserialize, Serialize};

use crate::duration::{duration, duration_text};
use crate::error::{ShapeError, wrong};

/// The default encoding: the score alone.
const ENCODING_DEFAULT: &str = "plain";

/// The default minimum interval between two publications of a window.
const EVERY_DEFAULT: &str = "1s";

/// The prefix of the keys of a store on Redis.
const STORE_KEYS: &str = "megaboard:";

/// The encoding of kinds that are published without a sorted set.
const NO_ENCODING: &str = "none";

/// Publishes the top of a kind's boards to another server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Publish))]
#[serde(deny_unknown_fields, expecting = "an object with target and key")]
pub(crate) struct PublishShape {
    /// The name of a configured target.
    #[cfg_attr(
        feature = "schema",
        schema(example = "readers", pattern = "^[a-z][a-z0-9-]{0,62}$")
    )]
    target: String,
    /// The template of the key of a board's window at the target.
    #[cfg_attr(feature = "schema", schema(example = "leaderboard:{subject}:{period}"))]
    key: String,
    /// The periods that are published. Defaults to all of the kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<String>,
    /// The encoding of scores in the sorted set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "plain"))]
    encoding: Option<String>,
    /// The number of entries. Defaults to the kind's `top`.
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<u64>,
    /// The minimum interval between two publications of a window.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "1s"))]
    every: Option<String>,
}

impl PublishShape {
    /// Returns the publication, for a kind with this number of fields. Only configured targets are accepted.
    pub(crate) fn publication(
        &self,
        fields: usize,
        targets: &PublishTargets,
    ) -> Result<Publication, ShapeError> {
        let (name, target) = self.target(targets)?;
        if self.key.starts_with(STORE_KEYS) {
            let reason = format!(
                "{:?} begins with {STORE_KEYS}, as keys of a store do",
                self.key
            );
            return Err(wrong("publish.key", reason));
        }
        let windows = self.windows.iter();
        let windows = windows.map(|period| parse::<Period>("publish.windows", period));
        let every = self.every.as_deref().unwrap_or(EVERY_DEFAULT);
        Ok(Publication {
            key: parse("publish.key", &self.key)?,
            windows: windows.collect::<Result<_, _>>()?,
            encoding: self.encoding(target.protocol, fields)?,
            target: name.clone(),
            top: self.top,
            every: duration("publish.every", every)?,
        })
    }

    /// Returns the configured target.
    fn target<'a>(
        &self,
        targets: &'a PublishTargets,
    ) -> Result<(&'a TargetName, &'a PublishTarget), ShapeError> {
        const SETTING: &str = "publish.target";
        let name = parse(SETTING, &self.target)?;
        targets.get(&name).ok_or_else(|| {
            let names: Vec<&str> = targets.names().map(TargetName::as_str).collect();
            let known = if names.is_empty() {
                "none is configured".to_owned()
            } else {
                format!("configured are {}", names.join(", "))
            };
            let reason =
                format!("\"{name}\" is not a configured target; {known} ([publish.targets])");
            wrong(SETTING, reason)
        })
    }

    fn encoding(&self, protocol: PublishProtocol, fields: usize) -> Result<String, ShapeError> {
        const SETTING: &str = "publish.encoding";
        let has_sets = protocol != PublishProtocol::Memcached;
        let text = match self.encoding.as_deref() {
            None if has_sets => ENCODING_DEFAULT,
            None | Some(NO_ENCODING) => return Ok(NO_ENCODING.to_owned()),
            Some(_) if !has_sets => {
                let reason = "memcached has no sorted sets: leave it out";
                return Err(wrong(SETTING, reason));
            }
            Some(text) => text,
        };
        let encoding: Encoding = text.parse().map_err(|error| wrong(SETTING, error))?;
        if matches!(encoding, Encoding::TwoSets(_)) {
            let reason = "two-sets has a second key, which is not published";
            return Err(wrong(SETTING, reason));
        }
        if encoding.fields() != fields {
            let packs = encoding.fields();
            let reason = format!(
                "{text} packs {packs} fields, and the kind has {fields}: \"none\" publishes JSON alone"
            );
            return Err(wrong(SETTING, reason));
        }
        Ok(encoding.to_string())
    }
}

fn parse<T: std::str::FromStr<Err: Display>>(setting: &str, text: &str) -> Result<T, ShapeError> {
    text.parse().map_err(|error| wrong(setting, error))
}

impl From<&Publication> for PublishShape {
    fn from(publication: &Publication) -> Self {
        let windows = publication.windows.iter();
        Self {
            target: publication.target.to_string(),
            key: publication.key.to_string(),
            windows: windows.map(|period| period.as_str().to_owned()).collect(),
            encoding: Some(publication.encoding.clone()),
            top: publication.top,
            every: Some(duration_text(publication.every)),
        }
    }
}
