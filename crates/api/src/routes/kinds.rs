//! `/v1/kinds`: the kinds, at run time.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use board::KindName;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Caller;
use crate::app::App;
use crate::body;
use crate::openapi::params::OfKind;
use crate::openapi::problems;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::KindPath;
use crate::wire::{self, KindShape};

#[derive(Serialize, ToSchema)]
#[schema(as = Kinds)]
struct KindsShape {
    /// Those that the key is for.
    kinds: Vec<KindShape>,
}

/// All kinds
#[utoipa::path(
    get,
    path = "/v1/kinds",
    operation_id = "kinds",
    tag = "Kinds",
    responses((status = 200, description = "The kinds, with all their settings.", body = KindsShape)),
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    Params::of(query.as_deref()).finish()?;
    app.router.catalogue().refresh().await?;
    let kinds = app.router.catalogue().kinds();
    let own = kinds
        .iter()
        .filter(|kind| caller.is_for(kind.name().as_str()));
    let kinds = own.map(|kind| KindShape::from(&**kind)).collect();
    Ok(wire::json(&KindsShape { kinds }))
}

/// One kind
#[utoipa::path(
    get,
    path = "/v1/kinds/{kind}",
    operation_id = "kind",
    tag = "Kinds",
    params(OfKind),
    responses(
        (status = 200, description = "The kind, with all its settings.", body = KindShape),
        problems::OfKind,
    ),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    Params::of(query.as_deref()).finish()?;
    let known = app.kind(&name).await?;
    Ok(wire::json(&KindShape::from(&*known.kind)))
}

/// Makes a kind, or changes it
///
/// What is left out has its default. Of a kind with boards few settings may change; anything else is
/// refused and says why.
#[utoipa::path(
    put,
    path = "/v1/kinds/{kind}",
    operation_id = "put_kind",
    tag = "Kinds",
    params(OfKind),
    request_body(
        content = KindShape,
        examples(
            ("gifts" = (value = json!({"windows": ["hour", "day", "week", "month", "all"]}))),
            ("races" = (value = json!({
                "mode": "best",
                "fields": [{"name": "laps"}, {"name": "seconds", "order": "asc"}],
                "rank": "competition",
                "windows": ["week", "all"],
                "keep": {"week": "10w", "all": {"idle": "7d"}},
            }))),
        ),
    ),
    responses(
        (status = 200, description = "It is changed, or was so before.", body = KindShape),
        (status = 201, description = "It is new.", body = KindShape),
        problems::OfKindPut,
    ),
)]
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref()).finish()?;
    let shape: KindShape = body::json(&app, &headers, request).await?;
    let kind = shape
        .into_kind(&name)
        .map_err(|error| Problem::invalid(error.to_string()))?;
    let (known, created) = app.router.catalogue().put(kind, app.now()).await?;
    let status = if created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, wire::json(&KindShape::from(&*known.kind))).into_response())
}

/// Deletes a kind without boards
#[utoipa::path(
    delete,
    path = "/v1/kinds/{kind}",
    operation_id = "delete_kind",
    tag = "Kinds",
    params(OfKind),
    responses((status = 204, description = "It is gone."), problems::OfKindDelete),
)]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref()).finish()?;
    let name = KindName::new(&name).map_err(|_| Problem::unknown_kind(&name))?;
    app.router.catalogue().delete(&name).await?;
    Ok(StatusCode::NO_CONTENT)
}
