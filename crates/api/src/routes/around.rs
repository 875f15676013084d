//! `GET .../members/{member}/around`: a member among its neighbours.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use merger::Found;

use crate::app::App;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, read_window};
use crate::wire::{Answer, Entries, Envelope};

/// Neighbours on one side.
const NEIGHBOURS_MAX: u64 = 500;

/// Neighbours on one side where it is not said how many.
const NEIGHBOURS_DEFAULT: u64 = 5;

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let above = params
        .count("above", 0..=NEIGHBOURS_MAX)?
        .unwrap_or(NEIGHBOURS_DEFAULT);
    let below = params
        .count("below", 0..=NEIGHBOURS_MAX)?
        .unwrap_or(NEIGHBOURS_DEFAULT);
    let window = read_window(&app, path.kind(), params)?;
    let (board, kind, member) = (&path.board, path.kind(), path.member()?);
    let answer = app
        .merger
        .member(board, kind, window.window, member, (above, below), None)
        .await?;
    let envelope = Envelope::new(board, &window, &answer);
    let view = match answer.value {
        Found::Ranked(view) => view,
        Found::Unlisted(_) => return Err(Problem::not_listed(member, &window)),
        Found::NotRanked => return Err(Problem::not_ranked(member, &window.name())),
    };
    let body = Entries {
        entries: Entries::of(kind.rules(), &view.around),
    };
    Ok(Answer { envelope, body }.into_response())
}
