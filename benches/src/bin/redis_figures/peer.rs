//! Plain sorted sets of one Redis with the same members, written by pipelines of `ZINCRBY`.

use std::io;
use std::time::{Duration, Instant};

use benches::figures::number;
use benches::redis::Redis;
use benches::resp::append;
use benches::sample::member;
use scale::random::Random;

/// Coprime to all numbers of members: steps of this length reach every member once, in a practically random order.
const STRIDE: u64 = 7_654_321;

/// The maximum points of a contribution.
const POINTS_MAX: u64 = 100;

/// A Redis with plain sorted sets.
pub(crate) struct Peer {
    pub(crate) redis: Redis,
    /// The keys `board:0`, `board:1` and so on.
    sets: Vec<String>,
    members: u64,
    random: Random,
    /// Memory of Redis per member after one contribution of each, in bytes.
    pub(crate) bytes: f64,
}

impl Peer {
    /// Creates sorted sets with all members, and sends `churn` further contributions.
    pub(crate) fn filled(members: u64, sets: u64, churn: u64) -> io::Result<Self> {
        const PIPELINE: u64 = 1000;
        let mut redis = Redis::start()?;
        let empty = redis.memory_bytes()?;
        let mut peer = Self {
            redis,
            sets: (0..sets).map(|set| format!("board:{set}")).collect(),
            members,
            random: Random::new(2),
            bytes: 0.0,
        };
        for first in (0..members).step_by(1000) {
            let numbers = first..members.min(first + PIPELINE);
            let commands = numbers.end - numbers.start;
            let pipeline = peer.commands(numbers.map(|index| index * STRIDE % members));
            peer.run(&pipeline, commands)?;
        }
        peer.bytes = (peer.redis.memory_bytes()? - empty) / number(members);
        peer.increment(PIPELINE, churn)?;
        Ok(peer)
    }

    /// Returns the CPU time of Redis per contribution in microseconds, in pipelines of `len`.
    pub(crate) fn cpu_us(&mut self, len: u64, contributions: u64) -> io::Result<f64> {
        let begun = self.redis.cpu_us()?;
        self.increment(len, contributions)?;
        Ok((self.redis.cpu_us()? - begun) / number(contributions))
    }

    /// Sends contributions in pipelines of `len`. Returns the time, without generating them.
    pub(crate) fn increment(&mut self, len: u64, contributions: u64) -> io::Result<Duration> {
        let mut taken = Duration::ZERO;
        for _ in 0..contributions / len {
            let numbers: Vec<u64> = (0..len).map(|_| self.random.below(self.members)).collect();
            let pipeline = self.commands(numbers.into_iter());
            let begun = Instant::now();
            self.run(&pipeline, len)?;
            taken += begun.elapsed();
        }
        Ok(taken)
    }

    fn commands(&mut self, numbers: impl Iterator<Item = u64>) -> String {
        let mut pipeline = String::new();
        for number in numbers {
            let points = (1 + self.random.below(POINTS_MAX)).to_string();
            let set = usize::try_from(number).unwrap_or_default() % self.sets.len();
            let member = member(number);
            append(
                &mut pipeline,
                &["ZINCRBY", &self.sets[set], &points, member.as_str()],
            );
        }
        pipeline
    }

    fn run(&mut self, pipeline: &str, commands: u64) -> io::Result<()> {
        let commands = usize::try_from(commands).unwrap_or(usize::MAX);
        self.redis.connection.run(pipeline, commands)
    }
}
