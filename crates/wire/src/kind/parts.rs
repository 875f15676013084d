//! Parts of a kind's settings: ties, fields, how long a window is kept.

use board::{Direction, Keep, Op, Ties};
use serde::{Deserialize, Serialize};

#[cfg(feature = "schema")]
use super::words::{OpWords, OrderWords};
use crate::duration::duration_text;
use crate::object::object;

/// Which of two members with equal fields is better.
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

impl TiesShape {
    /// Returns the rule, for a kind whose first field has this direction.
    pub(super) const fn rule(self, first: Direction) -> Ties {
        match self {
            Self::Earliest => Ties::Earliest,
            Self::Latest => Ties::Latest,
            Self::Member => Ties::by_member(first),
        }
    }
}

impl From<Ties> for TiesShape {
    fn from(ties: Ties) -> Self {
        match ties {
            Ties::Earliest => Self::Earliest,
            Ties::Latest => Self::Latest,
            Ties::Member | Ties::LowerMember => Self::Member,
        }
    }
}

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
