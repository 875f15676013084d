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
    let (min, max) = (params.value("min")?, params.value("max")?);
    let window = read_window(&app, path.kind(), params)?;
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(Problem::invalid(format!("min: {min} is above max, {max}")));
    }
    let answer = app
        .merger
        .count(&path.board, path.kind(), window.window, (min, max))
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
