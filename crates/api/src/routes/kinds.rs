//! `/v1/kinds`: lists, reads, puts and deletes kinds.

use std::sync::Arc;

use access::Caller;
use access::audit::AuditEntry;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{Kind, KindName, Publication};
use http_server::query_params::Params;
use http_server::validators::{Caching, check_conditions, is_known};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shard_router::CatalogueError;
use wire::KindShape;
use wire::problem::{Problem, ProblemType};

use crate::app::App;
use crate::body;
#[cfg(test)]
use crate::openapi::params::{NotModified, OfIfMatch, OfKind, OfKnown, OfNew};
#[cfg(test)]
use crate::openapi::problems;
use crate::target::KindPath;
use http_server::validators::{json, validated_json};

/// Bytes of the digest in an entity tag.
const ETAG_BYTES: usize = 8;

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Kinds))]
struct KindsShape {
    /// Those that the caller may read.
    kinds: Vec<KindShape>,
}

/// List all kinds
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/kinds",
    operation_id = "kinds",
    tag = "Kinds",
    params(OfKnown),
    responses(
        (
            status = 200,
            description = "The kinds, with all their settings.",
            body = KindsShape,
            headers(("etag" = String, description = "Identifies the list.")),
        ),
        NotModified,
    ),
))]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let refreshed = app.router.catalogue().refresh().await;
    let kinds = app.router.catalogue().kinds();
    // While the store is away, the kinds are those that were last read, as their boards are.
    if kinds.is_empty() {
        refreshed?;
    }
    let readable = kinds
        .iter()
        .filter(|kind| kind.is_public() || caller.is_for(kind.name().as_str()));
    let kinds = readable.map(|kind| KindShape::from(&**kind)).collect();
    // Of what this caller sees.
    Ok(validated_json(&headers, &KindsShape { kinds }))
}

/// Read a kind
#[cfg_attr(test, utoipa::path(
    get,
    path = "/v1/kinds/{kind}",
    operation_id = "kind",
    tag = "Kinds",
    params(OfKind, OfKnown),
    responses(
        (
            status = 200,
            description = "The kind, with all its settings.",
            body = KindShape,
            headers(("etag" = String, description = "Identifies the settings.")),
        ),
        NotModified,
        problems::OfKind,
    ),
))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    // A client that is about to change the kind needs its current version, not the one that this server has cached.
    app.router.catalogue().refresh().await?;
    let known = app.kind(&name).await?;
    let etag = HeaderValue::try_from(etag(&known.kind)).expect("a digest is ASCII");
    if is_known(&headers, &etag) {
        return Ok(Caching::validated(etag).not_modified());
    }
    Ok(answer(&known.kind))
}

/// Create or change a kind
///
/// A missing setting has its default. Few settings of a kind with boards may change; other changes are rejected
/// with the reason. Only an `admin` key that is not restricted to kinds can add, change and remove `publish`; with
/// other keys it has to be repeated unchanged.
#[cfg_attr(test, utoipa::path(
    put,
    path = "/v1/kinds/{kind}",
    operation_id = "put_kind",
    tag = "Kinds",
    params(OfKind, OfIfMatch, OfNew),
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
        (
            status = 200,
            description = "The kind has been changed, or had these settings before.",
            body = KindShape,
            headers(("etag" = String, description = "Identifies the settings.")),
        ),
        (
            status = 201,
            description = "The kind has been created.",
            body = KindShape,
            headers(("etag" = String, description = "Identifies the settings.")),
        ),
        problems::OfKindPut,
    ),
))]
pub(crate) async fn put(
    State(app): State<Arc<App>>,
    caller: Caller,
    entry: AuditEntry,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    request: Body,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let shape: KindShape = body::json(&app, &headers, request).await?;
    let capabilities = app.router.store().capabilities();
    let shards = capabilities.default_shards(shape.has_dense_ranks());
    let wanted = shape.into_kind_at(&name, shards, &app.publish_targets)?;
    // Checked against the kind that is replaced, even if others write it in the meantime.
    let checked = |held: Option<&Kind>| {
        check_conditions(&headers, held.map(etag).as_deref())?;
        let held = held.and_then(Kind::publication);
        check_publication(&caller, held, wanted.publication())?;
        Ok::<_, Problem>(wanted.clone())
    };
    let catalogue = app.router.catalogue();
    // Another server may have changed it.
    catalogue.refresh().await?;
    let known = catalogue.known(&name);
    checked(known.as_ref().map(|known| &*known.kind))?;
    entry.begin(app.now()).await?;
    let put = catalogue.put_checked(wanted.name(), checked, app.now());
    let (known, created) = put.await?;
    let status = if created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, answer(&known.kind)).into_response())
}

/// Delete a kind without boards
#[cfg_attr(test, utoipa::path(
    delete,
    path = "/v1/kinds/{kind}",
    operation_id = "delete_kind",
    tag = "Kinds",
    params(OfKind, OfIfMatch),
    responses((status = 204, description = "Deleted."), problems::OfKindDelete),
))]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    caller: Caller,
    entry: AuditEntry,
    KindPath(name): KindPath,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    Params::of(query.as_deref())?.finish()?;
    let name = KindName::new(&name).map_err(|_| Problem::unknown_kind(&name))?;
    let checked = |held: &Kind| {
        check_conditions(&headers, Some(&etag(held)))?;
        // Otherwise a caller that may not remove the publication could create the kind again without it.
        check_publication(&caller, held.publication(), None)
    };
    // Another server may have changed it.
    app.router.catalogue().refresh().await?;
    let known = app.kind(name.as_str()).await?;
    checked(&known.kind)?;
    if !app
        .router
        .store()
        .boards(&name, "", None, 1)
        .await?
        .is_empty()
    {
        return Err(CatalogueError::HasBoards(name).into());
    }
    entry.begin(app.now()).await?;
    let catalogue = app.router.catalogue();
    catalogue.delete_checked(&name, checked).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks whether the caller may change the publication. That requires a key that is not bound to kinds, since targets
/// are shared by all kinds.
fn check_publication(
    caller: &Caller,
    held: Option<&Publication>,
    wanted: Option<&Publication>,
) -> Result<(), Problem> {
    if held == wanted || caller.is_unbounded_admin() {
        return Ok(());
    }
    let detail = "publish: only an admin key that is not bound to kinds may change it or take it away; \
                  repeat it as it is";
    Err(Problem::new(ProblemType::Forbidden, detail))
}

fn answer(kind: &Kind) -> Response {
    let etag = [(header::ETAG, etag(kind))];
    (etag, json(&KindShape::from(kind))).into_response()
}

/// Returns the entity tag of all settings of a kind.
fn etag(kind: &Kind) -> String {
    let text = serde_json::to_vec(&KindShape::from(kind)).expect("an answer is JSON");
    let digest = Sha256::digest(text);
    let digits = digest[..ETAG_BYTES]
        .iter()
        .map(|byte| format!("{byte:02x}"));
    format!("\"{}\"", digits.collect::<String>())
}
