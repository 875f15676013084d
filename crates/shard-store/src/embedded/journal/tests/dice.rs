//! Random choices that can be made again.

/// A stream of choices (splitmix64).
#[derive(Debug)]
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    /// Of the seed of this run: `MEGABOARD_TEST_SEED`, or 1. It is printed where a test fails.
    pub(super) fn of_this_run() -> Self {
        let seed = std::env::var("MEGABOARD_TEST_SEED").map_or(1, |text| {
            text.parse().expect("MEGABOARD_TEST_SEED is an integer")
        });
        println!("MEGABOARD_TEST_SEED={seed}");
        Self { state: seed }
    }

    pub(super) const fn word(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0, below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.word() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(super) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

/// `sampled`, or `whole` where `MEGABOARD_TEST_LONG` asks for it.
pub(super) fn runs(sampled: usize, whole: usize) -> usize {
    if std::env::var_os("MEGABOARD_TEST_LONG").is_some() {
        whole
    } else {
        sampled
    }
}
