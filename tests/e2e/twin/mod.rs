//! Whole servers against a naive twin: what is written at random, and everything that is answered held
//! against plain vectors that are sorted for each question.
//!
//! [`kind`] draws kinds of every sort, [`standing`] works a standing out from all contributions, [`board`]
//! decides what becomes of one, [`view`] says what a read has to answer. [`time`] is a clock that goes from
//! edge to edge, so that windows close and pass their retention, and boards end and expire, within a run;
//! around an edge, and until a sweep has come, a board is one of several ([`possible`]). What was final once
//! is asked for again at the end ([`finals`]).
//! Nothing here knows a crate of the service.

mod board;
mod compare;
mod finals;
mod kind;
mod possible;
mod reads;
mod receipts;
mod standing;
mod time;
mod view;
mod world;
mod writes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use testkit::dice::{Dice, runs};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

use crate::redis::{SCRIPT_FREE, launch};
use time::Time;
use world::World;

/// Steps of a run, each a request or a few.
const STEPS: (usize, usize) = (300, 6_000);

/// Of so many steps one is a kill, where the store outlasts it.
const KILLS_ONE_IN: usize = 100;

/// Wrong answers that are shown before a run is given up.
const WRONG_MAX: usize = 8;

fn pick<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.below(of.len())]
}

/// The clock is set ahead without a pause, so that a sweep goes by it at once.
const EMBEDDED: &str = "[embedded]\nclock_pause = \"0s\"\n";

/// As far as the clock of a server may be from the nodes'.
const REDIS: &str = "[redis]\nclock_skew_max = \"1d\"\n";

/// Requests around one edge, at most.
const AROUND_MAX: usize = 12;

#[test]
fn in_memory() {
    let launch = Launch::on_a_free_port(EMBEDDED).args("--store memory:");
    agrees(launch, Time::unbounded(), None);
}

#[test]
fn in_a_folder_killed_again_and_again() {
    let launch = Launch::on_a_free_port(EMBEDDED);
    agrees(launch, Time::unbounded(), Some(Launch::start));
}

#[test]
fn on_redis() {
    let redis = RedisServer::plain();
    let launch = launch(&redis.url(), REDIS);
    agrees(launch, Time::beside_redis(), Some(Launch::start));
}

#[test]
fn on_redis_without_scripts() {
    let redis = RedisServer::plain();
    let launch = launch(&redis.url(), &format!("{REDIS}{SCRIPT_FREE}"));
    agrees(launch, Time::beside_redis(), None);
}

/// Writes and reads; `again` starts a server that was killed.
fn agrees(launch: Launch, time: Time, again: Option<fn(Launch) -> Server>) {
    let mut dice = Dice::of_this_run();
    let server = time.clock().worn_by(launch).start();
    let mut world = World::new(server, time, &mut dice);
    let mut wrong = 0;
    for step in 0..runs(STEPS.0, STEPS.1) {
        world.step = step;
        match dice.below(40) {
            0 => world.jump(&mut dice),
            1 | 2 => wrong += usize::from(!holds(|| world.goes_over_an_edge(&mut dice))),
            _ => {}
        }
        world.go_to_a_quiet_moment();
        if let Some(again) = again.filter(|_| dice.below(KILLS_ONE_IN) == 0) {
            world = world.killed(again);
        }
        if dice.below(2) == 0 {
            world.write(&mut dice);
        }
        wrong += usize::from(!holds(|| world.read(&mut dice)));
        assert!(wrong < WRONG_MAX, "{wrong} of {step} answers are wrong");
    }
    assert_eq!(wrong, 0, "answers are wrong");
    let asked = world.ask_finals_again();
    world.log(&format!("{asked} final answers are what they were"));
    world.boards_that_have_expired_go();
}

/// Whether what is asserted within is so.
fn holds(within: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(within)).is_ok()
}
