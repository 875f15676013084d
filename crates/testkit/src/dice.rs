//! Reproducible random choices: [`Dice`], seeded with a seed that is printed when a test fails.

use std::env;
use std::sync::OnceLock;

use crate::clock;

/// Returns the seed of all random choices: `MEGABOARD_TEST_SEED`, or a new one, which is printed.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let seed = match env::var("MEGABOARD_TEST_SEED") {
            Ok(text) => text.parse().expect("MEGABOARD_TEST_SEED is an integer"),
            Err(_) => clock::now_ms().unsigned_abs(),
        };
        println!("MEGABOARD_TEST_SEED={seed}");
        seed
    })
}

/// Prints the seed if a test panics while this is in scope.
pub struct Seed(pub u64);

impl Seed {
    /// Uses the seed of [`seed`].
    pub fn of_this_run() -> Self {
        Self(seed())
    }
}

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("repeat this run with MEGABOARD_TEST_SEED={}", self.0);
        }
    }
}

/// Returns `whole` if `MEGABOARD_TEST_LONG` is set, `sampled` otherwise.
pub fn runs<T>(sampled: T, whole: T) -> T {
    if env::var_os("MEGABOARD_TEST_LONG").is_some() {
        whole
    } else {
        sampled
    }
}

/// How many runs include a test that is sampled: one in so many.
const SAMPLED: u64 = 4;

/// Returns whether this run includes a test that is sampled, by its path. The seed decides, unless
/// `MEGABOARD_TEST_LONG` is set, or an argument selects the test by name.
pub fn is_drawn(test: &str) -> bool {
    let name = test.split_once("::").map_or(test, |(_, name)| name);
    let is_named = env::args().skip(1).any(|argument| name.contains(&argument));
    let hash = name.bytes().fold(seed(), |hash, byte| {
        Dice::new(hash ^ u64::from(byte)).word()
    });
    is_named || runs(hash.is_multiple_of(SAMPLED), true)
}

/// Leaves the test of this name unless this run includes it: [`is_drawn`].
#[macro_export]
macro_rules! sampled {
    ($test:ident) => {
        if !$crate::dice::is_drawn(concat!(module_path!(), "::", stringify!($test))) {
            return;
        }
    };
}

/// The `SplitMix64` generator of Steele, Lea and Flood.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates a generator from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates a generator from the seed of this run.
    pub fn of_this_run() -> Self {
        Self(seed())
    }

    /// Derives an independent generator, for another thread.
    #[must_use]
    pub const fn split(&mut self) -> Self {
        Self(self.word())
    }

    /// Returns a random 64-bit word.
    pub const fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `end - 1`.
    pub fn below(&mut self, end: usize) -> usize {
        let word = u128::from(self.word());
        // The upper half of the product is below `end`.
        usize::try_from((word * end as u128) >> 64).unwrap()
    }

    /// Returns a number from `low` to `high`, inclusive.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::try_from(self.word() % (high - low + 1).cast_unsigned()).unwrap()
    }

    /// Returns true with a probability of 1 in `times`.
    pub const fn one_in(&mut self, times: u64) -> bool {
        self.word().is_multiple_of(times)
    }

    /// Returns one of the choices.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// Shuffles the items; all orders are equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
