//! Random members and gifts: [`Viewers`].

use crate::gifts;

/// Generates members and gifts from a seed, with the names and gifts of the demo.
pub(super) struct Viewers {
    members: u32,
    random: fastrand::Rng,
}

impl Viewers {
    pub(super) fn new(members: u32, seed: u64) -> Self {
        Self {
            members,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Returns a member and points.
    pub(super) fn gift(&mut self) -> (String, i64) {
        (self.member(), gifts::random_gift(&mut self.random))
    }

    /// Returns a member. Those with lower numbers are more frequent.
    pub(super) fn member(&mut self) -> String {
        let number = self.random.u32(..self.members);
        let number = self.random.u32(..=number);
        gifts::crowd_member(number).0.as_str().to_owned()
    }

    /// Returns a uniformly distributed position, from 0.
    pub(super) fn position(&mut self) -> u32 {
        self.random.u32(..self.members)
    }

    /// Returns a uniformly distributed number below `end`.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.random.u32(..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_results_in_the_same_gifts() {
        let gifts = |seed| {
            let mut viewers = Viewers::new(1_000, seed);
            (0..100).map(|_| viewers.gift()).collect::<Vec<_>>()
        };
        assert_eq!(gifts(7), gifts(7));
        assert_ne!(gifts(7), gifts(8));
        assert!(gifts(7).iter().all(|(_, points)| *points > 0));
    }
}
