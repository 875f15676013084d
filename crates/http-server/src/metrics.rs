//! The metrics of connections in `GET /metrics`.

use std::error::Error as _;
use std::io;

use metering::{Counter, CounterFamily, Gauge, Registry, labels};

use crate::read_ahead::PoolFull;

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

/// Why a connection ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The client sent something other than HTTP/1.
    Malformed,
    /// The head of a request was too long.
    TooLarge,
    /// No complete head arrived in time. This includes idle connections.
    TooSlow,
    /// There was no memory for the head of a request.
    Overloaded,
    /// The client disconnected during a request, or before the response.
    CutOff,
    /// The connection had a spare permit and no complete head, and a newer connection got its permit.
    Displaced,
    /// Another cause, mostly the network.
    Other,
}

impl Cause {
    const ALL: [Self; 7] = [
        Self::Malformed,
        Self::TooLarge,
        Self::TooSlow,
        Self::Overloaded,
        Self::CutOff,
        Self::Displaced,
        Self::Other,
    ];

    fn of(error: &hyper::Error) -> Self {
        match error {
            error if error.is_parse_too_large() => Self::TooLarge,
            error if error.is_parse() => Self::Malformed,
            error if error.is_timeout() => Self::TooSlow,
            error if error.is_incomplete_message() => Self::CutOff,
            error if is_pool_full(error) => Self::Overloaded,
            _ => Self::Other,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TooLarge => "too-large",
            Self::TooSlow => "too-slow",
            Self::Overloaded => "overloaded",
            Self::CutOff => "cut-off",
            Self::Displaced => "displaced",
            Self::Other => "other",
        }
    }
}

fn is_pool_full(error: &hyper::Error) -> bool {
    let error = error
        .source()
        .and_then(|error| error.downcast_ref::<io::Error>());
    let inner = error.and_then(io::Error::get_ref);
    inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<PoolFull>)
}

/// Counts connections that ended early, by their cause.
#[derive(Debug)]
pub struct EarlyEnds {
    family: CounterFamily,
    /// By the index of the cause in [`Cause::ALL`].
    by_cause: [Counter; Cause::ALL.len()],
}

impl Default for EarlyEnds {
    fn default() -> Self {
        let family = CounterFamily::default();
        let counter = |cause: Cause| family.get_or_create_owned(&labels([("cause", cause.word())]));
        Self {
            by_cause: Cause::ALL.map(counter),
            family,
        }
    }
}

impl EarlyEnds {
    /// Counts a connection that ended with this error.
    pub fn count(&self, error: &hyper::Error) {
        self.by_cause[Cause::of(error) as usize].inc();
    }

    /// Counts a connection whose spare permit a newer one got.
    pub fn count_displaced(&self) {
        self.by_cause[Cause::Displaced as usize].inc();
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections_ended_early",
            "Connections that ended early: the client sent no HTTP (malformed), a head was too-large or too-slow (idle connections included), there was no memory for it (overloaded), the client disconnected (cut-off), a newer connection for probes got its permit (displaced), or other",
            self.family.clone(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_listed_in_the_order_of_their_declaration() {
        for (index, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(index, cause as usize, "{cause:?}");
        }
    }
}
