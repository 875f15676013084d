//! `GET /v1/audit` and `GET /v1/keys`: what admins see of this server.

use http_server::query_params::WholeNumber;
use http_server::validators::json;

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;
use crate::query::query;

query! {
    struct AuditParams {
        /// Reads the log of callers that are not admins, `audit.log.writers`.
        #[param(nullable = false, default = false)]
        writers: Option<bool>,
        /// The text `next` of the response that this one continues.
        #[param(nullable = false)]
        before: Option<String>,
        /// The maximum number of lines.
        #[param(value_type = Option<u64>, nullable = false, minimum = 1, maximum = 1000, default = 100)]
        limit: Option<WholeNumber<1, 1000>>,
    }
}

/// Read the audit log
///
/// The lines of this server's own audit log, the newest first. Requires an admin key for all kinds.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/audit", operation_id = "audit", tag = "Service", params(AuditParams),
    responses((status = 200, body = access::audit::AuditPage), problems::OfAudit),
))]
pub(crate) async fn audit(call: Box<Call>) -> HandlerResult {
    let params: AuditParams = call.params()?;
    call.caller.check_unbounded_admin()?;
    let limit = params.limit.map_or(100, |limit| limit.0);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let (writers, before) = (params.writers == Some(true), params.before.as_deref());
    Ok(json(&call.app.audit.page(writers, before, limit).await?))
}

/// List the configured keys
///
/// By name, without their hashes. Requires an admin key for all kinds.
#[cfg_attr(test, utoipa::path(
    get, path = "/v1/keys", operation_id = "keys", tag = "Service",
    responses((status = 200, body = access::KeyList)),
))]
pub(crate) async fn keys(call: Box<Call>) -> HandlerResult {
    call.no_params()?;
    call.caller.check_unbounded_admin()?;
    let app = &call.app;
    Ok(json(&app.access.listed_keys(app.now())))
}
