//! Random order that a failure can be repeated with: [`Dice`], thrown from one printed seed.

use std::env;
use std::sync::OnceLock;

use crate::clock;

/// The seed of everything random: `MEGABOARD_TEST_SEED`, or one that is drawn and printed.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let seed = match env::var("MEGABOARD_TEST_SEED") {
            Ok(text) => text.parse().expect("MEGABOARD_TEST_SEED is a number"),
            Err(_) => clock::now_ms().unsigned_abs(),
        };
        println!("MEGABOARD_TEST_SEED={seed}");
        seed
    })
}

/// `sampled`, or `whole` where `MEGABOARD_TEST_LONG` asks for it.
pub fn runs(sampled: usize, whole: usize) -> usize {
    if env::var_os("MEGABOARD_TEST_LONG").is_some() {
        whole
    } else {
        sampled
    }
}

/// The `SplitMix64` generator of Steele, Lea and Flood.
pub struct Dice(u64);

impl Default for Dice {
    fn default() -> Self {
        Self::new()
    }
}

impl Dice {
    /// From the seed of this run.
    pub fn new() -> Self {
        Self(seed())
    }

    /// Other dice, thrown from where these are: for a thread of its own.
    #[must_use]
    pub fn split(&mut self) -> Self {
        Self(self.word())
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `sides`.
    pub fn throw(&mut self, sides: usize) -> usize {
        let word = u128::from(self.word());
        // The product's upper half is below `sides`.
        usize::try_from((word * sides as u128) >> 64).unwrap()
    }

    /// Every order of the items is as likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.throw(end + 1));
        }
    }
}
