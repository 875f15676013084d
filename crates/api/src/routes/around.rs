//! `GET .../members/{member}/around`: a member and its neighbours.

use std::ops::Range;

use http_server::query_params::WholeNumber;
use merger::{MemberStanding, MemberView};
use wire::problem::Problem;

use crate::call::{BoardRead, Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

/// Maximum neighbours on one side.
const NEIGHBOURS_MAX: u64 = 500;

/// Default neighbours on one side.
const NEIGHBOURS_DEFAULT: u64 = 5;

query! {
    struct AroundParams {
        /// The number of better neighbours.
        #[param(value_type = Option<u64>, nullable = false, maximum = 500, default = 5)]
        above: Option<WholeNumber<0, NEIGHBOURS_MAX>>,
        /// The number of worse neighbours.
        #[param(value_type = Option<u64>, nullable = false, maximum = 500, default = 5)]
        below: Option<WholeNumber<0, NEIGHBOURS_MAX>>,
        /// Instead of both: the number of entries, with the member in the middle. Near an end of the board the others are
        /// from the other side.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 500)]
        size: Option<WholeNumber<1, NEIGHBOURS_MAX>>,
        /// Adds the profile of each member that has one to its entry. The profiles of a top are as old as the top.
        #[param(nullable = false, default = false)]
        profiles: Option<bool>,
    }
}

/// Read a member and its neighbours
///
/// If more entries follow the last one, the response has `next`, with which a range continues.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}/members/{member}/around", operation_id = "around", tag = "Reading",
    params(AroundParams, OfWindow), responses((status = 200, body = Page), problems::OfNeighbours),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, params) = BoardRead::of::<AroundParams>(call).await?;
    let with_profiles = params.profiles == Some(true);
    let extent = Extent::of(&params)?;
    let read = read.validated_if(with_profiles);
    let (kind, window, member) = (read.board.kind(), &read.window, read.call.member()?);
    let around = extent.read();
    let found = read
        .merger()
        .member(read.name(), kind, window.window, &member, around)
        .await?;
    let view = match &found.value {
        MemberStanding::Ranked(view) => view,
        MemberStanding::Unlisted(_) => {
            return Err(Problem::not_listed(&member, &window.name(), window.listed));
        }
        MemberStanding::NoStanding => return Err(Problem::not_ranked(&member, &window.name())),
    };
    let shown = &view.around[extent.shown(view)];
    let more = shown.last().filter(|last| last.position < found.members);
    read.page(&found, "around", shown, more, with_profiles)
        .await
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
    fn of(params: &AroundParams) -> Result<Self, Problem> {
        let (above, below) = (params.above, params.below);
        match params.size {
            None => Ok(Self::Sides(
                above.map_or(NEIGHBOURS_DEFAULT, |above| above.0),
                below.map_or(NEIGHBOURS_DEFAULT, |below| below.0),
            )),
            Some(size) if above.is_none() && below.is_none() => Ok(Self::Size(size.0)),
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
