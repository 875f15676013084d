//! Random choices that can be made again: a seed, printed where a run fails.

use std::env;

/// A stream of choices (splitmix64).
#[derive(Clone)]
pub(crate) struct Dice {
    state: u64,
}

/// Prints the seed of the run when a test fails in its scope.
pub(crate) struct Seed(pub(crate) u64);

impl Seed {
    /// The seed of `MEGABOARD_TEST_SEED`, or one drawn now.
    pub(crate) fn of_this_run() -> Self {
        Self(env::var("MEGABOARD_TEST_SEED").map_or_else(
            |_| getrandom::u64().unwrap(),
            |text| text.parse().expect("MEGABOARD_TEST_SEED is an integer"),
        ))
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat this run with MEGABOARD_TEST_SEED={}", self.0);
        }
    }
}

/// `sampled`, or `whole` where `MEGABOARD_TEST_LONG` asks for it.
pub(crate) fn runs(sampled: u64, whole: u64) -> u64 {
    if env::var_os("MEGABOARD_TEST_LONG").is_some() {
        whole
    } else {
        sampled
    }
}

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(crate) const fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0, below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.word() % u64::try_from(end).unwrap()).unwrap()
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.word() % (high - low + 1).cast_unsigned()).unwrap()
    }

    /// True once in so many times.
    pub(crate) const fn one_in(&mut self, times: u64) -> bool {
        self.word().is_multiple_of(times)
    }

    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
