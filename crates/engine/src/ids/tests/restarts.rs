//! Random writes, jumps of the clock, snapshots and restarts, compared with a map of when each id
//! was last applied.

use std::collections::HashMap;

use testkit::dice::{Dice, Seed, runs};

use super::*;
use crate::ids::FrozenIds;

const RUNS: u64 = 300;
const STEPS: usize = 120;
const NUMBERS: usize = 200;
const DAY_MS: i64 = 86_400_000;
/// How far a clock may be ahead while it is not trusted.
const AHEAD_DAYS_MAX: i64 = 120;

/// A shard's ids in a store: the clock, a snapshot, and what was applied since.
struct Store {
    budget: IdBudget,
    ids: RememberedIds,
    span: Duration,
    /// The true time, in milliseconds.
    now_ms: i64,
    /// How far the clock is ahead; only while it is not trusted.
    ahead_ms: i64,
    snapshot: Option<FrozenIds>,
    /// What was applied since the snapshot, and by which clock.
    journal: Vec<(u128, Timestamp)>,
    /// The true time of the last application of each id, in milliseconds.
    applied_ms: HashMap<u128, i64>,
    /// Whether the clock is ahead at times: then ids may be remembered for longer.
    has_wrong_clock: bool,
}

impl Store {
    fn new(span: Duration, has_wrong_clock: bool) -> Self {
        Self {
            budget: IdBudget::new(1 << 30),
            ids: RememberedIds::new(at(0)),
            span,
            now_ms: 0,
            ahead_ms: 0,
            snapshot: None,
            journal: Vec::new(),
            applied_ms: HashMap::new(),
            has_wrong_clock,
        }
    }

    fn shown(&self) -> Timestamp {
        at(self.now_ms + self.ahead_ms)
    }

    /// What the dedupe span promises.
    fn has_to_hold(&self, number: u128) -> bool {
        let applied_ms = self.applied_ms.get(&number);
        applied_ms.is_some_and(|applied_ms| at(self.now_ms) < at(*applied_ms).plus(self.span))
    }

    fn holds(&self, number: u128) -> bool {
        let now = self.shown();
        let (ids, budget) = (&self.ids, &self.budget);
        ids.holds(digest(number), 0, now, self.span, budget)
    }

    fn apply(&mut self, number: u128) {
        let now = self.shown();
        if !self.holds(number) {
            self.ids.reserve(now, self.span, &self.budget).unwrap();
            self.ids.remember(digest(number), 0, now);
            self.journal.push((number, now));
            self.applied_ms.insert(number, self.now_ms);
        }
    }

    fn sweep(&mut self) {
        self.ids.age(self.shown(), self.span, &self.budget);
    }

    fn snapshot(&mut self) {
        self.snapshot = Some(self.ids.freeze());
        self.journal.clear();
    }

    /// Loads the snapshot, if there is one, and replays the journal.
    fn restart(&mut self) {
        self.ids.release(&self.budget);
        self.budget.limit_trust(Some(at(-DAY_MS)));
        let first = self.journal.first();
        self.ids = RememberedIds::new(first.map_or_else(|| self.shown(), |(_, now)| *now));
        for (place, generation) in self
            .snapshot
            .iter()
            .flat_map(|it| &it.generations)
            .enumerate()
        {
            let (began, count) = (generation.began(), generation.len());
            self.ids.begin(place, began, count, &self.budget);
            for noted in generation.entries() {
                self.ids.put(place, noted, &self.budget);
            }
        }
        for (number, now) in &self.journal {
            self.ids.reserve_anyway(*now, self.span, &self.budget);
            self.ids.remember(digest(*number), 0, *now);
        }
        self.judge_clock();
    }

    /// Trusts the clock, or, while it is ahead, no time after this one.
    fn judge_clock(&self) {
        let is_ahead = self.ahead_ms > 0;
        self.budget.limit_trust(is_ahead.then(|| at(self.now_ms)));
    }

    fn change_clock(&mut self, dice: &mut Dice) {
        let days = dice.between(0, AHEAD_DAYS_MAX);
        self.ahead_ms = if dice.one_in(2) { 0 } else { days * DAY_MS };
        self.judge_clock();
    }

    fn step(&mut self, dice: &mut Dice) {
        self.now_ms += match dice.below(8) {
            0 => dice.between(0, 20 * DAY_MS),
            1 => dice.between(0, DAY_MS),
            2 => dice.between(0, 3_600_000),
            _ => dice.between(0, 100),
        };
        match dice.below(20) {
            0 => self.snapshot(),
            1 | 2 => self.restart(),
            3..=6 => self.sweep(),
            7 if self.has_wrong_clock => self.change_clock(dice),
            _ => {
                for _ in 0..=dice.below(5) {
                    self.apply(dice.below(NUMBERS) as u128);
                }
            }
        }
    }

    fn check(&self) {
        for number in 0..NUMBERS as u128 {
            let (holds, has_to_hold) = (self.holds(number), self.has_to_hold(number));
            if self.has_wrong_clock {
                assert!(holds || !has_to_hold, "{number} was forgotten");
            } else {
                assert_eq!(holds, has_to_hold, "{number}");
            }
        }
    }
}

fn each_store(has_wrong_clock: bool) {
    let seed = Seed::of_this_run();
    let mut dice = Dice::new(seed.0);
    for _ in 0..runs(RUNS, 20 * RUNS) {
        let hours = dice.between(1, 168).unsigned_abs();
        let mut store = Store::new(Duration::from_hours(hours), has_wrong_clock);
        for _ in 0..STEPS {
            store.step(&mut dice);
            store.check();
        }
        store.ids.release(&store.budget);
        assert_eq!(store.budget.used_bytes(), 0);
    }
}

#[test]
fn with_a_right_clock_an_id_is_remembered_for_exactly_the_span_across_restarts() {
    each_store(false);
}

#[test]
fn with_a_clock_that_is_ahead_at_times_no_id_is_forgotten_within_the_span() {
    each_store(true);
}

/// As in a journal of two months that is replayed after a restart.
#[test]
fn a_replay_of_more_than_49_days_forgets_nothing() {
    let span = Duration::from_hours(168);
    let mut store = Store::new(span, false);
    for (number, day) in [(1, 0), (2, 18), (3, 65), (4, 67), (5, 68)] {
        store.now_ms = day * DAY_MS;
        store.apply(number);
    }
    store.restart();
    let held: Vec<u128> = (1..=5).filter(|number| store.holds(*number)).collect();
    assert_eq!(held, [3, 4, 5]);
}
