//! `GET .../members/{member}/around`: a member and its neighbours.

use std::ops::Range;
use std::sync::Arc;

use axum::extract::{FromRequestParts as _, Request, State};
use axum::response::Response;
use http_server::query_params::Params;
use merger::{MemberStanding, MemberView};
use wire::problem::Problem;
use wire::{Entries, Page, cursor_of};

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfKnown, OfMember, OfNeighbours, OfProfiles, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};

/// Maximum neighbours on one side.
const NEIGHBOURS_MAX: u64 = 500;

/// Default neighbours on one side.
const NEIGHBOURS_DEFAULT: u64 = 5;

/// The body of the response.
#[cfg(test)]
type EntriesAnswer = BoardResponse<'static, Page<wire::EntryShape<'static>>>;

/// Read a member and its neighbours
///
/// If more entries follow the last one, the response has `next`, with which a range continues.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}/members/{member}/around",
    operation_id = "around",
    tag = "Reading",
    params(OfMember, OfNeighbours, OfProfiles, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The member and its neighbours, best first.",
            body = EntriesAnswer,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
                ("cache-control" = String, description = "`max-age` if the response is final, else `no-cache`."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 3,
                "entries": [
                    {"rank": 1, "member": "u1", "points": 999, "reached_at": "2026-11-20T14:52:22.123456Z"},
                    {"rank": 2, "member": "u2", "points": 500, "reached_at": "2026-11-20T14:50:00.000000Z"},
                ],
                "next": "Atn0mFyAAAAAAAAD53j___5lOg2qdTE",
            }),
        ),
        NotModified,
        problems::OfNeighbours,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let path = BoardPath::from_request_parts(&mut parts, &app).await?;
    let mut params = Params::of(parts.uri.query())?;
    let extent = Extent::take(&mut params)?;
    let with_profiles = params.flag("profiles")?;
    let window = read_window(&app, path.kind(), params)?;
    let window = window.validated_if(with_profiles);
    let (board, kind, member) = (&path.board, path.kind(), path.member()?);
    let answer = app
        .merger
        .member(board, kind, window.window, member, extent.read(), None)
        .await?;
    let view = match &answer.value {
        MemberStanding::Ranked(view) => view,
        MemberStanding::Unlisted(_) => {
            return Err(Problem::not_listed(member, &window.name(), window.listed));
        }
        MemberStanding::NoStanding => return Err(Problem::not_ranked(member, &window.name())),
    };
    let around = &view.around[extent.shown(view)];
    let members = around.iter().map(|ranked| &ranked.entry.key.member);
    let profiles = app.profiles(&path.known, with_profiles, members).await?;
    let variant = profiles.variant("around");
    let profiles = profiles.shown();
    pacing::spend(around.len()).await;
    Ok(
        window.respond(&parts.headers, board, &answer, &variant, || Page {
            entries: Entries {
                entries: Entries::of(kind, around, &profiles),
            },
            next: around
                .last()
                .filter(|last| last.position < answer.members)
                .map(|last| cursor_of(kind, &last.entry.key)),
        }),
    )
}

/// Which entries are shown.
#[derive(Clone, Copy)]
enum Extent {
    /// So many above the member and below it.
    Sides(u64, u64),
    /// So many, with the member in the middle as far as there are enough on both sides.
    Size(u64),
}

impl Extent {
    fn take(params: &mut Params<'_>) -> Result<Self, Problem> {
        let above = params.count("above", 0..=NEIGHBOURS_MAX)?;
        let below = params.count("below", 0..=NEIGHBOURS_MAX)?;
        match params.count("size", 1..=NEIGHBOURS_MAX)? {
            None => Ok(Self::Sides(
                above.unwrap_or(NEIGHBOURS_DEFAULT),
                below.unwrap_or(NEIGHBOURS_DEFAULT),
            )),
            Some(size) if above.is_none() && below.is_none() => Ok(Self::Size(size)),
            Some(_) => {
                let detail = "size: cannot be given together with above or below";
                Err(Problem::invalid(detail))
            }
        }
    }

    /// Returns how many entries are read above the member and below it.
    const fn read(self) -> (u64, u64) {
        match self {
            Self::Sides(above, below) => (above, below),
            // The member may be the first or the last.
            Self::Size(size) => (size - 1, size - 1),
        }
    }

    /// Returns the entries that are shown, of those that were read.
    fn shown(self, view: &MemberView) -> Range<usize> {
        let read = view.around.len();
        let Self::Size(size) = self else {
            return 0..read;
        };
        let size = usize::try_from(size).map_or(read, |size| size.min(read));
        let centred = view.index.saturating_sub(size / 2);
        let start = centred.min(read - size);
        start..start + size
    }
}
