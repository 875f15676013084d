//! `/v1/kinds`: the kinds, at run time.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use board::KindName;
use serde::Serialize;

use crate::access::Caller;
use crate::app::App;
use crate::body;
use crate::params::Params;
use crate::problem::Problem;
use crate::target::KindPath;
use crate::wire::{self, KindShape};

#[derive(Serialize)]
struct KindsShape {
    kinds: Vec<KindShape>,
}

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

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    Params::of(query.as_deref()).finish()?;
    let known = app.kind(&name).await?;
    Ok(wire::json(&KindShape::from(&*known.kind)))
}

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
