//! Twins of what is written by hand for speed: the shapes that the contract's document shows.
//!
//! Nothing here makes an answer. Tests read what was written into these, and hold what they would
//! write against it, so that neither can change alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::entry::EntryShape;
use crate::envelope::Envelope;
use crate::member::MemberShape;
use crate::schema;

crate::written_as! {
    EntryShape<'_>: EntryWritten,
    MemberShape<'_>: MemberWritten,
}

/// A member with its standing: `points`, or `values` of kinds with other fields.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Entry)]
pub struct EntryWritten {
    /// The position, or what the kind's rank style makes of it; null of who is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Who.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    reached_at: String,
}

/// The fields of a standing.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Fields)]
pub struct FieldsWritten {
    /// Of kinds whose only field is `points`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::points, required = false)]
    points: Option<NumberOrNull>,
    /// Of all other kinds: the fields by name, null where nothing was said of one yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = schema::values, required = false)]
    values: Option<BTreeMap<String, Option<i64>>>,
}

/// A neighbour of a member.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Neighbour)]
pub struct NeighbourWritten {
    #[serde(flatten)]
    entry: EntryWritten,
    /// How much of the first field lies between; null where one of the two has none.
    #[schema(required, minimum = 0)]
    gap: Option<i64>,
}

/// A member's place. All but the standing is null of one who is not among the best that its kind ranks.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Place)]
pub struct MemberWritten {
    #[serde(flatten)]
    entry: EntryWritten,
    /// 1 is best; no two members share one.
    #[schema(required, minimum = 1)]
    position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    #[schema(required, minimum = 0, maximum = 100)]
    percentile: Option<f64>,
    /// The next better one.
    #[schema(required)]
    above: Option<NeighbourWritten>,
    /// The next one behind.
    #[schema(required)]
    below: Option<NeighbourWritten>,
    /// With `target`: the smallest change of the first field that gives a position of at most that; null
    /// where none does.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::to_target, required = false)]
    to_target: Option<NumberOrNull>,
}

/// A member as it was looked up: an entry, or `rank` null of who is not ranked.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Found)]
pub struct LookedUpWritten {
    /// Null of who is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Who was asked for.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    reached_at: Option<String>,
}

/// A member's standing in one window after a contribution.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = WrittenStanding)]
pub struct StandingWritten {
    /// The window's whole name.
    #[schema(example = "day:2026-11-20")]
    window: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    reached_at: String,
    /// With `return=ranks`; null where that place is not ranked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::rank_asked, required = false)]
    rank: Option<NumberOrNull>,
    /// With `return=ranks`; null where that place is not ranked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::position_asked, required = false)]
    position: Option<NumberOrNull>,
}

/// The best of a board.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Top)]
pub struct TopWritten {
    #[serde(flatten)]
    envelope: Envelope,
    /// True while the store is away: the last board that was seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    stale: bool,
    /// The best, in their order.
    entries: Vec<EntryWritten>,
}

/// The tops of many boards, in the order asked.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Tops)]
pub struct TopsWritten {
    boards: Vec<TopWritten>,
}

/// A number, or a null that is written, apart from what is not.
#[derive(Debug, Serialize)]
pub struct NumberOrNull(Option<i64>);

/// Reads a member that is present, also as null.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NumberOrNull>, D::Error> {
    let number = Option::deserialize(deserializer)?;
    Ok(Some(NumberOrNull(number)))
}
