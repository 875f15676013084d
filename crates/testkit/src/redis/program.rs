//! The server program that a test uses: [`Program`].

use std::env;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use crate::dice;

/// The programs to draw from, separated as in `PATH`. Set by `tests/run`.
const PROGRAMS: &str = "MEGABOARD_TEST_REDIS";

/// The program if [`PROGRAMS`] names none, and for tests that require it.
const REDIS: &str = "redis-server";

/// A server program: `redis-server` or a `valkey-server`. All servers of a test run the same
/// program, drawn by the seed and the test's name, so that a failure can be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program(PathBuf);

impl Program {
    /// Returns the program drawn for the test of this thread.
    pub(super) fn of_this_test() -> Self {
        let thread = thread::current();
        let test = thread.name().unwrap_or_default();
        let programs = env::var_os(PROGRAMS).unwrap_or_else(|| REDIS.into());
        let drawn = drawn(&programs, dice::seed(), test);
        println!("Redis servers of this test: {}", drawn.0.display());
        drawn
    }

    /// Returns `redis-server`.
    pub(super) fn redis() -> Self {
        Self(REDIS.into())
    }

    /// Returns the name or path of the program.
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
    let index = hasher.finish() % programs.len() as u64;
    Program(programs[usize::try_from(index).unwrap()].clone())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_programs_are_drawn_and_a_draw_is_repeatable() {
        let programs = OsStr::new("redis-server:/valkey/8:/valkey/9");
        let of = |seed, test: usize| drawn(programs, seed, &test.to_string());
        for seed in 0..20 {
            let all: BTreeSet<_> = (0..100).map(|test| of(seed, test).0).collect();
            assert_eq!(all.len(), 3, "seed {seed}");
            assert_eq!(of(seed, 7), of(seed, 7));
        }
        let of_one: BTreeSet<_> = (0..100).map(|seed| of(seed, 7).0).collect();
        assert_eq!(of_one.len(), 3, "another seed draws another program");
    }
}
