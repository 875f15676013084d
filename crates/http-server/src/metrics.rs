//! The metrics of connections in `GET /metrics`.

use std::error::Error as _;
use std::io;

use metering::{Counter, CounterFamily, Gauge, Registry, labels};

use crate::read_ahead::ShareFull;

/// The metrics of connections.
#[derive(Debug, Default)]
pub struct Connections {
    open: Gauge,
    /// Connections that exceeded the limits.
    pub refused: Counter,
    /// Connections that were closed because their client did not read.
    pub hang_ups: Counter,
    /// Connections that ended early.
    pub early_ends: EarlyEnds,
}

/// Counts one open connection until it is dropped.
#[derive(Debug)]
pub struct Open(Gauge);

/// Why connections end early: the client sent something other than HTTP/1; a head was too long; no complete head
/// arrived in time, idle connections included; there was no memory for a head; the client disconnected during a
/// request, or before the response; a newer connection got the spare permit; another cause, mostly the network.
const CAUSES: [&str; 7] = [
    "malformed",
    "too-large",
    "too-slow",
    "overloaded",
    "cut-off",
    "displaced",
    "other",
];

fn cause_of(error: &hyper::Error) -> &'static str {
    match error {
        error if error.is_parse_too_large() => "too-large",
        error if error.is_parse() => "malformed",
        error if error.is_timeout() => "too-slow",
        error if error.is_incomplete_message() => "cut-off",
        error if is_share_full(error) => "overloaded",
        _ => "other",
    }
}

fn is_share_full(error: &hyper::Error) -> bool {
    let error = error
        .source()
        .and_then(|error| error.downcast_ref::<io::Error>());
    let inner = error.and_then(io::Error::get_ref);
    inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<ShareFull>)
}

/// Counts connections that ended early, by their cause.
#[derive(Debug)]
pub struct EarlyEnds(CounterFamily);

impl Default for EarlyEnds {
    fn default() -> Self {
        let ends = Self(CounterFamily::default());
        // All causes have a value from the beginning.
        for cause in CAUSES {
            ends.of(cause);
        }
        ends
    }
}

impl EarlyEnds {
    fn of(&self, cause: &'static str) -> Counter {
        self.0.get_or_create_owned(&labels([("cause", cause)]))
    }

    /// Counts a connection that ended with this error.
    pub fn count(&self, error: &hyper::Error) {
        self.of(cause_of(error)).inc();
    }

    /// Counts a connection whose spare permit a newer one got.
    pub fn count_displaced(&self) {
        self.of("displaced").inc();
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections_ended_early",
            "Connections that ended early: the client sent no HTTP (malformed), a head was too-large or too-slow (idle connections included), there was no memory for it (overloaded), the client disconnected (cut-off), a newer connection for probes got its permit (displaced), or other",
            self.0.clone(),
        );
    }
}

impl Connections {
    /// Counts an open connection until the result is dropped.
    #[must_use]
    pub fn open(&self) -> Open {
        self.open.inc();
        Open(self.open.clone())
    }

    /// Registers the metrics.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections",
            "Connections that are open",
            self.open.clone(),
        );
        registry.register(
            "connections_refused",
            "Connections that exceeded the limits: closed at once, or accepted only for probes",
            self.refused.clone(),
        );
        registry.register(
            "connection_hang_ups",
            "Connections that were closed because their client had not read for too long",
            self.hang_ups.clone(),
        );
        self.early_ends.register(registry);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
