//! `POST /v1/top`: the tops of many boards in one response.

use std::collections::HashSet;

use axum::http::{HeaderValue, header};
use axum::response::IntoResponse as _;
use board::BoardName;
use board::limits::TOP_MAX;
use futures::FutureExt;
use futures::future::join_all;
use merger::TopView;
use serde::Deserialize;
use wire::List;
use wire::problem::Problem;

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::profiles::check_profiled;
use crate::read_window::ReadWindow;
use crate::target::resolve;

/// Maximum boards of a request.
const BOARDS_MAX: usize = 100;

/// Maximum boards that are merged concurrently.
const AT_ONCE_MAX: usize = 16;

/// The work of finding a cached top, and how much more bytes of entries are copied for one entry's work.
const TOP_WORK: usize = 8;
const COPIED_A_UNIT: usize = 16;

/// The beginning and the end of a response.
const BEGIN: &[u8] = b"{\"boards\":[";
const END: &[u8] = b"]}";

/// The usual maximum bytes of a top beside its entries.
const HEAD_BYTES: usize = 512;

/// Default of `n`.
const ENTRIES_DEFAULT: u64 = 10;

/// Boards whose tops are wanted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = TopsWanted))]
#[serde(deny_unknown_fields, expecting = "an object with boards")]
struct TopsShape {
    /// At most 100, each named once.
    #[cfg_attr(test, schema(value_type = Vec<String>, max_items = 100))]
    boards: List<String, BOARDS_MAX>,
    /// As reads of one board have it.
    window: Option<String>,
    /// How many entries of each, up to the kind's `top`: 10 by default.
    #[cfg_attr(test, schema(minimum = 1, maximum = 10_000))]
    n: Option<u64>,
    /// Answers from merges that began after the request came.
    #[serde(default)]
    fresh: bool,
    /// Adds the profiles of the members.
    #[serde(default)]
    profiles: bool,
}

/// Read the tops of many boards
#[cfg_attr(test, utoipa::path(
    post, path = "/v1/top", operation_id = "tops", tag = "Reading", request_body(content = TopsShape),
    responses((status = 200, body = wire::TopsWritten), problems::OfWindow),
))]
pub(crate) async fn many(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let shape: TopsShape = call.json().await?;
    let count = shape.boards.0.len();
    // The `top` of a kind is checked later; none is larger than this.
    if let Some(n) = shape.n.filter(|n| !(1..=u64::from(TOP_MAX)).contains(n)) {
        let detail = format!("n: {n} is not a whole number from 1 to {TOP_MAX}");
        return Err(Problem::invalid(detail));
    }
    check_distinct(&shape.boards.0)?;
    // Nothing is rendered before all entries fit. The first board that does not is reported.
    let mut reservation = call.responses.reservation();
    let (mut read, mut bytes) = (Vec::with_capacity(count), 0);
    for boards in shape.boards.0.chunks(AT_ONCE_MAX) {
        let tops = boards
            .iter()
            .map(|board| Top::of(&call, &shape, board).boxed());
        // All of them: what is being read may hold what others wait for, and would be left with it.
        for top in join_all(tops).await {
            let named = |problem: Problem| problem.at(&format!("boards[{}]", read.len()));
            let top = top.map_err(named)?;
            bytes += top.entry_bytes();
            reservation.resize_for_read(bytes).await.map_err(named)?;
            read.push(top);
        }
    }
    let mut body = Vec::with_capacity(bytes + count * HEAD_BYTES);
    body.extend_from_slice(BEGIN);
    for (index, top) in read.iter().enumerate() {
        if index > 0 {
            body.push(b',');
        }
        pacing::spend(TOP_WORK + top.n / COPIED_A_UNIT).await;
        body.extend(top.json());
    }
    body.extend_from_slice(END);
    reservation.resize_for_read(body.len()).await?;
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    Ok(reservation.answer((headers, body).into_response()))
}

/// Rejects a board that is named twice: a short request could ask for a large response a hundred times.
fn check_distinct(boards: &[String]) -> Result<(), Problem> {
    let mut seen = HashSet::new();
    match boards.iter().find(|board| !seen.insert(board.as_str())) {
        Some(board) => Err(Problem::invalid(format!(
            "boards: {board:?} is named twice"
        ))),
        None => Ok(()),
    }
}

/// The top of one board, before it is rendered.
struct Top {
    board: BoardName,
    window: ReadWindow,
    view: TopView,
    n: usize,
}

impl Top {
    async fn of(call: &Call, shape: &TopsShape, board: &str) -> Result<Self, Problem> {
        let app = &call.app;
        let board: BoardName = board
            .parse()
            .map_err(|error: board::IdentError| Problem::invalid(error.to_string()))?;
        call.caller.check_read(board.kind().as_str(), &**app)?;
        let known = app.kind(board.kind().as_str()).await?;
        let depth = known.kind.top() as u64;
        let n = shape.n.unwrap_or(ENTRIES_DEFAULT.min(depth));
        if n == 0 || n > depth {
            let detail = format!("n: {n} is not a whole number from 1 to {depth}");
            return Err(Problem::invalid(detail));
        }
        check_profiled(usize::try_from(n).unwrap_or(usize::MAX), shape.profiles)?;
        let window = resolve(app, &known.kind, shape.window.as_deref())?;
        let view = app
            .merger
            .top(&board, &known.kind, window.window, shape.fresh)
            .await?;
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let view = if shape.profiles {
            app.profiled(&known, view, window.window, n).await?
        } else {
            view
        };
        Ok(Self {
            board,
            window,
            view,
            n,
        })
    }

    /// Returns the bytes of its entries, the larger part of it.
    fn entry_bytes(&self) -> usize {
        self.view.snapshot.rendered.first(self.n).len()
    }

    fn json(&self) -> Vec<u8> {
        let form = self.window.form(&self.view, self.n);
        let name = self.window.name();
        wire::top_json(&self.board, &name, &self.view.snapshot, form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_boards_are_rejected() {
        let boards = ["gifts/a", "gifts/b"].map(str::to_owned);
        assert_eq!(check_distinct(&boards), Ok(()));
        let twice = ["gifts/a", "gifts/b", "gifts/a"].map(str::to_owned);
        let problem = check_distinct(&twice).unwrap_err();
        assert_eq!(problem.detail, "boards: \"gifts/a\" is named twice");
    }
}
