//! `retain`: how many of a board are ranked, as clients and configuration files write it.

use board::Retain;
use serde::{Deserialize, Serialize};

use crate::object::not_null;

/// How many of a board are ranked.
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
    /// How many are ranked.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 100_000))]
    keep: u64,
    /// How long a shard's list may get before it is trimmed.
    #[serde(default, deserialize_with = "not_null")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    trim_at: Option<u64>,
    /// Takes kinds whose contributions can lower a standing.
    #[serde(default)]
    approximate: bool,
}

impl RetainShape {
    /// The depth of the cached global board where it is not said, at most `depth`.
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
