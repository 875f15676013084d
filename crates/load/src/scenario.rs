//! The requests of a load: [`Scenario`], and the share of each kind of request: [`Mix`].

use std::fmt;
use std::str::FromStr;

use tools::gifts;

use crate::args::LoadArgs;
use crate::request::{Operation, Request};
use crate::rooms::Rooms;

/// The share of each operation, in the order of [`Operation::ALL`]. At least one is above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mix([u32; 4]);

/// The maximum share.
const SHARE_MAX: u32 = 1_000_000;

impl Default for Mix {
    fn default() -> Self {
        Self([60, 20, 10, 10])
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares = Operation::ALL.into_iter().zip(self.0);
        let shares = shares.map(|(operation, share)| format!("{}={share}", operation.name()));
        f.write_str(&shares.collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut shares = [0; 4];
        for part in text.split(',') {
            let (name, share) = part.split_once('=').unwrap_or((part, ""));
            let index = Operation::ALL.iter().position(|it| it.name() == name);
            let share = share.parse().ok().filter(|share| *share <= SHARE_MAX);
            let (Some(index), Some(share)) = (index, share) else {
                return Err(format!(
                    "{part:?} is not a share: expected top=N, rank=N, around=N or write=N, N at most {SHARE_MAX}"
                ));
            };
            shares[index] = share;
        }
        if shares == [0; 4] {
            return Err("at least one share must be above 0".to_owned());
        }
        Ok(Self(shares))
    }
}

impl Mix {
    fn operation(self, random: &mut fastrand::Rng) -> Operation {
        let all: u32 = self.0.iter().sum();
        let mut choice = random.u32(..all);
        for (operation, share) in Operation::ALL.into_iter().zip(self.0) {
            match choice.checked_sub(share) {
                Some(left) => choice = left,
                None => return operation,
            }
        }
        Operation::Top
    }
}

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
        match operation {
            Operation::Top => Request::Top { room },
            Operation::Rank => Request::Rank {
                room,
                member: rooms.member(room, random),
            },
            Operation::Around => Request::Around {
                room,
                member: rooms.member(room, random),
            },
            Operation::Write => {
                let gift = |_| (rooms.member(room, random), gifts::random_gift(random));
                Request::Write {
                    room,
                    gifts: (0..self.batch).map(gift).collect(),
                }
            }
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
            let count = all.iter().filter(|it| it.operation() == operation).count();
            assert!(count.abs_diff(share) < 200, "{operation:?}: {count}");
        }
    }

    #[test]
    fn a_mix_is_parsed_as_it_is_displayed() {
        assert_eq!(
            Mix::default().to_string(),
            "top=60,rank=20,around=10,write=10"
        );
        assert_eq!(Mix::default().to_string().parse(), Ok(Mix::default()));
        assert_eq!("write=1".parse(), Ok(Mix([0, 0, 0, 1])));
        for wrong in ["", "top", "top=-1", "page=3", "top=0", "top=9999999"] {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
        }
    }
}
