//! Whole servers compared with a naive twin: random writes, and every response compared with plain
//! vectors that are sorted for each read.
//!
//! [`kind`] draws random kinds, [`standing`] computes a standing from all contributions, [`board`]
//! decides the outcome of a contribution, and [`view`] computes the response of a read. [`time`] is
//! a clock that jumps, so that windows close and expire, and boards end and expire, within a run.
//! Around such a moment (an edge), and until a sweep has run, several states of a board are
//! [`possible`]. Final responses are requested again at the end ([`finals`]), and two
//! responses with one entity tag are equal ([`tags`]). Contributions without a time are in the order
//! in which they were sent ([`arrivals`]). This module uses no crate of the service.

mod arrivals;
mod board;
mod compare;
mod finals;
mod kind;
mod kind_state;
mod management;
mod possible;
mod reads;
mod receipts;
mod standing;
mod tags;
mod time;
mod view;
mod world;
mod writes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use testkit::dice::{Dice, runs};
use testkit::redis::RedisServer;
use testkit::{Launch, Server};

use crate::redis::{SCRIPT_FREE, launch};
use arrivals::Arrivals;
use time::Time;
use world::World;

/// Steps of a run, each with one or a few requests.
const STEPS: (usize, usize) = (300, 6_000);

/// One step in this many kills the server, if the store is durable.
const KILLS_ONE_IN: usize = 100;

/// The number of wrong responses after which a run is aborted.
const WRONG_MAX: usize = 8;

/// The maximum number of requests around one edge.
const AROUND_MAX: usize = 12;

/// Without a pause, so that the server trusts the clock at once after a jump.
const EMBEDDED: &str = "[embedded]\nclock_pause = \"0s\"\n";

/// The maximum difference between the clock of a server and those of the nodes.
const REDIS: &str = "[redis]\nclock_skew_max = \"1d\"\n";

#[test]
fn in_memory() {
    let launch = Launch::on_a_free_port(EMBEDDED).args("--store memory:");
    run(launch, Time::unbounded(), None);
}

#[test]
fn in_a_folder_killed_again_and_again() {
    let launch = Launch::on_a_free_port(EMBEDDED);
    run(launch, Time::unbounded(), Some(Launch::start));
}

#[test]
fn on_redis() {
    let redis = RedisServer::plain();
    let launch = launch(&redis.url(), REDIS);
    run(launch, Time::beside_redis(), Some(Launch::start));
}

#[test]
fn on_redis_without_scripts() {
    let redis = RedisServer::plain();
    let launch = launch(&redis.url(), &format!("{REDIS}{SCRIPT_FREE}"));
    run(launch, Time::beside_redis(), None);
}

/// Runs writes and reads; `again` restarts a server that was killed.
fn run(launch: Launch, time: Time, again: Option<fn(Launch) -> Server>) {
    let mut dice = Dice::of_this_run();
    let server = time.clock().apply_to(launch).start();
    let mut world = World::new(server, time, &mut dice);
    let mut arrivals = Arrivals::new(&world.server);
    let mut wrong = 0;
    for step in 0..runs(STEPS.0, STEPS.1) {
        world.step = step;
        match dice.below(40) {
            0 => world.jump(&mut dice),
            1 | 2 => wrong += usize::from(!holds(|| cross_an_edge(&mut world, &mut dice))),
            _ => {}
        }
        world.leave_edges();
        if let Some(again) = again.filter(|_| dice.below(KILLS_ONE_IN) == 0) {
            world = world.restarted(again);
        }
        if dice.below(2) == 0 {
            world.write(&mut dice);
        }
        wrong += usize::from(!holds(|| world.read(&mut dice)));
        if dice.below(8) == 0 {
            arrivals.write(&world.server, &mut dice);
            arrivals.check(&world.server);
        }
        assert!(wrong < WRONG_MAX, "{wrong} of {step} responses are wrong");
    }
    assert_eq!(wrong, 0, "responses are wrong");
    let compared = world.read_finals_again();
    world.log(&format!("{compared} final responses are unchanged"));
    world.wait_for_expired_boards();
}

/// Writes and reads around the next edge, in the window or board that it is of.
fn cross_an_edge(world: &mut World, dice: &mut Dice) {
    let Some(edge) = world.approach(dice) else {
        return;
    };
    for _ in 0..AROUND_MAX {
        if dice.below(2) == 0 {
            world.write_at(&edge, dice);
        } else {
            world.read_at(&edge, dice);
        }
        if world.time.now() > edge.when + world.time.final_late_us {
            return;
        }
    }
}

/// Returns whether all assertions within pass.
fn holds(within: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(within)).is_ok()
}
