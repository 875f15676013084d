//! What the HTTP face counts, and what it is called in `GET /metrics`: the one place for names.
//!
//! A new metric is a field of the struct that counts it, made and registered here: `http` for requests,
//! `writes` for contributions, `streams` for event streams and connections, `early_ends` for how those end, `process` for the process.
//! All but the process's get the prefix `megaboard_`, counters end in `_total`; the rest comes from the
//! crates below, which have a `metrics.rs` of their own. No label holds a board, a subject, a member or
//! a kind: of those there may be any number. `docs/operations.md` lists all; a test holds it to that.

mod early_ends;
pub(crate) mod format;
mod http;
mod process;
mod streams;
mod writes;

use std::sync::Arc;

use merger::Merger;
use metering::{Gauge, Info, Registry, labels};
use shard_router::Router;

pub(crate) use http::Http;
pub(crate) use streams::{Connections, Streams};
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
    /// What is told: all that is counted here, and in what the service writes and reads through.
    pub(crate) fn register(&self, router: &Router, merger: &Merger) -> Registry {
        let mut told = Registry::default();
        process::register(&mut told);
        let ours = of_service(&mut told);
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
        self.http.register(ours);
        self.writes.register(ours);
        self.streams.register(ours);
        self.connections.register(ours);
        router.register_metrics(ours);
        merger.register_metrics(ours);
        told
    }

    /// Whether the store was ready just now.
    pub(crate) fn note_ready(&self, is_ready: bool) {
        self.ready.set(i64::from(is_ready));
    }
}

/// Where what is ours is registered.
pub(crate) fn of_service(told: &mut Registry) -> &mut Registry {
    told.sub_registry_with_prefix(PREFIX)
}
