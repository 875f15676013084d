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

/// How ties are broken between standings with equal fields. Remaining ties are broken by member id:
/// higher bytes are better, except where [`Member`](Ties::Member) says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The member who reached it first is better.
    #[default]
    Earliest,
    /// The member who reached it last is better.
    Latest,
    /// Only the member id counts, as in a Redis sorted set: higher bytes are better, or lower ones
    /// where the first field is [`Direction::Asc`], as in a set that is read from the lowest score up.
    Member,
}
