//! Shapes of what is written by hand, or put together from rendered parts: the OpenAPI document has their schemas, and
//! no response is made of them.

#![expect(dead_code, reason = "schemas are made of them")]

use utoipa::ToSchema;

use crate::{FieldsShape, SpanShape};

/// The part that all responses about a board have in common.
#[derive(ToSchema)]
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
    /// The time in which the board accepts contributions.
    #[serde(flatten)]
    span: SpanShape,
    /// True once the window, or the board, has ended and no longer changes.
    #[serde(rename = "final")]
    #[schema(required = false)]
    is_final: bool,
}

/// A member with its standing: `points`, or `values` of kinds with other fields.
#[derive(ToSchema)]
#[schema(as = Entry)]
pub struct EntryWritten {
    /// The rank by the kind's rank style; null if the member is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[schema(required = false, minimum = 1)]
    position: Option<u64>,
    /// The member.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsShape,
    /// When the standing was reached.
    #[schema(format = DateTime)]
    reached_at: String,
    /// With `profiles`: the member's profile, if it has one.
    #[schema(value_type = Option<ProfileWritten>, nullable = false)]
    profile: Option<ProfileWritten>,
}

/// The result of a lookup: an entry, or `rank` null if the member is not ranked.
#[derive(ToSchema)]
#[schema(as = Found)]
pub(crate) struct FoundWritten {
    /// The rank; null if the member is not ranked.
    #[schema(required)]
    rank: Option<u64>,
    /// Where members can share a rank (`competition`, `dense`): the position of one that is ranked. Elsewhere it is the
    /// rank.
    #[schema(required = false, minimum = 1)]
    position: Option<u64>,
    /// The requested member.
    #[schema(example = "u1")]
    member: String,
    #[serde(flatten)]
    #[schema(inline)]
    fields: FieldsShape,
    /// When the standing was reached, if there is one.
    #[schema(nullable = false, format = DateTime)]
    reached_at: Option<String>,
    /// With `profiles`: the member's profile, if it has one.
    #[schema(value_type = Option<ProfileWritten>, nullable = false)]
    profile: Option<ProfileWritten>,
}

#[derive(ToSchema)]
#[expect(missing_docs, reason = "the document has none")]
#[schema(as = FoundList)]
pub struct FoundListWritten {
    entries: Vec<FoundWritten>,
}

/// A member with its position. All but the standing is null if the member is not among the best that its kind ranks.
#[derive(ToSchema)]
#[schema(as = MemberPosition)]
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
    #[schema(schema_with = crate::schema::to_target, required = false)]
    to_target: Option<i64>,
}

/// A neighbour of a member.
#[derive(ToSchema)]
#[schema(as = Neighbour)]
struct NeighbourWritten {
    #[serde(flatten)]
    entry: EntryWritten,
    /// The difference in the first field; null if one of the two has no value.
    #[schema(required, minimum = 0)]
    gap: Option<i64>,
}

/// A member's own position, as event `member` of a stream shows it.
#[derive(ToSchema)]
#[schema(as = OwnPosition)]
pub struct OwnPositionWritten {
    #[serde(flatten)]
    member: MemberWritten,
    /// Where the member has fallen: who of the ten directly above was not among them before.
    overtaken_by: Vec<String>,
}

/// A member's profile.
#[derive(ToSchema)]
#[schema(as = ShownProfile)]
pub struct ProfileWritten {
    /// What the member is called.
    #[schema(nullable = false, example = "Ann")]
    name: Option<String>,
    /// The URL of an image.
    #[schema(nullable = false, example = "https://img.example/ann.png")]
    avatar: Option<String>,
    /// Any JSON.
    #[schema(required = false)]
    data: Option<serde_json::Value>,
}

#[derive(ToSchema)]
#[expect(missing_docs, reason = "the document has none")]
#[schema(as = EntryPage)]
pub struct PageWritten {
    entries: Vec<EntryWritten>,
    /// If there may be more entries: `after` of the next page.
    #[schema(nullable = false)]
    next: Option<String>,
}

/// The best entries of a board.
#[derive(ToSchema)]
#[schema(as = Top)]
pub struct TopWritten {
    #[serde(flatten)]
    envelope: EnvelopeWritten,
    /// True while the store is unavailable: this is the last board that was read.
    #[schema(required = false)]
    stale: bool,
    /// The entries, best first.
    entries: Vec<EntryWritten>,
}

/// The tops of several boards, in the order of the request.
#[derive(ToSchema)]
#[schema(as = Tops)]
pub struct TopsWritten {
    boards: Vec<TopWritten>,
}
