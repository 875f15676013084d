//! `GET /healthz`: the process answers. `GET /readyz`: the store does, too.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use crate::app::App;
use crate::problem::Problem;
use crate::wire;

pub(crate) async fn alive() -> Response {
    wire::json(&json!({"status": "alive"}))
}

pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    app.router.store().ready().await?;
    Ok(wire::json(
        &json!({"status": "ready", "store": app.router.store().name()}),
    ))
}
