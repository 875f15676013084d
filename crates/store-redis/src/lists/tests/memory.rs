//! Memory and processor time of a list, compared with a board that ranks all members: the figures
//! of `docs/methods.md`.

use board::Retain;

use super::list_board::{ListBoard, list};
use testkit::dice::runs;

/// The cost of a board: bytes a member, and microseconds of Redis for each contribution of a second
/// round.
#[derive(Debug)]
struct Cost {
    bytes: u64,
    first_us: f64,
    second_us: f64,
}

async fn cost(retain: Option<Retain>, members: u32) -> Cost {
    let room = ListBoard::new(retain).await;
    let before = used(&room);
    room.fill(members).await;
    let first_us = spent_us(&room);
    let bytes = (used(&room) - before) / u64::from(members);
    // The same members again, in another order.
    let again = (1..=members).map(|n| room.points(1 + n * 7919 % members, 1));
    room.apply(&again.collect::<Vec<_>>()).await;
    let second_us = spent_us(&room) - first_us;
    Cost {
        bytes,
        first_us: first_us / f64::from(members),
        second_us: second_us / f64::from(members),
    }
}

fn used(room: &ListBoard) -> u64 {
    let memory = room.redis.command(&["INFO", "memory"]);
    memory.field("used_memory").unwrap().parse().unwrap()
}

/// Returns the time of all functions so far.
fn spent_us(room: &ListBoard) -> f64 {
    let stats = room.redis.command(&["INFO", "commandstats"]);
    let line = stats.field("cmdstat_fcall").unwrap();
    let spent = line.split(',').find_map(|part| part.strip_prefix("usec="));
    spent.unwrap().parse().unwrap()
}

/// The hash of scores stays; the sorted set, more than half of everything, shrinks to about a
/// thousandth.
#[tokio::test]
async fn a_list_takes_half_the_memory_of_a_board() {
    let members = u32::try_from(runs(30_000, 100_000)).unwrap();
    let all = cost(None, members).await;
    let best = cost(Some(list(1000, 1200)), members).await;
    for (what, cost) in [("all ranked", &all), ("the best 1,000", &best)] {
        println!(
            "{members} members, {what}: {} bytes a member, {:.1} us a contribution, {:.1} us a later one",
            cost.bytes, cost.first_us, cost.second_us
        );
    }
    assert!(2 * best.bytes < all.bytes, "{best:?} of {all:?}");
}
