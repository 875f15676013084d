//! The metrics of connections in `GET /metrics`.

use std::error::Error as _;
use std::io;

use metering::{Counter, CounterFamily, Gauge, labels};

use crate::read_ahead::ShareFull;

metering::metrics! {
    /// The metrics of connections.
    #[derive(Debug)]
    pub struct Connections {
        open: Gauge = Gauge::default(), "connections", "Connections that are open";
        pub refused: Counter = Counter::default(), "connections_refused",
            "Connections that exceeded the limits: closed at once, or accepted only for probes";
        pub hang_ups: Counter = Counter::default(), "connection_hang_ups",
            "Connections that were closed because their client had not read for too long";
        ended_early: CounterFamily = ended_early(), "connections_ended_early",
            "Connections that ended early: the client sent no HTTP (malformed), a head was too-large or too-slow (idle connections included), there was no memory for it (overloaded), the client disconnected (cut-off), a newer connection for probes got its permit (displaced), or other";
    }
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

/// Returns counters by cause, all of which have a value from the beginning.
fn ended_early() -> CounterFamily {
    let ends = CounterFamily::default();
    for cause in CAUSES {
        ends.get_or_create_owned(&labels([("cause", cause)]));
    }
    ends
}

impl Connections {
    /// Counts an open connection until the result is dropped.
    #[must_use]
    pub fn open(&self) -> Open {
        self.open.inc();
        Open(self.open.clone())
    }

    /// Counts a connection that ended with this error.
    pub fn count_ended_early(&self, error: &hyper::Error) {
        self.count_cause(cause_of(error));
    }

    /// Counts a connection whose spare permit a newer one got.
    pub fn count_displaced(&self) {
        self.count_cause("displaced");
    }

    fn count_cause(&self, cause: &'static str) {
        let labels = labels([("cause", cause)]);
        self.ended_early.get_or_create_owned(&labels).inc();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
