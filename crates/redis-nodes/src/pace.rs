//! How long a node needs for work on one connection: [`Pace`], measured by its replies. Pure.
//!
//! Replies come in the order of the calls, so the time between two replies is what the later call
//! took. A call that found nothing before it took the time since its sending, minus the round trip.
//! The work of a call is measured by its bytes; the time of a byte is that of recent calls, divided
//! by their bytes.

use std::time::Duration;

use tokio::time::Instant;

/// The minimum time of a byte of a call, which is also the first estimate, in microseconds: some
/// 50,000 contributions in 30 ms.
const BYTE_MIN_US: f64 = 0.02;

/// The time of the node's work on which an estimate is based.
const MEMORY_US: f64 = 1_000_000.0;

/// The time for which the first estimate counts.
const GUESS_US: f64 = 100_000.0;

/// The delay of a call that came alone that does not count as work: a pause of the scheduler says
/// nothing about a byte.
const LONE_LATE: Duration = Duration::from_millis(5);

/// The interval after which the shortest round trip is measured again; one counts for one and a
/// half of it on average.
const TRIP_SPAN: Duration = Duration::from_secs(10);

/// An estimate of how long work takes.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The time of recent work, in microseconds, and its weight.
    busy_us: f64,
    weight: f64,
    answered: Option<Instant>,
    /// Since when a command is under way that blocks the connection without being work.
    held_up: Option<Instant>,
    trip: ShortestTrip,
}

/// The shortest recent round trip to the node.
#[derive(Debug, Default)]
struct ShortestTrip {
    since: Option<Instant>,
    now: Option<Duration>,
    before: Option<Duration>,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self {
            busy_us: GUESS_US,
            weight: GUESS_US / BYTE_MIN_US,
            answered: None,
            held_up: None,
            trip: ShortestTrip::default(),
        }
    }

    /// Returns how long work of this weight takes.
    pub(crate) fn estimate(&self, weight: u64) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
        let micros = weight as f64 * self.busy_us / self.weight;
        Duration::try_from_secs_f64(micros / 1e6).unwrap_or(Duration::MAX)
    }

    /// Records the reply to a command without weight.
    pub(crate) fn saw_trip(&mut self, trip: Duration, now: Instant) {
        self.trip.saw(trip, now);
    }

    /// Records that a command was sent that may block the connection without being work.
    pub(crate) fn holds_up(&mut self, now: Instant) {
        self.held_up = Some(now);
    }

    /// Records its reply: the next call begins now.
    pub(crate) fn goes_on(&mut self, now: Instant) {
        self.held_up = None;
        self.answered = Some(now);
    }

    /// Records the reply to a call of this weight that was sent at `sent`.
    pub(crate) fn answered(&mut self, weight: u64, sent: Instant, now: Instant) {
        if self.held_up.is_some_and(|since| since <= sent) {
            // The blocking command has ended before it, though its reply was not seen yet.
            self.goes_on(now);
            return;
        }
        self.trip.saw(now.saturating_duration_since(sent), now);
        let came = sent + self.trip.shortest();
        let took = match self.answered {
            Some(before) if before > sent => now.saturating_duration_since(came.max(before)),
            _ => now
                .saturating_duration_since(came)
                .saturating_sub(LONE_LATE),
        };
        self.answered = Some(now);
        let took_us = took.as_secs_f64() * 1e6;
        let kept = (-took_us / MEMORY_US).exp();
        #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
        let weight = weight as f64;
        self.busy_us = self.busy_us * kept + took_us;
        // The weight is limited: otherwise work that took no time would count forever.
        self.weight = (self.weight * kept + weight).min(self.busy_us / BYTE_MIN_US);
    }
}

impl ShortestTrip {
    fn saw(&mut self, trip: Duration, now: Instant) {
        let is_over = |since: Instant| now.saturating_duration_since(since) >= TRIP_SPAN / 2;
        if self.since.is_none_or(is_over) {
            self.since = Some(now);
            self.before = self.now.take();
        }
        self.now = Some(self.now.map_or(trip, |shortest| shortest.min(trip)));
    }

    fn shortest(&self) -> Duration {
        let trips = self.now.into_iter().chain(self.before);
        trips.min().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    /// A model of a node that takes `micros` for a byte and is `trip` away, with a clock.
    struct Twin {
        pace: Pace,
        micros: f64,
        trip: Duration,
        now: Instant,
        /// When the node has finished its work.
        done: Instant,
    }

    impl Twin {
        fn new(micros: f64, trip: Duration) -> Self {
            let now = Instant::now();
            let mut pace = Pace::new();
            pace.saw_trip(trip, now);
            Self {
                pace,
                micros,
                trip,
                now,
                done: now,
            }
        }

        /// Sends calls of these weights at once, and waits for all replies.
        fn send(&mut self, weights: &[u64]) {
            self.pace.saw_trip(self.trip, self.now);
            let sent = self.now;
            self.done = self.done.max(sent + self.trip / 2);
            for weight in weights {
                self.done += work(*weight, self.micros);
                self.now = self.done + self.trip / 2;
                self.pace.answered(*weight, sent, self.now);
            }
        }

        /// Sends a `WAIT` that takes so long, and calls after it. `is_seen_late`: the reply to the
        /// first of them is seen before that of the `WAIT`.
        fn send_behind_wait(&mut self, weights: &[u64], wait: Duration, is_seen_late: bool) {
            self.pace.holds_up(self.now);
            let sent = self.now;
            self.done = self.done.max(sent + self.trip / 2) + wait;
            self.now = self.done + self.trip / 2;
            if !is_seen_late {
                self.pace.goes_on(self.now);
            }
            for (location, weight) in weights.iter().enumerate() {
                self.done += work(*weight, self.micros);
                self.now = self.done + self.trip / 2;
                self.pace.answered(*weight, sent, self.now);
                if is_seen_late && location == 0 {
                    self.pace.goes_on(self.now);
                }
            }
        }

        /// Returns the estimated time of a byte.
        fn estimate(&self) -> f64 {
            self.pace.estimate(1_000_000_000).as_secs_f64() / 1e3
        }

        fn agrees(&self) -> bool {
            (0.9..1.1).contains(&(self.estimate() / self.micros))
        }
    }

    fn work(weight: u64, micros: f64) -> Duration {
        let weight = u32::try_from(weight).unwrap();
        Duration::from_secs_f64(f64::from(weight) * micros / 1e6)
    }

    #[test]
    fn the_first_estimate_is_a_good_one() {
        let pace = Pace::new();
        assert_eq!(pace.estimate(0), Duration::ZERO);
        assert_eq!(pace.estimate(50_000 * 30), 30 * MS);
    }

    #[test]
    fn queued_work_is_measured_whatever_the_distance() {
        for trip in [Duration::ZERO, 2 * MS, 200 * MS] {
            let mut node = Twin::new(0.3, trip);
            for _ in 0..60 {
                node.send(&[30_000; 40]);
            }
            assert!(node.agrees(), "{trip:?} away: {}", node.estimate());
        }
    }

    #[test]
    fn a_distant_node_that_is_idle_is_not_slow() {
        let mut node = Twin::new(0.0, 300 * MS);
        for _ in 0..100 {
            node.send(&[300]);
        }
        assert!(node.estimate() <= BYTE_MIN_US * 1.01, "{}", node.estimate());
    }

    #[test]
    fn waiting_for_replicas_is_not_work() {
        for (trip, is_seen_late) in [(MS, false), (MS, true), (50 * MS, false), (50 * MS, true)] {
            let mut idle = Twin::new(0.0, trip);
            let mut busy = Twin::new(0.3, trip);
            for _ in 0..100 {
                idle.send_behind_wait(&[300], 200 * MS, is_seen_late);
                busy.send_behind_wait(&[30_000; 40], 200 * MS, is_seen_late);
            }
            assert!(idle.estimate() <= BYTE_MIN_US * 1.01, "{}", idle.estimate());
            assert!(busy.agrees(), "{}", busy.estimate());
        }
    }

    #[test]
    fn heavy_calls_are_measured_also_where_each_comes_alone() {
        let mut node = Twin::new(20.0, MS);
        for _ in 0..20 {
            node.now += 700 * MS;
            node.send(&[30_000]);
        }
        assert!(node.agrees(), "{}", node.estimate());
    }

    #[test]
    fn old_measurements_are_forgotten_as_it_works() {
        let mut node = Twin::new(0.1, MS);
        for _ in 0..200 {
            node.send(&[30_000; 40]);
        }
        node.micros = 2.0;
        for _ in 0..4 {
            node.send(&[30_000; 40]);
        }
        assert!(node.agrees(), "{}", node.estimate());
        node.micros = 0.1;
        // Whatever it was, a burst of work corrects it soon.
        for _ in 0..50 {
            node.send(&[30_000; 40]);
        }
        assert!(node.agrees(), "{}", node.estimate());
    }

    #[test]
    fn pauses_of_a_scheduler_do_not_make_small_calls_slow() {
        let mut node = Twin::new(0.1, MS);
        for call in 0..1000 {
            let late = if call % 20 == 0 { 6 * MS } else { MS };
            node.send(&[300]);
            let sent = node.now;
            node.now += node.trip + late;
            node.pace.answered(300, sent, node.now);
            node.done = node.now;
        }
        assert!(node.estimate() < 1.0, "{}", node.estimate());
    }

    #[test]
    fn the_shortest_round_trip_is_forgotten_in_time() {
        let mut trip = ShortestTrip::default();
        let begun = Instant::now();
        trip.saw(MS, begun);
        for second in 1..=5 {
            trip.saw(50 * MS, begun + second * 1000 * MS);
            assert_eq!(trip.shortest(), MS);
        }
        for second in 6..=11 {
            trip.saw(50 * MS, begun + second * 1000 * MS);
        }
        assert_eq!(trip.shortest(), 50 * MS);
    }
}
