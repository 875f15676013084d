//! The metrics of the HTTP interface, and their names in `GET /metrics`. The only place for names.
//!
//! A new metric is a field of the struct that counts it, registered in its file: `http` for requests, `writes` for
//! contributions, `streams` for event streams. The metrics of connections are in `connection`, those of the process in
//! `metering`. All but those of the process get the prefix `megaboard_`, counters end in `_total`. The crates below
//! have a `metrics.rs` of their own: `App::new` passes the registry to the router (which registers the store's,
//! [`ShardStore::register_metrics`](shard_store::ShardStore::register_metrics)) and the merger. Requests are counted in
//! one place, by the gate, which finds the type of a `Problem` in the response's extensions.
//!
//! **Invariant:** no label holds a name that users choose: a kind, a board, a subject, a member. Their number has no
//! limit.
//!
//! **Invariant:** every metric is documented. `tests/e2e/metrics` compares the dashboard, the alerts and the table in
//! `docs/operations.md` with what servers report.

mod http;
mod streams;
mod writes;

use std::sync::Arc;

use access::Access;
use http_server::Connections;
use merger::Merger;
use metering::{Family, Gauge, Registry, labels, register_process};
use shard_router::Router;

pub(crate) use http::{Http, RouteMetrics};
pub(crate) use streams::Streams;
pub(crate) use writes::Writes;

/// The prefix of all names except those of the process.
const PREFIX: &str = "megaboard";

/// The metrics of the HTTP interface.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) http: Http,
    pub(crate) writes: Writes,
    pub(crate) streams: Arc<Streams>,
    pub(crate) connections: Connections,
    ready: Gauge,
}

impl Metrics {
    /// Registers these metrics, and those of the router, the merger and the store.
    pub(crate) fn register(&self, router: &Router, merger: &Merger, access: &Access) -> Registry {
        let mut registry = Registry::default();
        register_process(&mut registry);
        let ours = of_service(&mut registry);
        // Not an `info`, which readers of the older text format reject.
        let build: Family<Gauge> = Family::default();
        let of_this = labels([
            ("version", env!("CARGO_PKG_VERSION")),
            ("store", router.store().name()),
        ]);
        build.get_or_create(&of_this).set(1);
        ours.register("build_info", "The version and the store", build);
        ours.register(
            "ready",
            "Whether the server is ready, as GET /readyz reports it: 1 or 0",
            self.ready.clone(),
        );
        self.http.register(ours, access.guesses_refused());
        self.writes.register(ours);
        self.streams.register(ours);
        self.connections.register_all(ours);
        router.register_metrics(ours);
        merger.register_metrics(ours);
        registry
    }

    /// Sets whether the store is ready.
    pub(crate) fn note_ready(&self, is_ready: bool) {
        self.ready.set(i64::from(is_ready));
    }
}

/// Returns the registry for names with the prefix.
pub(crate) fn of_service(registry: &mut Registry) -> &mut Registry {
    registry.sub_registry_with_prefix(PREFIX)
}
