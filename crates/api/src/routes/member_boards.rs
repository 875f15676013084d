//! `GET /v1/members/{member}`: the boards of a kind that rank a member, in several requests if it takes long.

use std::sync::Arc;
use std::time::Duration;

use board::{Kind, Member, Subject, Window, WindowState};
use futures::FutureExt as _;
use futures::stream::{self, StreamExt as _};
use http_server::query_params::WholeNumber;
use http_server::validators::json;
use merger::{MemberStanding, PositionView};
use pacing::spend;
use serde::Serialize;
use shard_store::BoardRecord;
use tokio::time::Instant;
use wire::problem::{Problem, ProblemType};

use super::contributions::WindowStandingShape;
use crate::app::{App, SEARCHES_MAX};
use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;
use crate::target::{selector_of, window_at};

/// How long a request searches.
const SEARCH_FOR: Duration = Duration::from_secs(1);

/// Boards that are looked at before the time is checked, and before other requests are served.
const PAGE_BOARDS: usize = 128;

/// Boards that are read at a time.
const READS_MAX: usize = 32;

const LIMIT_DEFAULT: u64 = 100;
const LIMIT_MAX: u64 = 1000;

/// The boards of a kind that rank a member.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = MemberBoards))]
struct MemberBoardsShape<'a> {
    member: &'a str,
    kind: &'a str,
    /// By subject.
    boards: Vec<MemberBoardShape>,
    /// Boards of the kind that were looked at.
    looked_at: u64,
    /// The subject to go on `after`; null at the end.
    #[cfg_attr(test, schema(required))]
    next: Option<String>,
}

/// A board that ranks the member.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = MemberBoard))]
struct MemberBoardShape {
    /// Kind and subject.
    board: String,
    /// The windows that rank it, in the order of the kind.
    windows: Vec<WindowStandingShape>,
}

query! {
    struct MemberBoardsParams {
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
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 1000, default = 100)]
        limit: Option<WholeNumber<1, LIMIT_MAX>>,
    }
}

/// List the boards that rank a member
///
/// Looks at the boards of a kind, by subject, for at most a second: repeat the request with `next` of the response as
/// `after` until `next` is null.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/members/{member}", operation_id = "member_boards", tag = "Members", params(MemberBoardsParams),
    responses((status = 200, body = MemberBoardsShape<'static>), problems::OfWindow),
))]
pub(crate) async fn list(call: Box<Call>) -> HandlerResult {
    let until = Instant::now() + SEARCH_FOR;
    let MemberBoardsParams {
        kind,
        window,
        after,
        limit,
    } = call.params()?;
    let (app, member) = (&call.app, call.member()?);
    call.caller.check_read(&kind, &**app)?;
    let kind = app.kind(&kind).await?.kind;
    let after = after.map(|text| Subject::new(&text)).transpose();
    let after = after.map_err(|error| Problem::invalid(format!("after: {error}")))?;
    let search = Search {
        app,
        member: &member,
        windows: windows(app, &kind, window.as_deref())?,
        kind: &kind,
    };
    let mut shape = MemberBoardsShape {
        member: member.as_str(),
        kind: kind.name().as_str(),
        boards: Vec::new(),
        looked_at: 0,
        next: None,
    };
    let limit = limit.map_or(LIMIT_DEFAULT, |limit| limit.0);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let Ok(_permit) = app.searches.of(&call.caller).try_acquire() else {
        let detail = format!("{SEARCHES_MAX} requests are looking for boards of members already");
        return Err(Problem::new(ProblemType::Overloaded, detail));
    };
    if !kind.hidden().contains(&member) {
        search.pages(after, limit, until, &mut shape).await?;
    }
    Ok(json(&shape))
}

/// Returns the window that a text selects, or the current ones of all periods of the kind.
fn windows(app: &App, kind: &Kind, selector: Option<&str>) -> Result<Vec<Window>, Problem> {
    let now = app.now();
    if let Some(text) = selector {
        return Ok(vec![window_at(kind, selector_of(kind, Some(text))?, now)?]);
    }
    let periods = kind.windows().iter().map(|rule| rule.period);
    let current = periods.map(|period| kind.calendar().span_at(period, now).window);
    // A period that was added to the kind begins with its next window.
    let is_kept = |window: &Window| kind.window_state(*window, now) != WindowState::BeforePeriod;
    Ok(current.filter(is_kept).collect())
}

/// A search for the boards of a member.
struct Search<'a> {
    app: &'a App,
    kind: &'a Arc<Kind>,
    member: &'a Member,
    windows: Vec<Window>,
}

impl Search<'_> {
    /// Looks at the boards after `after`, until `limit` rank the member, or the time is over.
    async fn pages(
        &self,
        mut after: Option<Subject>,
        limit: usize,
        until: Instant,
        shape: &mut MemberBoardsShape<'_>,
    ) -> Result<(), Problem> {
        let store = self.app.router.store();
        loop {
            let name = self.kind.name();
            spend(PAGE_BOARDS).await;
            let page = store.boards(name, "", after.as_ref(), PAGE_BOARDS).await?;
            let is_last = page.len() < PAGE_BOARDS;
            let reads = page.iter().map(|record| self.board(record).boxed());
            let mut reads = stream::iter(reads.collect::<Vec<_>>()).buffered(READS_MAX);
            for record in &page {
                let Some(found) = reads.next().await else {
                    break;
                };
                shape.boards.extend(found?);
                shape.looked_at += 1;
                after = Some(record.name.subject().clone());
                if shape.boards.len() >= limit {
                    break;
                }
            }
            let is_full = shape.boards.len() >= limit;
            let is_over = is_last && !is_full;
            if is_full || is_last || Instant::now() >= until {
                shape.next = after
                    .filter(|_| !is_over)
                    .map(|subject| subject.to_string());
                return Ok(());
            }
        }
    }

    /// Returns the windows of a board that rank the member, if there are any.
    async fn board(&self, record: &BoardRecord) -> Result<Option<MemberBoardShape>, Problem> {
        let merger = &self.app.merger;
        let found = merger
            .windows_with(record, self.kind, &self.windows, self.member)
            .await?;
        let mut windows = Vec::with_capacity(found.len());
        for window in found {
            let members = std::slice::from_ref(self.member);
            let mut read = merger
                .lookup(&record.name, self.kind, window, members)
                .await?;
            let (entry, place) = match read.value.pop() {
                Some(MemberStanding::Ranked(it)) => {
                    let (rank, position) = (it.rank, it.position);
                    (it.entry, Some(PositionView { rank, position }))
                }
                Some(MemberStanding::Unlisted(entry)) => (entry, None),
                Some(MemberStanding::NoStanding) | None => continue,
            };
            let rules = self.kind.rules();
            let values = rules.values_of(&entry.key.words);
            let mut shape = WindowStandingShape::of(self.kind, window, &values, entry.reached_at);
            shape.put_rank(place);
            windows.push(shape);
        }
        Ok((!windows.is_empty()).then(|| MemberBoardShape {
            board: record.name.to_string(),
            windows,
        }))
    }
}
