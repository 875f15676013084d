//! Bodies of requests, within the limits of the service ([`http_server::BodyMemory`]).

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use http_server::query_params::prefer;
use http_server::{Whole, from_json, media_type, whole_up_to};
use serde::de::DeserializeOwned;
use wire::problem::{Problem, ProblemType};

use crate::app::App;

/// Maximum bytes of a JSON body without contributions: the longest ones name a thousand members.
const JSON_BYTES_MAX: usize = 1 << 20;

/// The maximum time that a write waits for a store that is unavailable.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(15);

/// Returns how long a client wants its write to wait for a store that is unavailable, if it does.
pub(crate) fn write_wait(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all("prefer").iter();
    let wait = prefer::wait(values.filter_map(|value| value.to_str().ok()))?;
    Some(wait.min(WRITE_WAIT_MAX))
}

/// Reads a whole body of contributions, up to the configured limit.
pub(crate) async fn whole(app: &App, body: Body) -> Result<Whole, Problem> {
    whole_of(app, body, app.body_bytes_max).await
}

async fn whole_of(app: &App, body: Body, bytes_max: usize) -> Result<Whole, Problem> {
    tokio::select! {
        biased;
        whole = whole_up_to(&app.body_memory, body, bytes_max) => whole,
        () = app.stopping() => {
            let detail = "the server is stopping, and the body has not come";
            Err(Problem::new(ProblemType::Unavailable, detail))
        }
    }
}

/// Reads a whole JSON body without contributions.
pub(crate) async fn json_text(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<Whole, Problem> {
    let media_type = media_type(headers);
    if media_type != "application/json" {
        let detail = format!("content-type: {media_type:?} is not application/json");
        return Err(Problem::new(ProblemType::UnsupportedMediaType, detail));
    }
    whole_of(app, body, app.body_bytes_max.min(JSON_BYTES_MAX)).await
}

/// Reads and parses a whole JSON body without contributions.
pub(crate) async fn json<T: DeserializeOwned>(
    app: &App,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Problem> {
    from_json(&json_text(app, headers, body).await?)
}
