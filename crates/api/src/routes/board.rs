//! `/v1/boards/{kind}/{subject}`: reads a board, puts its settings, deletes it.

use std::sync::Arc;

use access::audit::AuditEntry;
use axum::body::Body;
use axum::extract::{FromRequestParts as _, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use board::{Kind, ShardCount};
use http_server::query_params::Params;
use serde::Serialize;
use shard_router::FoundBoard;
use shard_store::{
    BoardRecord, ChangeActivityError, DeleteBoardError, PutSettingsError, StoreError,
};
use twox_hash::XxHash3_64;
use wire::problem::{Problem, ProblemType};
use wire::{ExpiryShape, JsonMembers, JsonText, SettingsShape, SpanShape};

use crate::app::App;
#[cfg(test)]
use crate::board_response::BoardResponse;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfBoard, OfKnown, OfWindow};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::{BoardPath, read_window};
use http_server::validators::json;

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

impl JsonMembers for InfoShape {
    fn put(&self, json: &mut JsonText) {
        json.members_of(self);
    }
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

/// The body of the response.
#[cfg(test)]
type InfoAnswer = BoardResponse<'static, InfoShape>;

/// Read a board's settings and windows
///
/// A board without contributions is empty.
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/boards/{kind}/{subject}",
    operation_id = "board",
    tag = "Boards",
    params(OfBoard, OfWindow, OfKnown),
    responses(
        (
            status = 200,
            description = "The board, its settings and its windows.",
            body = InfoAnswer,
            headers(
                ("etag" = String, description = "Identifies board, window and version; weak."),
            ),
            example = json!({
                "board": "gifts/room-8842", "window": "day:2026-11-20", "version": "7b1c2f0a9d3e4c55.12",
            "as_of": "2026-11-20T14:52:23.004456Z", "members": 2,
                "shards": 16, "store": "embedded",
                "windows": [{"window": "day:2026-11-20", "members": 2}],
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
    // The other windows may change, even if this one is final.
    let window = read_window(&app, path.kind(), Params::of(parts.uri.query())?)?.validated();
    let (board, kind) = (&path.board, path.kind());
    let answer = app.merger.info(board, kind, window.window).await?;
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
    Ok(window.respond(&parts.headers, board, &answer, &variant, || body))
}

/// Set a board's settings
///
/// They replace all earlier settings. Once the board has contributions, its number of shards stays, and once it has
/// ended it can only be kept longer.
#[cfg_attr(test, utoipa::path(
    put,
    path = "/v1/boards/{kind}/{subject}",
    operation_id = "settle_board",
    tag = "Boards",
    params(OfBoard),
    request_body(
        content = SettingsShape,
        example = json!({
            "shards": 64,
            "starts_at": "2026-11-20T20:00:00Z",
            "ends_at": "2026-11-20T20:15:00Z",
            "expires_after": "7d",
        }),
    ),
    responses(
        (status = 200, description = "The settings of the board.", body = StoredSettingsShape),
        problems::OfSettings,
    ),
))]
pub(crate) async fn put_settings(
    State(app): State<Arc<App>>,
    entry: AuditEntry,
    path: BoardPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let unfit = |error: board::IdentError| Problem::invalid(error.to_string());
    path.board.subject().check_visible().map_err(unfit)?;
    let shape: SettingsShape = body::json(&app, &headers, request).await?;
    let record = stored_settings(&app, &path, &shape, &entry).await?;
    let shape = StoredSettingsShape {
        board: path.board.to_string(),
        shards: record.shards.get(),
        span: SpanShape::from(&record.activity),
        expiry: ExpiryShape::from(&record.activity),
    };
    Ok(json(&shape))
}

/// Puts the settings of a board, created or not, and returns its record.
async fn stored_settings(
    app: &App,
    path: &BoardPath,
    shape: &SettingsShape,
    entry: &AuditEntry,
) -> Result<BoardRecord, Problem> {
    for _ in 0..SETTINGS_TRIES_MAX {
        let held = record_of(app, path).await?.filter(|record| record.created);
        let shards = held.as_ref().map(|record| record.shards);
        let settings = shape.settings(shards.unwrap_or(path.kind().shards()))?;
        let Some(held) = held else {
            check_dense_shards(app, path.kind(), settings.shards)?;
            entry.begin(app.now()).await?;
            let (board, known) = (&path.board, &path.known);
            match app
                .router
                .put_settings(board, known, settings, app.now())
                .await
            {
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
        entry.begin(app.now()).await?;
        match app
            .router
            .change_activity(&held, wanted, until, &moment)
            .await
        {
            // Or it has ended meanwhile: that is checked again.
            Err(ChangeActivityError::Stale | ChangeActivityError::DeadlinePassed) => {}
            Err(ChangeActivityError::Store(error)) => return Err(error.into()),
            Ok(record) => return Ok(record),
        }
    }
    let detail = format!(
        "board {} is being changed by other requests: retry",
        path.board
    );
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
    delete,
    path = "/v1/boards/{kind}/{subject}",
    operation_id = "delete_board",
    tag = "Boards",
    params(OfBoard),
    responses((status = 204, description = "Deleted."), problems::OfBoardDelete),
))]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    entry: AuditEntry,
    path: BoardPath,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref())?.finish()?;
    if record_of(&app, &path).await?.is_none() {
        return Err(Problem::unknown_board(&path.board));
    }
    entry.begin(app.now()).await?;
    match app.router.delete_board(&path.board, app.now()).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(DeleteBoardError::NotFound) => Err(Problem::unknown_board(&path.board)),
        Err(DeleteBoardError::Store(error)) => Err(error.into()),
    }
}

/// Reads the record of a board from the store, not from the cache.
async fn record_of(app: &App, path: &BoardPath) -> Result<Option<BoardRecord>, StoreError> {
    app.router.boards().stored(&path.board, app.now()).await
}
