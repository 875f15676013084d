use std::collections::VecDeque;

use super::*;

const MS: Duration = Duration::from_millis(1);

/// The least time of a byte, in microseconds.
const BYTE_MIN_US: f64 = 1e6 / RATE_MAX;

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
        let at = self.now;
        let sent: Vec<Sent> = (0..weights.len())
            .map(|index| self.pace.sent(index == 0, at))
            .collect();
        self.done = self.done.max(at + self.trip / 2);
        for (weight, sent) in weights.iter().zip(sent) {
            self.done += work(*weight, self.micros);
            self.now = self.done + self.trip / 2;
            self.pace.answered(*weight, sent, self.now);
        }
    }

    /// Sends a `WAIT` that takes so long, and calls after it. `is_seen_late`: the reply to the
    /// first of them is seen before that of the `WAIT`.
    fn send_behind_wait(&mut self, weights: &[u64], wait: Duration, is_seen_late: bool) {
        self.pace.holds_up(self.now);
        let at = self.now;
        let sent: Vec<Sent> = (0..weights.len())
            .map(|index| self.pace.sent(index == 0, at))
            .collect();
        self.done = self.done.max(at + self.trip / 2) + wait;
        self.now = self.done + self.trip / 2;
        if !is_seen_late {
            self.pace.goes_on(self.now);
        }
        for (index, (weight, sent)) in weights.iter().zip(sent).enumerate() {
            self.done += work(*weight, self.micros);
            self.now = self.done + self.trip / 2;
            self.pace.answered(*weight, sent, self.now);
            if is_seen_late && index == 0 {
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
        let mut busy = Twin::new(0.3, trip);
        for _ in 0..100 {
            busy.send_behind_wait(&[30_000; 40], 200 * MS, is_seen_late);
        }
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
    node.send(&[30_000; 40]);
    assert!(node.agrees(), "{}", node.estimate());
}

#[test]
fn a_stall_does_not_make_a_node_slow() {
    let mut node = Twin::new(0.1, MS);
    for _ in 0..200 {
        node.send(&[30_000; 40]);
    }
    node.done = node.now + 1_500 * MS;
    node.send(&[30_000; 40]);
    assert!(node.agrees(), "{}", node.estimate());
}

#[test]
fn round_trips_are_forgotten_in_time() {
    let mut trips = RoundTrips::default();
    let begun = Instant::now();
    trips.saw(MS, begun);
    for second in 1..=5 {
        trips.saw(50 * MS, begun + second * 1000 * MS);
        assert_eq!(trips.recent(), (MS, 50 * MS));
    }
    for second in 6..=10 {
        trips.saw(60 * MS, begun + second * 1000 * MS);
    }
    assert_eq!(trips.recent(), (50 * MS, 60 * MS));
    // A call that is faster shows a shorter one.
    assert_eq!(trips.at_most(40 * MS), 50 * MS);
    assert_eq!(trips.recent(), (40 * MS, 60 * MS));
}

/// Callers that each make the next call when they have the reply, as many at a time as the window has.
struct Callers {
    pace: Pace,
    now: Instant,
    /// When the node has finished its work.
    done: Instant,
    /// When the last reply arrives: they come in order.
    replied: Instant,
    under_way: VecDeque<(Instant, Sent)>,
    waiting: u64,
}

/// The weight of a call, and how many callers there are.
const WEIGHT: u64 = 300;
const CALLERS: u64 = 64;

impl Callers {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            pace: Pace::new(),
            now,
            done: now,
            replied: now,
            under_way: VecDeque::new(),
            waiting: CALLERS,
        }
    }

    fn window(&self) -> Duration {
        25 * MS + self.pace.trip()
    }

    /// Runs for a time. Returns the number of calls, and the most and fewest calls under way at a reply.
    fn run(
        &mut self,
        time: Duration,
        service: Duration,
        mut trip: impl FnMut() -> Duration,
    ) -> (u32, usize, usize) {
        let end = self.now + time;
        let mut probe_at = self.now;
        let (mut calls, mut most, mut fewest) = (0, 0, usize::MAX);
        while self.now < end {
            if self.now >= probe_at && (self.waiting == 0 || self.pace.is_trip_old(self.now)) {
                let trip = trip();
                self.pace.saw_trip(trip, self.now);
            }
            if self.now >= probe_at {
                probe_at = self.now + 1000 * MS;
            }
            self.send(service, &mut trip);
            let count = self.under_way.len();
            (most, fewest) = (most.max(count), fewest.min(count));
            let (at, sent) = self.under_way.pop_front().expect("one is under way");
            self.now = at;
            self.pace.answered(WEIGHT, sent, at);
            self.waiting += 1;
            calls += 1;
        }
        (calls, most, fewest)
    }

    fn send(&mut self, service: Duration, trip: &mut impl FnMut() -> Duration) {
        while self.waiting > 0 {
            let weight = WEIGHT * (self.under_way.len() as u64 + 1);
            let is_alone = self.under_way.is_empty();
            if !is_alone && self.pace.estimate(weight) > self.window() {
                return;
            }
            let trip = trip();
            self.done = self.done.max(self.now + trip / 2) + service;
            self.replied = self.replied.max(self.done + trip / 2);
            let sent = self.pace.sent(is_alone, self.now);
            self.under_way.push_back((self.replied, sent));
            self.waiting -= 1;
        }
    }
}

fn jitter(least: u64, most: u64) -> impl FnMut() -> Duration {
    let mut state = 42_u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        Duration::from_micros(1000 * least + (state >> 33) % (1000 * (most - least) + 1))
    }
}

#[test]
fn distance_and_jitter_keep_all_callers_under_way() {
    let service = Duration::from_micros(20);
    for (least, most) in [(0, 0), (10, 10), (100, 100), (60, 150), (0, 100), (10, 500)] {
        let mut callers = Callers::new();
        let mut trip = jitter(least, most);
        callers.run(5_000 * MS, service, &mut trip);
        let (calls, most_under_way, fewest) = callers.run(60_000 * MS, service, &mut trip);
        assert_eq!(most_under_way as u64, CALLERS, "{least} to {most} ms");
        let product = u64::from(calls) * (least + most) / 2 / 60_000;
        assert!(
            fewest as u64 >= product,
            "{fewest} of {product}, {least} to {most} ms"
        );
        assert!(callers.pace.estimate(CALLERS * WEIGHT) <= callers.window());
    }
}

#[test]
fn a_node_that_moves_away_and_comes_back_keeps_all_callers_under_way() {
    let service = Duration::from_micros(20);
    let mut callers = Callers::new();
    for (least, most) in [(0, 1), (60, 150), (0, 1), (200, 200), (0, 100)] {
        callers.run(15_000 * MS, service, jitter(least, most));
        let (_, _, fewest) = callers.run(15_000 * MS, service, jitter(least, most));
        assert!(
            fewest as u64 >= CALLERS / 2,
            "{fewest}, {least} to {most} ms"
        );
    }
}

#[test]
fn a_slow_node_has_little_under_way_and_is_measured_at_any_distance() {
    let service = 20 * MS;
    for (least, most) in [(0, 0), (50, 50), (60, 150)] {
        let mut callers = Callers::new();
        let mut trip = jitter(least, most);
        callers.run(20_000 * MS, service, &mut trip);
        let (calls, under_way, _) = callers.run(60_000 * MS, service, &mut trip);
        let enough = 25 + 2 * most;
        assert!(
            under_way as u64 * 20 <= 2 * enough + 40,
            "{under_way} of {most} ms"
        );
        // It is never idle.
        assert!(calls >= 2_400, "{calls} calls in a minute");
        let estimate = callers.pace.estimate(WEIGHT);
        assert!((13 * MS..27 * MS).contains(&estimate), "{estimate:?}");
    }
}

#[test]
fn a_node_that_becomes_slow_is_found_out() {
    let mut callers = Callers::new();
    callers.run(15_000 * MS, Duration::from_micros(20), jitter(1, 2));
    callers.run(5_000 * MS, 20 * MS, jitter(1, 2));
    let (_, under_way, _) = callers.run(15_000 * MS, 20 * MS, jitter(1, 2));
    assert!(under_way <= 4, "{under_way}");
}
