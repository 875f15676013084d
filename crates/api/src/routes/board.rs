//! `/v1/boards/{kind}/{subject}`: what the board is, its settings before it is born, its end.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::App;
use crate::body;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::{BoardPath, read_window};
use crate::wire::{self, Answer, Envelope, ExpiryShape, SettingsShape, SpanShape};

#[derive(Serialize)]
struct InfoShape {
    #[serde(flatten)]
    expiry: ExpiryShape,
    shards: u16,
    store: &'static str,
    windows: Vec<WindowShape>,
}

#[derive(Serialize)]
struct WindowShape {
    window: String,
    members: u64,
}

#[derive(Serialize)]
struct SettledShape {
    board: String,
    shards: u16,
    #[serde(flatten)]
    span: SpanShape,
    #[serde(flatten)]
    expiry: ExpiryShape,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let window = read_window(&app, path.kind(), Params::of(query.as_deref()))?;
    let (board, kind) = (&path.board, path.kind());
    let answer = app.merger.info(board, kind, window.window).await?;
    let envelope = Envelope::new(board, &window, &answer);
    let now = app.now();
    let shards = if let Some(record) = &answer.value.record {
        record.shards
    } else {
        let unborn = app.router.record(board, kind, now).await?;
        unborn.map_or(kind.shards(), |record| record.shards)
    };
    let kept = answer
        .value
        .windows
        .iter()
        .filter(|w| !kind.is_expired(w.window, now));
    let windows = kept.map(|held| WindowShape {
        window: kind.calendar().name(held.window),
        members: held.members,
    });
    let store = app.router.store().name();
    let body = InfoShape {
        expiry: ExpiryShape::from(&answer.activity),
        shards: shards.get(),
        store,
        windows: windows.collect(),
    };
    Ok(Answer { envelope, body }.into_response())
}

pub(crate) async fn settle(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref()).finish()?;
    let shape: SettingsShape = body::json(&app, &headers, request).await?;
    let settings = shape.settings(path.kind().shards())?;
    let record = app
        .router
        .settle(&path.board, &path.known, settings, app.now())
        .await?;
    let shape = SettledShape {
        board: path.board.to_string(),
        shards: record.shards.get(),
        span: SpanShape::from(&record.activity),
        expiry: ExpiryShape::from(&record.activity),
    };
    Ok(wire::json(&shape))
}

pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref()).finish()?;
    app.router.bury(&path.board, app.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
