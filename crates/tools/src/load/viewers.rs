//! Who gives and who looks: [`Viewers`].

use crate::gifts;

/// Members who give as those of the demo do, drawn from a seed.
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

    /// A member and what it gives. The lower a member's number, the more often it gives.
    pub(super) fn gift(&mut self) -> (String, i64) {
        (self.member(), gifts::any_gift(&mut self.random))
    }

    /// A member, the busy ones more often.
    pub(super) fn member(&mut self) -> String {
        let number = self.random.u32(..self.members);
        let number = self.random.u32(..=number);
        gifts::of_crowd(number).0.as_str().to_owned()
    }

    /// A position of the board, each as likely: from 0.
    pub(super) fn position(&mut self) -> u32 {
        self.random.u32(..self.members)
    }

    /// A number below this, each as likely.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        self.random.u32(..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_gifts() {
        let gifts = |seed| {
            let mut viewers = Viewers::new(1_000, seed);
            (0..100).map(|_| viewers.gift()).collect::<Vec<_>>()
        };
        assert_eq!(gifts(7), gifts(7));
        assert_ne!(gifts(7), gifts(8));
        assert!(gifts(7).iter().all(|(_, points)| *points > 0));
    }
}
