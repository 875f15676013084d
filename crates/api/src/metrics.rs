//! What the HTTP interface counts, and its names in `GET /metrics`: the one place for names.
//!
//! A new metric is a field of the struct that counts it, made and registered here: `http` for requests, `writes` for
//! contributions, `streams` for event streams. Connections count themselves in `connection`, the process in
//! `metering`. All but the process's get the prefix `megaboard_`, counters end in `_total`; the rest comes from the
//! crates below, which have a `metrics.rs` of their own: `App::new` hands the registry down to the router (which
//! registers the store's, [`ShardStore::register_metrics`](shard_store::ShardStore::register_metrics)) and the
//! merger. Requests are counted in one place, by the gate; a `Problem` leaves its type in the response's extensions
//! for that.
//!
//! **Invariant:** no label holds a name that users choose: a kind, a board, a subject, a member. Their number has no
//! limit.
//!
//! **Invariant:** every metric is documented. `tests/e2e/metrics` compares the dashboard, the alerts and the table in
//! `docs/operations.md` with what servers report.

pub(crate) mod format;
mod http;
mod streams;
mod writes;

use std::sync::Arc;

use access::Access;
use connection::Connections;
use merger::Merger;
use metering::{Gauge, Info, Registry, labels, register_process};
use shard_router::Router;

pub(crate) use http::Http;
pub(crate) use streams::Streams;
pub(crate) use writes::Writes;

/// What all names begin with that are not the process's.
const PREFIX: &str = "megaboard";

/// Handles of what is counted here.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) http: Http,
    pub(crate) writes: Writes,
    pub(crate) streams: Arc<Streams>,
    pub(crate) connections: Connections,
    ready: Gauge,
}

impl Metrics {
    /// Registers all that is counted here, and in what the service writes and reads through.
    pub(crate) fn register(&self, router: &Router, merger: &Merger, access: &Access) -> Registry {
        let mut registry = Registry::default();
        register_process(&mut registry);
        let ours = of_service(&mut registry);
        let build = labels([
            ("version", env!("CARGO_PKG_VERSION")),
            ("store", router.store().name()),
        ]);
        ours.register("build", "What is running", Info::new(build));
        ours.register(
            "ready",
            "Whether the store takes writes and answers reads, as GET /readyz says it: 1 or 0",
            self.ready.clone(),
        );
        self.http.register(ours, access.guesses_refused());
        self.writes.register(ours);
        self.streams.register(ours);
        self.connections.register(ours);
        router.register_metrics(ours);
        merger.register_metrics(ours);
        registry
    }

    /// Whether the store was ready just now.
    pub(crate) fn note_ready(&self, is_ready: bool) {
        self.ready.set(i64::from(is_ready));
    }
}

/// Where what is ours is registered.
pub(crate) fn of_service(registry: &mut Registry) -> &mut Registry {
    registry.sub_registry_with_prefix(PREFIX)
}
