//! How fast a node works for one connection: [`Pace`], measured by its replies. Pure.
//!
//! Distance is not load. So nothing here adds up the times between replies, which a distant node
//! spends idle. As in BBR (Cardwell and others, 2016), each reply shows a rate that the node surely
//! has, and the greatest recent one counts:
//!
//! - what the node has done while the call was under way, by that time. Where the node always has
//!   work, that is its rate, at any distance and with any jitter.
//! - the call alone, by the time that it took beyond the shortest round trip. Where calls come one
//!   by one, that is its rate.
//!
//! The work of a call is measured by its bytes.

use std::time::Duration;

use tokio::time::Instant;

/// The greatest rate, in bytes a second, which is also the first estimate: some 50,000
/// contributions in 30 ms.
const RATE_MAX: f64 = 50_000_000.0;

/// A rate counts for so long, and so much of the node's time, at least; at most for twice that.
const RATE_SPAN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(500));

/// A round trip counts for so long, at least; at most for twice that.
const TRIP_SPAN: Duration = Duration::from_secs(5);

/// The age after which a round trip is to be measured although calls are under way.
const TRIP_AGE_MAX: Duration = Duration::from_secs(2);

/// A longer round trip shows a stall.
const TRIP_MAX: Duration = Duration::from_secs(1);

/// An estimate of how long work takes.
#[derive(Debug)]
pub(crate) struct Pace {
    rate: GreatestRate,
    trips: RoundTrips,
    /// The weight of all calls with a reply, and when the last one arrived.
    done: u64,
    replied: Option<Instant>,
    /// Since when a command is under way that blocks the connection without being work.
    held_up: Option<Instant>,
    /// What was done when the last such command had its reply.
    resumed: Option<Sent>,
}

/// What was known when a call was sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    at: Instant,
    /// Since when the node works on what is counted for the call.
    since: Instant,
    done: u64,
}

/// The greatest recent rate, in bytes a second.
#[derive(Debug, Default)]
struct GreatestRate {
    since: Option<Instant>,
    worked: Duration,
    now: f64,
    before: f64,
}

/// The shortest and the longest recent round trip to the node, without work.
#[derive(Debug, Default)]
struct RoundTrips {
    seen: Option<Instant>,
    since: Option<Instant>,
    now: Option<(Duration, Duration)>,
    before: Option<(Duration, Duration)>,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self {
            rate: GreatestRate::default(),
            trips: RoundTrips::default(),
            done: 0,
            replied: None,
            held_up: None,
            resumed: None,
        }
    }

    /// Returns how long work of this weight takes.
    pub(crate) fn estimate(&self, weight: u64) -> Duration {
        time(weight, self.rate.greatest())
    }

    /// Returns how long it takes at least.
    pub(crate) fn at_least(weight: u64) -> Duration {
        time(weight, RATE_MAX)
    }

    /// Returns the longest recent round trip.
    pub(crate) fn trip(&self) -> Duration {
        self.trips.recent().1
    }

    /// Returns whether the round trip has to be measured again.
    pub(crate) fn is_trip_old(&self, now: Instant) -> bool {
        let age = self
            .trips
            .seen
            .map(|seen| now.saturating_duration_since(seen));
        age.is_none_or(|age| age >= TRIP_AGE_MAX)
    }

    /// Records the round trip of a command without work, sent while nothing else was under way.
    pub(crate) fn saw_trip(&mut self, trip: Duration, now: Instant) {
        self.trips.saw(trip, now);
    }

    /// Records that a command was sent that may block the connection without being work.
    pub(crate) fn holds_up(&mut self, now: Instant) {
        self.held_up = Some(now);
    }

    /// Records its reply: the next call begins now.
    pub(crate) fn goes_on(&mut self, now: Instant) {
        self.held_up = None;
        self.resumed = Some(self.sent(true, now));
    }

    /// Returns what is known when a call is sent; `is_alone`: no other is under way.
    pub(crate) fn sent(&mut self, is_alone: bool, now: Instant) -> Sent {
        let replied = self.replied.filter(|_| !is_alone);
        let since = *self.replied.insert(replied.unwrap_or(now));
        Sent {
            at: now,
            since,
            done: self.done,
        }
    }

    /// Records the reply to a call of this weight.
    pub(crate) fn answered(&mut self, weight: u64, sent: Sent, now: Instant) {
        self.done += weight;
        self.replied = Some(now);
        if self.held_up.is_some_and(|since| since <= sent.at) {
            // The blocking command has ended before it, though its reply was not seen yet.
            self.goes_on(now);
            return;
        }
        let flight = now.saturating_duration_since(sent.at);
        let shortest = self.trips.at_most(flight);
        let mut counted = sent;
        let mut came = sent.at + shortest;
        if let Some(resumed) = self.resumed.filter(|resumed| resumed.at > sent.at) {
            counted = Sent {
                since: resumed.at,
                ..resumed
            };
            came = came.max(resumed.at);
        }
        let alone = rate(weight, now.saturating_duration_since(came));
        let all = rate(
            self.done - counted.done,
            now.saturating_duration_since(counted.since),
        );
        // A call that was faster than every trip shows the trip, not the work.
        let shown = if flight < shortest {
            all
        } else {
            all.max(alone)
        };
        self.rate.saw(shown, flight.saturating_sub(shortest), now);
    }
}

fn time(weight: u64, rate: f64) -> Duration {
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let seconds = weight as f64 / rate;
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn rate(weight: u64, time: Duration) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
    let rate = weight as f64 / time.as_secs_f64();
    rate.min(RATE_MAX)
}

impl GreatestRate {
    fn saw(&mut self, rate: f64, worked: Duration, now: Instant) {
        let since = *self.since.get_or_insert(now);
        let is_over = now.saturating_duration_since(since) >= RATE_SPAN.0;
        if is_over && self.worked >= RATE_SPAN.1 {
            self.before = std::mem::take(&mut self.now);
            self.since = Some(now);
            self.worked = Duration::ZERO;
        }
        self.worked += worked;
        self.now = self.now.max(rate);
    }

    fn greatest(&self) -> f64 {
        if self.since.is_none() {
            return RATE_MAX;
        }
        self.now.max(self.before).max(1.0)
    }
}

impl RoundTrips {
    fn saw(&mut self, trip: Duration, now: Instant) {
        self.seen = Some(now);
        let is_over = |since: Instant| now.saturating_duration_since(since) >= TRIP_SPAN;
        if self.since.is_none_or(is_over) {
            self.since = Some(now);
            self.before = self.now.take();
        }
        let trip = trip.min(TRIP_MAX);
        let (shortest, longest) = self.now.unwrap_or((trip, trip));
        self.now = Some((shortest.min(trip), longest.max(trip)));
    }

    /// Returns the shortest and the longest.
    fn recent(&self) -> (Duration, Duration) {
        let known = self.now.into_iter().chain(self.before);
        let wider = known.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        wider.unwrap_or_default()
    }

    /// Returns the shortest. If this call was faster, it is the shortest from now on.
    fn at_most(&mut self, flight: Duration) -> Duration {
        let (shortest, _) = self.recent();
        if let Some(now) = self.now.as_mut().filter(|_| flight < shortest) {
            now.0 = flight;
        }
        shortest
    }
}

#[cfg(test)]
mod tests;
