//! What is counted of connections, and its names in `GET /metrics`.

use std::error::Error as _;
use std::io;

use metering::{Counter, CounterFamily, Gauge, Registry, labels};

use crate::read_ahead::PoolFull;

/// What is counted of connections.
#[derive(Debug, Default)]
pub struct Connections {
    open: Gauge,
    /// Connections beyond the limits.
    pub refused: Counter,
    /// Connections that were ended since their client took nothing.
    pub hang_ups: Counter,
    /// Connections that ended before their time.
    pub early_ends: EarlyEnds,
}

/// One connection, for as long as it is open.
#[derive(Debug)]
pub struct Open(Gauge);

/// Why a connection ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// What came is no HTTP/1.
    Malformed,
    /// The head of a request is longer than it may be.
    TooLarge,
    /// No whole head came in time; so end those that nothing comes over any more.
    TooSlow,
    /// There was no room for the head of a request.
    Overloaded,
    /// The client left in the middle of a request, or before it was answered.
    CutOff,
    /// It was for probes alone, no whole head of one had come, and a newer one got its permit.
    Displaced,
    /// Whatever else: the network, mostly.
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
            error if is_no_room(error) => Self::Overloaded,
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

fn is_no_room(error: &hyper::Error) -> bool {
    let error = error
        .source()
        .and_then(|error| error.downcast_ref::<io::Error>());
    let inner = error.and_then(io::Error::get_ref);
    inner.is_some_and(<dyn std::error::Error + Send + Sync>::is::<PoolFull>)
}

/// Counts them by cause.
#[derive(Debug)]
pub struct EarlyEnds {
    family: CounterFamily,
    /// By the place of their cause in [`Cause::ALL`].
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
    /// A connection has ended so.
    pub fn count(&self, error: &hyper::Error) {
        self.by_cause[Cause::of(error) as usize].inc();
    }

    /// A connection for probes had to end for a newer one.
    pub fn count_displaced(&self) {
        self.by_cause[Cause::Displaced as usize].inc();
    }

    /// Names them.
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections_ended_early",
            "Connections that ended before their time: what came was no HTTP (malformed), a head was too-large or too-slow (idle ones included), there was no room for it (overloaded), the client left (cut-off), a newer connection for probes took its permit (displaced), or other",
            self.family.clone(),
        );
    }
}

impl Connections {
    /// One more, until it is dropped.
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
            "Connections beyond the limits: closed as they came, or accepted for probes alone",
            self.refused.clone(),
        );
        registry.register(
            "connection_hang_ups",
            "Connections that were ended since their client had taken nothing for too long",
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
    fn causes_stand_at_their_places() {
        for (place, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(place, cause as usize, "{cause:?}");
        }
    }
}
