//! `GET /v1/audit` and `GET /v1/keys`: what admins see of this server.

use std::sync::Arc;

#[cfg(test)]
use crate::openapi::{params::OfAudit, problems};
use access::Caller;
#[cfg(test)]
use access::KeyList;
#[cfg(test)]
use access::audit::AuditPage;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http_server::query_params::Params;
use http_server::validators::json;
use wire::problem::Problem;

use crate::app::App;

/// Read the audit log
///
/// The lines of this server's own audit log, the newest first. Requires an admin key for all kinds.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/audit", operation_id = "audit", tag = "Service", params(OfAudit),
    responses((status = 200, description = "A page of lines.", body = AuditPage), problems::OfAudit),
))]
pub(crate) async fn audit(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let mut params = Params::of(query.as_deref())?;
    let writers = params.flag("writers")?;
    let before = params.text("before")?;
    let limit = params.count("limit", 1..=1000)?.unwrap_or(100);
    params.finish()?;
    caller.check_unbounded_admin()?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let page = app.audit.page(writers, before.as_deref(), limit).await?;
    Ok(json(&page))
}

/// List the configured keys
///
/// By name, without their hashes. Requires an admin key for all kinds.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/keys", operation_id = "keys", tag = "Service",
    responses((status = 200, description = "All keys of this server.", body = KeyList)),
))]
pub(crate) async fn keys(
    State(app): State<Arc<App>>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    Params::of(query.as_deref())?.finish()?;
    caller.check_unbounded_admin()?;
    Ok(json(&app.access.listed_keys(app.now())))
}
