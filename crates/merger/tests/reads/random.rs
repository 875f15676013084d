//! [`Random`]: random numbers by a seed, with which a failure can be reproduced.

/// The seed of this run: `MEGABOARD_TEST_SEED`, or 1.
pub(crate) fn seed() -> u64 {
    let seed = std::env::var("MEGABOARD_TEST_SEED").map_or(1, |text| {
        text.parse()
            .expect("MEGABOARD_TEST_SEED is a number from 0 to 2^64 - 1")
    });
    println!("MEGABOARD_TEST_SEED={seed}");
    seed
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Creates random numbers by the seed of the run; `stream` distinguishes tests.
    pub(crate) fn of_run(stream: u64) -> Self {
        Self::new(seed() ^ stream.rotate_left(32))
    }

    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to `end`, excluded, which is not 0.
    pub(crate) const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// From `first` to `last`, included.
    pub(crate) const fn within(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }
}
