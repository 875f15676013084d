//! `GET /v1/boards/{kind}/{subject}/range`: entries by position, at any depth, or by the first field.

use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use problem::Problem;
use query_params::Params;
use wire::Entries;

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoard, OfBounds, OfKnown, OfRange, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};

/// Maximum entries of a page.
const PAGE_MAX: u64 = 1000;

/// Default of `limit`.
const LIMIT_DEFAULT: u64 = 100;

/// The body of the response.
#[cfg(test)]
type EntriesAnswer = BoardResponse<'static, Entries<wire::EntryShape<'static>>>;

/// Read a range by position, at any depth, or by the first field
///
/// Requires either `from` and `to`, both inclusive, for at most 1,000 entries; or `min`, `max` and `limit`. A
/// range that exceeds the board is cut at its end.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/range",
    operation_id = "range",
    tag = "Reading",
    params(OfBoard, OfRange, OfBounds, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The entries, best first.",
            body = EntriesAnswer,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004Z", "members": 2,
                "entries": [{"rank": 2, "member": "u2", "points": 500, "reached_at": "2026-11-20T14:50:00.000Z"}],
            }),
        ),
        NotModified,
        problems::OfWindow,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let (from, to) = (
        params.count("from", 1..=u64::MAX)?,
        params.count("to", 1..=u64::MAX)?,
    );
    let bounds = params.bounds()?;
    let limit = params.count("limit", 1..=PAGE_MAX)?;
    let window = read_window(&app, path.kind(), params)?;
    let (board, kind) = (&path.board, path.kind());
    let answer = match (from, to, bounds) {
        (Some(from), Some(to), (None, None)) if limit.is_none() => {
            check_page(from, to)?;
            app.merger
                .range(board, kind, window.window, from, to)
                .await?
        }
        (None, None, (None, None)) => {
            return Err(Problem::invalid(
                "from: is missing (and to; or min, max, limit)",
            ));
        }
        (None, None, _) => {
            let limit = limit.unwrap_or(LIMIT_DEFAULT);
            app.merger
                .between(board, kind, window.window, bounds, limit)
                .await?
        }
        (Some(_), None, _) => return Err(Problem::invalid("to: is missing")),
        (None, Some(_), _) => return Err(Problem::invalid("from: is missing")),
        (Some(_), Some(_), _) => {
            return Err(Problem::invalid(
                "from: goes with to, not with min, max or limit",
            ));
        }
    };
    Ok(
        window.respond(&parts.headers, board, &answer, "range", || Entries {
            entries: Entries::of(kind.rules(), &answer.value),
        }),
    )
}

fn check_page(from: u64, to: u64) -> Result<(), Problem> {
    if from > to {
        return Err(Problem::invalid(format!("from: {from} is behind to, {to}")));
    }
    if to - from >= PAGE_MAX {
        let detail = format!("to: {to} is more than {PAGE_MAX} positions from {from} on");
        return Err(Problem::invalid(detail));
    }
    Ok(())
}
