//! `GET /v1/boards/{kind}/{subject}/range`: entries by position, at any depth, by the first field, or after another.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use board::{Kind, Value};
use http_server::query_params::Params;
use merger::{End, Slice};
use wire::problem::Problem;
use wire::{Entries, Page, cursor_of, parse_cursor};

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
#[cfg(test)]
use crate::openapi::params::{
    NotModified, OfBoard, OfBounds, OfKnown, OfProfiles, OfRange, OfWindow,
};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};

/// Maximum entries of a page.
const PAGE_MAX: u64 = 1000;

/// Default of `limit`.
const LIMIT_DEFAULT: u64 = 100;

/// The body of the response.
#[cfg(test)]
type EntriesAnswer = BoardResponse<'static, Page<wire::EntryShape<'static>>>;

/// Read a range by position, at any depth, by the first field, or after another
///
/// Requires either `from` and `to`, both inclusive, for at most 1,000 entries; or at least one of `min`, `max` and
/// `after`. A range that exceeds the board is cut at its end. A page that more entries may follow has `next`.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/range",
    operation_id = "range",
    tag = "Reading",
    params(OfBoard, OfRange, OfBounds, OfProfiles, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The entries, best first; worst first with `order=worst`.",
            body = EntriesAnswer,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "entries": [{"rank": 1, "member": "u1", "points": 999, "reached_at": "2026-11-20T14:52:22.123456Z"}],
                "next": "Atn0mFyAAAAAAAAD53j___5lOg2qdTE",
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
    let asked = RangeParams::take(&mut params)?;
    let with_profiles = params.flag("profiles")?;
    let window = read_window(&app, path.kind(), params)?;
    let window = window.validated_if(with_profiles);
    let range = asked.range(path.kind())?;
    let (board, kind) = (&path.board, path.kind());
    let (merger, of) = (&app.merger, window.window);
    let (answer, from, limit) = match range {
        Range::Positions(from, to, end) => {
            let read = match end {
                End::Best => merger.range(board, kind, of, from, to),
                End::Worst => merger.range_from_worst(board, kind, of, from, to),
            };
            (read.await?, end, to - from + 1)
        }
        Range::Slice(slice) => {
            let (from, limit) = (slice.from, slice.limit);
            (merger.slice(board, kind, of, slice).await?, from, limit)
        }
    };
    let next = || {
        let is_full = answer.value.len() as u64 == limit;
        let last = answer.value.last().filter(|_| is_full)?;
        let is_end = match from {
            End::Best => last.position >= answer.members,
            End::Worst => last.position == 1,
        };
        (!is_end).then(|| cursor_of(kind, &last.entry.key))
    };
    let members = answer.value.iter().map(|ranked| &ranked.entry.key.member);
    let profiles = app.profiles(&path.known, with_profiles, members).await?;
    let variant = profiles.variant("range");
    let profiles = profiles.shown();
    pacing::spend(answer.value.len()).await;
    Ok(
        window.respond(&parts.headers, board, &answer, &variant, || Page {
            entries: Entries {
                entries: Entries::of(kind, &answer.value, &profiles),
            },
            next: next(),
        }),
    )
}

/// What a request asks for.
enum Range {
    /// From one position to another, counted from this end.
    Positions(u64, u64, End),
    Slice(Slice),
}

/// The parameters of a range, except for the window.
struct RangeParams<'a> {
    from: Option<u64>,
    to: Option<u64>,
    values: Option<(Option<Value>, Option<Value>)>,
    after: Option<Cow<'a, str>>,
    limit: Option<u64>,
    end: End,
}

impl<'a> RangeParams<'a> {
    fn take(params: &mut Params<'a>) -> Result<Self, Problem> {
        let bounds = params.bounds()?;
        let after = params.text("after")?;
        let end = match params.text("order")?.as_deref() {
            None | Some("best") => End::Best,
            Some("worst") => End::Worst,
            Some(other) => {
                let detail = format!("order: {other:?} is not best or worst");
                return Err(Problem::invalid(detail));
            }
        };
        Ok(Self {
            from: params.count("from", 1..=u64::MAX)?,
            to: params.count("to", 1..=u64::MAX)?,
            values: Some(bounds).filter(|bounds| *bounds != (None, None)),
            after,
            limit: params.count("limit", 1..=PAGE_MAX)?,
            end,
        })
    }

    fn range(self, kind: &Kind) -> Result<Range, Problem> {
        let is_slice = self.values.is_some() || self.after.is_some();
        match (self.from, self.to) {
            (Some(_), Some(_)) if is_slice || self.limit.is_some() => Err(Problem::invalid(
                "from: goes with to, not with min, max, after or limit",
            )),
            (Some(from), Some(to)) => {
                check_page(from, to)?;
                Ok(Range::Positions(from, to, self.end))
            }
            (None, None) if is_slice => {
                let after = self.after.map(|text| {
                    parse_cursor(kind, &text).ok_or_else(|| {
                        let kind = kind.name();
                        let detail =
                            format!("after: {text:?} is not `next` of a range of kind {kind}");
                        Problem::invalid(detail)
                    })
                });
                Ok(Range::Slice(Slice {
                    values: self.values,
                    after: after.transpose()?,
                    from: self.end,
                    limit: self.limit.unwrap_or(LIMIT_DEFAULT),
                }))
            }
            (None, None) => Err(Problem::invalid(
                "from: is missing (and to; or min, max or after)",
            )),
            (Some(_), None) => Err(Problem::invalid("to: is missing")),
            (None, Some(_)) => Err(Problem::invalid("from: is missing")),
        }
    }
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
