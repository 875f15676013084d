//! Which program the Redis servers of a test are: [`Program`].

use std::env;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::dice;

/// Programs that tests draw theirs from, separated as in `PATH`. `tests/run` sets it.
const PROGRAMS: &str = "MEGABOARD_TEST_REDIS";

/// What is run where [`PROGRAMS`] names none, and where only it will do.
const REDIS: &str = "redis-server";

/// A server program: `redis-server`, or a `valkey-server`. All servers of a test are one program, drawn by the
/// seed and the test's name, so that a failure can be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program(PathBuf);

impl Program {
    /// The one that is drawn for the test of this thread.
    pub(super) fn of_this_test() -> Self {
        let thread = thread::current();
        let test = thread.name().unwrap_or_default();
        let programs = env::var_os(PROGRAMS).unwrap_or_else(|| REDIS.into());
        let drawn = drawn(&programs, dice::seed(), test);
        println!("Redis servers of this test: {}", drawn.0.display());
        drawn
    }

    /// Redis itself.
    pub(super) fn redis() -> Self {
        Self(REDIS.into())
    }

    /// Its name or path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn command(&self) -> Command {
        Command::new(&self.0)
    }
}

fn drawn(programs: &OsStr, seed: u64, test: &str) -> Program {
    let programs: Vec<PathBuf> = env::split_paths(programs).collect();
    let mut hasher = DefaultHasher::new();
    (seed, test).hash(&mut hasher);
    let place = hasher.finish() % programs.len() as u64;
    Program(programs[usize::try_from(place).unwrap()].clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tests_draw_every_program_and_each_draws_the_same_again() {
        let programs = OsStr::new("redis-server:/valkey/8:/valkey/9");
        let of = |seed, test: usize| drawn(programs, seed, &test.to_string());
        for seed in 0..20 {
            let all: BTreeSet<_> = (0..100).map(|test| of(seed, test).0).collect();
            assert_eq!(all.len(), 3, "seed {seed}");
            assert_eq!(of(seed, 7), of(seed, 7));
        }
        let of_one: BTreeSet<_> = (0..100).map(|seed| of(seed, 7).0).collect();
        assert_eq!(of_one.len(), 3, "other seeds draw otherwise");
    }
}
