//! [`Direction`] and [`Ties`]: which of two values, and of two equal standings, is better.

use serde::{Deserialize, Serialize};

/// Which end of a field is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Higher is better.
    #[default]
    Desc,
    /// Lower is better.
    Asc,
}

/// How ties are broken between standings with equal fields. Remaining ties are broken by member id
/// (higher bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The member who reached it first is better.
    #[default]
    Earliest,
    /// The member who reached it last is better.
    Latest,
    /// Only the member id counts: higher bytes are better.
    Member,
    /// Only the member id counts: lower bytes are better.
    LowerMember,
}

impl Ties {
    /// Returns the rule by member id alone that matches a Redis sorted set: read from the lowest
    /// score up where the first field is [`Direction::Asc`], the lower member comes first.
    #[must_use]
    pub const fn by_member(first: Direction) -> Self {
        match first {
            Direction::Desc => Self::Member,
            Direction::Asc => Self::LowerMember,
        }
    }

    /// Returns whether ties are broken by member id alone.
    #[must_use]
    pub const fn is_by_member(self) -> bool {
        matches!(self, Self::Member | Self::LowerMember)
    }
}
