//! Where a kind is published to, as clients and configuration files write it.

use std::fmt::Display;

use board::{Period, Publication, PublishProtocol, PublishTarget};
use encodings::Encoding;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::kind::{ShapeError, duration, text, wrong};

/// The encoding where none is told: the score alone.
const ENCODING_DEFAULT: &str = "plain";

/// How often a window is published at most, where it is not told.
const EVERY_DEFAULT: &str = "1s";

/// What stands in place of an encoding where there is to be no sorted set.
const NO_ENCODING: &str = "none";

/// Where the top of a kind's boards is kept for readers of another server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[schema(as = Publish)]
#[serde(deny_unknown_fields, expecting = "an object with store and key")]
pub(super) struct PublishShape {
    /// `redis://HOST:PORT[/DATABASE]`, `redis-cluster://HOST:PORT` or `memcached://HOST:PORT`.
    #[schema(example = "redis://10.0.0.7:6379")]
    store: String,
    /// What a board's window is called there.
    #[schema(example = "leaderboard:{subject}:{period}")]
    key: String,
    /// The periods that are published; all of the kind unless told otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<String>,
    /// How scores are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "plain")]
    encoding: Option<String>,
    /// Entries; the kind's `top` unless told otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<u64>,
    /// A window is published at most this often.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "1s")]
    every: Option<String>,
}

impl PublishShape {
    /// The publication that the shape describes, for a kind of so many fields.
    pub(super) fn publication(&self, fields: usize) -> Result<Publication, ShapeError> {
        let store: PublishTarget = read("publish.store", &self.store)?;
        let windows = self.windows.iter();
        let windows = windows.map(|period| read::<Period>("publish.windows", period));
        let every = self.every.as_deref().unwrap_or(EVERY_DEFAULT);
        Ok(Publication {
            key: read("publish.key", &self.key)?,
            windows: windows.collect::<Result<_, _>>()?,
            encoding: self.encoding(store.protocol, fields)?,
            store,
            top: self.top,
            every: duration("publish.every", every)?,
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

fn read<T: std::str::FromStr<Err: Display>>(setting: &str, text: &str) -> Result<T, ShapeError> {
    text.parse().map_err(|error| wrong(setting, error))
}

impl From<&Publication> for PublishShape {
    fn from(publication: &Publication) -> Self {
        let windows = publication.windows.iter();
        Self {
            store: publication.store.to_string(),
            key: publication.key.to_string(),
            windows: windows.map(|period| period.as_str().to_owned()).collect(),
            encoding: Some(publication.encoding.clone()),
            top: publication.top,
            every: Some(text(publication.every)),
        }
    }
}
