//! The words of a kind's settings: modes, orders, ops, how long a window is kept.

use board::Keep;
use serde::{Deserialize, Serialize};

use super::text;
use crate::object::object;

/// How contributions fold into a standing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Mode))]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeShape {
    #[default]
    Accumulate,
    Best,
    Latest,
}

/// The rank of equal fields: `ordinal` has none, `competition` shares one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = RankStyle))]
#[serde(rename_all = "lowercase")]
pub(super) enum RankShape {
    #[default]
    Ordinal,
    Competition,
}

/// Who is better where all fields are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Ties))]
#[serde(rename_all = "lowercase")]
pub(super) enum TiesShape {
    #[default]
    Earliest,
    Latest,
    Member,
}

/// Whether more or less is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Order))]
#[serde(rename_all = "lowercase")]
pub(super) enum OrderShape {
    #[default]
    Desc,
    Asc,
}

/// How contributions change a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Op))]
#[serde(rename_all = "lowercase")]
pub(super) enum OpShape {
    Sum,
    Max,
    Min,
    Last,
}

/// A field: an exact integer that the order looks at.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Field))]
#[serde(deny_unknown_fields)]
pub(super) struct FieldShape {
    /// What contributions and answers call it.
    #[cfg_attr(
        feature = "schema",
        schema(pattern = "^[a-z][a-z0-9_]{0,31}$", example = "points")
    )]
    pub(super) name: String,
    /// Whether more or less is better.
    #[serde(default)]
    pub(super) order: OrderShape,
    /// How contributions change it, in mode `accumulate`: `sum` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) op: Option<OpShape>,
}

/// `"48h"`, `"forever"`, or `{ idle = "7d" }`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Keep))]
#[serde(untagged, expecting = "a duration, \"forever\" or { idle = \"7d\" }")]
pub(super) enum KeepShape {
    Text(String),
    #[serde(deserialize_with = "object")]
    Idle(IdleShape),
}

/// Kept until nothing was written to the board for so long.
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
            Keep::After(span) => Self::Text(text(span)),
            Keep::Idle(span) => Self::Idle(IdleShape { idle: text(span) }),
        }
    }
}
