//! `/v1/boards/{kind}/{subject}`: reads a board, puts its settings, deletes it.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use board::{Kind, ShardCount};
use http_server::validators::json;
use serde::Serialize;
use shard_router::FoundBoard;
use shard_store::{
    BoardRecord, ChangeActivityError, DeleteBoardError, PutSettingsError, StoreError,
};
use twox_hash::XxHash3_64;
use wire::problem::{Problem, ProblemType};
use wire::{ExpiryShape, SettingsShape, SpanShape};

use crate::app::App;
use crate::call::{Board, BoardRead, Call, HandlerResult, NoParams};
#[cfg(test)]
use crate::openapi::prelude::*;

/// Attempts at settings that other requests keep changing.
const SETTINGS_TRIES_MAX: usize = 5;

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Board))]
struct InfoShape {
    #[serde(flatten)]
    expiry: ExpiryShape,
    /// Over how many its members are spread.
    shards: u16,
    /// Where it is kept.
    #[cfg_attr(test, schema(example = "embedded"))]
    store: &'static str,
    /// The windows that hold something.
    windows: Vec<WindowShape>,
}

/// A window of a board.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Window))]
struct WindowShape {
    /// Its whole name.
    #[cfg_attr(test, schema(example = "day:2026-11-20"))]
    window: String,
    /// How many are ranked in it.
    members: u64,
}

/// What holds of a board from now on.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Settled))]
struct StoredSettingsShape {
    /// Kind and subject.
    board: String,
    /// Over how many its members are spread.
    shards: u16,
    #[serde(flatten)]
    span: SpanShape,
    #[serde(flatten)]
    expiry: ExpiryShape,
}

#[cfg(test)]
type InfoResponse = BoardResponse<InfoShape>;

/// Read a board's settings and windows
///
/// A board without contributions is empty.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/boards/{kind}/{subject}", operation_id = "board", tag = "Boards", params(OfWindow),
    responses((status = 200, body = InfoResponse), problems::OfWindow),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    let (read, NoParams {}) = BoardRead::of(call).await?;
    // The other windows may change, even if this one is final.
    let read = read.validated_if(true);
    let (app, board, kind) = (&read.call.app, read.name(), read.board.kind());
    let answer = app.merger.info(board, kind, read.window.window).await?;
    let now = app.now();
    let shards = if let Some(shards) = answer.value.shards {
        shards
    } else {
        match app.router.found(board, kind, now).await? {
            FoundBoard::Created(record) => record.shards,
            FoundBoard::Uncreated(settings) => settings.shards,
            FoundBoard::Expired => kind.shards(),
        }
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
    // The other windows and the settings are not in the version.
    let text = serde_json::to_vec(&body).expect("a shape is JSON, and memory is no file");
    let variant = format!("board{:016x}", XxHash3_64::oneshot(&text));
    read.respond(&answer, &variant, || body)
}

/// Set a board's settings
///
/// They replace all earlier settings. Once the board has contributions, its number of shards stays, and once it has
/// ended it can only be kept longer.
#[cfg_attr(test, utoipa::path(
    put, path = "/v1/boards/{kind}/{subject}", operation_id = "settle_board", tag = "Boards",
    request_body(content = SettingsShape),
    responses((status = 200, body = StoredSettingsShape), problems::OfSettings),
))]
pub(crate) async fn put_settings(call: Box<Call>) -> HandlerResult {
    let board = call.board().await?;
    call.no_params()?;
    board.check_visible()?;
    let shape: SettingsShape = call.json().await?;
    let record = stored_settings(&call, &board, &shape).await?;
    let shape = StoredSettingsShape {
        board: board.name.to_string(),
        shards: record.shards.get(),
        span: SpanShape::from(&record.activity),
        expiry: ExpiryShape::from(&record.activity),
    };
    Ok(json(&shape))
}

/// Puts the settings of a board, created or not, and returns its record.
async fn stored_settings(
    call: &Call,
    board: &Board,
    shape: &SettingsShape,
) -> Result<BoardRecord, Problem> {
    let (app, name) = (&call.app, &board.name);
    for _ in 0..SETTINGS_TRIES_MAX {
        let held = record_of(app, board).await?.filter(|record| record.created);
        let shards = held.as_ref().map(|record| record.shards);
        let settings = shape.settings(shards.unwrap_or(board.kind().shards()))?;
        let Some(held) = held else {
            check_dense_shards(app, board.kind(), settings.shards)?;
            call.begin_change().await?;
            let put = app
                .router
                .put_settings(name, &board.known, settings, app.now());
            match put.await {
                Err(PutSettingsError::AlreadyCreated) => continue,
                stored => return Ok(stored?),
            }
        };
        if settings.shards != held.shards {
            return Err(PutSettingsError::AlreadyCreated.into());
        }
        let moment = app.moment();
        let wanted = settings.activity;
        if wanted == held.activity {
            return Ok(held);
        }
        let until = held.activity.check_change(&wanted, moment.now)?;
        call.begin_change().await?;
        let change = app.router.change_activity(&held, wanted, until, &moment);
        match change.await {
            // Or it has ended meanwhile: that is checked again.
            Err(ChangeActivityError::Stale | ChangeActivityError::DeadlinePassed) => {}
            Err(ChangeActivityError::Store(error)) => return Err(error.into()),
            Ok(record) => return Ok(record),
        }
    }
    let detail = format!("board {name} is being changed by other requests: retry");
    Err(Problem::new(ProblemType::Conflict, detail))
}

/// Rejects more shards than the store can count distinct values over.
fn check_dense_shards(app: &App, kind: &Kind, shards: ShardCount) -> Result<(), Problem> {
    let shards_max = app.router.store().capabilities().dense_shards_max();
    if kind.is_dense() && shards > shards_max {
        let (shards, shards_max) = (shards.get(), shards_max.get());
        return Err(Problem::invalid(format!(
            "shards: {shards} is more than {shards_max}, the maximum of kinds with dense ranks on this store"
        )));
    }
    Ok(())
}

/// Delete a board with all its windows
///
/// Later contributions to this name create another board.
#[cfg_attr(test, utoipa::path(
    delete, path = "/v1/boards/{kind}/{subject}", operation_id = "delete_board", tag = "Boards",
    responses((status = 204), problems::OfBoardDelete),
))]
pub(crate) async fn delete(call: Box<Call>) -> HandlerResult {
    let board = call.board().await?;
    call.no_params()?;
    let (app, name) = (&call.app, &board.name);
    if record_of(app, &board).await?.is_none() {
        return Err(Problem::unknown_board(name));
    }
    call.begin_change().await?;
    match app.router.delete_board(name, app.now()).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(DeleteBoardError::NotFound) => Err(Problem::unknown_board(name)),
        Err(DeleteBoardError::Store(error)) => Err(error.into()),
    }
}

/// Reads the record of a board from the store, not from the cache.
async fn record_of(app: &App, board: &Board) -> Result<Option<BoardRecord>, StoreError> {
    app.router.boards().stored(&board.name, app.now()).await
}
