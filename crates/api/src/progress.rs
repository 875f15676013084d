//! Requests that do a part of a long operation, and are repeated until it is done.

use access::audit::AuditDetails;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use tokio::time::Duration;
use wire::problem::Problem;

/// How long a request goes on before it returns its progress: proxies time out longer ones.
pub(crate) const REQUEST_FOR: Duration = Duration::from_secs(10);

/// Returns the progress, with the problem that ended it, if any: the next request goes on from there. The audit log has
/// the progress in any case.
pub(crate) fn answer(shape: &impl Serialize, ended: Result<(), Problem>) -> Response {
    let mut response = match ended {
        Ok(()) => http_server::validators::json(shape),
        Err(problem) => problem.with(shape).into_response(),
    };
    let details = serde_json::to_value(shape).unwrap_or_default();
    response.extensions_mut().insert(AuditDetails(details));
    response
}
