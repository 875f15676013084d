//! The requests of a load: [`Scenario`].

use commands::gifts;

use crate::args::LoadArgs;
use crate::mix::{Mix, Operation};
use crate::request::Request;
use crate::rooms::Rooms;

/// Generates requests. The same seed results in the same requests.
#[derive(Clone)]
pub(crate) struct Scenario {
    rooms: Rooms,
    mix: Mix,
    batch: u32,
    random: fastrand::Rng,
}

impl Scenario {
    pub(crate) fn new(args: &LoadArgs) -> Self {
        Self {
            rooms: Rooms::new(args.rooms, args.members),
            mix: args.mix,
            batch: args.batch,
            random: fastrand::Rng::with_seed(args.seed),
        }
    }

    pub(crate) const fn rooms(&self) -> &Rooms {
        &self.rooms
    }

    /// Returns a scenario of the same rooms with other requests.
    pub(crate) fn with_other_seed(&self) -> Self {
        let mut other = self.clone();
        other.random = fastrand::Rng::with_seed(other.random.u64(..) ^ 1);
        other
    }

    /// Returns random rooms.
    pub(crate) fn subjects(mut self, count: u32) -> impl Iterator<Item = usize> {
        (0..count).map(move |_| self.rooms.room(&mut self.random))
    }

    /// Returns the next request.
    pub(crate) fn next(&mut self) -> Request {
        let Self { rooms, random, .. } = self;
        let operation = self.mix.operation(random);
        let room = rooms.room(random);
        let members = match operation {
            Operation::Top => 0,
            Operation::Rank | Operation::Around => 1,
            Operation::Write => self.batch,
        };
        let gift = |_| (rooms.member(room, random), gifts::random_gift(random));
        Request {
            operation,
            room,
            gifts: (0..members).map(gift).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(seed: u64) -> Scenario {
        Scenario {
            rooms: Rooms::new(50, 1_000),
            mix: Mix::default(),
            batch: 2,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    #[test]
    fn requests_have_the_shares_of_the_mix_and_depend_on_the_seed() {
        let requests = |seed| {
            let mut scenario = scenario(seed);
            (0..10_000).map(|_| scenario.next()).collect::<Vec<_>>()
        };
        let all = requests(1);
        assert_eq!(all, requests(1));
        assert_ne!(all, requests(2));
        for (operation, share) in Operation::ALL.into_iter().zip([6_000, 2_000, 1_000, 1_000]) {
            let count = all.iter().filter(|it| it.operation == operation).count();
            assert!(count.abs_diff(share) < 200, "{operation:?}: {count}");
        }
    }
}
