//! Twins of what is written by hand for speed: the shapes that the contract's document shows.
//!
//! Nothing here makes an answer. Tests read what was written into these, and hold what they would
//! write against it, so that neither can change alone.

#![cfg_attr(
    not(test),
    expect(dead_code, reason = "schemas are made of these, and tests read them")
)]

use std::collections::BTreeMap;

#[cfg(test)]
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answer::Envelope;
use super::schema;

/// A member with its standing: `points`, or `values` of kinds with other fields.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Entry)]
pub(crate) struct EntryWritten {
    /// The position, or what the kind's rank style makes of it; null of who is not ranked.
    #[schema(required)]
    pub(crate) rank: Option<u64>,
    /// Who.
    #[schema(example = "u1")]
    pub(crate) member: String,
    #[serde(flatten)]
    #[schema(inline)]
    pub(crate) fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    pub(crate) reached_at: String,
}

/// The fields of a standing.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Fields)]
pub(crate) struct FieldsWritten {
    /// Of kinds whose only field is `points`.
    #[cfg_attr(
        test,
        serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "said"
        )
    )]
    #[schema(schema_with = schema::points, required = false)]
    pub(crate) points: Option<NumberOrNull>,
    /// Of all other kinds: the fields by name, null where nothing was said of one yet.
    #[cfg_attr(test, serde(default, skip_serializing_if = "Option::is_none"))]
    #[schema(schema_with = schema::values, required = false)]
    pub(crate) values: Option<BTreeMap<String, Option<i64>>>,
}

/// A neighbour of a member.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Neighbour)]
pub(crate) struct NeighbourWritten {
    #[serde(flatten)]
    pub(crate) entry: EntryWritten,
    /// How much of the first field lies between; null where one of the two has none.
    #[schema(required, minimum = 0)]
    pub(crate) gap: Option<i64>,
}

/// A member's place. All but the standing is null of one who is not among the best that its kind ranks.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Place)]
pub(crate) struct PlaceWritten {
    #[serde(flatten)]
    pub(crate) entry: EntryWritten,
    /// 1 is best; no two members share one.
    #[schema(required, minimum = 1)]
    pub(crate) position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    #[schema(required, minimum = 0, maximum = 100)]
    pub(crate) percentile: Option<f64>,
    /// The next better one.
    #[schema(required)]
    pub(crate) above: Option<NeighbourWritten>,
    /// The next one behind.
    #[schema(required)]
    pub(crate) below: Option<NeighbourWritten>,
    /// With `target`: the smallest change of the first field that gives a position of at most that; null
    /// where none does.
    #[cfg_attr(
        test,
        serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "said"
        )
    )]
    #[schema(schema_with = schema::to_target, required = false)]
    pub(crate) to_target: Option<NumberOrNull>,
}

/// A member as it was looked up: an entry, or `rank` null of who is not ranked.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Found)]
pub(crate) struct FoundWritten {
    /// Null of who is not ranked.
    #[schema(required)]
    pub(crate) rank: Option<u64>,
    /// Who was asked for.
    #[schema(example = "u1")]
    pub(crate) member: String,
    #[serde(flatten)]
    #[schema(inline)]
    pub(crate) fields: FieldsWritten,
    /// When the standing was reached, where there is one.
    #[cfg_attr(test, serde(skip_serializing_if = "Option::is_none"))]
    #[schema(nullable = false, format = DateTime)]
    pub(crate) reached_at: Option<String>,
}

/// A member's standing in one window after a contribution.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = WrittenStanding)]
pub(crate) struct StandingWritten {
    /// The window's whole name.
    #[schema(example = "day:2026-11-20")]
    pub(crate) window: String,
    #[serde(flatten)]
    #[schema(inline)]
    pub(crate) fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    pub(crate) reached_at: String,
    /// With `return=ranks`; null where that place is not ranked.
    #[cfg_attr(
        test,
        serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "said"
        )
    )]
    #[schema(schema_with = schema::rank_asked, required = false)]
    pub(crate) rank: Option<NumberOrNull>,
    /// With `return=ranks`; null where that place is not ranked.
    #[cfg_attr(
        test,
        serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "said"
        )
    )]
    #[schema(schema_with = schema::position_asked, required = false)]
    pub(crate) position: Option<NumberOrNull>,
}

/// The best of a board.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Top)]
pub(crate) struct TopWritten {
    #[serde(flatten)]
    pub(crate) envelope: Envelope,
    /// True while the store is away: the last board that was seen.
    #[cfg_attr(test, serde(default, skip_serializing_if = "std::ops::Not::not"))]
    #[schema(required = false)]
    pub(crate) stale: bool,
    /// The best, in their order.
    pub(crate) entries: Vec<EntryWritten>,
}

/// The tops of many boards, in the order asked.
#[derive(Debug, ToSchema)]
#[cfg_attr(test, derive(Deserialize, Serialize))]
#[schema(as = Tops)]
pub(crate) struct TopsWritten {
    pub(crate) boards: Vec<TopWritten>,
}

/// A number, or a null that is written, apart from what is not.
#[derive(Debug)]
#[cfg_attr(test, derive(Serialize))]
pub(crate) struct NumberOrNull(Option<i64>);

/// What is there, be it null.
#[cfg(test)]
fn said<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NumberOrNull>, D::Error> {
    let number = Option::deserialize(deserializer)?;
    Ok(Some(NumberOrNull(number)))
}
