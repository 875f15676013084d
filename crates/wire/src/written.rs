//! Twins of the shapes with hand-written serialization. The OpenAPI document has their schemas.
//!
//! No response is made of them. Tests deserialize responses into them, serialize them again, and compare the results,
//! so that neither can change alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::board::SpanShape;
use crate::entry::{EntryShape, LookedUpShape};
use crate::envelope::Envelope;
use crate::member::MemberShape;
use crate::schema;

schema::written_as! {
    Envelope<'_>: EnvelopeWritten,
    EntryShape<'_>: EntryWritten,
    LookedUpShape<'_>: LookedUpWritten,
    MemberShape<'_>: MemberWritten,
}

/// The part that all responses about a board have in common.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Envelope)]
pub struct EnvelopeWritten {
    /// The board, kind and subject.
    #[schema(example = "gifts/room-8842")]
    board: String,
    /// The full name of the window.
    #[schema(example = "day:2026-11-20")]
    window: String,
    /// Equal versions mean equal boards, on every server.
    version: String,
    /// When the read of the store began.
    #[schema(format = DateTime)]
    as_of: String,
    /// The number of ranked members.
    members: u64,
    /// For kinds that rank only their best members: the maximum number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    listed: Option<u64>,
    #[serde(flatten)]
    span: SpanShape,
    /// True once the window, or the board, has ended and no longer changes.
    #[serde(rename = "final", default, skip_serializing_if = "std::ops::Not::not")]
    is_final: bool,
}

/// A member with its standing: `points`, or `values` of kinds with other fields.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Entry)]
pub struct EntryWritten {
    /// The rank by the kind's rank style; null if the member is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, minimum = 1)]
    position: Option<u64>,
    /// The member.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    reached_at: String,
    /// With `profiles`: the member's profile, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    profile: Option<ProfileWritten>,
}

/// A member's profile.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = ShownProfile)]
pub struct ProfileWritten {
    /// What the member is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Ann")]
    name: Option<String>,
    /// The URL of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://img.example/ann.png")]
    avatar: Option<String>,
    /// Any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    data: Option<serde_json::Value>,
}

/// The fields of a standing.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Fields)]
pub struct FieldsWritten {
    /// For kinds whose only field is `points`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::points, required = false)]
    points: Option<NumberOrNull>,
    /// For all other kinds: the fields by name, null if a field has no value yet.
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
    /// The difference in the first field; null if one of the two has no value.
    #[schema(required, minimum = 0)]
    gap: Option<i64>,
}

/// A member with its position. All but the standing is null if the member is not among the best that its kind ranks.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Place)]
pub struct MemberWritten {
    #[serde(flatten)]
    entry: EntryWritten,
    /// 1 is best. No two members have the same position.
    #[schema(required, minimum = 1)]
    position: Option<u64>,
    /// 100 · (members − position) / (members − 1); 100 for the first.
    #[schema(required, minimum = 0, maximum = 100)]
    percentile: Option<f64>,
    /// The next better member.
    #[schema(required)]
    above: Option<NeighbourWritten>,
    /// The next worse member.
    #[schema(required)]
    below: Option<NeighbourWritten>,
    /// With `target`: the smallest change of the first field with which the position is at most the target; null if no
    /// change is sufficient.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::to_target, required = false)]
    to_target: Option<NumberOrNull>,
}

/// The result of a lookup: an entry, or `rank` null if the member is not ranked.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Found)]
pub struct LookedUpWritten {
    /// The rank; null if the member is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, minimum = 1)]
    position: Option<u64>,
    /// The requested member.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    reached_at: Option<String>,
    /// With `profiles`: the member's profile, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    profile: Option<ProfileWritten>,
}

/// A member's standing in one window after a contribution.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = WrittenStanding)]
pub struct StandingWritten {
    /// The full name of the window.
    #[schema(example = "day:2026-11-20")]
    window: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsWritten,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    reached_at: String,
    /// With `return=ranks`; null if the member is not ranked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::requested_rank, required = false)]
    rank: Option<NumberOrNull>,
    /// With `return=ranks`; null if the member is not ranked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::requested_position, required = false)]
    position: Option<NumberOrNull>,
    /// With `previous_rank`; null if the member was not ranked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(schema_with = schema::previous_rank, required = false)]
    previous_rank: Option<NumberOrNull>,
}

/// The best entries of a board.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Top)]
pub struct TopWritten {
    #[serde(flatten)]
    envelope: EnvelopeWritten,
    /// True while the store is unavailable: this is the last board that was read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    stale: bool,
    /// The entries, best first.
    entries: Vec<EntryWritten>,
}

/// The tops of several boards, in the order of the request.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Tops)]
pub struct TopsWritten {
    boards: Vec<TopWritten>,
}

/// A number or null, in a member that is present.
#[derive(Debug, Serialize)]
pub struct NumberOrNull(Option<i64>);

/// Reads a member that is present, possibly null.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<NumberOrNull>, D::Error> {
    let number = Option::deserialize(deserializer)?;
    Ok(Some(NumberOrNull(number)))
}
