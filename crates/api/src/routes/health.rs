//! `GET /healthz`: the process is alive. `GET /readyz`: the store is ready, too, and the server is not stopping.

use http_server::validators::json;
use serde::Serialize;
use wire::problem::{Problem, ProblemType};

use crate::call::{Call, HandlerResult};
#[cfg(test)]
use crate::openapi::prelude::*;

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Alive))]
struct AliveShape {
    /// `alive`.
    #[cfg_attr(test, schema(example = "alive"))]
    status: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = Ready))]
struct ReadyShape {
    /// `ready`.
    #[cfg_attr(test, schema(example = "ready"))]
    status: &'static str,
    /// Where boards are kept.
    #[cfg_attr(test, schema(example = "embedded"))]
    store: &'static str,
}

/// Check that the process responds
#[cfg_attr(test, utoipa::path(
    get, path = "/healthz", operation_id = "alive", tag = "Service", responses((status = 200, body = AliveShape)),
))]
pub(crate) async fn alive(_: Box<Call>) -> HandlerResult {
    Ok(json(&AliveShape { status: "alive" }))
}

/// Check that the store responds and the server is not stopping
#[cfg_attr(test, utoipa::path(
    get, path = "/readyz", operation_id = "ready", tag = "Service",
    responses((status = 200, body = ReadyShape), problems::OfStore),
))]
pub(crate) async fn ready(call: Box<Call>) -> HandlerResult {
    let app = &call.app;
    if app.is_draining() {
        let detail = "the server is stopping: send requests to another one";
        return Err(Problem::new(ProblemType::Unavailable, detail));
    }
    let store = app.router.store();
    if let Err(error) = store.check_ready().await {
        // The route requires no key, and the reason may name nodes of the store.
        return Err(if app.access.has_keys() {
            Problem::new(
                ProblemType::Unavailable,
                "the store is not ready: the server's log says why",
            )
        } else {
            error.into()
        });
    }
    Ok(json(&ReadyShape {
        status: "ready",
        store: store.name(),
    }))
}
