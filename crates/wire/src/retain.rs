//! The setting `retain` of a kind, the number of ranked members: [`RetainShape`].

use board::Retain;
use serde::{Deserialize, Serialize};

use crate::object::not_null;

/// Ranks only the best members of a board.
///
/// `{ keep = 1000, trim_at = 1200, approximate = true }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Retain))]
#[serde(
    deny_unknown_fields,
    expecting = "an object with keep, trim_at and approximate"
)]
pub(crate) struct RetainShape {
    /// The number of ranked members.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100_000))]
    keep: u64,
    /// The length at which a shard's list is trimmed.
    #[serde(default, deserialize_with = "not_null")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    trim_at: Option<u64>,
    /// Permits kinds whose contributions can lower a standing.
    #[serde(default)]
    approximate: bool,
}

impl RetainShape {
    /// Returns the default depth of the cached global board, at most `depth`.
    pub(crate) fn top_within(self, depth: u64) -> u64 {
        depth.min(self.keep).max(1)
    }
}

impl From<RetainShape> for Retain {
    fn from(shape: RetainShape) -> Self {
        let best = Self::best(shape.keep);
        Self {
            trim_at: shape.trim_at.unwrap_or(best.trim_at),
            approximate: shape.approximate,
            ..best
        }
    }
}

impl From<&Retain> for RetainShape {
    fn from(retain: &Retain) -> Self {
        Self {
            keep: retain.keep,
            trim_at: Some(retain.trim_at),
            approximate: retain.approximate,
        }
    }
}
