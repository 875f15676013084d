//! The parameters of routes, as the document shows them. Handlers take them by name
//! (`Params` of crate `http-server`); a test tries every name on every route.

#![expect(dead_code, reason = "parameters of the document are made of these")]

use utoipa::{IntoParams, IntoResponses};

/// The kind in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfKind {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
}

/// The board in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfBoard {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "room-8842")]
    subject: String,
}

/// The member of a board in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfMember {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The board's subject: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "room-8842")]
    subject: String,
    /// The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "u1")]
    member: String,
}

/// The parameters of all reads of a board.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfWindow {
    /// The window: a period of the kind such as `day` for the current one, `day:previous` for the one before it, a
    /// name such as `day:2026-11-20`, or `all`. Defaults to the current window of the kind's first period; `previous`
    /// is the one before that.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// Merges the board after the request has arrived, instead of using the cache.
    #[param(nullable = false, default = false)]
    fresh: Option<bool>,
}

/// The parameters of a top.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfTop {
    /// The number of entries, at most the kind's `top`. Defaults to 100.
    #[param(nullable = false, minimum = 1, maximum = 10_000, example = 10)]
    n: Option<u64>,
}

/// The parameter of reads that may show profiles.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfProfiles {
    /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
    #[param(nullable = false, default = false)]
    profiles: Option<bool>,
}

/// The member of a kind in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfKindMember {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "u1")]
    member: String,
}

/// The parameters of a range: `from` and `to`; or `limit` with `min`, `max` and `after`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfRange {
    /// The first position. Requires `to`.
    #[param(nullable = false, minimum = 1, example = 300)]
    from: Option<u64>,
    /// The last position, at most 999 after the first.
    #[param(nullable = false, minimum = 1, example = 400)]
    to: Option<u64>,
    /// The maximum number of entries between `min` and `max`, or after `after`. Defaults to 100.
    #[param(nullable = false, minimum = 1, maximum = 1000)]
    limit: Option<u64>,
    /// `next` of the page before: the entries that follow its last one, whatever has changed before it.
    #[param(nullable = false)]
    after: Option<String>,
    /// The end from which positions are counted and entries are returned.
    #[param(nullable = false, inline)]
    order: Option<Order>,
}

/// An end of a board.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
enum Order {
    Best,
    Worst,
}

/// The bounds of the first field, both inclusive and optional.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfBounds {
    /// The smallest value of the first field.
    #[param(nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
    min: Option<i64>,
    /// The largest value of the first field.
    #[param(nullable = false, minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64)]
    max: Option<i64>,
}

/// The parameter of a member's position.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfPosition {
    /// A position. The response has the change that the member needs to reach it.
    #[param(nullable = false, minimum = 1, example = 100)]
    target: Option<u64>,
}

/// The parameters of a member's neighbours.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfNeighbours {
    /// The number of better neighbours.
    #[param(nullable = false, maximum = 500, default = 5)]
    above: Option<u64>,
    /// The number of worse neighbours.
    #[param(nullable = false, maximum = 500, default = 5)]
    below: Option<u64>,
    /// Instead of both: the number of entries, with the member in the middle. Near an end of the board the others are
    /// from the other side.
    #[param(nullable = false, minimum = 1, maximum = 500)]
    size: Option<u64>,
}

/// The parameter of the rank that points would have.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfPoints {
    /// The points. Only for kinds with one field.
    #[param(minimum = -9_007_199_254_740_991i64, maximum = 9_007_199_254_740_991i64, example = 10_000)]
    points: i64,
}

/// The parameters of a list of boards.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfBoards {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The beginning of the subjects that are listed.
    #[param(nullable = false, max_length = 128, example = "room-")]
    prefix: Option<String>,
    /// `subject`, or the boards to which this server has recently written the most contributions, the busiest first.
    #[param(nullable = false, inline)]
    order: Option<BoardOrder>,
    /// The subject after which the page begins: `next` of the previous page. Not with `order=activity`.
    #[param(nullable = false, min_length = 1, max_length = 128)]
    after: Option<String>,
    /// The maximum number of boards.
    #[param(nullable = false, minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u64>,
}

/// The order of a list of boards.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
enum BoardOrder {
    Subject,
    Activity,
}

/// The parameters of the audit log.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfAudit {
    /// Reads the log of callers that are not admins, `audit.log.writers`.
    #[param(nullable = false, default = false)]
    writers: Option<bool>,
    /// The text `next` of the response that this one continues.
    #[param(nullable = false)]
    before: Option<String>,
    /// The maximum number of lines.
    #[param(nullable = false, minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u64>,
}

/// The member in a path without a board.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfAnybody {
    /// The member: 1 to 128 bytes of UTF-8 without control characters, not `.` or `..`.
    #[param(min_length = 1, max_length = 128, example = "u1")]
    member: String,
}

/// The parameter of requests about the boards of a kind, or of all kinds.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfKinds {
    /// The kind's name. Defaults to all kinds of the key.
    #[param(
        nullable = false,
        pattern = "^[a-z][a-z0-9-]{0,62}$",
        example = "gifts"
    )]
    kind: Option<String>,
}

/// The parameters of a list of the boards of a member.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfMemberBoards {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
    /// The only window to look at (any selector). Defaults to the current ones of all periods of the kind.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// The subject after which to continue: `next` of the previous response.
    #[param(nullable = false, min_length = 1, max_length = 128)]
    after: Option<String>,
    /// The maximum number of boards.
    #[param(nullable = false, minimum = 1, maximum = 1000, default = 100)]
    limit: Option<u64>,
}

/// The parameter of an erasure.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfErasure {
    /// The board after which to continue, or `kind/` for the first board of a kind: `next` of the previous
    /// response.
    #[param(nullable = false)]
    after: Option<String>,
}

/// The parameter of the list of hidden members.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfHidden {
    /// The kind's name.
    #[param(pattern = "^[a-z][a-z0-9-]{0,62}$", example = "gifts")]
    kind: String,
}

/// The parameters of contributions.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfContributions {
    /// Returns the standings after each contribution (`standings`), or also the ranks (`ranks`); for at most 1,000
    /// contributions.
    #[param(nullable = false, inline)]
    r#return: Option<Return>,
    /// With `return=ranks`: also returns the rank of each member right before the request.
    #[param(nullable = false, default = false)]
    previous_rank: Option<bool>,
}

/// The header of writes that may wait for the store.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfWait {
    /// `wait=N`: while the store is unavailable, the write is tried for `N` seconds, at most 15, before the response is
    /// `unavailable` or `unknown`; without it, for about a second. Other preferences are ignored (RFC 7240).
    #[param(rename = "Prefer", nullable = false, example = "wait=15")]
    prefer: Option<String>,
}

/// What to return for each contribution.
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "lowercase")]
enum Return {
    Standings,
    Ranks,
}

/// The parameters of setting a standing.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfSet {
    /// The only window to set, which has to contain `at`. Defaults to all windows that contain it.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// Returns the standings after it (`standings`), or also the ranks (`ranks`).
    #[param(nullable = false, inline)]
    r#return: Option<Return>,
    /// With `return=ranks`: also returns the rank right before the request.
    #[param(nullable = false, default = false)]
    previous_rank: Option<bool>,
}

/// The parameter of a removal.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfRemoved {
    /// The only window that members are removed from, and, of a range, the window that it is of. Defaults to all
    /// windows.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
}

/// The parameter of a removal of the members below a rank.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfRanks {
    /// The last rank whose members stay. Not with `min` or `max`.
    #[param(nullable = false, example = 1000)]
    below_rank: Option<u64>,
}

/// The parameters of a stream.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfStream {
    /// The number of entries, at most the kind's `top`. Defaults to 100.
    #[param(nullable = false, minimum = 1, maximum = 10_000, example = 10)]
    n: Option<u64>,
    /// The window, as for reads. A period such as `day`, and `previous`, change to the next window with the
    /// calendar, a named window does not.
    #[param(nullable = false, example = "day")]
    window: Option<String>,
    /// Sends only changes after the first event.
    #[param(nullable = false, default = false)]
    changes: Option<bool>,
    /// Adds the profile of each member that has one to its entry.
    #[param(nullable = false, default = false)]
    profiles: Option<bool>,
    /// Also sends the position of this member.
    #[param(nullable = false, min_length = 1, max_length = 128, example = "u1")]
    member: Option<String>,
    /// A token of `POST /v1/stream-tokens`, for clients that cannot send a header.
    #[param(nullable = false)]
    token: Option<String>,
}

/// The header of writes that require that the client has seen the current content.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfIfMatch {
    /// The `ETag` of the response that the change is based on. The response is 412 if it is no longer current.
    #[param(rename = "If-Match", nullable = false)]
    if_match: Option<String>,
}

/// The header of writes that require that nothing exists yet.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfNew {
    /// `*`: the response is 412 if it exists.
    #[param(rename = "If-None-Match", nullable = false, example = "*")]
    if_none_match: Option<String>,
}

/// The header of reads of what has an `ETag`.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct OfKnown {
    /// The `ETag` of a response that the client has cached. The response is 304 if it is still current.
    #[param(rename = "If-None-Match", nullable = false)]
    if_none_match: Option<String>,
}

/// The response to a client that has the current one.
#[derive(IntoResponses)]
#[response(
    status = 304,
    description = "The cached response is current.",
    headers(("etag" = String, description = "The same `ETag`.")),
)]
pub(crate) struct NotModified;
