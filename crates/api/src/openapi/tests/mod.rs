//! Properties of the document, and of the twins of what is written by hand.

mod golden;
mod refusals;
mod routes;
mod words;
mod written;

use std::collections::BTreeSet;
use std::sync::Arc;

use access::{Access, AccessSettings};
use board::Timestamp;
use merger::{Merger, Settings};
use serde_json::Value as Json;
use shard_router::Router;
use store_local::LocalStore;

use crate::MemoryBudget;
use crate::app::App;

/// The time of all tests.
const NOW: &str = "2026-11-20T14:52:22.123456Z";

/// Creates a service without kinds.
async fn app(access: &AccessSettings) -> Arc<App> {
    let store = Arc::new(LocalStore::in_memory().unwrap());
    let router = Arc::new(Router::open(store).await.unwrap());
    let now = Timestamp::parse_rfc3339(NOW).unwrap();
    let clock: shard_store::Clock = Arc::new(move || now);
    let settings = Settings {
        clock: clock.clone(),
        renderer: Arc::new(wire::render),
        renderer_format: wire::RENDERER_FORMAT,
        cache_bytes_max: 1 << 20,
    };
    let merger = Arc::new(Merger::new(router.clone(), settings));
    let access = Access::new(access).unwrap();
    Arc::new(App::new(
        router,
        merger,
        clock,
        access,
        MemoryBudget::default(),
    ))
}

/// Returns words and statuses of the problems that an operation of the document may return.
fn problems_of(document: &Json, operation: &Json) -> BTreeSet<(String, String)> {
    let responses = operation["responses"].as_object().unwrap().iter();
    let words = responses.flat_map(|(status, response)| {
        let name = response["$ref"]
            .as_str()
            .map(|name| name.rsplit('/').next().unwrap());
        let response = name.map_or(response, |name| &document["components"]["responses"][name]);
        let schema = &response["content"]["application/problem+json"]["schema"];
        let words = schema["allOf"][1]["properties"]["type"]["enum"].as_array();
        let words = words.into_iter().flatten();
        words.map(|word| (word.as_str().unwrap().to_owned(), status.clone()))
    });
    words.collect()
}
