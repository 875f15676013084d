//! Parameters that many routes have, as the document shows them. Those of one route are at its handler
//! ([`query`](crate::query)); those of paths and of conditional reads are added to every route that has them. A test
//! tries every name on every route.

#![expect(dead_code, reason = "parameters of the document are made of these")]

use utoipa::{IntoParams, IntoResponses};

/// The parameters of paths.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OfPath {
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

/// The parameter of streams that the gate takes.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfToken {
    /// A token of `POST /v1/stream-tokens`, for clients that cannot send a header.
    #[param(nullable = false)]
    token: Option<String>,
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
