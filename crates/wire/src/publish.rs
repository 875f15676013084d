//! Where a kind is published to, as clients and configuration files write it.
//!
//! A kind names one of the targets that the configuration has; where that is, and who logs in, is no part
//! of it.

use std::fmt::Display;

use board::{
    Period, Publication, PublishAt, PublishProtocol, PublishTarget, PublishTargets, TargetName,
};
use encodings::Encoding;
use serde::{Deserialize, Serialize};

use crate::duration::{duration, duration_text};
use crate::error::{ShapeError, wrong};

/// The default encoding: the score alone.
const ENCODING_DEFAULT: &str = "plain";

/// How often a window is published at most, by default.
const EVERY_DEFAULT: &str = "1s";

/// What keys of a store on Redis begin with.
const STORE_KEYS: &str = "megaboard:";

/// What stands in place of an encoding where there is to be no sorted set.
const NO_ENCODING: &str = "none";

/// Where the top of a kind's boards is kept for readers of another server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Publish))]
#[serde(deny_unknown_fields, expecting = "an object with target and key")]
pub(crate) struct PublishShape {
    /// The server, by the name that the configuration has for it. Required, but where `store` stands in
    /// its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "readers", pattern = "^[a-z][a-z0-9-]{0,62}$")
    )]
    target: Option<String>,
    /// The address of a configured server, in place of its name. Only what earlier versions have stored, and
    /// is not configured, is answered so, and to keys alone that may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schema(example = "redis://10.0.0.7:6379", deprecated)
    )]
    store: Option<String>,
    /// What a board's window is called there.
    #[cfg_attr(feature = "schema", schema(example = "leaderboard:{subject}:{period}"))]
    key: String,
    /// The periods that are published; all of the kind by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<String>,
    /// How scores are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "plain"))]
    encoding: Option<String>,
    /// Entries; the kind's `top` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<u64>,
    /// A window is published at most this often.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "1s"))]
    every: Option<String>,
}

impl PublishShape {
    /// The publication that the shape describes, for a kind of so many fields. Only configured targets
    /// are accepted.
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
        let windows = windows.map(|period| read::<Period>("publish.windows", period));
        let every = self.every.as_deref().unwrap_or(EVERY_DEFAULT);
        Ok(Publication {
            key: read("publish.key", &self.key)?,
            windows: windows.collect::<Result<_, _>>()?,
            encoding: self.encoding(target.protocol, fields)?,
            at: PublishAt::Name(name.clone()),
            top: self.top,
            every: duration("publish.every", every)?,
        })
    }

    /// The configured target.
    fn target<'a>(
        &self,
        targets: &'a PublishTargets,
    ) -> Result<(&'a TargetName, &'a PublishTarget), ShapeError> {
        let (setting, text, at) = match (&self.target, &self.store) {
            (Some(name), None) => {
                let at = PublishAt::Name(read("publish.target", name)?);
                ("publish.target", name, at)
            }
            (None, Some(address)) => {
                let at = PublishAt::Address(read("publish.store", address)?);
                ("publish.store", address, at)
            }
            (None, None) => return Err(wrong("publish.target", "is missing")),
            (Some(_), Some(_)) => {
                return Err(wrong(
                    "publish.store",
                    "cannot be given together with target",
                ));
            }
        };
        targets.resolve(&at).ok_or_else(|| {
            let names: Vec<&str> = targets.names().map(TargetName::as_str).collect();
            let known = if names.is_empty() {
                "none is configured".to_owned()
            } else {
                format!("configured are {}", names.join(", "))
            };
            let reason =
                format!("{text:?} is not a configured target; {known} ([publish.targets])");
            wrong(setting, reason)
        })
    }

    /// The same, as it is shown to this sort of caller: a configured target by its name, and the address
    /// of another one not at all, unless the caller may see addresses.
    pub(crate) fn shown(
        publication: &Publication,
        targets: &PublishTargets,
        addresses: bool,
    ) -> Self {
        let mut shape = Self::from(publication);
        if let Some((name, _)) = targets.resolve(&publication.at) {
            shape.target = Some(name.to_string());
            shape.store = None;
        } else if !addresses {
            shape.store = None;
        }
        shape
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
        let (target, store) = match &publication.at {
            PublishAt::Name(name) => (Some(name.to_string()), None),
            PublishAt::Address(address) => (None, Some(address.to_string())),
        };
        Self {
            target,
            store,
            key: publication.key.to_string(),
            windows: windows.map(|period| period.as_str().to_owned()).collect(),
            encoding: Some(publication.encoding.clone()),
            top: publication.top,
            every: Some(duration_text(publication.every)),
        }
    }
}
