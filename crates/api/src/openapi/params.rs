//! The parameters of routes, as the document shows them. Handlers take them by name
//! ([`Params`](crate::params::Params)); a test tries every name on every route.

#![expect(dead_code, reason = "parameters of the document are made of these")]

use utoipa::IntoParams;

/// A kind.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfKind {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
}

/// A board.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfBoard {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// What the board is about: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "room-8842")]
    subject: String,
}

/// A member of a board.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfMember {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// What the board is about: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "room-8842")]
    subject: String,
    /// Who: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "u1")]
    member: String,
}

/// What every read of a board takes.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfWindow {
    /// `hour`, `day`, `week`, `month` for the current one, `day:2026-11-20` and the like for a named one, or
    /// `all`. The kind's first window by default.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// Answers from a merge that began after the request came.
    #[param(nullable = false, default = false)]
    fresh: Option<bool>,
}

/// Of a top.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfTop {
    /// How many entries, up to the kind's `top`: 100 by default.
    #[param(nullable = false, minimum = 1, maximum = 10_000, example = 10)]
    n: Option<u64>,
}

/// Of a range: `from` and `to`, or `min`, `max` and `limit`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfRange {
    /// The first position. It goes with `to`.
    #[param(nullable = false, minimum = 1, example = 300)]
    from: Option<u64>,
    /// The last position, at most 999 behind the first.
    #[param(nullable = false, minimum = 1, example = 400)]
    to: Option<u64>,
    /// How many entries between `min` and `max`: 100 by default.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    limit: Option<u64>,
}

/// Bounds of the first field, both included. Either may be left out.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfBounds {
    /// The least value of the first field.
    #[param(nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
    min: Option<i64>,
    /// The largest value of the first field.
    #[param(nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
    max: Option<i64>,
}

/// Of a member's place.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfPosition {
    /// A position: the answer tells what it takes to get there.
    #[param(nullable = false, minimum = 1, example = 100)]
    target: Option<u64>,
}

/// Of a member's neighbours.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfNeighbours {
    /// Neighbours above.
    #[param(nullable = false, maximum = 500, default = 5)]
    above: Option<u64>,
    /// Neighbours below.
    #[param(nullable = false, maximum = 500, default = 5)]
    below: Option<u64>,
}

/// Of the place that points would have.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfPoints {
    /// The points, of a kind whose only field that is.
    #[param(minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64, example = 10_000)]
    points: i64,
}

/// Of a list of boards.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfBoards {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The subject behind which to begin: `next` of the answer before.
    #[param(nullable = false, min_length = 1, max_length = 128)]
    after: Option<String>,
    /// How many boards.
    #[param(nullable = false, minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u64>,
}

/// A member of any board.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfAnybody {
    /// Who: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "u1")]
    member: String,
}

/// Of what is about the boards of a kind, or of all.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfKinds {
    /// The kind's name; all kinds that the key is for by default.
    #[param(
        nullable = false,
        pattern = "^[a-z][a-z0-9-]{0,62}$",
        example = "gifts"
    )]
    kind: Option<String>,
}

/// Of an erasure.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfErasure {
    /// The board behind which to go on, or `kind/` for the first of a kind: `next` of the answer before.
    #[param(nullable = false)]
    after: Option<String>,
}

/// Of whom a kind hides.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfHidden {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
}

/// Of contributions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfContributions {
    /// Of at most 100 contributions: tells each one's `standings` after it, or its `ranks` too.
    #[param(nullable = false, inline)]
    r#return: Option<Return>,
}

/// What to tell of contributions.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
enum Return {
    Standings,
    Ranks,
}

/// Of a standing set outright.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfSet {
    /// The one window that it goes to, which has to contain `at`; all of them by default.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
}

/// Of a stream.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfStream {
    /// How many entries, up to the kind's `top`: 100 by default.
    #[param(nullable = false, minimum = 1, maximum = 10_000, example = 10)]
    n: Option<u64>,
    /// As reads have it. `day` and its like follow the calendar, a named window stays.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// Behind the first event tells what moved, in place of all.
    #[param(nullable = false, default = false)]
    changes: Option<bool>,
    /// Tells this member's own place, too.
    #[param(nullable = false, min_length = 1, max_length = 128, example = "u1")]
    member: Option<String>,
    /// A token of `POST /v1/stream-tokens`, for who cannot send a header.
    #[param(nullable = false)]
    token: Option<String>,
}

/// Of what is written only where it is still what the client saw.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfIfMatch {
    /// The `ETag` of the answer that the change began with: 412 if it is no longer right.
    #[param(rename = "If-Match", nullable = false)]
    if_match: Option<String>,
}

/// Of what is written only where there is nothing yet.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfNew {
    /// `*`: 412 if there is one already.
    #[param(rename = "If-None-Match", nullable = false, example = "*")]
    if_none_match: Option<String>,
}

/// Of what has an `ETag`.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfKnown {
    /// The `ETag` of an answer that the client still has: 304 if it is still right.
    #[param(rename = "If-None-Match", nullable = false)]
    if_none_match: Option<String>,
}
