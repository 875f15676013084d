//! Parts of a kind's settings: fields, seasons, how long a window is kept.

use std::fmt;

use board::{Direction, Keep, Op, Seasons, SeasonsError};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::words::{OpWords, OrderWords};
use crate::duration::duration_text;
use crate::object::{object, objects};

/// A field: an exact integer that members are ordered by.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Field))]
#[serde(deny_unknown_fields)]
pub(super) struct FieldShape {
    /// The name in contributions and responses.
    #[cfg_attr(
        feature = "schema",
        schema(pattern = "^[a-z][a-z0-9_]{0,31}$", example = "points")
    )]
    pub(super) name: String,
    /// Whether greater (`desc`) or smaller (`asc`) values are better.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(value_type = OrderWords))]
    pub(super) order: Direction,
    /// How contributions change the field in mode `accumulate`. Defaults to `sum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<OpWords>))]
    pub(super) op: Option<Op>,
}

/// `{ cron = "0 5 1 1,4,7,10 *" }`, or `[{ name = "spring-2026", starts_at = "2026-03-01" }]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Seasons))]
#[serde(untagged)]
pub(super) enum SeasonsShape {
    Cron(CronShape),
    Named(Vec<SeasonShape>),
}

struct SeasonsVisitor;

impl<'de> Visitor<'de> for SeasonsVisitor {
    type Value = SeasonsShape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ cron = \"0 5 1 1,4,7,10 *\" } or a list of { name, starts_at }")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SeasonsShape, A::Error> {
        CronShape::deserialize(MapAccessDeserializer::new(map)).map(SeasonsShape::Cron)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<SeasonsShape, A::Error> {
        objects(SeqAccessDeserializer::new(seq)).map(SeasonsShape::Named)
    }
}

// An error of an untagged enum would not say what is wrong.
impl<'de> Deserialize<'de> for SeasonsShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeasonsVisitor)
    }
}

/// A season begins at each of these times.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Cron))]
#[serde(deny_unknown_fields)]
pub(super) struct CronShape {
    /// Minute, hour, day of the month, month and day of the week, by the local clock.
    #[cfg_attr(feature = "schema", schema(example = "0 5 1 1,4,7,10 *"))]
    cron: String,
}

/// A season. It lasts until the next one begins.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Season))]
#[serde(deny_unknown_fields)]
pub(super) struct SeasonShape {
    /// 1 to 64 letters, digits, `-`, `_` and `.`.
    #[cfg_attr(feature = "schema", schema(example = "spring-2026"))]
    name: String,
    /// A local date, for midnight, or a local time to the minute.
    #[cfg_attr(feature = "schema", schema(example = "2026-03-01T05:00"))]
    starts_at: String,
}

impl SeasonsShape {
    pub(super) fn seasons(&self) -> Result<Seasons, SeasonsError> {
        match self {
            Self::Cron(CronShape { cron }) => Seasons::cron(cron),
            Self::Named(list) => {
                let list = list
                    .iter()
                    .map(|season| (&*season.name, &*season.starts_at));
                Seasons::named(list)
            }
        }
    }
}

impl From<&Seasons> for SeasonsShape {
    fn from(seasons: &Seasons) -> Self {
        if let Some(cron) = seasons.as_cron() {
            let cron = cron.to_owned();
            return Self::Cron(CronShape { cron });
        }
        let listed = seasons.listed().map(|(name, starts_at)| SeasonShape {
            name: name.to_owned(),
            starts_at,
        });
        Self::Named(listed.collect())
    }
}

/// `"48h"`, `"forever"`, or `{ idle = "7d" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Keep))]
#[serde(
    untagged,
    expecting = "is not a duration such as \"7d\", \"forever\" or {\"idle\": \"7d\"}"
)]
pub(super) enum KeepShape {
    Text(String),
    #[serde(deserialize_with = "object")]
    Idle(IdleShape),
}

/// Kept until nothing was written to the board for this time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Idle))]
#[serde(deny_unknown_fields)]
pub(super) struct IdleShape {
    #[cfg_attr(feature = "schema", schema(example = "7d"))]
    pub(super) idle: String,
}

impl From<Keep> for KeepShape {
    fn from(keep: Keep) -> Self {
        match keep {
            Keep::Forever => Self::Text("forever".to_owned()),
            Keep::After(span) => Self::Text(duration_text(span)),
            Keep::Idle(span) => Self::Idle(IdleShape {
                idle: duration_text(span),
            }),
        }
    }
}
