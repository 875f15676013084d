//! Whole servers against a naive twin: what is written at random, and everything that is answered held
//! against plain vectors that are sorted for each question.
//!
//! [`kind`] draws kinds of every sort, [`standing`] works a standing out from all contributions, [`board`]
//! decides what becomes of one, [`view`] says what a read has to answer.
//! Nothing here knows a crate of the service.

mod board;
mod compare;
mod kind;
mod reads;
mod standing;
mod view;
mod world;
mod writes;

use std::panic::{AssertUnwindSafe, catch_unwind};

use end_to_end::dice::{Dice, runs};
use end_to_end::redis::RedisServer;
use end_to_end::{Launch, Server};

use crate::redis::{SCRIPT_FREE, serve};
use world::World;

/// Steps of a run, each a request or a few.
const STEPS: (usize, usize) = (600, 30_000);

/// Of so many steps one is a kill, where the store outlasts it.
const KILLS_ONE_IN: usize = 150;

/// Wrong answers that are shown before a run is given up.
const WRONG_MAX: usize = 8;

fn pick<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.throw(of.len())]
}

#[test]
fn in_memory() {
    agrees(Server::with(""), None);
}

#[test]
fn in_a_folder_killed_again_and_again() {
    agrees(Server::durable(""), Some(Launch::start));
}

#[test]
fn on_redis() {
    let redis = RedisServer::plain();
    agrees(serve(&redis.url(), ""), Some(Launch::start));
}

#[test]
fn on_redis_without_scripts() {
    let redis = RedisServer::plain();
    agrees(
        serve(&redis.url(), &format!("[redis]\n{SCRIPT_FREE}")),
        None,
    );
}

/// Writes and reads; `again` starts a server that was killed.
fn agrees(server: Server, again: Option<fn(Launch) -> Server>) {
    let mut dice = Dice::new();
    let mut world = World::new(server, &mut dice);
    let mut wrong = 0;
    for step in 0..runs(STEPS.0, STEPS.1) {
        world.wait_for_a_quiet_moment();
        if let Some(again) = again.filter(|_| dice.throw(KILLS_ONE_IN) == 0) {
            world = world.killed(again);
        }
        world.step = step;
        if dice.throw(2) == 0 {
            world.write(&mut dice);
        }
        let read = catch_unwind(AssertUnwindSafe(|| world.read(&mut dice)));
        wrong += usize::from(read.is_err());
        assert!(wrong < WRONG_MAX, "{wrong} of {step} answers are wrong");
    }
    assert_eq!(wrong, 0, "answers are wrong");
}
