//! `/v1/kinds`: lists, reads, puts and deletes kinds.

use access::Caller;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use board::{Kind, KindName, Publication};
use http_server::validators::{Caching, check_conditions, is_known, json, validated_json};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use shard_router::CatalogueError;
use wire::KindShape;
use wire::problem::{Problem, ProblemType};

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;

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
    get, path = "/v1/kinds", operation_id = "kinds", tag = "Kinds", responses((status = 200, body = KindsShape)),
))]
pub(crate) async fn list(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let app = &call.app;
    let refreshed = app.router.catalogue().refresh().await;
    let kinds = app.router.catalogue().kinds();
    // While the store is away, the kinds are those that were last read, as their boards are.
    if kinds.is_empty() {
        refreshed?;
    }
    let readable = kinds
        .iter()
        .filter(|kind| kind.is_public() || call.caller.is_for(kind.name().as_str()));
    let kinds = readable.map(|kind| KindShape::from(&**kind)).collect();
    // Of what this caller sees.
    Ok(validated_json(&call.headers, &KindsShape { kinds }))
}

/// Read a kind
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/kinds/{kind}", operation_id = "kind", tag = "Kinds",
    responses((status = 200, body = KindShape), problems::OfKind),
))]
pub(crate) async fn show(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    // A client that is about to change the kind needs its current version, not the one that this server has cached.
    call.app.router.catalogue().refresh().await?;
    let known = call.kind().await?;
    let etag = HeaderValue::try_from(etag(&known.kind)).expect("a digest is ASCII");
    if is_known(&call.headers, &etag) {
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
    put, path = "/v1/kinds/{kind}", operation_id = "put_kind", tag = "Kinds", params(OfIfMatch, OfNew),
    request_body(content = KindShape),
    responses((status = 200, body = KindShape), (status = 201, body = KindShape), problems::OfKindPut),
))]
pub(crate) async fn put(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let shape: KindShape = call.json().await?;
    let (app, name) = (&call.app, call.kind_name());
    let capabilities = app.router.store().capabilities();
    let shards = capabilities.default_shards(shape.has_dense_ranks());
    let wanted = shape.into_kind_at(name, shards, &app.publish_targets)?;
    // Checked against the kind that is replaced, even if others write it in the meantime.
    let checked = |held: Option<&Kind>| {
        check_conditions(&call.headers, held.map(etag).as_deref())?;
        let held = held.and_then(Kind::publication);
        check_publication(&call.caller, held, wanted.publication())?;
        Ok::<_, Problem>(wanted.clone())
    };
    let catalogue = app.router.catalogue();
    // Another server may have changed it.
    catalogue.refresh().await?;
    let known = catalogue.known(name);
    checked(known.as_ref().map(|known| &*known.kind))?;
    call.begin_change().await?;
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
    delete, path = "/v1/kinds/{kind}", operation_id = "delete_kind", tag = "Kinds", params(OfIfMatch),
    responses((status = 204), problems::OfKindDelete),
))]
pub(crate) async fn delete(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    let (app, name) = (&call.app, call.kind_name());
    let name = KindName::new(name).map_err(|_| Problem::unknown_kind(name))?;
    let checked = |held: &Kind| {
        check_conditions(&call.headers, Some(&etag(held)))?;
        // Otherwise a caller that may not remove the publication could create the kind again without it.
        check_publication(&call.caller, held.publication(), None)
    };
    // Another server may have changed it.
    app.router.catalogue().refresh().await?;
    let known = app.kind(name.as_str()).await?;
    checked(&known.kind)?;
    let boards = app.router.store().boards(&name, "", None, 1).await?;
    if !boards.is_empty() {
        return Err(CatalogueError::HasBoards(name).into());
    }
    call.begin_change().await?;
    let catalogue = app.router.catalogue();
    catalogue.delete_checked(&name, checked).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
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
