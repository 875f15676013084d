//! `GET /v1/boards/{kind}/{subject}/count`: members whose first field lies between two values.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::App;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, read_window};
use crate::wire::{Answer, Envelope};

#[derive(Serialize)]
struct CountShape {
    count: u64,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref());
    let bounds = params.bounds()?;
    let window = read_window(&app, path.kind(), params)?;
    let answer = app
        .merger
        .count(&path.board, path.kind(), window.window, bounds)
        .await?;
    let envelope = Envelope::new(&path.board, &window, &answer);
    Ok(Answer {
        envelope,
        body: CountShape {
            count: answer.value,
        },
    }
    .into_response())
}
